// SPDX-License-Identifier: Apache-2.0
// Where a text that grows can be cut: what stands before an empty line outside of a code fence will
// not change any more.
export function blocks(text: string): string[] {
  const found: string[] = [];
  let fence = "";
  let block = "";
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark && !fence) fence = mark;
    else if (mark && fence && mark.startsWith(fence)) fence = "";
    if (line.trim() === "" && !fence && block) {
      found.push(block);
      block = "";
    } else if (block || line.trim() !== "") {
      block += (block ? "\n" : "") + line;
    }
  }
  if (block) found.push(block);
  return found;
}

// SPDX-License-Identifier: Apache-2.0
// Padding hides what stands after it: long runs of blank lines and of blanks become a few words that
// say how many there were. A line counts as blank if nothing of it is seen, however it is written.
const LINES_KEPT = 3;
const BLANKS_KEPT = 120;

// Spaces as markdown may write them, characters that look like none, and marks of empty quotes and
// headings.
const ENTITY = /&(?:nbsp|ensp|emsp|thinsp|zwnj|zwj|shy|#0*(?:9|10|13|32|160)|#x0*(?:9|a|d|20|a0|200[0-9a-f]));?/gi;
const NOTHING = /^[\s>#\\\u2800\u3164\uffa0\u115f\u1160\u200b-\u200d\ufeff]*$/u;

const isBlank = (line: string): boolean => NOTHING.test(line.includes("&") ? line.replace(ENTITY, "") : line);

export interface Sayings {
  lines(n: number): string;
  blanks(n: number): string;
}

export function collapse(text: string, say: Sayings): string {
  const found: string[] = [];
  let run: string[] = [];
  const end = (): void => {
    if (run.length > LINES_KEPT) found.push("", `⟨${say.lines(run.length)}⟩`, "");
    else found.push(...run);
    run = [];
  };
  for (const line of text.split("\n")) {
    if (isBlank(line)) {
      run.push(line);
    } else {
      end();
      found.push(line.replace(WIDE, (blanks) => ` ⟨${say.blanks(blanks.length)}⟩ `));
    }
  }
  // What stands at the end hides nothing.
  if (run.length <= LINES_KEPT) end();
  return found.join("\n");
}

const WIDE = new RegExp(`[ \\t\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u2800\\u3000\\u3164]{${BLANKS_KEPT},}`, "gu");

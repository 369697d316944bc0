// SPDX-License-Identifier: Apache-2.0
// Text that hides something is shown with what it hides: controls, bidi overrides and other
// invisible characters become their code in brackets. ZWJ and ZWNJ stay, letters need them.
const HIDDEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

// The flags of England, Scotland and Wales are a black flag and letters that are not seen otherwise.
const FLAG = /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/u;
const SEEN_OR_HIDDEN = new RegExp(`${FLAG.source}|${HIDDEN.source}`, "gu");

const code = (character: string): string => character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");

export const visible = (text: string): string =>
  text.replace(SEEN_OR_HIDDEN, (found) => (FLAG.test(found) ? found : `⟨U+${code(found)}⟩`));

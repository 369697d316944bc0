// SPDX-License-Identifier: Apache-2.0
// Plain texts of agents: code between backticks is shown as code, padding as what it is.
import { Fragment } from "preact";
import { count } from "../i18n";
import { collapse, type Sayings } from "../model/blank";
import { visible } from "../model/visible";

const SAYINGS: Sayings = {
  lines: (n) => count("text.blank_lines", n),
  blanks: (n) => count("text.blanks", n),
};

export const unpadded = (text: string): string => collapse(text, SAYINGS);

const WORD_WHOLE_MAX = 24;
const CODE_MAX = 4000; // longer texts are broken anywhere: a piece for each word would be a page's worth

// A line of code, which is better broken between words, after a slash, after the parts of a tool's name
// and where its arguments begin than anywhere: "--force" stays whole.
export const Code = ({ text }: { text: string }) => (
  <>
    {(text.length > CODE_MAX ? [text] : text.split(/(\s+|(?<=\/|__|\()(?=[^/\s]))/)).map((piece, index) =>
      piece.includes("-") && piece.length <= WORD_WHOLE_MAX ? (
        <span key={index} class="is-whole">
          {piece}
        </span>
      ) : (
        <Fragment key={index}>
          {piece}
          {/(\/|__|\()$/.test(piece) && <wbr />}
        </Fragment>
      ),
    )}
  </>
);

// "a `b` c": every second piece is code.
const CODE = /(`+)(?!`)([^\n]*?[^`\n])\1(?!`)/g;

export function Prose({ text }: { text: string }) {
  const shown = visible(unpadded(text));
  const pieces: preact.ComponentChildren[] = [];
  let end = 0;
  for (const match of shown.matchAll(CODE)) {
    pieces.push(shown.slice(end, match.index), <code key={match.index}>{match[2]}</code>);
    end = match.index + match[0].length;
  }
  return <>{[...pieces, shown.slice(end)]}</>;
}

// SPDX-License-Identifier: Apache-2.0
// A preview that is drawn with characters, or laid out with blanks, keeps its lines as they are: as
// markdown they would run together. One with a fence or a heading says itself what it is.
const MARKDOWN = /^ {0,3}(```|~~~|#{1,6} |\|?[ :]*-{3,}[ :]*\|)/m;
const BOX = /[\u2500-\u259f]|^\s*[+|][-=_+| ].*[+|]\s*$/m;
const LAID_OUT = /\S {3,}\S|^( {2,}|\t)(?![-*+\d])\S/m;

export const isDrawn = (text: string): boolean => !MARKDOWN.test(text) && (BOX.test(text) || LAID_OUT.test(text));

// SPDX-License-Identifier: Apache-2.0
// Markdown from agents as safe nodes: parsed by marked, cleaned by DOMPurify. Images and everything
// else that would ask another server are left out; links open elsewhere and send nothing along.
import DOMPurify from "dompurify";
import { Marked } from "marked";
import { visible } from "./visible";

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    // An image is what it says; its address is no request of ours.
    image: ({ text, href }) => `<span class="image">${escape(text || href)}</span>`,
    html: ({ text }) => escape(text),
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
  },
});

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const TAGS =
  "a b blockquote br code del div em h1 h2 h3 h4 h5 h6 hr i kbd li ol p pre s span strong sub sup table tbody td th thead tr ul".split(
    " ",
  );

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") {
    if (!/^(https?:|mailto:)/i.test(node.getAttribute("href") ?? "")) node.removeAttribute("href");
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer nofollow");
  }
  if (node.tagName === "PRE") node.setAttribute("tabindex", "0");
});

export function render(text: string): DocumentFragment {
  const html = marked.parse(visible(text), { async: false });
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ["href", "title", "class", "align", "start"],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}

// The first time takes much longer than all others; it is spent while nobody waits.
setTimeout(() => render("- **a** [b](https://example.com/) `c`"), 800);

// SPDX-License-Identifier: Apache-2.0
// Text is text: nothing that an agent or a person writes runs, leaves the origin or hides.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Stage } from "./support.mjs";

const HOSTILE = [
  "<script>window.hacked = 1</script>",
  '<img src="https://evil.example/a.png" onerror="window.hacked = 1">',
  "![x](https://evil.example/b.png)",
  "[click](javascript:window.hacked=1)",
  "[data](data:text/html,<script>window.hacked=1</script>)",
  "<a href='vbscript:x'>v</a>",
  "<svg onload=window.hacked=1><use href='https://evil.example/c.svg#x'/></svg>",
  "<iframe src='https://evil.example/'></iframe>",
  "<style>@import 'https://evil.example/d.css'; body { display: none }</style>",
  "<form action='https://evil.example/'><input name=q><button>go</button></form>",
  "<math><mtext></mtext><mglyph><style></math><img src onerror=window.hacked=1></style>",
  "<base href='https://evil.example/'>",
  "</textarea><script>window.hacked = 1</script>",
  "```js\n<script>window.hacked=1</script>\n```",
  "[ok](https://example.com/)",
].join("\n\n");

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage.close()); // fails on any request that leaves the origin

test("hostile text in a question, a preview, an answer, a chat and a notice stays text", async () => {
  const page = await stage.visit();
  const { broker } = stage;
  const ask = await stage.ask(
    { question: `Q ${HOSTILE}`, header: "H", options: [{ label: "<b>A</b>", description: HOSTILE, preview: HOSTILE }, { label: "B" }] },
    { context: HOSTILE, agent: "<img src=x onerror=window.hacked=1>" },
  );
  await page.getByRole("group", { name: "Preview of <b>A</b>" }).waitFor();
  await broker.call("POST", "/v1/notices", { text: HOSTILE });
  await page.locator(".notice").waitFor();
  await broker.call("POST", "/v1/sessions/work/events", [{ type: "text-end", part_id: "p", text: HOSTILE }]);
  await broker.call("POST", "/v1/sessions/work/messages", { text: HOSTILE });
  await broker.answer(ask.id, [{ selected: [], other: HOSTILE, note: HOSTILE }], { by: "<script>" });
  await page.locator(".outcome").waitFor();
  await page.goto(`${broker.url}/#/session/${ask.session_id ?? ask.session}`);
  await page.locator(".said-by-agent").getByRole("link", { name: "ok" }).waitFor();

  for (const hash of [`#/ask/${ask.id}`, "#/history", `#/session/${ask.session_id ?? ask.session}`]) {
    await page.goto(`${broker.url}/${hash}`);
    await page.reload();
    await page.locator("main").waitFor();
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    const found = await page.evaluate(() => ({
      scripts: document.querySelectorAll("main script, main iframe, main style, main svg use, main base, main form[action]").length,
      images: document.querySelectorAll("main img").length,
      handlers: [...document.querySelectorAll("main *")].filter((one) => one.getAttributeNames().some((name) => name.startsWith("on"))).length,
      links: [...document.querySelectorAll("main .markdown a[href]")].map((one) => one.getAttribute("href")),
    }));
    assert.equal(found.scripts + found.images + found.handlers, 0);
    for (const href of found.links) assert.equal(href, "https://example.com/");
  }
});

test("what a text hides is shown", async () => {
  const page = await stage.visit();
  await stage.ask({ question: "Delete \u202Egpj.exe\u202C now?\u200B", header: "Sure", options: ["Yes", "No"] });
  await page.getByRole("heading", { name: /Delete ⟨U\+202E⟩gpj\.exe⟨U\+202C⟩ now\?⟨U\+200B⟩/ }).waitFor();
});

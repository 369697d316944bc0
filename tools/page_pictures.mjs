// SPDX-License-Identifier: Apache-2.0
// docs/pictures/inbox.png, phone.png and chat.png: the real page before a broker in which six agents ask.
//
//     PARLEY_PROGRAM=build/release/parley node tools/page_pictures.mjs FOLDER
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { PHONE, Stage } from "../tests/page/support.mjs";
import { PERMISSIONS, seed } from "../tests/support/realistic_asks.mjs";

const FOLDER = process.argv[2];
const ASKS = 25; // of which one is answered: two agents want the same
const INBOX = { viewport: { width: 1200, height: 760 } };
const CHAT = { viewport: { width: 1200, height: 900 } };
const IN_HAND = { viewport: PHONE, deviceScaleFactor: 2, hasTouch: true, isMobile: true };

const TABLE = `I looked at what is there:

| host | holds | free |
|---|---|---:|
| db-1 | billing | 214 GB |
| db-2 | search | 12 GB |`;
const ORDERS = {
  session: "orders", agent: "Claude Code",
  questions: [{
    question: "Which database should the `orders` service use?", header: "Database",
    options: [{ label: "PostgreSQL (Recommended)", description: "The one that `billing` has" },
      { label: "SQLite", description: "A file, no server" }],
  }],
};

async function call(stage, target, body) {
  const { status, body: reply } = await stage.broker.call("POST", target, body);
  if (status >= 300) throw new Error(`${target}: ${status} ${JSON.stringify(reply)}`);
  return reply;
}

async function take(page, name) {
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  await page.context().close();
}

const said = (part_id, text) => [{ type: "text-start", part_id, text }, { type: "text-end", part_id }];

async function play(stage) {
  const asks = await seed(stage.broker, ASKS);
  const { command } = PERMISSIONS.bash.permission.input;
  const [other, permission] = asks.filter((ask) => ask.permission?.input.command === command);
  await stage.broker.answer(other.id, [{ selected: ["Deny"] }]);
  for (const [name, options] of [["inbox", INBOX], ["phone", IN_HAND]]) {
    const page = await stage.visit(`#/ask/${permission.id}`, options);
    await page.locator(".detail-pane").getByText(command, { exact: true }).waitFor();
    await take(page, name);
  }

  const session = await call(stage, "/v1/sessions",
    { name: "orders", title: "Orders: pick a database", agent: "Claude Code" });
  await call(stage, "/v1/sessions/orders/messages", { text: "Set up the database of the orders service." });
  await call(stage, "/v1/sessions/orders/events", [
    { type: "status", status: "working" }, ...said("looked", TABLE),
    { type: "tool-input-available", call_id: "list", tool: "Bash", input: { command: "psql -h db-1 -c '\\l'" } },
    { type: "tool-output", call_id: "list", output: "billing" },
    ...said("room", "There is room on `db-1`. One decision is yours:")]);
  await call(stage, "/v1/asks", ORDERS);
  const page = await stage.visit(`#/session/${session.id}`, CHAT);
  await page.locator(".card").getByText("SQLite").waitFor();
  await take(page, "chat");
}

await mkdir(FOLDER, { recursive: true });
const stage = await Stage.open();
try {
  await play(stage);
} finally {
  await stage.close();
}

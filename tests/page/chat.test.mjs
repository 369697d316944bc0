// SPDX-License-Identifier: Apache-2.0
// A session as a conversation: streamed text, tools, questions in place, messages, abort.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { DATABASE, Stage, strike, until } from "./support.mjs";

let stage;
let page;
let session;
const push = (...items) => stage.broker.call("POST", "/v1/sessions/talk/events", items);

before(async () => (stage = await Stage.open()));
after(() => stage.close());
beforeEach(async () => {
  await page?.context().close();
  await stage.broker.call("DELETE", "/v1/sessions/talk", {});
  session = (await stage.broker.call("POST", "/v1/sessions", { name: "talk", title: "Talk", agent: "helper" })).body;
  page = await stage.visit(`#/session/${session.id}`);
  await page.getByText("Nothing has been said yet.").waitFor();
});

test("text grows as it is streamed, and tools are one line", async () => {
  await push({ type: "status", status: "working" }, { type: "text-start", part_id: "p", text: "Look at **th" });
  await page.getByText("Working…").waitFor();
  await page.getByText("Look at **th").waitFor();
  await push({ type: "text-delta", part_id: "p", text: "is**.\n\nSecond." }, { type: "text-end", part_id: "p" });
  await page.locator(".said-by-agent strong", { hasText: "this" }).waitFor();
  await push(
    { type: "tool-input-available", call_id: "c", tool: "Bash", input: { command: "ls -l" } },
    { type: "tool-output", call_id: "c", output: "total 0" },
    { type: "finish" },
  );
  const tool = page.locator(".tool", { hasText: /Bash[\s\S]*ls -l[\s\S]*done/ });
  await tool.waitFor();
  await tool.locator("summary").click();
  await tool.getByText("total 0").waitFor();
  await page.getByText("Turn finished").waitFor();
});

test("a chat that is opened in the middle of a part, or cut off in it, has all of it once", async () => {
  await push({ type: "text-start", part_id: "p", text: "one " }, { type: "text-delta", part_id: "p", text: "two " });
  const text = () => page.locator(".said-by-agent").allInnerTexts();
  await until(async () => (await text()).join("") === "one two");
  await page.reload();
  await until(async () => (await text()).join("") === "one two");
  await push({ type: "text-delta", part_id: "p", text: "three " });
  await page.context().setOffline(true);
  await push({ type: "text-delta", part_id: "p", text: "four " }, { type: "text-end", part_id: "p" });
  await page.context().setOffline(false);
  await until(async () => (await text()).join("") === "one two three four");
});

test("a question stands in the conversation, is answered there, and becomes a line", async () => {
  const ask = await stage.ask(DATABASE, { session: "talk" });
  await page.getByText("The agent is waiting for an answer.").waitFor();
  await page.getByRole("radio", { name: /SQLite/ }).click();
  await page.getByRole("button", { name: "Send now" }).click();
  assert.equal((await stage.settled(ask.id)).outcome, "answered");
  await page.locator(".settled-item", { hasText: /Database: SQLite/ }).waitFor();
  await page.reload();
  await page.locator(".settled-item", { hasText: /Database: SQLite/ }).waitFor();
});

test("a digit is for the card that has the focus, never for several", async () => {
  const first = await stage.ask({ ...DATABASE, question: "One?" }, { session: "talk" });
  const second = await stage.ask({ ...DATABASE, question: "Two?" }, { session: "talk" });
  const cards = page.locator(".card");
  await cards.nth(1).waitFor();
  await strike(page, "2");
  await cards.nth(1).getByRole("radio", { name: /PostgreSQL/ }).focus();
  await strike(page, "2");
  await page.getByRole("button", { name: "Send now" }).click();
  assert.deepEqual((await stage.settled(second.id)).answers, [{ selected: ["SQLite"] }]);
  assert.equal((await stage.broker.call("GET", `/v1/asks/${first.id}`)).body.state, "pending");
});

test("a message is queued, said to be, and taken", async () => {
  await page.getByLabel("Message to the agent").fill("Shorter, please.");
  await page.keyboard.press("Enter");
  await page.getByText(/You · \d\d:\d\d · Queued/).waitFor();
  assert.equal(await page.getByLabel("Message to the agent").inputValue(), "");
  const { body } = await stage.broker.call("GET", "/v1/sessions/talk/messages");
  await stage.broker.call("POST", "/v1/sessions/talk/messages/taken", { up_to: body.messages[0].id });
  await until(async () => !(await page.locator(".said-by-person").innerText()).includes("Queued"));
  assert.equal(await page.locator(".bubble").count(), 1);
});

test("stopping asks once and withdraws what is asked", async () => {
  const ask = await stage.ask(DATABASE, { session: "talk" });
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("button", { name: "Stop it" }).click();
  assert.equal((await stage.settled(ask.id)).outcome, "withdrawn");
  await page.locator(".settled-item", { hasText: "Withdrawn" }).waitFor();
});

test("sub-sessions stand under their parent", async () => {
  await stage.broker.call("POST", "/v1/sessions", { name: "part", title: "Part of it", parent: "talk" });
  await page.locator(".depth-1", { hasText: "Part of it" }).waitFor();
  await page.locator(".sub-session", { hasText: "Part of it" }).click();
  await page.getByText("Sub-session of Talk").waitFor();
  await stage.broker.call("DELETE", "/v1/sessions/part", {});
  await page.getByText("This session has ended.").waitFor();
});

test("one message that breaks is left out, and the rest stands", async () => {
  stage.expectBroken(page);
  await page.route("**/v1/sessions/*/events*", (route) =>
    route.fulfill({
      json: {
        events: [
          { cursor: "1", event: { type: "session.message", message: { id: "msg_1", text: 7, by: null } } },
          { cursor: "2", event: { type: "session.part", part: { type: "text-end", part_id: "p", text: "still here" } } },
        ],
        next: null,
      },
    }),
  );
  await page.reload();
  await page.getByText("A message couldn’t be displayed.").waitFor();
  await page.getByText("still here").waitFor();
});

test("an event that cannot be read is left out as it comes, and the stream goes on", async () => {
  stage.expectBroken(page);
  const frames = [
    { type: "snapshot.end" },
    { type: "session.part", session: session.id, part: { type: 7 } },
    { type: "session.part", session: session.id, part: { type: "text-end", part_id: "p", text: "after it" } },
  ];
  let visits = 0;
  const chatIsOpen = page.waitForRequest("**/v1/sessions/*/events*");
  await page.route("**/v1/events*", async (route) => {
    if (++visits > 1) return; // stays open
    await chatIsOpen;
    const body = frames.map((one, index) => `id: ${index + 1}\ndata: ${JSON.stringify(one)}\n\n`).join("");
    await route.fulfill({ contentType: "text/event-stream", body });
  });
  await page.route("**/v1/sessions/*/events*", (route) => route.fulfill({ json: { events: [], next: null } }));
  await page.reload();
  await page.getByText("after it").waitFor();
  await page.getByText("A message couldn’t be displayed.").waitFor();
  await until(() => visits === 2);
});

test("a chat that breaks says so, leaves the rest of the page alone and recovers", async () => {
  stage.expectBroken(page);
  const good = (await stage.broker.call("GET", "/v1/sessions?limit=500")).body;
  await page.route("**/v1/sessions?*", (route) =>
    route.fulfill({ json: { ...good, sessions: good.sessions.map((one) => ({ ...one, agent: 7 })) } }),
  );
  await page.reload();
  await page.getByText("This conversation couldn’t be displayed.").waitFor();
  await page.locator(".list-pane .row", { hasText: session.id }).waitFor();
  await stage.broker.call("POST", "/v1/sessions/talk/events", [{ type: "status", status: "working" }]);
  // Another try may come before the event does, and breaks again then.
  const talk = page.getByRole("heading", { name: "Talk" });
  await until(async () => {
    if (await talk.isVisible()) return true;
    await page.getByRole("button", { name: "Try again" }).click({ timeout: 500 }).catch(() => {});
    return false;
  });
});

test("earlier events are loaded on demand", async () => {
  const items = Array.from({ length: 450 }, (_, index) => ({ type: "text-end", part_id: `p${index}`, text: `line ${index}` }));
  await push(...items);
  await page.getByText("line 449", { exact: true }).waitFor();
  await page.reload();
  await page.getByText("line 449", { exact: true }).waitFor();
  assert.equal(await page.getByText("line 0", { exact: true }).count(), 0);
  await page.getByRole("button", { name: "Show earlier" }).click();
  await page.getByRole("button", { name: "Show earlier" }).click();
  await page.getByText("line 0", { exact: true }).waitFor({ state: "attached" });
  assert.equal(await page.locator(".said-by-agent").count(), 450);
});

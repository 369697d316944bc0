// SPDX-License-Identifier: Apache-2.0
// The chat socket and the UI message stream with Chromium's own WebSocket and EventSource.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Broker } from "../support/broker.mjs";
import { Browser } from "../support/browser.mjs";

const QUESTION = { question: "Tea or coffee?", options: ["Tea", "Coffee"] };

let broker;
let browser;
before(async () => {
  broker = await Broker.start();
  browser = await Browser.start();
});
after(async () => {
  await browser?.stop();
  await broker?.stop();
});

// Opens a socket in the page; `window.told` has all messages, `window.ended` the close.
async function connect(page, session, token = broker.token) {
  await page.evaluate(({ path, secret }) => {
    window.told = [];
    window.ended = null;
    window.socket = new WebSocket(`${location.origin.replace("http", "ws")}${path}?token=${secret}`);
    window.socket.onmessage = ({ data }) => window.told.push(JSON.parse(data));
    window.socket.onclose = ({ code }) => { window.ended = code; };
  }, { path: `/api/v1/chat/ws/${session}`, secret: token });
}
const message = (page, type) => page
  .waitForFunction((wanted) => window.told.find((one) => one.type === wanted), type)
  .then((handle) => handle.jsonValue());
const ask = async (session, more = {}) =>
  (await broker.call("POST", "/v1/asks", { session, questions: [QUESTION], ...more })).body.id;

test("Chromium's WebSocket: asked, answered, the socket lives on", async () => {
  const page = await browser.page(broker);
  await connect(page, "browser-1");
  await message(page, "session_status");
  const id = await ask("browser-1");
  const asked = await message(page, "ask_user_question");
  assert.equal(asked.question_id, id);
  await page.evaluate(({ question, text }) => window.socket.send(JSON.stringify({
    type: "ask_user_response",
    data: { question_id: question, answers: { [text]: "Tea, with milk" }, cancelled: false },
  })), { question: id, text: QUESTION.question });
  assert.equal((await message(page, "ask_user_settled")).outcome, "answered");
  const { settlement } = await broker.settled(id);
  assert.deepEqual(settlement.answers, [{ selected: [], other: "Tea, with milk" }]);
  assert.equal(await page.evaluate(() => window.ended), null);
  await page.close();
});

test("Chromium's WebSocket: a second page takes the session", async () => {
  const first = await browser.page(broker);
  await connect(first, "browser-2");
  await message(first, "session_status");
  const id = await ask("browser-2");
  await message(first, "ask_user_question");
  const second = await browser.page(broker);
  await connect(second, "browser-2");
  assert.equal((await message(second, "ask_user_question")).question_id, id);
  await message(first, "session_taken");
  await first.waitForFunction(() => window.ended === 1000);
  await first.close();
  await second.close();
});

test("Chromium's WebSocket: a reload finds the pending ask", async () => {
  const page = await browser.page(broker);
  await connect(page, "browser-3");
  await message(page, "session_status");
  const id = await ask("browser-3");
  await message(page, "ask_user_question");
  await page.reload();
  await connect(page, "browser-3");
  assert.equal((await message(page, "ask_user_question")).question_id, id);
  await page.close();
});

test("Chromium's WebSocket: a wrong token does not connect", async () => {
  const page = await browser.page(broker);
  await connect(page, "browser-4", "guess");
  await page.waitForFunction(() => window.ended === 1006);
  assert.deepEqual(await page.evaluate(() => window.told), []);
  await page.close();
});

test("Chromium's EventSource reads the UI message stream", async () => {
  const id = await ask("browser-5", { tool: { message_id: "m", call_id: "toolu_1" } });
  const page = await browser.page(broker);
  await page.evaluate((token) => {
    window.told = [];
    window.source = new EventSource(`/api/chat/browser-5/stream?token=${token}`);
    window.source.onmessage = ({ data }) => {
      if (data === "[DONE]") window.source.close();
      else window.told.push(JSON.parse(data));
    };
  }, broker.token);
  const input = await message(page, "tool-input-available");
  assert.equal(input.toolCallId, "toolu_1");
  await broker.answer(id, [{ selected: ["Tea"] }]);
  const output = await message(page, "tool-output-available");
  assert.deepEqual(output.output, { answers: { [QUESTION.question]: "Tea" } });
  await broker.call("POST", "/v1/sessions/browser-5/events", [{ type: "finish" }]);
  await message(page, "finish");
  await page.waitForFunction(() => window.source.readyState === EventSource.CLOSED);
  await page.close();
});

// SPDX-License-Identifier: Apache-2.0
// What every official client must be able to do, whatever its version, transport and era.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Broker, SHARED_STORE, until } from "../support/broker.mjs";
import { CLIENTS } from "./clients.mjs";

const DRINK = {
  questions: [{
    question: "Tea or coffee?", header: "Drink", multiSelect: false,
    options: [{ label: "Tea", description: "hot" }, { label: "Coffee", description: "strong" }],
  }],
};
const THREE = {
  questions: [
    { question: "Which database?", header: "Database", multiSelect: false,
      options: [{ label: "PostgreSQL", description: "yours" }, { label: "SQLite", description: "" }] },
    { question: "Which extras?", header: "Extras", multiSelect: true,
      options: [{ label: "Dark mode", description: "" }, { label: "Offline", description: "" }] },
    { question: "Anything else?", header: "Else", multiSelect: false,
      options: [{ label: "Yes", description: "" }, { label: "No", description: "" }] },
  ],
};

// On two nodes each transport and era is tried once.
const TRIED = Object.entries(CLIENTS)
  .filter(([name]) => !SHARED_STORE || !/legacy|auto/.test(name));

let broker;
before(async () => { broker = await Broker.start(); });
after(() => broker.stop());

async function ask(id) {
  return (await broker.call("GET", `/v1/asks/${id}`)).body;
}

for (const [name, connect] of TRIED) {
  const using = (title, options, body) => test(`${name}: ${title}`, async () => {
    const connected = await connect(broker, options);
    try {
      await body(connected);
    } finally {
      await connected.client.close();
    }
  });

  using("lists the tools", {}, async ({ tools }) => {
    const names = (await tools()).tools.map((tool) => tool.name);
    assert.deepEqual(names, ["ask_user", "wait_answer", "notify_user"]);
  });

  using("asks and is given the answers", {}, async ({ tools, call }) => {
    await tools(); // from now on results are held against their schema
    const result = call("ask_user", THREE);
    const [pending] = await broker.pending();
    assert.equal(pending.agent, "official-client");
    await broker.answer(pending.id, [
      { selected: ["PostgreSQL"] }, { selected: ["Dark mode", "Offline"] },
      { selected: [], other: "none" },
    ]);
    const { content, structuredContent, isError } = await result;
    assert.ok(!isError);
    assert.equal(structuredContent.status, "answered");
    assert.equal(structuredContent.ask_id, pending.id);
    assert.deepEqual(structuredContent.answers, [
      { question: "Which database?", selectedOptions: ["PostgreSQL"] },
      { question: "Which extras?", selectedOptions: ["Dark mode", "Offline"] },
      { question: "Anything else?", selectedOptions: [], customInput: "none" },
    ]);
    assert.match(content[0].text, /"Which database\?"="PostgreSQL"/);
  });

  using("is told of a dismissal, with the reason", {}, async ({ call }) => {
    const result = call("ask_user", DRINK);
    const [pending] = await broker.pending();
    await broker.call("POST", `/v1/asks/${pending.id}/dismiss`, { reason: "ask me tomorrow" });
    const { structuredContent, isError } = await result;
    assert.ok(!isError);
    assert.equal(structuredContent.status, "dismissed");
    assert.match(structuredContent.message, /ask me tomorrow/);
  });

  using("is told of a deadline that passed", {}, async ({ call }) => {
    const { structuredContent } = await call("ask_user", { ...DRINK, timeout_seconds: 0.2 });
    assert.equal(structuredContent.status, "timed_out");
    // The next question is to be the only one, also at the other node.
    assert.equal((await broker.settled(structuredContent.ask_id)).state, "timed_out");
  });

  using("is told what is wrong with its question", {}, async ({ call }) => {
    const { isError, content } = await call("ask_user", { questions: [{ question: "Tea?" }] });
    assert.equal(isError, true);
    assert.match(content[0].text, /options/);
  });

  using("takes its question back by giving up", {}, async ({ call }) => {
    const controller = new AbortController();
    const result = call("ask_user", DRINK, { signal: controller.signal });
    const [pending] = await broker.pending();
    controller.abort();
    await assert.rejects(result);
    await until(async () => (await ask(pending.id)).state === "withdrawn", "withdrawn");
  });

  // A form is shown only where it can be taken back, which is the older era.
  const showsForms = !name.includes("modern") && !name.includes("auto");

  if (showsForms) {
    using("answers in a form of its own", {
      form: async () => ({ action: "accept", content: { q0: "Coffee" } }),
    }, async ({ call }) => {
      const { structuredContent } = await call("ask_user", DRINK);
      assert.deepEqual(structuredContent.answers[0].selectedOptions, ["Coffee"]);
      assert.equal((await broker.settled(structuredContent.ask_id)).settlement.door, "mcp");
    });
  } else {
    const shown = [];
    using("is shown no form, and has the answer from elsewhere at once", {
      form: async (request) => { shown.push(request); return { action: "cancel" }; },
    }, async ({ call }) => {
      const result = call("ask_user", DRINK);
      const [pending] = await broker.pending();
      await broker.answer(pending.id, [{ selected: ["Tea"] }]);
      assert.equal((await result).structuredContent.status, "answered");
      assert.deepEqual(shown, []);
    });
  }

  using("dismisses nothing by declining a form that nobody can have read", {
    form: async () => ({ action: "decline" }),
  }, async ({ call }) => {
    const result = call("ask_user", DRINK);
    const [pending] = await broker.pending();
    await broker.answer(pending.id, [{ selected: ["Tea"] }]);
    assert.equal((await result).structuredContent.status, "answered");
  });

  using("leaves the other doors open by cancelling the form", {
    form: async () => ({ action: "cancel" }),
  }, async ({ call }) => {
    const result = call("ask_user", DRINK);
    const [pending] = await broker.pending();
    await broker.answer(pending.id, [{ selected: ["Tea"] }]);
    assert.equal((await result).structuredContent.status, "answered");
  });

  const opened = [];
  if (showsForms) using("opens the page of its question", {
    modes: { url: {} }, form: async ({ params }) => {
      opened.push(params);
      return { action: "accept" };
    },
  }, async ({ call }) => {
    const result = call("ask_user", DRINK);
    const [pending] = await broker.pending();
    await until(() => opened.length, "the address");
    assert.equal(opened[0].mode, "url");
    assert.ok(opened[0].url.startsWith(broker.url) && opened[0].url.endsWith(pending.id));
    await broker.answer(pending.id, [{ selected: ["Tea"] }]);
    assert.equal((await result).structuredContent.status, "answered");
  });

  using("tells the user something", {}, async ({ call }) => {
    assert.ok(!(await call("notify_user", { text: "The build is done" })).isError);
  });

  using("waits for an ask that is known by its id", {}, async ({ call }) => {
    const made = (await broker.call("POST", "/v1/asks", DRINK)).body;
    const result = call("wait_answer", { ask_id: made.id });
    await broker.answer(made.id, [{ selected: ["Tea"] }]);
    assert.equal((await result).structuredContent.status, "answered");
    const { isError } = await call("wait_answer", { ask_id: "que_00000000000000000000000000" });
    assert.equal(isError, true);
  });
}

for (const [name, connect] of TRIED) {
  test(`${name}: says pending, and the answer is fetched later`, async () => {
    const other = await Broker.start(["--mcp-wait", "200ms"]);
    const { client, call } = await connect(other, { serverArguments: ["--wait", "200ms"] });
    const first = await call("ask_user", DRINK);
    assert.equal(first.structuredContent.status, "pending");
    const id = first.structuredContent.ask_id;
    await other.answer(id, [{ selected: ["Tea"] }]);
    const later = await call("wait_answer", { ask_id: id });
    assert.deepEqual(later.structuredContent.answers[0].selectedOptions, ["Tea"]);
    await client.close();
    await other.stop();
  });
}

for (const name of Object.keys(CLIENTS).filter((kind) => kind.includes("stdio"))) {
  test(`${name}: takes its question back when it closes`, async () => {
    const { client, call } = await CLIENTS[name](broker);
    call("ask_user", DRINK).catch(() => {});
    const [pending] = await broker.pending();
    await client.close();
    await until(async () => (await ask(pending.id)).state === "withdrawn", "withdrawn");
  });
}

test("v1 stdio: the broker is killed and comes back while the question is open", async () => {
  const { client, call } = await CLIENTS["v1 stdio"](broker);
  const result = call("ask_user", DRINK);
  const [pending] = await broker.pending();
  await broker.kill();
  await broker.restart();
  await broker.answer(pending.id, [{ selected: ["Tea"] }]);
  assert.equal((await result).structuredContent.status, "answered");
  await client.close();
});

// What only a person does: a form is read, and then declined.
for (const name of ["v1 stdio", "v2 HTTP legacy"]) {
  test(`${name}: dismisses by declining the form`, async () => {
    const { client, call } = await CLIENTS[name](broker, {
      form: async () => {
        await new Promise((read) => { setTimeout(read, 1_100); });
        return { action: "decline" };
      },
    });
    assert.equal((await call("ask_user", DRINK)).structuredContent.status, "dismissed");
    await client.close();
  });
}

test("v2 stdio auto: Claude Code is led to the older era, others are not", async () => {
  for (const [name, version] of [["claude-code", "2025-11-25"], ["copilot-cli", "2025-11-25"],
    ["official-client", "2026-07-28"]]) {
    const { client } = await CLIENTS["v2 stdio auto"](broker, { name });
    assert.equal(client.getNegotiatedProtocolVersion(), version, name);
    await client.close();
  }
  const { client } = await CLIENTS["v2 stdio auto"](broker,
    { name: "claude-code", serverArguments: ["--era", "modern"] });
  assert.equal(client.getNegotiatedProtocolVersion(), "2026-07-28");
  await client.close();
});

test("v1 HTTP: progress keeps a call alive beyond its timeout", async () => {
  const { client, call } = await CLIENTS["v1 HTTP"](broker);
  let told = 0;
  const result = call("ask_user", DRINK, {
    timeout: 5_000, resetTimeoutOnProgress: true, onprogress: () => { told += 1; },
  });
  const [pending] = await broker.pending();
  await until(() => told >= 3, "three reports");
  await broker.answer(pending.id, [{ selected: ["Tea"] }]);
  assert.equal((await result).structuredContent.status, "answered");
  await client.close();
});

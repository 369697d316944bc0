// SPDX-License-Identifier: Apache-2.0
// An ask as a task, driven by the official client of tasks in both of their wire forms.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  CreateTaskResultSchema, TaskStatusNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { Broker, until } from "../support/broker.mjs";
import { CLIENTS } from "./clients.mjs";
import { taskSession } from "./tasks.mjs";

const DRINK = {
  questions: [{
    question: "Tea or coffee?", header: "Drink", multiSelect: false,
    options: [{ label: "Tea", description: "hot" }, { label: "Coffee", description: "strong" }],
  }],
};
const AS_TASK = { task: { preference: "require" } };

let broker;
before(async () => { broker = await Broker.start(); });
after(() => broker.stop());

for (const kind of ["v2 stdio legacy", "v2 HTTP legacy", "v2 HTTP modern"]) {
  test(`${kind}: a task ends with the answer`, async () => {
    const { session, close } = await taskSession(broker, kind);
    const execution = await session.callTool("ask_user", DRINK, AS_TASK);
    const [pending] = await broker.pending();
    await broker.answer(pending.id, [{ selected: ["Tea"] }]);
    const { outcome } = await execution.settle();
    assert.equal(outcome.status, "completed");
    assert.equal(outcome.result.structuredContent.ask_id, pending.id);
    assert.deepEqual(outcome.result.structuredContent.answers[0].selectedOptions, ["Tea"]);
    await close();
  });

  test(`${kind}: a task that is cancelled takes its question back`, async () => {
    const { session, close } = await taskSession(broker, kind);
    const execution = await session.callTool("ask_user", DRINK, AS_TASK);
    const [pending] = await broker.pending();
    await session.cancelTask(pending.id);
    await until(async () =>
      (await broker.call("GET", `/v1/asks/${pending.id}`)).body.state === "withdrawn", "withdrawn");
    assert.equal((await execution.settle()).outcome.status, "cancelled");
    await close();
  });
}

for (const kind of ["v1 stdio", "v1 HTTP"]) {
  test(`${kind}: is told what becomes of its task`, async () => {
    const { client } = await CLIENTS[kind](broker);
    const told = [];
    client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => told.push(params));
    const { task } = await client.request({ method: "tools/call",
      params: { name: "ask_user", arguments: DRINK, task: {} } }, CreateTaskResultSchema);
    await broker.answer(task.taskId, [{ selected: ["Tea"] }]);
    await until(() => told.length, "the news");
    assert.deepEqual([told[0].taskId, told[0].status], [task.taskId, "completed"]);
    await client.close();
  });
}

test("v2 HTTP modern: a task asks its client too", async () => {
  const asked = [];
  const { session, close } = await taskSession(broker, "v2 HTTP modern", {
    onInput: async (request) => {
      asked.push(request.kind);
      return { action: "accept", content: { q0: "Coffee" } };
    },
  });
  const execution = await session.callTool("ask_user", DRINK, AS_TASK);
  const { outcome } = await execution.settle();
  assert.deepEqual(asked, ["elicitation"]);
  assert.deepEqual(outcome.result.structuredContent.answers[0].selectedOptions, ["Coffee"]);
  await close();
});

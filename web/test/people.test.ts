// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { drafted } from "../src/model/drafts";
import { isMe, nameMyself, nameOf, suggestedName } from "../src/model/people";
import { self, stream, take } from "../src/model/state";
import { ask, ended } from "./asks";
import { answerWith, calls, json, stored, until } from "./browser";

test("people are told apart by their principal and shown by the broker's name, with what they claim beside it", () => {
  self.value = { principal: "per_1", name: "Ada", role: "responder" };
  assert.equal(isMe({ kind: "person", principal: "per_1", name: "Somebody" }), true);
  assert.equal(isMe({ kind: "person", principal: "per_2", name: "Ada" }), false);
  assert.equal(isMe({ kind: "timer" }), false);
  assert.equal(nameOf({ kind: "person", principal: "per_2", name: "Bo" }), "Bo");
  assert.equal(nameOf({ kind: "person", principal: "per_2", name: "Bo", claimed: "Ada" }), "Bo (as “Ada”)");
  assert.equal(nameOf({ kind: "person", principal: "uid:0" }), "uid:0");
});

test("a name is said once; one that is taken is refused and changes nothing", async () => {
  self.value = { principal: "per_1", role: "responder", needs_name: true };
  stored.set("parley.name", '"Ada"');
  assert.equal(suggestedName(), "Ada");
  answerWith(() => json(409, { type: "urn:parley:problem:name-taken", detail: "taken" }));
  await assert.rejects(nameMyself("Bo"), { type: "name-taken" });
  assert.equal(self.value.needs_name, true);
  answerWith(({ body }) => json(200, { principal: "per_1", role: "responder", ...(body as object) }));
  await nameMyself("Ada");
  assert.deepEqual([calls[0]!.body, self.value.name, self.value.needs_name], [{ name: "Ada" }, "Ada", undefined]);
});

test("asks that this person has begun are marked, on whichever device, until they are settled", async () => {
  const [one, two] = [ask(), ask()];
  answerWith(({ path }) =>
    path === "/v1/drafts"
      ? json(200, { drafts: [{ ask: one.id, answers: [{ selected: ["B"] }], device: "phone", version: 1 }] })
      : new Response(new ReadableStream(), { status: 200 }),
  );
  stream.start();
  await until(() => drafted.value.has(one.id));
  stream.stop();
  take([{ type: "ask.draft", ask: two.id, answers: [{ selected: ["B"] }], device: "phone", version: 1, id: "1" }]);
  assert.deepEqual([...drafted.value], [one.id, two.id]);
  take([{ type: "ask.draft", ask: two.id, answers: null, device: "phone", version: 2, id: "2" }]);
  take([{ type: "ask.settled", ask: ended(one), id: "3" }]);
  assert.deepEqual([...drafted.value], []);
});

// SPDX-License-Identifier: Apache-2.0
// Questions: listed, answered and rejected with OpenCode's SDK and by hand.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Broker, until } from "../support/broker.mjs";
import { ask, COLOR, raw, sdk, sdkV1, TOPPINGS } from "./support.mjs";

const NOT_FOUND = (id) =>
  `{"_tag":"QuestionNotFoundError","requestID":"${id}",` +
  `"message":"Question request not found: ${id}"}`;
const UNKNOWN = "que_00000000000000000000000000";

let broker;
before(async () => { broker = await Broker.start(); });
after(() => broker.stop());

const inList = async (id) => (await sdk(broker).question.list()).data.find((q) => q.id === id);
const listed = (id) => until(() => inList(id), "the question is listed");
const settled = (id) => broker.settled(id);

test("an ask is listed as OpenCode lists it, and its reply reaches the agent", async () => {
  const waiting = broker.call("POST", "/v1/asks?wait=30", {
    questions: [COLOR], session: "one", tool: { message_id: "msg_1", call_id: "call_fake_1" },
  });
  const [pending] = await broker.pending(1, "one");
  const request = await listed(pending.id);
  assert.deepEqual(request, {
    id: pending.id, sessionID: pending.session_id, questions: [COLOR],
    tool: { messageID: "msg_1", callID: "call_fake_1" },
  });
  const reply = await sdk(broker).question.reply({ requestID: request.id, answers: [["Blue"]] });
  assert.equal(reply.data, true);
  const { body } = await waiting;
  assert.deepEqual(body.settlement.answers, [{ selected: ["Blue"] }]);
  assert.equal(body.settlement.door, "opencode");
  assert.equal(await inList(pending.id), undefined);
});

test("the bytes of a list and of a reply are OpenCode's", async () => {
  const asked = await ask(broker, "bytes", [COLOR], { tool: { message_id: "msg_2", call_id: "c2" } });
  await listed(asked.id);
  const list = await raw(broker, "GET", "/question");
  assert.equal(list.headers.get("content-type"), "application/json");
  assert.equal(list.text, JSON.stringify([{
    id: asked.id, sessionID: asked.session_id, questions: [COLOR],
    tool: { messageID: "msg_2", callID: "c2" },
  }]));
  const reply = await raw(broker, "POST", `/question/${asked.id}/reply`, '{"answers":[["Red"]]}');
  assert.equal(reply.text, "true");
  assert.equal(reply.headers.get("content-type"), "application/json");
  assert.equal((await raw(broker, "GET", "/question/")).text, "[]");
});

test("several questions, several choices and free text arrive as they were given", async () => {
  const asked = await ask(broker, "many", [COLOR, TOPPINGS, { question: "Anything else?" }]);
  const { questions } = await listed(asked.id);
  assert.equal(questions[1].multiple, true);
  assert.deepEqual(questions[2].options, []);
  const answers = [["Blue"], ["Ham", "Corn"], ["no, thanks"]];
  assert.equal((await sdk(broker).question.reply({ requestID: asked.id, answers })).data, true);
  assert.deepEqual((await settled(asked.id)).settlement.answers, [
    { selected: ["Blue"] }, { selected: ["Ham", "Corn"] }, { selected: [], other: "no, thanks" },
  ]);
});

test("short, empty and missing answers are unanswered", async () => {
  for (const answers of [[], [[], []], [["Blue"]]]) {
    const asked = await ask(broker, "short", [COLOR, TOPPINGS]);
    const reply = await raw(broker, "POST", `/question/${asked.id}/reply`,
                            JSON.stringify({ answers, more: 1 }));
    assert.equal(reply.text, "true", JSON.stringify(answers));
  }
});

test("a second answer is told what stands, and eight at once get one yes", async () => {
  const asked = await ask(broker, "race");
  const replies = await Promise.all(Array.from({ length: 8 }, () =>
    raw(broker, "POST", `/question/${asked.id}/reply`, '{"answers":[["Red"]]}')));
  const statuses = replies.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, 404, 404, 404, 404, 404, 404, 404]);
  const late = await raw(broker, "POST", `/question/${asked.id}/reject`);
  assert.equal(late.status, 404);
  assert.equal(late.body._tag, "QuestionNotFoundError");
  assert.equal(late.body.settlement.outcome, "answered");
  assert.deepEqual(late.body.settlement.answers, [{ selected: ["Red"] }]);
});

test("an unknown id is 404 and one of another form 400", async () => {
  const unknown = await raw(broker, "POST", `/question/${UNKNOWN}/reply`, '{"answers":[]}');
  assert.equal(unknown.status, 404);
  assert.equal(unknown.text, NOT_FOUND(UNKNOWN));
  const short = await raw(broker, "POST", "/question/que_x/reject");
  assert.equal(short.text, NOT_FOUND("que_x"));
  const other = await raw(broker, "POST", "/question/foo/reply", '{"answers":[]}');
  assert.equal(other.status, 400);
  assert.equal(other.text, JSON.stringify({
    name: "BadRequest",
    data: {
      message: 'Expected a string starting with "que", got "foo"\n  at ["requestID"]',
      kind: "Params",
    },
  }));
  const { error, response } = await sdk(broker).question.reply({ requestID: UNKNOWN, answers: [] });
  assert.equal(response.status, 404);
  assert.equal(error._tag, "QuestionNotFoundError");
});

test("malformed replies are 400 in OpenCode's words, and the question stays", async () => {
  const asked = await ask(broker, "malformed", [COLOR, TOPPINGS]);
  const bad = {
    "null": "Expected object, got null",
    "[]": "Expected object, got []",
    "{}": 'Missing key\n  at ["answers"]',
    '{"answers":"Blue"}': 'Expected array, got "Blue"\n  at ["answers"]',
    '{"answers":["Blue"]}': 'Expected QuestionAnswer, got "Blue"\n  at ["answers"][0]',
    '{"answers":[null,["Ham"]]}': 'Expected QuestionAnswer, got null\n  at ["answers"][0]',
    '{"answers":[[1]]}': 'Expected string, got 1\n  at ["answers"][0][0]',
  };
  for (const [body, message] of Object.entries(bad)) {
    const reply = await raw(broker, "POST", `/question/${asked.id}/reply`, body);
    assert.equal(reply.status, 400);
    assert.equal(reply.text, JSON.stringify({ name: "BadRequest", data: { message, kind: "Payload" } }));
  }
  const none = await raw(broker, "POST", `/question/${asked.id}/reply`);
  assert.equal(none.body.data.message, "Expected object, got undefined");
  for (const body of ["{nope", '\ufeff{"answers":[]}', '{"answers":[["a"]]} x']) {
    const broken = await raw(broker, "POST", `/question/${asked.id}/reply`, body);
    assert.equal(broken.status, 400, body);
    assert.equal(broken.body.name, "BadRequest");
  }
  const two = await raw(broker, "POST", `/question/${asked.id}/reply`,
                        '{"answers":[["Blue","Red"]]}');
  assert.equal(two.status, 400);
  const typed = await raw(broker, "POST", `/question/${asked.id}/reply`, '{"answers":[]}',
                          { "content-type": "text/plain" });
  assert.equal(typed.status, 415);
  assert.equal(typed.text, "Unsupported content-type: text/plain");
  const large = await raw(broker, "POST", `/question/${asked.id}/reply`,
                          `{"answers":[["${"x".repeat(5 << 20)}"]]}`);
  assert.equal(large.status, 413);
  assert.ok(large.body.name);
  assert.ok(await listed(asked.id));
});

test("a reply needs no content type, and may be chunked", async () => {
  const asked = await ask(broker, "untyped");
  const reply = await fetch(`${broker.url}/question/${asked.id}/reply`, {
    method: "POST", duplex: "half", headers: { authorization: `Bearer ${broker.token}` },
    body: new Blob(['{"answers":', '[["Blue"]]}']).stream(),
  });
  assert.equal(await reply.text(), "true");
});

test("a rejected question is dismissed, and its turn stops", async () => {
  const asked = await ask(broker, "rejected");
  await broker.call("POST", "/v1/sessions/rejected/events", [{ type: "status", status: "working" }]);
  assert.equal((await sdk(broker).question.reject({ requestID: asked.id })).data, true);
  assert.equal((await settled(asked.id)).state, "dismissed");
  await until(async () => {
    const { data } = await sdk(broker).session.status();
    return !(asked.session_id in data);
  });
  const other = await ask(broker, "rejected");
  const ignored = await raw(broker, "POST", `/question/${other.id}/reject`, "{garbage",
                            { "content-type": "text/plain" });
  assert.equal(ignored.text, "true");
});

test("a question that is dismissed at another door stops its turn too", async () => {
  const { data: session } = await sdk(broker).session.create({});
  const isBusy = async () => session.id in (await sdk(broker).session.status()).data;
  await broker.call("POST", `/v1/sessions/${session.id}/events`,
    [{ type: "status", status: "working" }]);
  const [first, second] = [await ask(broker, session.id), await ask(broker, session.id)];
  await listed(second.id);
  await broker.call("POST", `/v1/asks/${first.id}/dismiss`, {});
  assert.ok(await isBusy(), "the other question waits");
  await broker.call("POST", `/v1/asks/${second.id}/dismiss`, {});
  await until(async () => !await isBusy(), "the turn is over");
});

test("of several questions of one session, rejecting one leaves the others", async () => {
  const first = await ask(broker, "parallel");
  const second = await ask(broker, "parallel", [TOPPINGS]);
  assert.equal((await sdk(broker).question.reject({ requestID: first.id })).data, true);
  assert.ok(await listed(second.id));
  assert.equal((await sdk(broker).question.reply({ requestID: second.id, answers: [["Ham"]] })).data,
               true);
});

test("an ask that the asker forbade to dismiss is not rejected", async () => {
  const asked = await ask(broker, "forced", [COLOR], { dismissible: false });
  const refused = await raw(broker, "POST", `/question/${asked.id}/reject`);
  assert.equal(refused.status, 409);
  assert.equal(refused.body.name, "ConflictError");
  assert.ok(await listed(asked.id));
});

test("an answer of 200 KiB arrives whole", async () => {
  const asked = await ask(broker, "long");
  const text = "ä🙂x".repeat(200 * 1024 / 7);
  assert.equal((await sdk(broker).question.reply({ requestID: asked.id, answers: [[text]] })).data,
               true);
  assert.equal((await settled(asked.id)).settlement.answers[0].other, text);
});

test("fifty sessions at once each get their own answer", async () => {
  const asks = await Promise.all(Array.from({ length: 50 }, (_, i) => ask(broker, `crowd-${i}`)));
  await Promise.all(asks.map(({ id }) => listed(id)));
  const { data } = await sdk(broker).question.list();
  const ids = data.map(({ id }) => id);
  assert.deepEqual(ids, [...ids].sort());
  await Promise.all(asks.map(({ id }, i) =>
    sdk(broker).question.reply({ requestID: id, answers: [[`answer ${i}`]] })));
  for (const [i, { id }] of asks.entries())
    assert.equal((await settled(id)).settlement.answers[0].other, `answer ${i}`);
});

test("a pending question survives kill -9", async () => {
  const asked = await ask(broker, "killed");
  await broker.kill();
  await broker.restart();
  assert.equal((await listed(asked.id)).id, asked.id);
  assert.equal((await sdk(broker).question.reply({ requestID: asked.id, answers: [["Red"]] })).data,
               true);
});

test("a question of another directory is not seen or settled from there", async () => {
  const at = (directory) => sdk(broker, { directory });
  const { data: session } = await at("/tmp/färbe").session.create({});
  assert.equal(session.directory, "/tmp/färbe");
  const asked = await ask(broker, session.id);
  const everywhere = await ask(broker, "nowhere in particular");
  await listed(everywhere.id);
  const ours = [asked.id, everywhere.id];
  const seen = async (client) =>
    (await client.question.list()).data.map(({ id }) => id).filter((id) => ours.includes(id));
  assert.deepEqual(await seen(at("/tmp/färbe")), [asked.id, everywhere.id]);
  assert.deepEqual(await seen(at("/tmp/färbe/")), [asked.id, everywhere.id]);
  assert.deepEqual(await seen(at("/tmp/else")), [everywhere.id]);
  assert.ok((await seen(sdk(broker))).includes(asked.id));
  const wrong = await at("/tmp/else").question.reply({ requestID: asked.id, answers: [["Red"]] });
  assert.equal(wrong.response.status, 404);
  for (const [client, id] of [[at("/tmp/färbe"), asked.id], [at("/tmp/else"), everywhere.id]])
    assert.equal((await client.question.reply({ requestID: id, answers: [["Red"]] })).data, true);
  assert.equal((await raw(broker, "GET", "/question?workspace=wrk_bogus")).status, 404);
});

test("the newer interface lists, answers and rejects the same questions", async () => {
  const client = sdk(broker).v2;
  const asked = await ask(broker, "newer");
  const rejected = await ask(broker, "newer", [TOPPINGS]);
  const sessionID = asked.session_id;
  await listed(rejected.id);
  const list = await client.session.question.list({ sessionID });
  assert.deepEqual(list.data.data.map(({ id }) => id), [asked.id, rejected.id]);
  const located = await raw(broker, "GET", "/api/question/request?location[directory]=/x");
  assert.equal(located.body.location.directory, "/x");
  assert.ok(located.body.data.some(({ id }) => id === asked.id));
  const other = await ask(broker, "another");
  const wrong = await client.session.question.reply({
    sessionID, requestID: other.id, questionV2Reply: { answers: [["Red"]] },
  });
  assert.equal(wrong.response.status, 404);
  assert.equal(wrong.error._tag, "QuestionNotFoundError");
  const reply = await client.session.question.reply({
    sessionID, requestID: asked.id, questionV2Reply: { answers: [["Red"]] },
  });
  assert.equal(reply.response.status, 204);
  const reject = await client.session.question.reject({ sessionID, requestID: rejected.id });
  assert.equal(reject.response.status, 204);
  const nobody = await raw(broker, "GET", "/api/session/ses_00000000000000000000000000/question");
  assert.equal(nobody.body._tag, "SessionNotFoundError");
  const bad = await raw(broker, "POST", `/api/session/${other.session_id}/question/${other.id}/reply`,
                        '{"answers":1}');
  assert.equal(bad.body._tag, "InvalidRequestError");
  assert.equal(bad.body.kind, "Payload");
  await sdk(broker).question.reject({ requestID: other.id });
});

test("wrong tokens are 401 with Basic, and every form of a right one is let in", async () => {
  const get = (path, headers = {}) => fetch(broker.url + path, { headers });
  const refused = await get("/question", { authorization: "Bearer guess" });
  assert.equal(refused.status, 401);
  assert.equal(refused.headers.get("www-authenticate"), 'Basic realm="Secure Area"');
  assert.equal(await refused.text(), "");
  const newer = await get("/api/question/request");
  assert.equal((await newer.json())._tag, "UnauthorizedError");
  const pair = Buffer.from(`opencode:${broker.token}`).toString("base64");
  assert.equal((await get("/question", { authorization: `basic ${pair}` })).status, 200);
  assert.equal((await get(`/question?auth_token=${encodeURIComponent(pair)}`)).status, 200);
  assert.equal((await get("/question?auth_token=bm9wZQ==")).status, 401);
});

test("an agent's token sees its own questions and answers none", async () => {
  const token = await broker.newToken("bot", "agent");
  const asked = await ask(broker, "not the bot's");
  await listed(asked.id);
  const client = sdk(broker, { headers: { authorization: `Bearer ${token}` } });
  assert.deepEqual((await client.question.list()).data, []);
  const reply = await client.question.reply({ requestID: asked.id, answers: [["Red"]] });
  assert.equal(reply.response.status, 403);
  await sdk(broker).question.reject({ requestID: asked.id });
});

test("pages of other origins are refused", async () => {
  const reply = await raw(broker, "GET", "/question", undefined, { origin: "http://evil.example" });
  assert.equal(reply.status, 403);
});

test("pages of this machine may call where --allow-origin says so", async () => {
  const open = await Broker.start(["--allow-origin", "http://localhost:*"]);
  try {
    const origin = "http://localhost:5173";
    const preflight = await fetch(`${open.url}/question/${UNKNOWN}/reply`, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST",
                 "access-control-request-headers": "content-type,x-opencode-directory" },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get("access-control-allow-origin"), origin);
    assert.match(preflight.headers.get("access-control-allow-methods"), /POST/);
    assert.match(preflight.headers.get("access-control-allow-headers"), /x-opencode-directory/);
    const list = await raw(open, "GET", "/question", undefined, { origin });
    assert.equal(list.headers.get("access-control-allow-origin"), origin);
  } finally {
    await open.stop();
  }
});

test("a path that is no route is a JSON 404", async () => {
  for (const path of ["/question/que_1", "/nothing", "/session/ses_1/nothing", "/global/nothing"]) {
    const reply = await raw(broker, "GET", path);
    assert.ok(reply.status === 404 || reply.status === 405, path);
    assert.ok(reply.body, `${path}: ${reply.text}`);
  }
});

test("the SDK's first entry point reads and answers questions by raw calls", async () => {
  const asked = await ask(broker, "v1");
  await listed(asked.id);
  const { _client: client } = sdkV1(broker);
  const { data } = await client.get({ url: "/question" });
  assert.ok(data.some(({ id }) => id === asked.id));
  const reply = await client.post({
    url: `/question/${asked.id}/reply`, body: { answers: [["Red"]] },
    headers: { "content-type": "application/json" },
  });
  assert.equal(reply.data, true);
});

test("with --opencode-legacy a reply to anything is true", async () => {
  const legacy = await Broker.start(["--opencode-legacy", "--opencode-client", "acp"]);
  try {
    for (const id of [UNKNOWN, "que_x", "foo"]) {
      for (const [verb, body] of [["reply", '{"answers":[]}'], ["reject", undefined]]) {
        const reply = await raw(legacy, "POST", `/question/${id}/${verb}`, body);
        assert.equal(`${reply.status} ${reply.text}`, "200 true");
      }
    }
    assert.deepEqual((await sdk(legacy).tool.ids()).data, []);
  } finally {
    await legacy.stop();
  }
  assert.deepEqual((await sdk(broker).tool.ids()).data, ["question"]);
});

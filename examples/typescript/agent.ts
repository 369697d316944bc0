// SPDX-License-Identifier: Apache-2.0
// An agent of one's own: it shows its work, asks, and goes on with exactly the answer.
//
//     node agent.ts [SOCKET]      Node 22.18 or later runs it as it stands; nothing to install
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

type Answer = { selected: string[]; other?: string; note?: string };
type Settlement = { outcome: "answered" | "dismissed" | "timed_out" | "withdrawn"; answers?: Answer[] };
type Ask = { id: string; state: "pending" | Settlement["outcome"]; settlement?: Settlement };
type Reply = { status: number; body: string };

const SOCKET = process.argv[2] ?? `${process.env.XDG_RUNTIME_DIR}/parley.sock`;
const SESSION = "release-notes";

const send = (path: string, body: unknown) =>
  new Promise<Reply>((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const sent = request({ socketPath: SOCKET, path, method: "POST", headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (more: string) => (text += more));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text })).on("error", reject);
    });
    sent.on("error", reject).end(JSON.stringify(body));
  });

// One request. A broker that is away, or not ready yet, is waited for.
async function call<T>(path: string, body: unknown): Promise<T> {
  for (;;) {
    const reply = await send(path, body).catch(() => undefined);
    if (reply && reply.status < 400) return JSON.parse(reply.body || "null") as T;
    if (reply && reply.status !== 503) throw new Error(`parley: ${JSON.parse(reply.body).detail}`);
    await sleep(200);
  }
}

const push = (...items: object[]) => call<unknown>(`/v1/sessions/${SESSION}/events`, items);

// The same key is the same ask: sent again, it waits on, or brings what was answered.
async function ask(key: string, question: object): Promise<Settlement> {
  for (;;) {
    const body = { session: SESSION, key, questions: [question] };
    const { settlement } = await call<Ask>("/v1/asks?wait=60", body);
    if (settlement) return settlement;
  }
}

await call("/v1/sessions", { name: SESSION, title: "Notes of 2.4", agent: "writer" });
await push(
  { type: "status", status: "working" },
  { type: "text-start", part_id: "t1", text: "I read what changed " },
  { type: "text-delta", part_id: "t1", text: "and wrote the notes of 2.4." },
  { type: "text-end", part_id: "t1" },
  { type: "tool-input-available", call_id: "c1", tool: "Bash", input: { command: "git log --oneline v2.3..v2.4" } },
  { type: "tool-output", call_id: "c1", output: "8c1f2d0 Faster start\n41aa9be Dark mode" },
);
const { outcome, answers } = await ask("publish-2.4", {
  question: "Shall I publish the notes of 2.4?",
  header: "Publish",
  options: [{ label: "Publish", description: "Everybody sees them at once" }, "Hold back"],
});
const chosen = answers?.[0]?.selected.join(", ") || answers?.[0]?.other || "no answer";
await push(
  { type: "text-start", part_id: "t2", text: `Then this it is: ${chosen}.` },
  { type: "text-end", part_id: "t2" },
  { type: "finish" },
);
console.log(`${outcome}: ${chosen}`);

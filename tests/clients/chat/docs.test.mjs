// SPDX-License-Identifier: Apache-2.0
// The chat app of docs/doors/chat_socket.md, as it stands there.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { Broker } from "../support/broker.mjs";

test("the example of the page answers what it is asked", async () => {
  const page = await readFile(new URL("../../../docs/doors/chat_socket.md", import.meta.url), "utf8");
  const [, example] = page.match(/```js\n(.*?)```/s);
  const broker = await Broker.start();
  try {
    process.env.PARLEY_URL = broker.url;
    process.env.PARLEY_TOKEN_FILE = broker.ready.token_file;
    await import(`data:text/javascript,${encodeURIComponent(example)}`);
    const { status, body } = await broker.call("POST", "/v1/asks?wait=20", {
      session: "session-123",
      questions: [{ question: "How?", options: ["Summary", "Detailed"] }],
    });
    assert.equal(status, 200);
    assert.deepEqual(body.settlement.answers, [{ selected: ["Summary"] }]);
    assert.equal(body.settlement.door, "chat-socket");
  } finally {
    await broker.stop();
  }
});

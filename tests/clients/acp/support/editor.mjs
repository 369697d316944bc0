// SPDX-License-Identifier: Apache-2.0
// An editor made with the protocol's SDK, whose agent is started through `parley acp-proxy`. What the
// agent asks stays open until the test answers; what it says is kept.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";

import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";

import { PROGRAM, environment, until } from "../../support/broker.mjs";
import { AGENT } from "./world.mjs";

export class Editor {
  static async start(w, variables = w.broker.variables, agent = AGENT, cwd = process.cwd()) {
    const editor = new Editor();
    editor.said = "";
    editor.requests = []; // {params, answer, isDropped}
    editor.child = spawn(PROGRAM, ["acp-proxy", "--", ...agent],
      { cwd, env: environment(variables), stdio: ["pipe", "pipe", "inherit"] });
    w.children.push(editor.child);
    const take = ({ params, signal }) => new Promise((resolve) => {
      const request = { params, answer: resolve, isDropped: false };
      signal.addEventListener("abort", () => { request.isDropped = true; });
      editor.requests.push(request);
    });
    const connection = client({ name: "editor" })
      .onRequest(methods.client.session.requestPermission, take)
      .onRequest(methods.client.elicitation.create, take)
      .onNotification(methods.client.session.update, ({ params: { update } }) => {
        if (update.sessionUpdate === "agent_message_chunk") editor.said += update.content.text;
      })
      .connect(ndJsonStream(Writable.toWeb(editor.child.stdin), Readable.toWeb(editor.child.stdout)));
    editor.agent = connection.agent;
    await editor.agent.request(methods.agent.initialize, { protocolVersion: 1,
      clientCapabilities: { elicitation: { form: {}, url: {} } } });
    ({ sessionId: editor.session } = await editor.agent.request(methods.agent.session.new,
      { cwd, mcpServers: [] }));
    return editor;
  }

  prompt(text) {
    return this.agent.request(methods.agent.session.prompt,
      { sessionId: this.session, prompt: [{ type: "text", text }] });
  }

  cancel() {
    return this.agent.notify(methods.agent.session.cancel, { sessionId: this.session });
  }

  // The SDK hands on what the agent says in its own time.
  async heard(words) {
    await until(() => this.said.length >= words.length, `the agent says ${words}`);
    assert.equal(this.said, words);
  }

  // The newest request of the agent, once there are so many.
  async asked(count = 1) {
    await until(() => this.requests.length >= count, `the editor is asked ${count} times`);
    return this.requests.at(-1);
  }
}

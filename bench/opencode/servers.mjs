// SPDX-License-Identifier: Apache-2.0
// The two servers, each with agents that ask the same question again and again.
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { Parley, Server } from "../support/servers.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const QUESTION = {
  question: "What is your favorite color?", header: "Color",
  options: [
    { label: "Blue", description: "like the sky" }, { label: "Red", description: "like a rose" },
  ],
};

// The agents are loops of this process that ask through the native door and wait.
export class ParleyAgents extends Parley {
  // `goes_on` says whether to ask once more.
  async runAgent(index, goesOn) {
    const ask = JSON.stringify({ session: `bench-${index}`, questions: [QUESTION] });
    while (goesOn()) {
      const { status, body } = await this.caller.call("POST", "/v1/asks?wait=60", ask);
      if (status !== 200) throw new Error(`ask: ${status} ${body}`);
    }
  }
}

// The agents are OpenCode's own loop over a model that only ever asks.
export class OpenCode extends Server {
  name = "opencode";

  async start() {
    await this.makeFolder();
    this.provider = createServer((request, response) => this.answerAsModel(request, response));
    this.provider.listen(0, "127.0.0.1");
    await once(this.provider, "listening");
    const config = join(this.folder, "opencode.json");
    const model = { name: "fake", tool_call: true, limit: { context: 1_000_000, output: 10_000 } };
    await writeFile(config, JSON.stringify({
      autoupdate: false, share: "disabled", snapshot: false, enabled_providers: ["fake"],
      model: "fake/fake", small_model: "fake/fake",
      provider: {
        fake: {
          npm: "@ai-sdk/openai-compatible", models: { fake: model },
          options: { apiKey: "x", baseURL: `http://127.0.0.1:${this.provider.address().port}/v1` },
        },
      },
    }));
    const env = { HOME: this.folder, OPENCODE_CLIENT: "cli", OPENCODE_CONFIG: config, OPENCODE_PURE: "1" };
    for (const what of ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS",
                        "EXTERNAL_SKILLS", "CLAUDE_CODE"])
      env[`OPENCODE_DISABLE_${what}`] = "1";
    const program = join(HERE, "node_modules", `opencode-linux-${process.arch}`, "bin", "opencode");
    const line = await this.spawn(program, ["serve", "--hostname", "127.0.0.1", "--port", "0"], env,
                                  (text) => text.includes("listening on"));
    this.reach(Number(/:(\d+)/.exec(line.slice(line.indexOf("http") + 5))[1]), {});
    this.sessions = new Map();
  }

  // One streamed completion: the question once more, or a last word. Titles get a word too.
  async answerAsModel(request, response) {
    let text = "";
    for await (const bytes of request) text += bytes;
    const isTitle = !text.includes('"question"') || !JSON.parse(text).tools?.length;
    const marker = /bench-(\d+)/.exec(text)?.[0];
    const asks = !isTitle && (this.sessions.get(marker)?.() ?? false);
    const chunk = (delta, reason = null) => response.write(`data: ${JSON.stringify({
      id: "x", object: "chat.completion.chunk", created: 1, model: "fake",
      choices: [{ index: 0, delta, finish_reason: reason }],
    })}\n\n`);
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (asks) {
      chunk({
        role: "assistant",
        tool_calls: [{
          index: 0, id: `call_${Math.random().toString(36).slice(2)}`, type: "function",
          function: { name: "question", arguments: JSON.stringify({ questions: [QUESTION] }) },
        }],
      });
      chunk({}, "tool_calls");
    } else {
      chunk({ role: "assistant", content: "done" });
      chunk({}, "stop");
    }
    response.end("data: [DONE]\n\n");
  }

  async runAgent(index, goesOn) {
    this.sessions.set(`bench-${index}`, goesOn);
    const made = await this.caller.call("POST", "/session", JSON.stringify({ title: `t${index}` }));
    const { id } = JSON.parse(made.body);
    const prompt = { parts: [{ type: "text", text: `bench-${index}` }] };
    // Held until the agent's turn is over.
    await this.caller.call("POST", `/session/${id}/message`, JSON.stringify(prompt));
  }

  async stop() {
    await super.stop();
    this.provider.closeAllConnections();
    this.provider.close();
  }
}

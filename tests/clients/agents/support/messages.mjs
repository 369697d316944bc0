// SPDX-License-Identifier: Apache-2.0
// The model behind the Messages API as the other ones here: it calls Parley's tool, waits on while the
// question is open, and is done.
import { Model, text, tool } from "../../claude/support/model.mjs";

const results = (messages) => messages.flatMap(({ content }) => content)
  .filter(({ type }) => type === "tool_result");
const words = ({ content }) => (typeof content === "string" ? content
  : content.map((block) => block.text).join(""));

export class Messages extends Model {
  static async start(args) {
    const model = await super.start((messages) => model.reply(messages, args));
    return model;
  }

  // What came back from its calls, in order: each request brings all that went before.
  heard() {
    return results(this.requests.at(-1)?.messages ?? []).map(words);
  }

  reply(messages, args) {
    const last = results(messages).at(-1);
    const next = last ? this.next?.(words(last)) : { name: "ask_user", args };
    return next ? [tool(`toolu_${this.requests.length}`, `mcp__parley__${next.name}`, next.args)]
      : [text("All done.")];
  }
}

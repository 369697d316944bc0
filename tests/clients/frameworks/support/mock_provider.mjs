// SPDX-License-Identifier: Apache-2.0
// Preloaded before a program on the AI SDK: its models are the SDK's own mock. It asks by which way,
// deploys what it is told, and says what came of it.
import { MockLanguageModelV3, MockProviderV3 } from "ai/test";

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const toolCall = (toolCallId, toolName, input) => ({
  content: [{ type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) }],
  finishReason: { unified: "tool-calls", raw: "tool_calls" }, usage, warnings: [] });

function resultOf(prompt, name) {
  const parts = prompt.filter(({ role }) => role === "tool").flatMap(({ content }) => content);
  return parts.find(({ type, toolName }) => type === "tool-result" && toolName === name)?.output;
}

const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    const asked = resultOf(prompt, "ask_person");
    if (!asked) {
      return toolCall("call-ask", "ask_person", { question: "Where to?", options: ["staging", "production"] });
    }
    const deployed = resultOf(prompt, "deploy");
    if (!deployed) return toolCall("call-deploy", "deploy", { to: asked.value.selected[0] });
    const text = `heard: ${deployed.type} ${deployed.value ?? deployed.reason}`;
    return { content: [{ type: "text", text }], finishReason: { unified: "stop", raw: "stop" }, usage,
      warnings: [] };
  },
});

globalThis.AI_SDK_DEFAULT_PROVIDER = new MockProviderV3({ languageModels: { "openai/gpt-5.5": model } });

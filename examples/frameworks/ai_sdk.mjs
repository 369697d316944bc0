// SPDX-License-Identifier: Apache-2.0
// AI SDK: a tool that needs approval, and a tool without `execute` by which the model asks a person.
//
//     npm install ai zod PARLEY/clients/typescript/parley-client-0.1.0.tgz    # by `npm pack` there
//     AI_GATEWAY_API_KEY=… node ai_sdk.mjs "Deploy to production"
import { generateText, tool } from "ai";
import { Client } from "parley-client";
import { z } from "zod";

const parley = new Client();
const session = "deploy";

const tools = {
  deploy: tool({
    description: "Deploys the current version",
    inputSchema: z.object({ to: z.string() }),
    needsApproval: true,
    execute: async ({ to }) => `deployed to ${to}`,
  }),
  ask_person: tool({
    description: "Asks the person whom you work for, and waits for the answer",
    inputSchema: z.object({ question: z.string(), options: z.array(z.string()).min(2).max(4) }),
  }),
};

// A call's id makes a question that is asked again the same one: nobody is asked twice.
async function approval({ approvalId, toolCall: { toolCallId, toolName, input } }) {
  const question = { question: `May I run ${toolName}?`, options: ["Allow", "Deny"], custom: false };
  const ask = await parley.ask(question,
    { session, tool: { call_id: toolCallId }, permission: { tool: toolName, input } });
  const [answer] = ask.state === "answered" ? ask.settlement.answers : [];
  const approved = answer?.selected[0] === "Allow";
  const reason = answer?.note ?? ask.settlement.note ?? ask.state;
  return { type: "tool-approval-response", approvalId, approved, ...(!approved && { reason }) };
}

async function answer({ toolCallId, toolName, input: { question, options } }) {
  const { state, settlement } = await parley.ask(question, options, { session, tool: { call_id: toolCallId } });
  const value = { outcome: state, ...settlement.answers?.[0] };
  return { type: "tool-result", toolCallId, toolName, output: { type: "json", value } };
}

const messages = [{ role: "user", content: process.argv[2] ?? "Deploy to production" }];
for (;;) {
  const { content, response, finishReason, text } =
    await generateText({ model: process.env.MODEL ?? "openai/gpt-5.5", tools, messages });
  messages.push(...response.messages);
  const parts = [];
  for (const part of content) {
    if (part.type === "tool-approval-request") parts.push(await approval(part));
    if (part.type === "tool-call" && part.toolName === "ask_person") parts.push(await answer(part));
  }
  if (parts.length > 0) messages.push({ role: "tool", content: parts });
  else if (finishReason !== "tool-calls") { console.log(text); break; }
}

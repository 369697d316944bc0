// SPDX-License-Identifier: Apache-2.0
// OpenAI Agents: a tool that needs approval, approved by whoever answers first, wherever they are.
//
//     npm install @openai/agents zod PARLEY/clients/typescript/parley-client-0.1.0.tgz    # by `npm pack` there
//     OPENAI_API_KEY=… node openai_agents.mjs "Remove the branch old-login"
import { Agent, run, tool } from "@openai/agents";
import { Client } from "parley-client";
import { z } from "zod";

const parley = new Client();

const agent = new Agent({
  name: "Janitor",
  instructions: "You tidy up a repository. Remove what you are told to, and nothing else.",
  tools: [tool({
    name: "remove_branch",
    description: "Removes a branch for good",
    parameters: z.object({ name: z.string() }),
    needsApproval: true,
    execute: async ({ name }) => `removed ${name}`,
  })],
});

// The call's id makes a question that is asked again the same one: nobody is asked twice.
async function approve(state, call) {
  const ask = await parley.ask({
    question: `May ${call.agent.name} run ${call.name}?`,
    header: "Permission",
    options: ["Allow", "Deny"],
    custom: false,
  }, {
    session: "janitor",
    agent: call.agent.name,
    tool: { call_id: call.rawItem.callId },
    permission: { tool: call.name, input: JSON.parse(call.arguments) },
  });
  const [answer] = ask.state === "answered" ? ask.settlement.answers : [];
  if (answer?.selected[0] === "Allow") return state.approve(call);
  const why = answer?.note ?? ask.settlement.note ?? "no reason was given";
  state.reject(call, { message: `Not allowed (${answer ? "denied" : ask.state}): ${why}` });
}

let result = await run(agent, process.argv[2] ?? "Remove the branch old-login");
while (result.interruptions.length > 0) {
  for (const call of result.interruptions) await approve(result.state, call);
  result = await run(agent, result.state);
}
console.log(result.finalOutput);

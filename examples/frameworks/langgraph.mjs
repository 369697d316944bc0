// SPDX-License-Identifier: Apache-2.0
// LangGraph: what a graph interrupts itself with is asked through Parley, and it goes on with the answer.
//
//     npm install @langchain/langgraph @langchain/core PARLEY/clients/typescript/parley-client-0.1.0.tgz    # by `npm pack` there
//     node langgraph.mjs
import {
  Annotation, Command, END, interrupt, isInterrupted, MemorySaver, START, StateGraph,
} from "@langchain/langgraph";
import { answerText, Client } from "parley-client";

const parley = new Client();
const THREAD = "notes-2.4";

const State = Annotation.Root({ draft: Annotation(), verdict: Annotation(), result: Annotation() });

const graph = new StateGraph(State)
  .addNode("write", () => ({ draft: "2.4 starts faster, and has a dark mode." }))
  .addNode("review", ({ draft }) => ({
    verdict: interrupt({
      question: "Shall I publish the notes of 2.4?", options: ["Publish", "Hold back"], context: draft }),
  }))
  .addNode("publish", ({ draft }) => ({ result: `published: ${draft}` }))
  .addNode("keep", ({ verdict }) => ({ result: `kept back: ${verdict}` }))
  .addEdge(START, "write")
  .addEdge("write", "review")
  .addConditionalEdges("review", ({ verdict }) => (verdict === "Publish" ? "publish" : "keep"))
  .addEdge("publish", END)
  .addEdge("keep", END)
  .compile({ checkpointer: new MemorySaver() }); // one that lasts, and a restart goes on here

// The interrupt's id makes a question that is asked again the same one: nobody is asked twice.
async function answerOf({ id, value: { question, options, context } }) {
  const ask = await parley.ask(question, options, { session: THREAD, key: id, context });
  return ask.state === "answered" ? answerText(ask) : `nobody answered (${ask.state})`;
}

const config = { configurable: { thread_id: THREAD } };
let state = await graph.invoke({}, config);
while (isInterrupted(state)) {
  const answers = {};
  for (const pause of state.__interrupt__) answers[pause.id] = await answerOf(pause);
  state = await graph.invoke(new Command({ resume: answers }), config);
}
console.log(state.result);

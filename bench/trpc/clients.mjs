// SPDX-License-Identifier: Apache-2.0
// One session's agent and responder, over a WebSocket or over HTTP with Server-Sent Events. They
// speak tRPC's wire by themselves, with as little work as possible, so that the driver is not what
// is measured.
import { get } from "node:http";
import { WebSocket } from "ws";

const QUESTIONS = [{
  question: "Which database?", header: "DB", multiSelect: false,
  options: [{ label: "PostgreSQL", description: "Your existing one" },
            { label: "SQLite", description: "One file" }],
}];
const ANSWERS = { q0: "PostgreSQL" };

class Socket {
  static async open(server) {
    const socket = new Socket();
    socket.calls = new Map();
    socket.lastId = 0;
    socket.ws = new WebSocket(`ws://127.0.0.1:${server.port}/trpc`,
      { headers: server.headers, perMessageDeflate: false });
    socket.ws.on("message", (data) => socket.take(JSON.parse(data)));
    await new Promise((resolve, reject) => {
      socket.ws.once("open", resolve);
      socket.ws.once("error", reject);
    });
    return socket;
  }

  send(method, path, input, told) {
    const id = this.lastId += 1;
    this.calls.set(id, told);
    this.ws.send(JSON.stringify({ id, method, params: { path, input } }));
  }

  take({ id, result, error }) {
    const told = this.calls.get(id);
    if (error) throw new Error(error.message);
    if (result.type === "data") told(result.data);
    else if (result.type === "started") told(result);
  }

  call(path, input) {
    return new Promise((resolve) => this.send("mutation", path, input, resolve));
  }

  close() {
    this.ws.terminate();
  }
}

// Calls `asked` with every question's id; the promise is kept once it listens.
async function listenOverSocket(server, sessionId, asked) {
  const socket = await Socket.open(server);
  await new Promise((resolve) => {
    socket.send("subscription", "message.streamResponse", { sessionId, follow: true }, (event) => {
      if (event.type === "started") resolve();
      if (event.type === "ask-question") asked(event.questionId);
    });
  });
  return socket;
}

function listenOverSse(server, sessionId, asked) {
  const input = encodeURIComponent(JSON.stringify({ sessionId, follow: true }));
  return new Promise((resolve, reject) => {
    const request = get({ host: "127.0.0.1", port: server.port, headers: server.headers,
                          path: `/trpc/message.streamResponse?input=${input}` }, (response) => {
      let rest = "";
      response.setEncoding("utf8");
      response.on("data", (text) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop();
        for (const line of lines) {
          if (line === "event: connected") resolve({ close: () => request.destroy() });
          if (line.startsWith('data: {"type":"ask-question"'))
            asked(JSON.parse(line.slice(6)).questionId);
        }
      });
      response.on("error", () => {});
    });
    request.on("error", reject);
  });
}

async function post(server, path, input) {
  const { status, body } = await server.caller.call("POST", `/trpc/${path}`,
    JSON.stringify(input));
  if (status !== 200) throw new Error(`${path}: ${status} ${body}`);
}

// Each runs rounds until told to stop: {stop(), finished}. `told` gets each round's milliseconds.
export const FLOWS = {
  async websocket(server, sessionId, told) {
    let answered;
    const responder = await listenOverSocket(server, sessionId, (questionId) => {
      answered = responder.call("message.answerAsk", { sessionId, questionId, answers: ANSWERS });
    });
    const agent = await Socket.open(server);
    return run((input) => agent.call("message.ask", input), sessionId, told, async () => {
      await answered;
      responder.close();
      agent.close();
    });
  },
  async sse(server, sessionId, told) {
    let answered;
    const responder = await listenOverSse(server, sessionId, (questionId) => {
      answered = post(server, "message.answerAsk", { sessionId, questionId, answers: ANSWERS });
    });
    return run((input) => post(server, "message.ask", input), sessionId, told, async () => {
      await answered;
      responder.close();
    });
  },
};

// The agent's rounds. The reply to the last answer may come after the agent has gone on.
function run(ask, sessionId, told, close) {
  let goesOn = true;
  const finished = (async () => {
    while (goesOn) {
      const start = performance.now();
      await ask({ sessionId, questions: QUESTIONS });
      told(performance.now() - start);
    }
    await close();
  })();
  return { stop: () => { goesOn = false; }, finished };
}

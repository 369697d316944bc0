// SPDX-License-Identifier: Apache-2.0
// A server's HTTP as its clients see it, with faults: of the requests that a fault names, by method and
// target, so many are refused with 500, lost before they arrive ("cut"), or done without an answer
// ("done"). `tell` adds an event to every stream of events that is open.
import { once } from "node:events";
import { createServer, request } from "node:http";

export class FaultyProxy {
  static async start(t, port) {
    const proxy = new FaultyProxy();
    Object.assign(proxy, { port, faults: [], seen: [], streams: new Set() });
    proxy.server = createServer((near, answer) => proxy.serve(near, answer));
    proxy.server.listen(0, "127.0.0.1");
    await once(proxy.server, "listening");
    proxy.url = `http://127.0.0.1:${proxy.server.address().port}`;
    t.after(() => {
      proxy.server.close();
      proxy.server.closeAllConnections();
    });
    return proxy;
  }

  // From now on: {which: /^GET …/, how, times}.
  fail(...faults) {
    this.faults = faults.map((fault) => ({ ...fault }));
    this.seen = [];
  }

  count(which) {
    return this.seen.filter((line) => which.test(line)).length;
  }

  tell(event) {
    for (const stream of this.streams) stream.write(`data: ${JSON.stringify(event)}\n\n`);
  }

  serve(near, answer) {
    const line = `${near.method} ${near.url}`;
    this.seen.push(line);
    const fault = this.faults.find(({ which, times }) => times > 0 && which.test(line));
    if (fault) --fault.times;
    if (fault?.how === "cut") return near.destroy();
    if (fault?.how === "500") {
      near.resume();
      return answer.writeHead(500, { "content-type": "application/json" })
        .end(JSON.stringify({ name: "UnknownError", data: { message: "a fault of the test" } }));
    }
    const far = request({ host: "127.0.0.1", port: this.port, method: near.method, path: near.url,
      headers: near.headers }, (reply) => {
      if (fault?.how === "done") {
        reply.resume();
        return near.destroy();
      }
      answer.writeHead(reply.statusCode, reply.headers);
      reply.pipe(answer);
      if (!/event-stream/.test(reply.headers["content-type"] ?? "")) return;
      answer.flushHeaders();
      this.streams.add(answer);
      answer.on("close", () => this.streams.delete(answer));
    });
    far.on("error", () => near.destroy());
    answer.on("close", () => far.destroy());
    near.pipe(far);
  }
}

// SPDX-License-Identifier: Apache-2.0
// HTTP/1.1 on kept connections with as little of Node's own work as possible, so that the driver is
// not what is measured.
import { connect } from "node:net";

const HEAD_END = Buffer.from("\r\n\r\n");
const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");

class Connection {
  constructor(port) {
    this.socket = connect({ host: "127.0.0.1", port, noDelay: true });
    this.buffer = Buffer.alloc(0);
    this.socket.on("data", (bytes) => this.take(bytes));
    this.socket.on("error", (error) => this.fail?.(error));
    this.socket.on("close", () => this.fail?.(new Error("the connection was closed")));
  }

  call(text) {
    return new Promise((resolve, reject) => {
      this.done = resolve;
      this.fail = reject;
      this.socket.write(text);
    });
  }

  take(bytes) {
    this.buffer = this.buffer.length ? Buffer.concat([this.buffer, bytes]) : bytes;
    const end = this.buffer.indexOf(HEAD_END);
    if (end < 0) return;
    const head = this.buffer.toString("latin1", 0, end);
    const isChunked = /\r\ntransfer-encoding: *chunked/i.test(head);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    const last = isChunked ? this.buffer.indexOf(LAST_CHUNK, end) : 0;
    const total = isChunked ? last + LAST_CHUNK.length : end + 4 + length;
    if (last < 0 || this.buffer.length < total) return;
    const body = this.buffer.toString("utf8", end + 4, total);  // chunks stay as they are
    this.buffer = this.buffer.subarray(total);
    const done = this.done;
    this.done = this.fail = undefined;
    done({ status: Number(head.slice(9, 12)), body });
  }
}

// Calls of one server, on as many connections as are in use at once.
export class Caller {
  constructor(port, headers = {}) {
    this.port = port;
    this.lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers })
      .map(([name, value]) => `${name}: ${value}\r\n`).join("");
    this.idle = [];
  }

  async call(method, path, body) {
    // Servers close what nobody has used for a while.
    this.idle = this.idle.filter(({ socket }) => !socket.destroyed);
    const connection = this.idle.pop() ?? new Connection(this.port);
    const content = body === undefined ? "content-length: 0\r\n\r\n"
      : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    const reply = await connection.call(`${method} ${path} HTTP/1.1\r\n${this.lines}${content}`);
    this.idle.push(connection);
    return reply;
  }

  close() {
    for (const { socket } of this.idle) socket.destroy();
  }
}

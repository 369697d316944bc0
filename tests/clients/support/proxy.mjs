// SPDX-License-Identifier: Apache-2.0
// A TCP proxy in front of a broker whose connections a test can cut or silence, and which can be made
// to refuse new ones for a while. `edit` may change what the broker sends, but not its length.
import { once } from "node:events";
import { connect, createServer } from "node:net";

export class Proxy {
  static async start(port) {
    const proxy = new Proxy();
    proxy.sockets = new Set();
    proxy.silenced = new Set();
    proxy.isRefusing = false;
    proxy.connections = 0; // so far
    proxy.edit = (data) => data;
    proxy.server = createServer((near) => {
      if (proxy.isRefusing) return near.destroy();
      ++proxy.connections;
      const far = connect(port, "127.0.0.1");
      for (const [from, to] of [[near, far], [far, near]]) {
        proxy.sockets.add(from);
        from.on("error", () => to.destroy());
        from.on("close", () => {
          proxy.sockets.delete(from);
          proxy.silenced.delete(from);
          to.destroy();
        });
      }
      near.pipe(far);
      far.on("data", (data) => {
        if (!proxy.silenced.has(near)) near.write(proxy.edit(data));
      });
    });
    // The broker's own port on the other loopback address: it is one of the names that it goes by.
    proxy.server.listen(port, "::1");
    await once(proxy.server, "listening");
    proxy.url = `http://[::1]:${port}`;
    return proxy;
  }

  // Breaks all connections off.
  async cut() {
    const closed = [...this.sockets].map((socket) => once(socket, "close"));
    for (const socket of this.sockets) socket.destroy();
    await Promise.all(closed);
  }

  // The same, and new ones fail until accept().
  async refuse() {
    this.isRefusing = true;
    await this.cut();
  }

  // What the broker says on the connections that are open is lost, and they stay; new ones fail
  // until accept().
  silence() {
    this.isRefusing = true;
    for (const socket of this.sockets) this.silenced.add(socket);
  }

  accept() {
    this.isRefusing = false;
  }

  async stop() {
    await this.cut();
    this.server.close();
  }
}

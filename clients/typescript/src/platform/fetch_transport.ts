// SPDX-License-Identifier: Apache-2.0
import { ParleyError } from "../client/errors.js";
import type { ClientOptions } from "../client/options.js";
import type { Reply, Request, Transport } from "../client/transport.js";

/** In a page without a server of its own choice: the broker that the page came from, by its cookie. */
export class FetchTransport implements Transport {
  readonly address: string;
  readonly remedy = "if it runs, has it been told --allow-origin with this page's origin?";
  readonly #headers: Record<string, string>;

  constructor({ server, token }: ClientOptions) {
    const named = server ?? globalThis.location?.origin ?? "";
    if (!/^https?:\/\//.test(named)) {
      throw new ParleyError(`'${named}': name a broker here with {server: "http(s)://HOST:PORT"}`);
    }
    this.address = new URL(named).origin;
    this.#headers = token ? { authorization: `Bearer ${token}` } : {};
  }

  unique(): string {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  async send({ method, path, body, signal }: Request): Promise<Reply> {
    const headers = { ...this.#headers, ...(body !== undefined && { "content-type": "application/json" }) };
    const response = await fetch(this.address + path,
      { method, headers, signal, cache: "no-store", ...(body !== undefined && { body }) });
    return {
      status: response.status,
      contentType: response.headers.get("content-type") ?? "",
      body: chunksOf(response.body),
    };
  }
}

async function* chunksOf(stream: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = stream?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

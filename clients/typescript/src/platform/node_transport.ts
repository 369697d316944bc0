// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { type IncomingMessage, request as httpRequest, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { ParleyError } from "../client/errors.js";
import type { Reply, Request, Transport } from "../client/transport.js";
import type { Place } from "./node_place.js";

const UNTRUSTED = /CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^INVALID_(CA|PURPOSE)$/;

export class NodeTransport implements Transport {
  readonly remedy = "start one with 'parley serve', or name another with PARLEY_SERVER";
  readonly #place: Place;
  readonly #ca: Buffer | undefined;

  constructor(place: Place) {
    this.#place = place;
    this.#ca = place.ca === undefined ? undefined : authority(place.ca);
  }

  get address(): string {
    return this.#place.addresses[0] ?? "";
  }

  unique(): string {
    return randomUUID();
  }

  /** The first address that takes us. */
  async send(request: Request): Promise<Reply> {
    const others = this.#place.addresses.slice(0, -1);
    for (const address of others) {
      try {
        return await this.#sendTo(address, request);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).syscall !== "connect") throw error;
      }
    }
    return this.#sendTo(this.#place.addresses[others.length] ?? "", request);
  }

  async #sendTo(address: string, { method, path, body, signal }: Request): Promise<Reply> {
    const headers: Record<string, string | number> = { accept: "application/json" };
    if (this.#place.token) headers["authorization"] = `Bearer ${this.#place.token}`;
    if (body !== undefined) {
      headers["content-type"] = "application/json";
      headers["content-length"] = Buffer.byteLength(body);
    }
    const options: RequestOptions = { method, headers, signal, agent: false };
    try {
      const message = await exchange(address, path, options, this.#ca, body);
      const contentType = message.headers["content-type"] ?? "";
      return { status: message.statusCode ?? 0, contentType, body: message };
    } catch (error) {
      const { code = "", message } = error as NodeJS.ErrnoException;
      if (!UNTRUSTED.test(code)) throw error;
      throw new ParleyError(`${address} is not trusted: ${message}; if that is right, name the `
        + "authority that signed it with PARLEY_CA", { cause: error });
    }
  }
}

function authority(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new ParleyError(`the authority in ${file} cannot be read: ${(error as Error).message}`,
      { cause: error });
  }
}

function exchange(
  address: string, path: string, options: RequestOptions, ca: Buffer | undefined,
  body: string | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      if (address.startsWith("unix:")) {
        return httpRequest({ ...options, socketPath: address.slice("unix:".length), path }, resolve);
      }
      const url = new URL(path, address);
      if (url.protocol === "http:") return httpRequest(url, options, resolve);
      return httpsRequest(url, { ...options, ...(ca && { ca }) }, resolve);
    };
    begin().on("error", reject).end(body);
  });
}

// SPDX-License-Identifier: Apache-2.0
// What the client needs of the platform that it runs on.

export interface Request {
  method: "GET" | "POST";
  path: string;
  body?: string | undefined;
  /** Aborted, the connection is closed. */
  signal: AbortSignal;
}

export interface Reply {
  status: number;
  contentType: string;
  body: AsyncIterable<Uint8Array>;
}

export interface Transport {
  /** Where it leads, for messages. */
  readonly address: string;
  /** What helps where nobody answers. */
  readonly remedy: string;
  /** A text that nobody else makes. */
  unique(): string;
  /** Rejects with a ParleyError if trying again would not help, else with whatever happened. */
  send(request: Request): Promise<Reply>;
}

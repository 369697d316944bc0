// SPDX-License-Identifier: Apache-2.0
// Calls on the broker. What it refuses is a Problem; no connection is a Problem with status 0.
import type { Ask } from "./types";

export interface FieldFault {
  path: string;
  detail: string;
}

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly type = "",
    readonly errors: FieldFault[] = [],
    readonly ask?: Ask,
  ) {
    super(detail);
  }
  get isOffline(): boolean {
    return this.status === 0 || this.status === 503;
  }
}

const listeners: ((problem: Problem) => void)[] = [];
export const onProblem = (listener: (problem: Problem) => void): void => {
  listeners.push(listener);
};

async function read(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!text) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

// What a browser takes along when the page closes.
const KEEPALIVE_BYTES = 60_000;

export interface CallOptions {
  body?: unknown;
  keepalive?: boolean;
  bearer?: string;
  signal?: AbortSignal;
}

export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  const headers: Record<string, string> = {};
  if (options.body !== undefined) headers["Content-Type"] = "application/json";
  if (options.bearer) headers["Authorization"] = `Bearer ${options.bearer}`;
  const body = options.body === undefined ? undefined : JSON.stringify(options.body);
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers,
      credentials: "same-origin",
      ...(body !== undefined && { body }),
      ...(options.keepalive && (body?.length ?? 0) * 3 < KEEPALIVE_BYTES && { keepalive: true }),
      ...(options.signal && { signal: options.signal }),
    });
  } catch (error) {
    throw new Problem(0, String(error));
  }
  const document = await read(response);
  if (response.ok) return document as T;
  const said = (document ?? {}) as { detail?: string; type?: string; errors?: FieldFault[]; ask?: Ask };
  const problem = new Problem(
    response.status,
    said.detail ?? response.statusText,
    (said.type ?? "").replace("urn:parley:problem:", ""),
    said.errors ?? [],
    said.ask,
  );
  for (const listener of listeners) listener(problem);
  throw problem;
}

export const get = <T>(path: string): Promise<T> => call<T>("GET", path);
export const post = <T>(path: string, body: unknown = {}, options: CallOptions = {}): Promise<T> =>
  call<T>("POST", path, { ...options, body });

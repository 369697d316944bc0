// SPDX-License-Identifier: Apache-2.0
// Calls on the broker. What it refuses is a Problem; no connection, or no answer in time, is a Problem
// with status 0.
import { hearDate } from "./clock";
import type { Ask, Draft, Problem as Said } from "./types";

export type FieldFault = NonNullable<Said["errors"]>[number];

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly type = "",
    readonly errors: FieldFault[] = [],
    readonly ask?: Ask,
    readonly draft?: Draft,
  ) {
    super(detail);
  }
  get isOffline(): boolean {
    return this.status === 0 || this.status === 503;
  }
}

const TIMEOUT = "timeout";

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
// Long enough for a slow line; a call that never ends would keep the page waiting for ever.
export const LIMIT_MS = 30_000;

export interface CallOptions {
  body?: unknown;
  keepalive?: boolean;
  bearer?: string;
}

interface Heard {
  response: Response;
  document: unknown;
}

async function attempt(path: string, init: RequestInit): Promise<Heard> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), LIMIT_MS);
  const asked = Date.now();
  try {
    const response = await fetch(path, { ...init, signal: abort.signal });
    hearDate(response.headers.get("date"), asked, Date.now());
    return { response, document: await read(response) };
  } catch (error) {
    if (abort.signal.aborted) throw new Problem(0, `no answer within ${LIMIT_MS / 1000} s`, TIMEOUT);
    throw new Problem(0, String(error));
  } finally {
    clearTimeout(timer);
  }
}

// What reads or replaces can be asked again, once: the connection may have died under the first.
const isIdempotent = (method: string): boolean => method !== "POST";

async function exchange(path: string, init: RequestInit & { method: string }): Promise<Heard> {
  try {
    return await attempt(path, init);
  } catch (error) {
    const isTimeout = error instanceof Problem && error.type === TIMEOUT;
    if (isTimeout && isIdempotent(init.method)) return attempt(path, init);
    throw error;
  }
}

export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  const headers: Record<string, string> = {};
  if (options.body !== undefined) headers["Content-Type"] = "application/json";
  if (options.bearer) headers["Authorization"] = `Bearer ${options.bearer}`;
  const body = options.body === undefined ? undefined : JSON.stringify(options.body);
  const { response, document } = await exchange(path, {
    method,
    headers,
    credentials: "same-origin",
    ...(body !== undefined && { body }),
    ...(options.keepalive && (body?.length ?? 0) * 3 < KEEPALIVE_BYTES && { keepalive: true }),
  });
  if (response.ok) return document as T;
  const problem = readProblem(response, document);
  for (const listener of listeners) listener(problem);
  throw problem;
}

function readProblem(response: Response, document: unknown): Problem {
  const said = (document ?? {}) as Partial<Said>; // what stands between may have answered
  const type = (said.type ?? "").replace("urn:parley:problem:", "");
  return new Problem(response.status, said.detail ?? response.statusText, type, said.errors ?? [], said.ask, said.draft);
}

export const get = <T>(path: string): Promise<T> => call<T>("GET", path);
export const post = <T>(path: string, body: unknown = {}, options: CallOptions = {}): Promise<T> =>
  call<T>("POST", path, { ...options, body });

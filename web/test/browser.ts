// SPDX-License-Identifier: Apache-2.0
// As much of a browser as the model asks for, and a broker that answers what a test says. Stands
// before every test's own code.

type Listener = (event: unknown) => void;
const listeners = new Map<string, Listener[]>();
const store = new Map<string, string>();

const define = (name: string, value: unknown): void =>
  void Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });

define("addEventListener", (type: string, listener: Listener) => {
  listeners.set(type, [...(listeners.get(type) ?? []), listener]);
});
define("document", { hidden: false, visibilityState: "visible", addEventListener: () => undefined, documentElement: {} });
define("location", { hash: "", search: "", pathname: "/" });
// As a browser does: what the program changes is in the address at once, and is told of later.
define("history", { replaceState: (_state: unknown, _title: string, to: string) => void (location.hash = to) });
define("matchMedia", () => ({ matches: true, addEventListener: () => undefined }));
define("navigator", { languages: ["en"] });
define("requestAnimationFrame", (task: () => void) => setTimeout(task, 0));
define("localStorage", {
  getItem: (key: string) => store.get(key) ?? null,
  setItem: (key: string, value: string) => void store.set(key, value),
  removeItem: (key: string) => void store.delete(key),
  key: (index: number) => [...store.keys()][index] ?? null,
  get length() {
    return store.size;
  },
});
// The page's clock runs as long as the page, and a watchdog sleeps for longer than a test: neither
// keeps the tests from ending.
const LONG_MS = 10_000;
const leave = (timer: unknown): unknown => {
  (timer as { unref(): void }).unref();
  return timer;
};
const { setInterval: every, setTimeout: later } = globalThis;
define("setInterval", (task: () => void, ms: number) => leave(every(task, ms)));
define("setTimeout", (task: () => void, ms: number) => {
  const timer = later(task, ms);
  return ms < LONG_MS ? timer : leave(timer);
});

export const stored = store;
export const happen = (type: string): void => (listeners.get(type) ?? []).forEach((listener) => listener({ type }));

export interface Call {
  method: string;
  path: string;
  body: unknown;
}
export type Broker = (call: Call) => Response | Promise<Response> | undefined;

export const calls: Call[] = [];
let broker: Broker = () => undefined;
export const answerWith = (next: Broker): void => {
  calls.length = 0;
  broker = next;
};

define("fetch", async (path: string, options: RequestInit = {}) => {
  const body: unknown = typeof options.body === "string" ? JSON.parse(options.body) : undefined;
  const call = { method: options.method ?? "GET", path, body };
  calls.push(call);
  const aborted = new Promise<never>((_, reject) => {
    options.signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
  });
  aborted.catch(() => undefined);
  const response = await Promise.race([broker(call), aborted]);
  if (!response) throw new TypeError("no connection");
  return response;
});

export const json = (status: number, document: unknown): Response =>
  new Response(document === null || status === 204 ? null : JSON.stringify(document), { status });

// Until what was started has run: promises and timers that are due.
export const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

export async function until(look: () => boolean): Promise<void> {
  for (let tries = 0; tries < 2000; ++tries) {
    if (look()) return;
    await settle();
  }
  throw new Error(`this did not happen: ${String(look)}`);
}

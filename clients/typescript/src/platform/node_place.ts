// SPDX-License-Identifier: Apache-2.0
// Where the broker is, as the commands of Parley find it: what was given, then PARLEY_SERVER and
// PARLEY_TOKEN, then the configuration file, then this user's own socket.
import { closeSync, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { ParleyError } from "../client/errors.js";
import type { ClientOptions } from "../client/options.js";

export interface Place {
  addresses: string[]; // http(s)://HOST:PORT or unix:PATH; the first that answers is it
  token: string | undefined;
  ca: string | undefined;
}

type Setting = "server" | "token" | "ca";

const SOCKET_PATH_BYTES_MAX = 108;
const OTHERS_MAY_WRITE = 0o022;

export function findPlace({ server, token, ca }: ClientOptions): Place {
  const settings = readSettings();
  const setting = (given: string | undefined, name: Setting) =>
    given || process.env[`PARLEY_${name.toUpperCase()}`] || settings.get(name);
  const named = setting(server, "server");
  const addresses = named ? [checked(named)] : ownSockets().map((path) => `unix:${path}`);
  if (addresses.length === 0) {
    throw new ParleyError("there is no HOME to find a broker in; set PARLEY_SERVER");
  }
  return { addresses, token: setting(token, "token"), ca: setting(ca, "ca") };
}

function checked(address: string): string {
  if (address.startsWith("unix:")) return address;
  try {
    const { protocol, origin } = new URL(address);
    if (protocol === "http:" || protocol === "https:") return origin;
  } catch {
    // Said below.
  }
  throw new ParleyError(`${address}: expected http(s)://HOST:PORT or unix:PATH`);
}

// The settings that stand before the first table, each a string on a line of its own.
function readSettings(): Map<string, string> {
  const folder = process.env["XDG_CONFIG_HOME"] || join(process.env["HOME"] ?? "", ".config");
  const found = new Map<string, string>();
  let text = "";
  try {
    text = readFileSync(join(folder, "parley", "config.toml"), "utf8");
  } catch {
    return found;
  }
  for (const line of text.split("\n")) {
    if (/^\s*\[/.test(line)) break;
    const [, name, quoted, plain] =
      /^\s*(server|token|ca)\s*=\s*(?:("(?:[^"\\]|\\.)*")|'([^']*)')\s*(?:#.*)?$/.exec(line) ?? [];
    if (name) found.set(name, plain ?? unquoted(quoted ?? '""'));
  }
  return found;
}

function unquoted(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    return "";
  }
}

/** The usual one first, whether it is there or not, then those that are. */
function ownSockets(): string[] {
  const { XDG_RUNTIME_DIR: runtime, XDG_STATE_HOME: stateHome, HOME: home } = process.env;
  const base = stateHome || (home && join(home, ".local/state"));
  const state = base && join(base, "parley");
  const usual = runtime || state;
  const sockets = usual ? [join(usual, "parley.sock")] : [];
  const further = state ? [markedSocket(state), join(state, "parley.sock")] : [];
  if (!runtime && home === userInfo().homedir) {
    further.push(`/run/user/${process.geteuid?.()}/parley.sock`);
  }
  for (const path of further) {
    if (path && !sockets.includes(path) && isOwnSocket(path)) sockets.push(path);
  }
  return sockets;
}

function isOwnSocket(path: string): boolean {
  const status = lstatSync(path, { throwIfNoEntry: false });
  return status !== undefined && status.isSocket() && status.uid === process.geteuid?.();
}

// Where a broker that listens elsewhere says it is, in a file that nobody else can write.
function markedSocket(state: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(join(state, "socket"), "r");
    const { uid, mode, size } = fstatSync(file);
    if (uid !== process.geteuid?.() || mode & OTHERS_MAY_WRITE || size > SOCKET_PATH_BYTES_MAX + 1) {
      return undefined;
    }
    const text = readFileSync(file, "utf8");
    return text.startsWith("/") && text.endsWith("\n") ? text.slice(0, -1) : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

// SPDX-License-Identifier: Apache-2.0
// From an opened page to a running one: who this is, then the events.
import { signal } from "@preact/signals";
import type { Key } from "../i18n";
import { call, get, onProblem, Problem } from "./api";
import { findHosted } from "./hosted";
import { flush } from "./outbox";
import { claimBrowser } from "./settings";
import { isSignedOut, loadFirst, loadSessions, onReconnect, onSignedIn, self, stream } from "./state";
import type { Self } from "./types";

// Why nobody is signed in, where there is something to say.
export const refusal = signal<Key | null>(null);

// An address with a token that did not become a cookie: it may be a token that still counts.
async function takeToken(): Promise<void> {
  const token = new URLSearchParams(location.search).get("token");
  if (!token) return;
  history.replaceState(null, "", location.pathname + location.hash);
  try {
    await call("POST", "/sign-in", { bearer: token });
  } catch (error) {
    if (error instanceof Problem && error.status === 401) refusal.value = "sign_in.used";
  }
}

export async function begin(): Promise<void> {
  await takeToken();
  // Questions and events are on their way while the broker says who we are.
  void loadFirst().catch(() => undefined);
  stream.start();
  await identify();
}

let isIdentifying = false;

async function identify(): Promise<void> {
  if (isIdentifying) return;
  isIdentifying = true;
  try {
    const who = await get<Self>("/v1/self");
    if (who.role === "agent") {
      refusal.value = "sign_in.agent";
      throw new Problem(403, "");
    }
    // What the one before had open is in memory too.
    if (claimBrowser(who.principal)) return location.reload();
    self.value = who;
    isSignedOut.value = false;
    refusal.value = null;
    void flush();
    void loadSessions().catch(() => undefined);
    void findHosted().catch(() => undefined);
  } catch (error) {
    // Without a connection nothing is known, and the stream keeps trying.
    if (error instanceof Problem && (error.status === 401 || error.status === 403)) stream.refuse();
  }
  isIdentifying = false;
}

export async function signOut(): Promise<void> {
  await call("POST", "/sign-out");
  stream.refuse();
}

// The page was opened without a connection.
onReconnect(() => {
  if (!self.value && !isSignedOut.value) void identify();
});

onSignedIn(() => void begin());

onProblem((problem) => {
  if (problem.status === 401 && self.value) stream.refuse();
});

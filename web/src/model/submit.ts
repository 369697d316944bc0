// SPDX-License-Identifier: Apache-2.0
// Sending what a person decided, and telling truthfully how far it got.
import { signal } from "@preact/signals";
import { post, Problem } from "./api";
import { finished } from "./answers";
import { name } from "./settings";
import { onReconnect, pending, settled, takeAsk } from "./state";
import type { Ask } from "./types";
import type { Work } from "./work";

export const UNDO_MS = 4000;

// Answers that are about to be sent, so that they can be taken back from anywhere on the page.
export const undoable = signal<Work | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

const by = (): { by?: string } => (name.value.trim() ? { by: name.value.trim() } : {});

export function sendSoon(work: Work): void {
  sendNow();
  work.phase.value = { kind: "undo", until: Date.now() + UNDO_MS };
  undoable.value = work;
  timer = setTimeout(sendNow, UNDO_MS);
}

// What waits is sent at once: a person says so, the next one is answered, or the page closes.
export function sendNow(): void {
  clearTimeout(timer);
  const work = undoable.value;
  undoable.value = null;
  if (work?.phase.value.kind === "undo") void send(work);
}

export function undo(): void {
  clearTimeout(timer);
  const work = undoable.value;
  undoable.value = null;
  if (work?.phase.value.kind === "undo") work.phase.value = { kind: "editing" };
}

export const send = (work: Work): Promise<void> =>
  settle(work, "answer", { answers: finished(work.answers.value), ...by() });

export const dismiss = (work: Work, reason: string): Promise<void> =>
  settle(work, "dismiss", { ...(reason.trim() && { reason: reason.trim() }), ...by() });

// What failed for want of a connection, to be sent when it is back: the broker takes the same
// answer twice.
const unsent = new Map<string, () => void>();
onReconnect(() => {
  const tasks = [...unsent.values()];
  unsent.clear();
  for (const task of tasks) task();
});

async function settle(work: Work, verb: "answer" | "dismiss", body: object): Promise<void> {
  const { id } = work.ask;
  if (!pending.value.has(id) && settled.value.has(id)) return;
  work.phase.value = { kind: "sending" };
  unsent.delete(id);
  try {
    const ask = await post<Ask>(`/v1/asks/${id}/${verb}`, body, { keepalive: true });
    work.phase.value = { kind: "recorded" };
    takeAsk(ask);
  } catch (error) {
    fail(work, verb, body, error instanceof Problem ? error : new Problem(0, String(error)));
  }
}

function fail(work: Work, verb: "answer" | "dismiss", body: object, problem: Problem): void {
  // Somebody was first: the settlement that stands is what everybody sees.
  if (problem.ask) {
    work.phase.value = { kind: "editing" };
    takeAsk(problem.ask);
    return;
  }
  if (problem.isOffline)
    unsent.set(work.ask.id, () => {
      if (work.phase.value.kind === "failed") void settle(work, verb, body);
    });
  work.phase.value = { kind: "failed", problem, retries: problem.isOffline };
  const first = problem.errors[0]?.path.match(/^\/answers\/(\d+)/)?.[1];
  if (first !== undefined) work.step.value = Number(first);
}

export async function snooze(ask: Ask, seconds: number): Promise<void> {
  await post(`/v1/asks/${ask.id}/snooze`, { seconds });
  takeAsk({ ...ask, snoozed_until: new Date(Date.now() + seconds * 1000).toISOString() });
}

addEventListener("pagehide", sendNow);

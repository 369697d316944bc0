// SPDX-License-Identifier: Apache-2.0
// Sending what a person decided, and telling truthfully how far it got.
import { effect, signal } from "@preact/signals";
import { finished } from "./answers";
import { post, Problem } from "./api";
import { keyGuard, keyTime } from "./key_guard";
import { isLoaded, onReconnect, pending, self, takeAsk } from "./state";
import type { Answer, Ask } from "./types";
import { forgetDecision, interrupted, workOn, type Work } from "./work";
import type { Act, Decision } from "./work_state";

export const UNDO_MS = 4000;
const RETRY_FIRST_MS = 2000;
const RETRY_MAX_MS = 30_000;

// An answer that is about to be sent, so that it can be taken back from anywhere on the page.
export const undoable = signal<Work | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

// Every act of a person goes this way; what it sends is what the reducer has frozen.
function perform(work: Work, act: Act): void {
  const before = work.phase.value;
  work.dispatch(act);
  const phase = work.phase.value;
  if (phase === before) return;
  if (phase.kind === "undo" || phase.kind === "sending") keyGuard.used(keyTime());
  if (phase.kind === "undo") wait(work);
  if (phase.kind === "sending") void deliver(work, phase.decision);
}

function wait(work: Work): void {
  if (undoable.value !== work) sendNow();
  clearTimeout(timer);
  undoable.value = work;
  timer = setTimeout(sendNow, UNDO_MS);
}

effect(() => {
  if (undoable.value && undoable.value.phase.value.kind !== "undo") undoable.value = null;
});

// `on` is the number of the picture that the person acted on.
export const pick = (work: Work, on: number, index: number, answer: Answer): void =>
  perform(work, { kind: "pick", on, index, answer, until: Date.now() + UNDO_MS });
export const sendSoon = (work: Work, on: number): void =>
  perform(work, { kind: "send", on, until: Date.now() + UNDO_MS });
export const send = (work: Work, on: number): void => perform(work, { kind: "send", on });
export const dismiss = (work: Work, on: number): void =>
  perform(work, { kind: "dismiss", on, reason: work.reason.value.trim() });
export const retry = (work: Work): void => perform(work, { kind: "retry" });

// What waits is sent at once: a person says so, the next one is answered, or the page closes.
export function sendNow(): void {
  clearTimeout(timer);
  const work = undoable.value;
  undoable.value = null;
  if (work) perform(work, { kind: "due" });
}

export function undo(): void {
  clearTimeout(timer);
  const work = undoable.value;
  undoable.value = null;
  if (work) perform(work, { kind: "undo" });
}

// What failed for want of a connection is sent again when it is back, and now and then: the broker
// takes the same answer twice.
const unsent = new Map<Work, number>();
onReconnect(() => {
  for (const work of [...unsent.keys()]) retry(work);
});

// What a page before this one could not send any more, once it is known what waits and for whom.
function resume(): void {
  for (const id of interrupted()) {
    const ask = pending.value.get(id);
    if (ask) retry(workOn(ask));
    else forgetDecision(id);
  }
}
effect(() => {
  if (isLoaded.value && self.value) queueMicrotask(resume);
});

const body = (ask: Ask, decision: Decision): object => {
  if (decision.verb === "answer") return { answers: finished(ask, decision.answers) };
  return decision.reason ? { reason: decision.reason } : {};
};

async function deliver(work: Work, decision: Decision): Promise<void> {
  const tries = unsent.get(work) ?? 0;
  unsent.delete(work);
  try {
    const ask = await post<Ask>(`/v1/asks/${work.ask.id}/${decision.verb}`, body(work.ask, decision), { keepalive: true });
    work.dispatch({ kind: "recorded" });
    takeAsk(ask);
  } catch (error) {
    fail(work, error instanceof Problem ? error : new Problem(0, String(error)), tries);
  }
}

function fail(work: Work, problem: Problem, tries: number): void {
  // Somebody was first: the settlement that stands is what everybody sees.
  if (problem.ask) return takeAsk(problem.ask);
  work.dispatch({ kind: "failed", problem });
  if (problem.isOffline) {
    unsent.set(work, tries + 1);
    setTimeout(() => unsent.get(work) === tries + 1 && retry(work), Math.min(RETRY_FIRST_MS * 2 ** tries, RETRY_MAX_MS));
  }
  const first = problem.errors[0]?.path.match(/^\/answers\/(\d+)/)?.[1];
  if (first !== undefined) work.step.value = Number(first);
}

// Without seconds: it is wanted back.
export async function snooze(ask: Ask, seconds: number): Promise<Ask> {
  const snoozed = await post<Ask>(`/v1/asks/${ask.id}/snooze`, { seconds });
  takeAsk(snoozed);
  return snoozed;
}

addEventListener("pagehide", sendNow);

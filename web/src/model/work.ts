// SPDX-License-Identifier: Apache-2.0
// A person's work on one ask: what is chosen and typed, kept on the broker as a draft and in the
// browser until the broker has it. It outlives the card that shows it.
import { signal, type Signal } from "@preact/signals";
import { call, get, Problem } from "./api";
import { emptyAnswers, isTouched, merge, sameAnswers } from "./answers";
import { keep, readKept } from "./settings";
import { onEvent, onReconnect, pending } from "./state";
import type { Answer, Ask } from "./types";

const SAVE_AFTER_MS = 400;

export type Phase =
  | { kind: "editing" }
  | { kind: "undo"; until: number }
  | { kind: "sending" }
  | { kind: "recorded" }
  | { kind: "failed"; problem: Problem; retries: boolean };

export type Saving = "clean" | "unsaved" | "saving" | "saved";

const keptKey = (id: string): string => `draft.${id}`;

export class Work {
  readonly answers: Signal<Answer[]>;
  readonly step = signal(0);
  readonly phase = signal<Phase>({ kind: "editing" });
  readonly saving = signal<Saving>("clean");
  readonly isLoaded = signal(false);
  // Questions that a person tried to leave without an answer.
  readonly isChecked = signal(false);
  // What the broker has, as far as is known.
  private stored: Answer[];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly ask: Ask) {
    this.stored = emptyAnswers(ask);
    this.answers = signal(this.stored);
    const unsaved = readKept<Answer[] | null>(keptKey(ask.id), null);
    if (unsaved && unsaved.length === ask.questions.length) {
      this.answers.value = unsaved;
      this.saving.value = "unsaved";
    }
    void this.load();
  }

  set(index: number, answer: Answer): void {
    this.setAll(this.answers.value.map((old, at) => (at === index ? answer : old)));
  }

  setAll(answers: Answer[]): void {
    this.answers.value = answers;
    if (this.phase.value.kind === "failed") this.phase.value = { kind: "editing" };
    this.saving.value = "unsaved";
    keep(keptKey(this.ask.id), answers);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.save(), SAVE_AFTER_MS);
  }

  // Another device typed; or this one, and the event is its echo.
  takeDraft(theirs: Answer[] | null): void {
    const wanted = theirs ?? emptyAnswers(this.ask);
    if (wanted.length !== this.ask.questions.length) return;
    const merged = merge(this.stored, this.answers.value, wanted);
    this.stored = wanted;
    if (!sameAnswers(merged, this.answers.value)) this.answers.value = merged;
  }

  // The draft went with the ask.
  forget(): void {
    clearTimeout(this.timer);
    keep(keptKey(this.ask.id), undefined);
    this.saving.value = "clean";
  }

  flush(): void {
    if (this.saving.value === "unsaved") void this.save();
  }

  private async load(): Promise<void> {
    try {
      const draft = await get<{ answers: Answer[] } | undefined>(`/v1/asks/${this.ask.id}/draft`);
      if (draft) this.takeDraft(draft.answers);
    } catch {
      // No connection: what is here stands.
    }
    this.isLoaded.value = true;
    this.flush();
  }

  private async save(): Promise<void> {
    clearTimeout(this.timer);
    if (!pending.value.has(this.ask.id)) return;
    const sent = this.answers.value;
    this.saving.value = "saving";
    const path = `/v1/asks/${this.ask.id}/draft`;
    try {
      if (isTouched(sent)) await call("PUT", path, { body: { answers: sent }, keepalive: true });
      else await call("DELETE", path, { keepalive: true });
      this.stored = sent;
    } catch (error) {
      // A question that has ended needs no draft; anything else is tried again.
      if (error instanceof Problem && error.status === 404) return this.forget();
      this.saving.value = "unsaved";
      return;
    }
    if (this.answers.value !== sent) return void (this.saving.value = "unsaved");
    this.saving.value = "saved";
    keep(keptKey(this.ask.id), undefined);
  }
}

const works = new Map<string, Work>();

export function workOn(ask: Ask): Work {
  let work = works.get(ask.id);
  if (!work) works.set(ask.id, (work = new Work(ask)));
  return work;
}
export const findWork = (id: string): Work | undefined => works.get(id);

onEvent((event) => {
  if (event.type === "ask.draft" && typeof event.ask === "string")
    works.get(event.ask)?.takeDraft(event.answers ?? null);
  if (event.type === "ask.settled" && typeof event.ask === "object") works.get(event.ask.id)?.forget();
});
onReconnect(() => works.forEach((work) => work.flush()));
addEventListener("pagehide", () => works.forEach((work) => work.flush()));

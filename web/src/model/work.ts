// SPDX-License-Identifier: Apache-2.0
// A person's work on one ask (work_state.ts), kept on the broker as a draft and in the browser for
// as long as it was not used. It outlives the card that shows it.
import { computed, signal, type Signal } from "@preact/signals";
import { isTouched, sameAnswers, finished } from "./answers";
import { call, get, Problem } from "./api";
import { device } from "./device";
import { keep, keptKeys, readKept } from "./settings";
import { onEvent, onGone, onReconnect, onSettled, self } from "./state";
import type { Answer, Ask, Draft } from "./types";
import { beginWork, pictureOf, reduce, type Act, type Decision, type WorkState } from "./work_state";

const SAVE_AFTER_MS = 400;
const KEPT_MAX = 200; // drafts of asks that have ended among them

interface Kept {
  answers: Answer[];
  device: string;
  version: number;
  isSaved: boolean;
}

const DRAFTS = "draft.";
const keptKey = (id: string): string => DRAFTS + id;
const SENDING = "sending.";
const reasonKey = (id: string): string => `reason.${id}`;

// What was typed into an ask by this browser, and not used so far.
export function typedInto(ask: Ask): Answer[] {
  const kept = readKept<Kept | null>(keptKey(ask.id), null);
  return kept && kept.answers?.length === ask.questions.length ? kept.answers : [];
}

export class Work {
  readonly state: Signal<WorkState>;
  readonly picture = computed(() => pictureOf(this.state.value));
  readonly answers = computed(() => this.picture.value.marked);
  readonly phase = computed(() => this.state.value.phase);
  readonly saving = computed(() => this.state.value.saving);
  readonly isChecked = computed(() => this.state.value.isChecked);
  readonly offer = computed(() => (this.state.value.phase.kind === "editing" ? this.state.value.offer : null));
  readonly step = signal(0);
  // Why it is going to be dismissed, while that is being typed.
  readonly reason: Signal<string>;
  readonly isLoaded = signal(false);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isSaving = false;

  constructor(readonly ask: Ask) {
    this.reason = signal(readKept(reasonKey(ask.id), ""));
    this.state = signal(restore(beginWork(ask, device)));
    void this.load();
  }

  dispatch(act: Act): void {
    const before = this.state.value;
    const next = reduce(before, act);
    if (next === before) return;
    this.state.value = next;
    if (next.phase !== before.phase) this.keepDecision(next);
    if (next.phase.kind === "recorded") return this.forget();
    if (next.isEnded) return;
    if (next.answers !== before.answers || next.saving !== before.saving) this.keepHere(next);
    if (next.saving === "unsaved" && (next.answers !== before.answers || next.version !== before.version)) this.saveSoon();
  }

  set(index: number, answer: Answer): void {
    this.dispatch({ kind: "edit", index, answer });
  }

  explain(reason: string): void {
    this.reason.value = reason;
    keep(reasonKey(this.ask.id), reason || undefined);
  }

  // The ask has ended. What was typed stays readable unless it is what was decided.
  end(ask: Ask): void {
    clearTimeout(this.timer);
    const { decider, answers } = ask.settlement!;
    const isMine = decider.principal !== undefined && decider.principal === self.value?.principal;
    const isUsed = isMine && sameAnswers(finished(this.ask, this.answers.value), answers ?? []);
    this.dispatch({ kind: "ended" });
    if (isUsed) this.forget();
  }

  flush(): void {
    if (this.saving.value === "unsaved") void this.save();
  }

  async load(): Promise<void> {
    try {
      const draft = await get<Draft | null>(`/v1/asks/${this.ask.id}/draft`);
      this.dispatch(draft ? { kind: "draft", draft } : { kind: "no_draft" });
    } catch {
      // No connection: what is here stands.
    }
    this.isLoaded.value = true;
    this.flush();
  }

  private forget(): void {
    clearTimeout(this.timer);
    keep(keptKey(this.ask.id), undefined);
    keep(reasonKey(this.ask.id), undefined);
  }

  private keepHere({ answers, version, saving }: WorkState): void {
    const kept: Kept = { answers, device, version, isSaved: saving === "saved" };
    keep(keptKey(this.ask.id), isTouched(answers) || saving !== "saved" ? kept : undefined);
  }

  // What was sent and not recorded so far is sent by the next page, too.
  private keepDecision({ phase, isEnded }: WorkState): void {
    const isOnItsWay = phase.kind === "sending" || (phase.kind === "failed" && phase.retries);
    keep(SENDING + this.ask.id, isOnItsWay && !isEnded ? phase.decision : undefined);
  }

  private saveSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.save(), SAVE_AFTER_MS);
  }

  // One at a time: the broker's answer says which version the next one builds on. While another
  // device's draft waits for the person's word, this one stays in the browser.
  private async save(): Promise<void> {
    clearTimeout(this.timer);
    const { answers, version, offer, saving, isEnded } = this.state.value;
    if (this.isSaving || offer || isEnded || saving !== "unsaved") return;
    this.isSaving = true;
    this.dispatch({ kind: "saving" });
    const path = `/v1/asks/${this.ask.id}/draft`;
    try {
      const draft = isTouched(answers)
        ? await call<Draft | null>("PUT", path, { body: { answers, device, version }, keepalive: true })
        : await call<null>("DELETE", `${path}?device=${device}`, { keepalive: true });
      this.dispatch({ kind: "saved", answers, version: draft?.version ?? version });
    } catch (error) {
      const newer = error instanceof Problem ? error.draft : undefined;
      this.dispatch({ kind: "not_saved", ...(newer && { newer }) });
    }
    this.isSaving = false;
    // Typed on meanwhile, or refused for a draft of this very device.
    const now = this.state.value;
    if (now.saving === "unsaved" && (now.answers !== answers || now.version !== version)) this.saveSoon();
  }
}

// A reload begins with what this browser has; what is not on the broker yet is an edit of this device.
function restore(fresh: WorkState): WorkState {
  const decision = readKept<Decision | null>(SENDING + fresh.ask.id, null);
  const typed = restoreTyped(fresh);
  if (!decision) return typed;
  return { ...typed, phase: { kind: "failed", decision, problem: new Problem(0, ""), retries: true } };
}

// The asks whose answers were on their way when a page before this one was closed.
export const interrupted = (): string[] => keptKeys(SENDING).map((key) => key.slice(SENDING.length));
export const forgetDecision = (id: string): void => keep(SENDING + id, undefined);

function restoreTyped(fresh: WorkState): WorkState {
  const kept = readKept<Kept | null>(keptKey(fresh.ask.id), null);
  if (!kept || kept.answers?.length !== fresh.ask.questions.length) return fresh;
  const { answers, version, isSaved, device: former } = kept;
  if (isSaved) return { ...fresh, answers, saving: "saved" };
  return { ...fresh, answers, version, former, isEdited: true, saving: "unsaved" };
}

const works = new Map<string, Work>();

export function workOn(ask: Ask): Work {
  let work = works.get(ask.id);
  if (!work) works.set(ask.id, (work = new Work(ask)));
  return work;
}
export const findWork = (id: string): Work | undefined => works.get(id);

onEvent((event) => {
  if (event.type === "reset") works.forEach((work) => void work.load());
  if (event.type !== "ask.draft") return;
  const { ask, answers, device, version } = event;
  works.get(ask)?.dispatch({ kind: "draft", draft: { answers, device, version } });
});
onSettled((ask) => works.get(ask.id)?.end(ask));
onGone((id) => works.has(id));
onReconnect(() => works.forEach((work) => work.flush()));
addEventListener("pagehide", () => works.forEach((work) => work.flush()));

// The oldest go first: ids ascend.
for (const key of keptKeys(DRAFTS).sort().slice(0, -KEPT_MAX)) keep(key, undefined);

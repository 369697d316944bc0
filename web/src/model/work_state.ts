// SPDX-License-Identifier: Apache-2.0
// A person's work on one ask as a reducer: what is marked, and how far it got on its way. What a
// person sends is what they last saw marked: it is frozen with the act that sends it, and nothing
// that comes later, from another device or as an echo, changes it or what is being edited.
import { firstAnswers, isReady, isSimple, isTouched, sameAnswers } from "./answers";
import type { Problem } from "./api";
import type { Answer, Ask, Draft } from "./types";

export type Decision = { verb: "answer"; answers: Answer[] } | { verb: "dismiss"; reason: string };

export type Phase =
  | { kind: "editing" }
  | { kind: "undo"; until: number; decision: Decision }
  | { kind: "sending"; decision: Decision }
  | { kind: "recorded"; decision: Decision }
  | { kind: "failed"; decision: Decision; problem: Problem; retries: boolean };

export type Saving = "clean" | "unsaved" | "saving" | "saved";

export interface WorkState {
  readonly ask: Ask;
  readonly device: string;
  readonly former: string; // what this tab was called before it was reloaded
  // Which picture this makes: another number wherever something else is marked.
  readonly picture: number;
  readonly answers: Answer[];
  readonly phase: Phase;
  // Changed here since it last came from the broker: another device's draft is offered, not taken.
  readonly isEdited: boolean;
  // A person tried to send it with questions left open.
  readonly isChecked: boolean;
  readonly saving: Saving;
  // The newest draft on the broker that this work builds on.
  readonly version: number;
  // A newer one, of another device, about which the person has not decided.
  readonly offer: Draft | null;
  readonly isEnded: boolean;
}

// An act of a person that may send something names the picture that it was made on.
export type Act =
  | { kind: "edit"; index: number; answer: Answer }
  | { kind: "pick"; index: number; answer: Answer; on: number; until: number }
  | { kind: "send"; on: number; until?: number }
  | { kind: "dismiss"; on: number; reason: string }
  | { kind: "undo" }
  | { kind: "retry" }
  | { kind: "take_offer"; version: number }
  | { kind: "keep_mine"; version: number }
  // What happens by itself, or comes from the broker.
  | { kind: "due" }
  | { kind: "draft"; draft: Draft }
  | { kind: "no_draft" }
  | { kind: "saving" }
  | { kind: "saved"; answers: Answer[]; version: number }
  | { kind: "not_saved"; newer?: Draft }
  | { kind: "recorded" }
  | { kind: "failed"; problem: Problem }
  | { kind: "ended" };

export function beginWork(ask: Ask, device: string): WorkState {
  return {
    ask,
    device,
    former: device,
    picture: 1,
    answers: firstAnswers(ask),
    phase: { kind: "editing" },
    isEdited: false,
    isChecked: false,
    saving: "clean",
    version: 0,
    offer: null,
    isEnded: false,
  };
}

// What the card shows as marked: the only thing that views read answers from.
export interface Picture {
  ask: string;
  number: number;
  marked: Answer[];
  // On its way, word for word as it is sent.
  decision: Decision | null;
}

export function pictureOf(state: WorkState): Picture {
  const decision = state.phase.kind === "editing" ? null : state.phase.decision;
  return {
    ask: state.ask.id,
    number: state.picture,
    marked: decision?.verb === "answer" ? decision.answers : state.answers,
    decision,
  };
}

const redrawn = (state: WorkState, change: Partial<WorkState>): WorkState => ({
  ...state,
  ...change,
  picture: state.picture + 1,
});

const isOnItsWay = ({ phase }: WorkState): boolean => phase.kind === "sending" || phase.kind === "recorded";

// Nobody has touched it here: it shows what the broker has.
const isFollowing = ({ phase, isEdited }: WorkState): boolean => phase.kind === "editing" && !isEdited;

const EDITING: Phase = { kind: "editing" };

function edit(state: WorkState, index: number, answer: Answer): WorkState {
  if (isOnItsWay(state)) return state;
  const answers = state.answers.map((old, at) => (at === index ? answer : old));
  return redrawn(state, { answers, phase: EDITING, isEdited: true, saving: "unsaved" });
}

function send(state: WorkState, on: number, until: number | undefined): WorkState {
  if (on !== state.picture || isOnItsWay(state) || state.phase.kind === "undo") return state;
  if (!state.ask.questions.every((question, index) => isReady(question, state.answers[index]))) return { ...state, isChecked: true };
  const decision: Decision = { verb: "answer", answers: state.answers };
  return redrawn(state, { phase: until === undefined ? { kind: "sending", decision } : { kind: "undo", until, decision } });
}

// One click marks and sends. One that was made on an older picture only marks.
function pick(state: WorkState, act: Act & { kind: "pick" }): WorkState {
  const isFresh = act.on === state.picture;
  const next = edit(state, act.index, act.answer);
  const isWhole = isSimple(state.ask) && !act.answer.note;
  return isFresh && isWhole && next !== state ? send(next, next.picture, act.until) : next;
}

function dismiss(state: WorkState, on: number, reason: string): WorkState {
  if (on !== state.picture || isOnItsWay(state)) return state;
  return redrawn(state, { phase: { kind: "sending", decision: { verb: "dismiss", reason } } });
}

// A draft as the broker has it. Older ones and echoes of one's own change nothing that is shown.
function takeDraft(state: WorkState, draft: Draft): WorkState {
  if (draft.version <= Math.max(state.version, state.offer?.version ?? 0)) return state;
  if (draft.device === state.device || draft.device === state.former) return { ...state, version: draft.version, offer: null };
  const theirs = draft.answers ?? firstAnswers(state.ask);
  if (theirs.length !== state.ask.questions.length) return state;
  if (sameAnswers(theirs, state.answers)) return { ...state, version: draft.version, offer: null };
  if (isFollowing(state)) return take(state, draft);
  // Nothing to offer: the other device dropped its own.
  if (!draft.answers || !isTouched(theirs)) return { ...state, version: draft.version, offer: null };
  return { ...state, offer: draft };
}

const take = (state: WorkState, { answers, version }: Draft): WorkState =>
  redrawn(state, {
    answers: answers ?? firstAnswers(state.ask),
    phase: EDITING,
    isEdited: false,
    saving: answers ? "saved" : "clean",
    version,
    offer: null,
  });

function decideOffer(state: WorkState, takes: boolean, version: number): WorkState {
  if (state.offer?.version !== version || isOnItsWay(state)) return state;
  return takes ? take(state, state.offer) : { ...state, version, offer: null, saving: "unsaved" };
}

function saved(state: WorkState, answers: Answer[], version: number): WorkState {
  const isNewest = state.answers === answers;
  return { ...state, version: Math.max(state.version, version), saving: isNewest ? "saved" : "unsaved" };
}

const fail = (state: WorkState, problem: Problem): WorkState =>
  state.phase.kind === "sending"
    ? redrawn(state, { phase: { ...state.phase, kind: "failed", problem, retries: problem.isOffline } })
    : state;

export function reduce(state: WorkState, act: Act): WorkState {
  if (state.isEnded) return act.kind === "recorded" ? record(state) : state;
  switch (act.kind) {
    case "edit":
      return edit(state, act.index, act.answer);
    case "pick":
      return pick(state, act);
    case "send":
      return send(state, act.on, act.until);
    case "dismiss":
      return dismiss(state, act.on, act.reason);
    case "undo":
      return state.phase.kind === "undo" ? redrawn(state, { phase: EDITING }) : state;
    case "due":
      return state.phase.kind === "undo" ? forward(state, state.phase.decision) : state;
    case "retry":
      return state.phase.kind === "failed" ? forward(state, state.phase.decision) : state;
    case "take_offer":
      return decideOffer(state, true, act.version);
    case "keep_mine":
      return decideOffer(state, false, act.version);
    case "draft":
      return takeDraft(state, act.draft);
    case "no_draft":
      return isFollowing(state) && !sameAnswers(state.answers, firstAnswers(state.ask))
        ? take(state, { answers: null, version: 0 })
        : state;
    case "saving":
      return { ...state, saving: "saving" };
    case "saved":
      return saved(state, act.answers, act.version);
    case "not_saved":
      return takeDraft({ ...state, saving: "unsaved" }, act.newer ?? { answers: null, version: 0 });
    case "recorded":
      return record(state);
    case "failed":
      return fail(state, act.problem);
    case "ended":
      return redrawn(state, { isEnded: true, saving: "clean", offer: null, phase: ended(state.phase) });
  }
}

const forward = (state: WorkState, decision: Decision): WorkState =>
  redrawn(state, { phase: { kind: "sending", decision } });

const record = (state: WorkState): WorkState =>
  state.phase.kind === "sending" ? redrawn(state, { phase: { ...state.phase, kind: "recorded" } }) : state;

// What had not left is not sent any more; what is under way is told its outcome.
const ended = (phase: Phase): Phase => (phase.kind === "undo" || phase.kind === "failed" ? EDITING : phase);

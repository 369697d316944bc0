// SPDX-License-Identifier: Apache-2.0
// A person at a page, a broker, and everything between them that is slow: replies and events arrive
// in their order or late, the page is drawn late, others answer and type too. The person acts on what
// is drawn, and what they saw is written down apart from what the page keeps.
import assert from "node:assert/strict";
import { choose, finished, remark, write } from "../src/model/answers";
import { Problem } from "../src/model/api";
import { AskBook } from "../src/model/ask_book";
import type { Answer, Ask, Draft } from "../src/model/types";
import { HELD_MS, KeyGuard, STRAY_MS } from "../src/model/key_guard";
import { beginWork, pictureOf, reduce, type Act, type Decision, type Picture, type WorkState } from "../src/model/work_state";
import { ended, question } from "./asks";

const ME = "here";
const ELSEWHERE = "phone";
const WAITS_MS = [0, 20, 90, 150, 400, 900];
const TEXTS = ["yes", "no, wait", ""];

const one = question();
const many = question({ question: "Many?", multi_select: true });
const open = question({ question: "Open?", options: [] });
const suggested = question({ question: "Suggested?", default: ["B"] });
const KINDS = [[one], [one, many], [open], [many], [suggested], [suggested, { ...many, default: ["B", "mine"] }]];

function randomOf(seed: number): () => number {
  let state = (seed * 0x9e3779b1) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Seen {
  isPending: boolean;
  picture: Picture;
  offer: Draft | null;
}

type Event = { ask: Ask } | { draft: Draft; of: string };

export class World {
  readonly told: string[] = [];
  sent = 0;
  refused = 0;
  offers = 0;
  held = 0; // keys that were not taken

  private readonly random: () => number;
  // The broker.
  private readonly asks = new Map<string, Ask>();
  private readonly drafts = new Map<string, Draft>();
  // The page.
  private readonly book = new AskBook();
  private readonly works = new Map<string, WorkState>();
  private readonly saving = new Set<string>();
  private open = "";
  private readonly guard = new KeyGuard();
  private now = 10_000;
  // Between them: events in order, calls and their replies in any.
  private readonly events: Event[] = [];
  private readonly flights: (() => void)[] = [];
  // The person: what is drawn and since when, the key that opened or settled something and when it
  // was last heard, what they meant by the last thing they sent, what they have typed.
  private since = 0;
  private hot: { key: string; at: number } | undefined;
  private shown: Seen | undefined;
  private readonly meant = new Map<string, string>();
  private readonly typed = new Map<string, Answer[]>();
  private readonly known = new Set<string>(); // asks that were seen to have ended

  constructor(seed: number) {
    this.random = randomOf(seed);
    for (let count = 0; count < 2; ++count) this.arrive();
    while (this.events.length > 0) this.hear();
    this.open = [...this.asks.keys()][0]!;
    this.draw();
  }

  step(): void {
    this.now += this.pickOf(WAITS_MS);
    const moves: [number, () => void][] = [
      [22, () => this.act()],
      [14, () => this.draw()],
      [12, () => this.hear()],
      [14, () => this.land()],
      [8, () => this.timers()],
      [9, () => this.typeElsewhere()],
      [3, () => this.settleElsewhere()],
      [2, () => this.arrive()],
      [4, () => this.lookUp()],
      [4, () => this.reconnect()],
      [5, () => this.goTo()],
    ];
    let left = this.random() * moves.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, move] of moves) if ((left -= weight) < 0) return move();
  }

  // Everything that is under way arrives; every answer that waits goes.
  finish(): void {
    for (let round = 0; round < 50; ++round) {
      this.timers();
      while (this.flights.length > 0) this.land();
      while (this.events.length > 0) this.hear();
      this.draw();
    }
  }

  private pickOf<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)]!;
  }

  private note(what: string): void {
    this.told.push(what);
  }

  // ---- the broker

  private arrive(): void {
    const id = `que_${String(this.asks.size + 1).padStart(3, "0")}`;
    const ask: Ask = { id, session: "s", state: "pending", questions: this.pickOf(KINDS), created_at: "" };
    this.asks.set(id, ask);
    this.events.push({ ask });
  }

  private settle(id: string, answers: Answer[], principal: string): void {
    const ask = this.asks.get(id)!;
    if (ask.settlement) return;
    const done = ended(ask, { answers, decider: { kind: "person", principal } });
    this.asks.set(id, done);
    this.events.push({ ask: done });
  }

  private putDraft(id: string, answers: Answer[], device: string, version: number): Draft | undefined {
    const stored = this.drafts.get(id);
    if (stored && version < stored.version) return stored;
    const draft: Draft = { answers, device, version: Math.max(version, (stored?.version ?? 0) + 1) };
    this.drafts.set(id, draft);
    this.events.push({ draft, of: id });
    return undefined;
  }

  private settleElsewhere(): void {
    const id = this.pickOf([...this.asks.keys()]);
    this.note(`settled elsewhere ${id}`);
    this.settle(id, [{ selected: ["B"] }], "other");
  }

  private typeElsewhere(): void {
    const id = this.pickOf([...this.asks.keys()]);
    if (this.asks.get(id)!.settlement) return;
    const answers = this.asks.get(id)!.questions.map(() => this.anyAnswer());
    this.note(`typed elsewhere ${id} ${JSON.stringify(answers)}`);
    this.putDraft(id, answers, ELSEWHERE, this.drafts.get(id)?.version ?? 0);
  }

  private anyAnswer(): Answer {
    const text = this.pickOf(TEXTS);
    return text ? { selected: [], other: text } : { selected: [this.pickOf(one.options).label] };
  }

  // ---- the way between

  private hear(): void {
    const event = this.events.shift();
    if (!event) return;
    if ("ask" in event) this.takeAsk(event.ask);
    else this.dispatch(event.of, { kind: "draft", draft: event.draft });
  }

  private land(): void {
    if (this.flights.length === 0) return;
    const [flight] = this.flights.splice(Math.floor(this.random() * this.flights.length), 1);
    flight!();
  }

  // A reply that was made now and arrives whenever: a link that is looked up, a snooze.
  private lookUp(): void {
    const ask = this.asks.get(this.pickOf([...this.asks.keys()]))!;
    this.flights.push(() => this.takeAsk(ask));
  }

  // What was on its way is lost or heard again, and a snapshot comes that may be older than what is known.
  private reconnect(): void {
    this.note("reconnect");
    const snapshot = [...this.asks.values()].filter((ask) => !ask.settlement);
    this.flights.push(() => {
      for (const id of this.book.takeSnapshot(snapshot)) {
        const ask = this.asks.get(id)!;
        this.flights.push(() => this.takeAsk(ask));
      }
    });
    for (const [id, draft] of this.drafts) this.events.push({ draft, of: id });
  }

  // ---- the page

  private takeAsk(ask: Ask): void {
    this.book.take(ask);
    if (this.book.settled.has(ask.id)) this.dispatch(ask.id, { kind: "ended" });
  }

  private workOn(id: string): WorkState {
    let work = this.works.get(id);
    if (!work) this.works.set(id, (work = beginWork(this.asks.get(id)!, ME)));
    return work;
  }

  private dispatch(id: string, act: Act): boolean {
    const before = this.workOn(id);
    const next = reduce(before, act);
    this.works.set(id, next);
    if (next.offer && next.offer !== before.offer) {
      ++this.offers;
      assert.notEqual(next.offer.device, ME, "one's own draft is no news");
    }
    if (next.phase === before.phase) return next !== before;
    if (next.phase.kind === "undo" || next.phase.kind === "sending") this.guard.used(this.now);
    if (next.phase.kind === "sending") this.post(id, next.phase.decision);
    return next !== before;
  }

  private post(id: string, decision: Decision): void {
    const body = JSON.stringify(decision.verb === "answer" ? finished(this.asks.get(id)!, decision.answers) : decision.reason);
    this.note(`post ${id} ${body}`);
    assert.equal(body, this.meant.get(id), "what is sent is what was seen");
    ++this.sent;
    const reply = this.random() < 0.2 ? () => this.lose(id) : () => this.record(id, decision);
    this.flights.push(reply);
  }

  private lose(id: string): void {
    this.dispatch(id, { kind: "failed", problem: new Problem(0, "lost") });
  }

  private record(id: string, decision: Decision): void {
    const before = this.asks.get(id)!;
    if (!before.settlement) this.settle(id, decision.verb === "answer" ? finished(before, decision.answers) : [], "me");
    const ask = this.asks.get(id)!;
    const isMine = ask.settlement!.decider.principal === "me";
    this.flights.push(() => {
      if (isMine) this.dispatch(id, { kind: "recorded" });
      this.takeAsk(ask);
    });
  }

  private timers(): void {
    for (const [id, { phase, saving, answers, version, offer, isEnded }] of [...this.works]) {
      if (phase.kind === "undo") this.dispatch(id, { kind: "due" });
      if (phase.kind === "failed" && phase.retries) this.dispatch(id, { kind: "retry" });
      if (saving !== "unsaved" || this.saving.has(id) || offer || isEnded) continue;
      this.saving.add(id);
      this.dispatch(id, { kind: "saving" });
      this.flights.push(() => this.save(id, answers, version));
    }
  }

  private save(id: string, answers: Answer[], version: number): void {
    const newer = this.putDraft(id, answers, ME, version);
    const stored = this.drafts.get(id)!.version;
    this.flights.push(() => {
      this.saving.delete(id);
      this.dispatch(id, newer ? { kind: "not_saved", newer } : { kind: "saved", answers, version: stored });
    });
  }

  private draw(): void {
    const isPending = this.book.pending.has(this.open);
    if (!isPending && this.book.settled.has(this.open)) this.known.add(this.open);
    assert.ok(!isPending || !this.known.has(this.open), `${this.open} has ended and asks again`);
    const work = this.workOn(this.open);
    const picture = pictureOf(work);
    const isOther = this.shown?.picture.ask !== this.open || this.shown.isPending !== isPending;
    if (isPending && isOther) {
      this.guard.appeared(this.now);
      this.since = this.now;
    }
    const typed = this.typed.get(this.open);
    if (isPending && typed) assert.deepEqual(picture.marked, typed, "what is typed here stays as it is");
    this.shown = { isPending, picture, offer: work.phase.kind === "editing" ? work.offer : null };
  }

  // ---- the person, who knows what is drawn and nothing else

  private goTo(): void {
    const isByKey = this.random() < 0.5;
    if (isByKey && !this.strike("Enter", false)) return;
    if (!isByKey) this.point();
    this.open = this.pickOf([...this.asks.keys()]);
    this.guard.used(this.now);
    if (isByKey) this.hot = { key: "Enter", at: this.now };
    this.draw();
  }

  private point(): void {
    this.guard.letGo();
    this.hot = undefined;
  }

  // Whether the page takes a key. One that opened or settled something, is held down or comes again
  // too soon is none, and what it would decide on has stood there for long enough.
  private strike(key: string, decides: boolean): boolean {
    const at = this.now - this.pickOf([0, 0, 30, 120]); // a busy page hears of it late
    const isRepeat = this.hot?.key === key && this.random() < 0.3;
    const isTaken = this.guard.takes({ key, at, isRepeat, decides });
    const isHeld = this.hot?.key === key && at - this.hot.at < HELD_MS;
    this.hot = isHeld ? { key, at } : undefined;
    this.note(`${isTaken ? "key" : "no key"} ${key} at ${at}`);
    assert.ok(!isTaken || !(isHeld || isRepeat), "a key that is held down is one press");
    assert.ok(!isTaken || !decides || at - this.since >= STRAY_MS, "a key is for an ask that was seen");
    if (!isTaken) ++this.held;
    return isTaken;
  }

  private act(): void {
    const seen = this.shown!;
    if (!seen.isPending) return;
    const { ask: id, decision } = seen.picture;
    const what = this.random();
    if (decision && what < 0.3) return this.takeBack(id);
    if (seen.offer && what < 0.4) return this.decide(id, seen.offer);
    if (what < 0.6) return this.change(seen);
    if (what < 0.92) return this.send(seen);
    this.dismiss(seen);
  }

  // A page draws what its person did before it hears of anything else; what others do, when it can.
  private perform(id: string, act: Act): boolean {
    const isTaken = this.dispatch(id, act);
    this.draw();
    return isTaken;
  }

  // What the person means by this act, should it send something; a refused one means nothing.
  private mean(id: string, words: string, act: Act & { on: number }, key: string): void {
    const isByKey = this.random() < 0.6;
    if (isByKey && !this.strike(key, true)) return;
    if (!isByKey) this.point();
    if (act.kind === "pick") this.typePick(id, act.index, act.answer);
    const before = this.meant.get(id);
    const { phase, picture } = this.workOn(id);
    this.meant.set(id, words);
    this.dispatch(id, act);
    const isGoing = this.workOn(id).phase !== phase && this.workOn(id).phase.kind !== "editing";
    assert.ok(act.on === picture || !isGoing, "only the newest picture can be acted on");
    if (isGoing && isByKey) this.hot = { key, at: this.now };
    if (!isGoing) {
      ++this.refused;
      if (before === undefined) this.meant.delete(id);
      else this.meant.set(id, before);
    }
    this.draw();
  }

  private takeBack(id: string): void {
    this.note(`undo ${id}`);
    if (this.perform(id, { kind: "undo" })) this.meant.delete(id);
  }

  private decide(id: string, offer: Draft): void {
    const takes = this.random() < 0.5;
    this.note(`${takes ? "take" : "keep"} ${id}`);
    const isTaken = this.dispatch(id, { kind: takes ? "take_offer" : "keep_mine", version: offer.version });
    if (isTaken && takes) this.typed.delete(id);
    if (isTaken && takes) this.meant.delete(id);
    this.draw();
  }

  private change({ picture }: Seen): void {
    const { ask: id, number, marked } = picture;
    const { questions } = this.asks.get(id)!;
    const index = Math.floor(this.random() * questions.length);
    const asked = questions[index]!;
    const old = marked[index]!;
    const what = this.random();
    if (asked.options.length > 0 && what < 0.6) {
      const answer = choose(asked, old, this.pickOf(asked.options).label);
      if (questions.length === 1 && this.random() < 0.7) return this.pick(id, number, index, answer);
      return this.edit(id, index, answer);
    }
    const text = this.pickOf(TEXTS);
    this.edit(id, index, what < 0.8 ? write(asked, old, text) : remark(old, text));
  }

  private edit(id: string, index: number, answer: Answer): void {
    this.note(`edit ${id} ${JSON.stringify(answer)}`);
    const isTaken = this.dispatch(id, { kind: "edit", index, answer });
    if (isTaken) this.type(id, index, answer);
    if (isTaken) this.meant.delete(id);
    this.draw();
  }

  // From here on only the person changes it.
  private type(id: string, index: number, answer: Answer): void {
    const { marked } = pictureOf(this.workOn(id));
    assert.deepEqual(marked[index], answer);
    this.typed.set(id, marked);
  }

  private pick(id: string, on: number, index: number, answer: Answer): void {
    this.note(`pick ${id} ${JSON.stringify(answer)}`);
    const digit = answer.selected[0] === "B" ? "2" : "1";
    this.mean(id, JSON.stringify(finished(this.asks.get(id)!, [answer])), { kind: "pick", on, index, answer, until: 0 }, digit);
  }

  private typePick(id: string, index: number, answer: Answer): void {
    const { phase, answers, isEnded } = this.workOn(id);
    if (isEnded || phase.kind === "sending" || phase.kind === "recorded") return;
    this.typed.set(id, answers.map((old, at) => (at === index ? answer : old)));
  }

  private send({ picture }: Seen): void {
    const { ask: id, number: on, marked } = picture;
    this.note(`send ${id}`);
    const undoable = this.random() < 0.5 ? { until: 0 } : {};
    this.mean(id, JSON.stringify(finished(this.asks.get(id)!, marked)), { kind: "send", on, ...undoable }, "Enter");
  }

  private dismiss({ picture }: Seen): void {
    this.note(`dismiss ${picture.ask}`);
    this.mean(picture.ask, JSON.stringify("why"), { kind: "dismiss", on: picture.number, reason: "why" }, "Enter");
  }
}

// SPDX-License-Identifier: Apache-2.0
// What can go wrong. That a person declined, or nobody was there in time, is no error: it is the
// outcome of the ask.
import type { Ask, Problem } from "../native.js";

/** All of them. */
export class ParleyError extends Error {
  override name = "ParleyError";
}

/** No broker answers, and the patience of the call is over. */
export class Unreachable extends ParleyError {
  override name = "Unreachable";
}

/** The broker said no: `errors` names each field that is wrong by its JSON pointer. */
export class Refused extends ParleyError {
  override name = "Refused";
  readonly status: number;
  readonly type: string;
  readonly detail: string;
  readonly errors: NonNullable<Problem["errors"]>;

  constructor(status: number, problem: Partial<Problem>) {
    const detail = problem.detail || problem.title || `status ${status}`;
    const errors = problem.errors ?? [];
    // The broker's sentence is that of the first field, where fields are what is wrong.
    const isOfField = errors.some((one) => one.detail && detail.includes(one.detail));
    const faults = errors.map((one) => `${one.path}: ${one.detail}`);
    super((isOfField ? faults : [detail, ...faults]).join("; "));
    this.status = status;
    this.type = problem.type ?? "about:blank";
    this.detail = detail;
    this.errors = errors;
  }
}

/** Somebody else was first: `ask` carries what was decided, by whom and when. */
export class AlreadySettled extends Refused {
  override name = "AlreadySettled";
  readonly ask: Ask;

  constructor(status: number, problem: Partial<Problem>, ask: Ask) {
    super(status, problem);
    this.ask = ask;
  }
}

export function refusal(status: number, problem: Partial<Problem>): Refused {
  const { ask } = problem;
  return status === 409 && ask?.settlement
    ? new AlreadySettled(status, problem, ask) : new Refused(status, problem);
}

// SPDX-License-Identifier: Apache-2.0
// What every entry of the package has beside its Client.
export { AlreadySettled, ParleyError, Refused, Unreachable } from "./errors.js";
export type { AskOptions, ClientOptions, More, Patient, QuestionOptions } from "./options.js";
export { answerText } from "./values.js";
export type {
  AnsweredAsk, Answered, Ask, Asked, Choice, GivenAnswer, SettledAsk, UnansweredAsk, Watched,
} from "./values.js";
export type * as native from "../native.js";

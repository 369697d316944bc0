// SPDX-License-Identifier: Apache-2.0
// What a program needs beside @trpc/client: types, and nothing that runs.
export type * from "./events.js";
export type { AnswerAskInput, AppRouter, AskInput, Attachment, StreamInput, Warning } from "./router.js";
export type * as native from "./native.js";

// SPDX-License-Identifier: Apache-2.0
// The smallest hook that looks at its tool call: it has no opinion about any.
import { readFileSync } from "node:fs";

const call = JSON.parse(readFileSync(0, "utf8"));
if (call.tool_name === "AskUserQuestion") process.exit(1);

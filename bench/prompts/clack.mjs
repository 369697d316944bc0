// SPDX-License-Identifier: Apache-2.0
// The question of bench/starts.py, asked with Clack.
import { select } from "@clack/prompts";

await select({ message: "Tea or coffee?", options: [{ value: "Tea" }, { value: "Coffee" }] });

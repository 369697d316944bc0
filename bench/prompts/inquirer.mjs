// SPDX-License-Identifier: Apache-2.0
// The question of bench/starts.py, asked with Inquirer.
import { select } from "@inquirer/prompts";

await select({ message: "Tea or coffee?", choices: ["Tea", "Coffee"] });

// SPDX-License-Identifier: Apache-2.0
// An editor as a process of its own, whose agent asks and does not end with its input. It waits to be
// killed.
import { Editor } from "./editor.mjs";
import { AGENT } from "./world.mjs";

const STAYS = ["sh", "-c", '"$@"; exec sleep 600', "sh", ...AGENT];
const editor = await Editor.start({ children: [] }, process.env, STAYS);
await editor.prompt("command");

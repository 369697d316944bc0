#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What people and agents wait for again and again, time and processor: the start of `parley ask` to
its first picture beside the prompts of Inquirer and Clack with the same question, and `parley hook
claude` for a tool call that needs nobody beside the smallest hook in Node. `node -e 0` and
/bin/true stand beside both. `parley status`, which a shell's prompt runs every time, beside
/bin/true alone; it ends with 1 where that takes more of a processor than docs/notify.md says.
All in turn, medians.

    PARLEY_PROGRAM=build/release/parley bench/starts.py [ROUNDS]
"""

import json
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests/app"), str(ROOT / "bench/support")]
from broker_process import Broker  # noqa: E402
from figures import PARLEY, record  # noqa: E402
from parley_program import PROGRAM, environment  # noqa: E402
from processes import NODE, Start, start_on_terminal, start_to_end  # noqa: E402

PROMPTS = ROOT / "bench/prompts"
ROUNDS = 25
LAST_OPTION = "Coffee"
STATUS_MS_MAX = 10
SOMETHING_WAITS = 10  # the exit code of `parley status`
CALL = {"session_id": "bench", "transcript_path": "", "cwd": "/tmp", "tool_use_id": "toolu_1",
        "tool_name": "Read", "tool_input": {"file_path": "/tmp/notes.txt"}}

Runs = dict[str, list[Start]]


def tell(what: str, runs: Runs) -> None:
    for who, starts in runs.items():
        times = [start.seconds * 1000 for start in starts]
        costs = [start.processor * 1000 for start in starts]
        record(what, "ms", times, who)
        record(f"{what}, processor", "ms", costs, who)
        print(f"{what:<34} {who:<22} {statistics.median(times):>7.1f} ms, processor "
              f"{statistics.median(costs):>7.1f} ms", flush=True)


def measure_prompts(rounds: int) -> None:
    variables = environment({"TERM": "xterm-256color"})
    commands = {
        PARLEY: [PROGRAM, "ask", "Tea or coffee?", "-o", "Tea", "-o", "Coffee"],
        "@inquirer/prompts": [NODE, str(PROMPTS / "inquirer.mjs")],
        "@clack/prompts": [NODE, str(PROMPTS / "clack.mjs")],
    }
    runs: Runs = {who: [] for who in commands}
    for _ in range(rounds):
        for who, command in commands.items():
            runs[who].append(start_on_terminal(command, LAST_OPTION, variables))
    tell("a question to its first picture", runs)


def measure_hook(rounds: int) -> None:
    peers = {
        "smallest Node hook": [NODE, str(PROMPTS / "hook.mjs")],
        "node -e 0": [NODE, "-e", "0"],
        "/bin/true": ["/bin/true"],
    }
    with Broker() as broker:
        for event, what in (("PreToolUse", "a hook before a tool call"),
                            ("PostToolUse", "a hook after a tool call")):
            text = json.dumps({"hook_event_name": event, **CALL})
            commands = {PARLEY: [PROGRAM, "hook", "claude"], **peers}
            runs: Runs = {who: [] for who in commands}
            for _ in range(rounds):
                for who, command in commands.items():
                    runs[who].append(start_to_end(command, text, environment(broker.variables)))
            tell(what, runs)


def measure_status(rounds: int) -> None:
    codes = {PARLEY: SOMETHING_WAITS, "/bin/true": 0}
    commands = {PARLEY: [PROGRAM, "status"], "/bin/true": ["/bin/true"]}
    runs: Runs = {who: [] for who in commands}
    with Broker() as broker:
        broker.call("POST", "/v1/asks", {"question": "Tea or coffee?",
                                         "options": ["Tea", LAST_OPTION]})
        variables = environment(broker.variables)
        for _ in range(rounds):
            for who, command in commands.items():
                runs[who].append(start_to_end(command, "", variables, codes[who]))
    tell("what waits, in one line", runs)
    cost = statistics.median(start.processor * 1000 for start in runs[PARLEY])
    if cost > STATUS_MS_MAX:
        raise SystemExit(f"parley status: {cost:.1f} ms of a processor, and {STATUS_MS_MAX} at "
                         "most are promised")


def main() -> None:
    subprocess.run(["tools/npm.sh", "tests/node", "bench/prompts"], check=True, cwd=ROOT)
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    measure_prompts(rounds)
    measure_hook(rounds)
    measure_status(rounds)


if __name__ == "__main__":
    main()

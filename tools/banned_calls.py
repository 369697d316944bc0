# SPDX-License-Identifier: Apache-2.0
"""Calls that the code does without, each with what to write instead."""

import re
from dataclasses import dataclass, field
from typing import Callable

from source_text import is_bench, is_fuzz, is_test


def everywhere(_path: str) -> bool:
    return True


def in_product(path: str) -> bool:
    own = path.startswith(("src/", "include/"))
    return own and not (is_test(path) or is_bench(path) or is_fuzz(path))


def in_libraries(path: str) -> bool:
    return in_product(path) and not path.startswith("src/app/")


def beside_local_time(path: str) -> bool:
    return path != "src/app/terminal/local_time.cc"


def in_tests(path: str) -> bool:
    return is_test(path)


def in_headers(path: str) -> bool:
    return path.endswith(".h")


def beside_limits(path: str) -> bool:
    return in_product(path) and not path.endswith("/limits.h")


def below_net(path: str) -> bool:
    """Where time, randomness and the environment come in as arguments. The three files of base
    are the implementations that the edges hand in."""
    edges = ("src/net/", "src/agent/", "src/app/", "src/base/clock.cc", "src/base/ids.cc",
             "src/base/loop_thread.cc")
    return in_product(path) and not path.startswith(edges)


def beside_viewers(path: str) -> bool:
    """Where it is not decided who may see: all but the rules, the broker's one keeper of them, and
    the place that makes a viewer of a caller."""
    keepers = ("src/core/", "src/broker/visible.", "src/door/caller_names.cc")
    return in_product(path) and not path.startswith(keepers)


def beside_entering(path: str) -> bool:
    """Where it is not decided who may act: in the broker, sessions are entered in two files."""
    doers = ("src/core/", "src/broker/broker_viewers.cc", "src/broker/broker_sessions.cc")
    return in_product(path) and not path.startswith(doers)


LAYERS_ABOVE = ("src/door/", "src/client/", "src/bridge/", "src/agent/", "src/app/")


def above_the_broker(path: str) -> bool:
    """Doors and fronts, but those that count for who runs the server."""
    counts = ("src/door/metrics.cc", "src/door/welcome/")
    return in_product(path) and path.startswith(LAYERS_ABOVE) and not path.startswith(counts)


def above_for_callers(path: str) -> bool:
    """Doors and fronts, but what keeps names and turns for all that are told of them."""
    keepers = ("src/door/metrics.cc", "src/door/tool_result/ui_turns.cc",
               "src/door/native/known_names.cc")
    return in_product(path) and path.startswith(LAYERS_ABOVE) and not path.startswith(keepers)


@dataclass(frozen=True)
class Ban:
    words: str
    instead: str
    applies_to: Callable[[str], bool] = everywhere
    pattern: re.Pattern = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pattern", re.compile(self.words))


# What bounds a growth or a wait stands where an operator and a reviewer look for it. Sizes and
# lengths are shapes, not bounds, and so are the bytes that a class says it is made of. A constant
# of a type of <chrono>, or that begins with one or with 60s, is a time, whatever its name.
LIMIT = (r"(\bconstexpr\b(?! const char)[^=;{(]*"
         r"\bk\w*(Max|Kept|AtOnce|Remembered|Timeout|Patience|Life|Poll\w*|Levels|Tries|Clusters"
         r"|Seconds|Minutes|Millis)"
         r"|(?<!static )\bconstexpr\b(?! const char)[^=;{(]*"
         r"\bk(\w*(Min|Bytes|Chars|PerTurn|PerWrite|PerSecond)"
         r"|(Largest|Longest|Shortest|Most)\w*))"
         r"\s*(=(?!\s*limits::k)|\{)")
DURATION = r"(Millis|(std::)?(chrono::)?((nano|micro|milli)?seconds|minutes|hours|days))"
TIME = (rf"\bconstexpr {DURATION} k\w+\s*(=|\{{)(?!\s*limits::k)"
        rf"|\bconstexpr auto k\w+\s*(=|\{{)\s*({DURATION}[({{]|[\d']+(h|min|s|ms|us|ns)\b)")
SLEEP = r"\bthis_thread::sleep_(for|until)\b|\b(usleep|nanosleep)\s*\(|(?<![\w.>])::sleep\s*\("

BANNED = (
    Ban(r"\bstd::sto(i|l|ul|ll|ull|f|d|ld)\b",
        "std::from_chars, and an Error for what it refuses", in_product),
    Ban(r"\b(std::)?(ato(i|l|ll|f)|strto(l|ll|ul|ull|d|f)|sscanf)\s*\(",
        "std::from_chars, and an Error for what it refuses", in_product),
    Ban(r"\b(std::)?v?sn?printf\s*\(", "fmt::format or fmt::format_to_n"),
    Ban(r"\b(std::)?(strcpy|strcat|strncpy|strncat|strtok|gets)\s*\(", "std::string"),
    Ban(r"(?<![\w.>])(std::|::)?(system|popen)\s*\(", "the child processes of src/net: no shell"),
    Ban(r"(?<![\w.>:])(std::|::)?fork\s*\(", "posix_spawn: a fork copies the broker", in_product),
    Ban(r"(?<![\w.>])(std::|::)?s?rand\s*\(", "RandomBits (base/ids.h)"),
    Ban(r"\bstd::random_device\b", "RandomBits (base/ids.h), handed in", below_net),
    Ban(r"\b(system|steady|high_resolution)_clock::now\b",
        "a Clock or an Instant argument", below_net),
    Ban(r"(?<![\w.>])(std::|::)?(gettimeofday|clock_gettime|time)\s*\(\s*(nullptr|NULL|0|&|CLOCK)",
        "a Clock or an Instant argument", below_net),
    Ban(r"\b(secure_)?getenv\s*\(", "configuration read in src/app", below_net),
    Ban(r"(?<![\w:])(std::|::)?(localtime|gmtime|strftime|mktime)(_r)?\s*\(",
        "text/time_text.h; for people's own time app/terminal/local_time.h", beside_local_time),
    Ban(r"\bstd::(cout|cerr|clog|cin)\b|#\s*include\s*<iostream>",
        "the log, or a writer handed in by src/app", in_libraries),
    Ban(r"(?<![\w.>])(std::)?(printf|puts|putchar)\s*\(",
        "the log, or a writer handed in by src/app", in_libraries),
    Ban(r"\bstd::endl\b", "'\\n': a flush is asked for by name"),
    Ban(SLEEP, "wait for the event itself, or step a simulated clock", in_tests),
    Ban(SLEEP, "Executor::post_at", in_libraries),
    Ban(r"(?<![\w:])assert\s*\(|#\s*include\s*<cassert>", "ASSERT (base/assert.h): on in release"),
    Ban(r"\bthrow\b(?!\s*\()", "a Result with an Error (base/result.h)", in_product),
    Ban(r"\bstd::regex\b|#\s*include\s*<regex>",
        "a small parser: std::regex recurses on its input", in_product),
    Ban(r"\bmay_see\b|\bis_private\b|\bsees_all\b",
        "ask the broker with a Viewer; it asks broker/visible.h", beside_viewers),
    Ban(r"\bstanding_of\b", "let the broker enter the session for its Viewer", beside_entering),
    Ban(r"\bledger\(\)|\b(entry|live)->pending\b",
        "find_pending, pending_count, pending_after or live_before of the broker, with a Viewer",
        above_the_broker),
    Ban(r"\bkUnrestricted\b", "the viewer of the caller", above_for_callers),
    Ban(LIMIT, "limits.h of its folder", beside_limits),
    Ban(TIME, "limits.h of its folder", beside_limits),
    Ban(r"shared_ptr<(char|bool)>", "Lifetime (base/lifetime.h)", in_product),
    Ban(r"\.detach\s*\(\s*\)", "a thread that its owner joins"),
    Ban(r"\bstd::(auto_ptr|bind)\b", "a lambda or std::unique_ptr"),
    Ban(r"\busing\s+namespace\s+(?!std::(\w+_)?literals\b)",
        "the qualified name: a header decides this for everyone", in_headers),
)

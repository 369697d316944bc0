#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rule of tidy.py fires on a bad sample and is quiet on a good one."""

import unittest

from banned_calls import BANNED
from function_spans import function_spans
from source_text import without_comments, without_literals
from tidy import check_folders, check_mode, check_text, check_types, check_words

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = SPDX + "// What it is.\n#pragma once\n"


def faults(path: str, text: str) -> list[str]:
    return [what for _, what in check_text(path, text)]


class Rules(unittest.TestCase):
    def assert_fires(self, path: str, text: str, part: str) -> None:
        self.assertTrue(any(part in what for what in faults(path, text)), faults(path, text))

    def assert_quiet(self, path: str, text: str) -> None:
        self.assertEqual(faults(path, text), [])

    def test_a_plain_source_and_header_are_fine(self):
        self.assert_quiet("src/core/a.cc", SPDX + '#include "core/a.h"\n')
        self.assert_quiet("src/core/a.h", HEADER + "\nint f();\n")

    def test_width_counts_columns_not_bytes(self):
        self.assert_quiet("src/core/a.cc", SPDX + "// " + "…" * 97 + "\n")
        self.assert_quiet("src/core/a.cc", SPDX + "// " + "a\u0301" * 97 + "\n")
        self.assert_fires("src/core/a.cc", SPDX + "// " + "語" * 49 + "\n", "101 columns")
        self.assert_fires("src/core/a.cc", SPDX + "// " + "x" * 98 + "\n", "101 columns")
        self.assert_fires("src/core/CMakeLists.txt", "#" * 101 + "\n", "101 columns")

    def test_prose_may_be_wide(self):
        self.assert_quiet("docs/a.md", "x" * 300 + "\n")

    def test_blanks(self):
        self.assert_fires("a.md", "text \n", "end of the line")
        self.assert_fires("src/core/a.cc", SPDX + "\tint a;\n", "a tab")
        self.assert_fires("a.md", "text", "no newline at the end")
        self.assert_fires("a.md", "text\n\n", "blank lines at the end")

    def test_a_corpus_may_hold_anything(self):
        self.assert_quiet("fuzz/corpus/json/blank", "{} \t")

    def test_file_size(self):
        self.assert_quiet("src/core/a.cc", SPDX + "\n".join(["int a;"] * 399) + "\n")
        self.assert_fires("src/core/a.cc", SPDX + "int a;\n" * 400, "the limit is 400")
        self.assert_quiet("src/core/a_test.cc", SPDX + "int a;\n" * 700)
        self.assert_fires("src/core/a_test.cc", SPDX + "int a;\n" * 800, "the limit is 800")
        self.assert_fires("src/core/README.md", "line\n" * 31, "a folder's README")
        self.assert_fires("docs/data.json", "x" * 300_000 + "\n", "over 256 KiB")

    def test_function_size(self):
        body = "void f() {\n" + "    g();\n" * 58 + "}\n"
        self.assert_quiet("src/core/a.cc", SPDX + body)
        self.assert_fires("src/core/a.cc", SPDX + body.replace("{\n", "{\n    g();\n"), "61 lines")
        python = "# SPDX-License-Identifier: Apache-2.0\ndef f():\n" + "    g()\n" * 60
        self.assert_fires("tools/a.py", python, "61 lines")

    def test_sample_text_in_raw_strings_is_not_code(self):
        sample = 'R"(first\n' + "> \n" * 70 + "x" * 120 + '\n)"'
        self.assert_quiet("src/core/a_test.cc", SPDX + "void f() {\n    g(" + sample + ");\n}\n")

    def test_opening_of_a_file(self):
        self.assert_fires("src/core/a.cc", "int a;\n", "SPDX")
        self.assert_fires("tools/a.sh", "#!/bin/sh\n", "SPDX")
        self.assert_quiet("tools/a.sh", "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n")
        self.assert_fires("src/core/a.h", SPDX + "// What it is.\n", "#pragma once")
        self.assert_fires("src/core/a.h", SPDX + "#pragma once\n", "says first what it is")

    def test_leftovers(self):
        for marker in ("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"):
            self.assert_fires("docs/a.md", f"{marker}: later\n", marker)
        self.assert_fires("docs/a.md", "<<<<" + "<<< HEAD\n", "a merge")
        self.assert_fires("docs/a.md", "see /ho" + "me/ann/notes\n", "one machine")
        self.assert_fires("docs/a.md", "see /wo" + "rk/main\n", "one machine")
        self.assert_quiet("docs/a.md", "see ./home/page and homework/a\n")
        self.assert_fires("docs/a.md", "from deb.deb" + "ian.org\n", "name packages")
        self.assert_fires("web/lock.json", '"https://registry.npm' + 'js.org/x"\n', "name packages")

    def test_a_silenced_warning_names_its_check(self):
        self.assert_fires("src/core/a.cc", SPDX + "int a;  // NOLINT\n", "name the check")
        self.assert_quiet("src/core/a.cc", SPDX + "int a;  // NOLINT(misc-a)\n")
        self.assert_quiet("src/core/a.cc", SPDX + "// NOLINTNEXTLINE(misc-a)\nint a;\n")

    def test_mode(self):
        self.assertTrue(list(check_mode("#!/bin/sh\n", executable=False)))
        self.assertTrue(list(check_mode("text\n", executable=True)))
        self.assertFalse(list(check_mode("#!/bin/sh\n", executable=True)))
        self.assertFalse(list(check_mode("text\n", executable=False)))

    def test_every_folder_has_a_readme(self):
        self.assertFalse(list(check_folders(["src/core/a.cc", "src/core/README.md"])))
        self.assertTrue(list(check_folders(["src/core/a.cc", "src/CMakeLists.txt"])))


# For each ban, in their order: where it applies, what it catches, and what it must leave alone.
SAMPLES = (
    ("src/app/a.cc", "std::stoi(s);", "history.stoi;"),
    ("src/app/a.cc", "atoi(s);", "iatoi(s);"),
    ("src/app/a.cc", "std::snprintf(b, 1, s);", "xsnprintf_(b);"),
    ("src/app/a.cc", "strcpy(a, b);", "my_strcpy(a, b);"),
    ("src/net/a.cc", "std::system(s);", "file.system(s);"),
    ("src/net/a.cc", "::fork();", "state.fork();"),
    ("src/core/a.cc", "rand();", "operand();"),
    ("src/core/a.cc", "std::random_device d;", "random_device_name;"),
    ("src/broker/a.cc", "std::chrono::steady_clock::now();", "steady_clock::time_point t;"),
    ("src/broker/a.cc", "time(nullptr);", "created_time(0);"),
    ("src/store/a.cc", "std::getenv(s);", "target_env(s);"),
    ("src/app/a.cc", "gmtime_r(&t, &tm);", "fmt::gmtime(t);"),
    ("src/core/a.cc", "#include <iostream>", "std::count(a, b);"),
    ("src/core/a.cc", "printf(s);", "std::fprintf(stderr, s);"),
    ("src/app/a.cc", "std::endl", "std::ends"),
    ("src/net/a_test.cc", "std::this_thread::sleep_for(1s);", "asleep_for;"),
    ("src/net/a.cc", "usleep(5);", "keep_sleep(5);"),
    ("src/app/a.cc", "assert(x);", "static_assert(x);"),
    ("src/core/a.cc", "throw Error{};", "nothrow();"),
    ("src/core/a.cc", "std::regex r;", "my_regex r;"),
    ("src/door/a.cc", "if (may_see(who, *ask)) show();", "if (may_seek(who)) show();"),
    ("src/client/a.cc", "standing_of(who, session)", "outstanding_of(who)"),
    ("src/door/a.cc", "broker.ledger().pending()", "broker.head()"),
    ("src/door/a.cc", "find_session(ref, kUnrestricted, told);", "find(kUnrestrictedText);"),
    ("src/net/a.cc", "constexpr int kTriesMax = 5;", "constexpr int kMaxima = 5;"),
    ("src/net/a.cc", "constexpr auto kAway = 60s;", "constexpr auto kAway = limits::kAway;"),
    ("src/net/a.cc", "std::shared_ptr<char> alive_;", "std::shared_ptr<const char> text;"),
    ("src/net/a.cc", "thread.detach();", "detach(x);"),
    ("src/core/a.cc", "std::bind(f, 1);", "socket.bind(f);"),
    ("src/core/a.h", "using namespace std;", "using namespace std::chrono_literals;"),
)


class BannedCalls(unittest.TestCase):
    def test_every_ban_has_a_sample_that_it_catches_and_one_that_it_leaves(self):
        self.assertEqual(len(SAMPLES), len(BANNED))
        for ban, (path, bad, good) in zip(BANNED, SAMPLES):
            with self.subTest(bad):
                self.assertTrue(ban.applies_to(path))
                self.assertRegex(bad, ban.pattern)
                self.assertNotRegex(good, ban.pattern)

    def test_bounds_stand_in_limits_and_shapes_beside_their_code(self):
        for bound in ("std::size_t kNameBytes = 64;", "int kAcceptsPerTurn = 64;",
                      "Millis kTimeoutMin{1000};", "std::size_t kTitleChars = 40;",
                      "int kLargestCount = 1000;", "std::size_t kLongest = 80;",
                      "double kMost = 1e9;", "std::size_t kPartsPerWrite = 64;",
                      "std::size_t kShortest = 16;", "int kNoticeClusters = 120;",
                      "int kLevels = 64;", "std::int64_t kDaySeconds = 86'400;",
                      "int kLockPollMs = 10;", "auto kLooksAway = std::chrono::seconds(60);",
                      "std::chrono::seconds kRetryAfter{1};", "Millis kMargin = seconds(10);",
                      "auto kLongSnooze = 1h;", "auto kPause = 1'500ms;"):
            text = f"constexpr {bound}\n"
            self.assertTrue(faults("src/net/a.cc", SPDX + text), bound)
            self.assertTrue(faults("src/net/a.cc", SPDX + "void f() {\n    " + text + "}\n"), bound)
            self.assertEqual(faults("src/net/limits.h", HEADER + "inline " + text), [], bound)
            self.assertEqual(faults("src/net/a_test.cc", SPDX + text), [], bound)
        for shape in ("constexpr std::size_t kRecordSize = 64;", "constexpr int kTagLength = 8;",
                      "constexpr int kMostly = limits::kTitleChars;",
                      "constexpr int kTitleChars = limits::kTitleChars;",
                      "static constexpr std::size_t kInlineBytes = 48;",
                      "constexpr Millis kRetry = limits::kRetry;",
                      "constexpr auto kTries = limits::kPatience / limits::kPoll;",
                      "constexpr auto kDigits = digits_of(16);", "constexpr int kSides = 6;"):
            self.assertEqual(faults("src/net/a.cc", SPDX + shape + "\n"), [], shape)

    def test_prose_and_strings_are_not_calls(self):
        text = SPDX + '// never std::stoi(x)\nauto s = "system(x)";\nauto r = R"(rand())";\n'
        self.assertEqual(faults("src/core/a.cc", text), [])

    def test_the_edges_may_read_the_clock_and_tests_may_print(self):
        now = SPDX + "auto t = std::chrono::steady_clock::now();\n"
        self.assertEqual(faults("src/net/a.cc", now), [])
        self.assertEqual(faults("src/base/clock.cc", now), [])
        self.assertEqual(faults("src/core/a_test.cc", SPDX + "#include <iostream>\n"), [])


    def test_who_may_see_is_decided_in_one_room(self):
        for words in ("may_see(who, *ask);", "is_private(*event);", "who.sees_all;"):
            for path in ("src/door/native/a.cc", "src/client/a.h", "src/broker/broker_lists.cc",
                         "src/app/a.cc"):
                self.assertTrue(faults(path, (HEADER if path.endswith(".h") else SPDX) + words +
                                       "\n"), (path, words))
            for path in ("src/core/viewer.cc", "src/broker/visible.cc", "src/door/caller_names.cc",
                         "src/broker/viewers_test.cc"):
                self.assertEqual(faults(path, SPDX + words + "\n"), [], path)


class Types(unittest.TestCase):
    def test_two_types_of_one_name_are_found(self):
        one = "namespace a {\nclass Turns {\n};\n}  // namespace a\n"
        other = "namespace a {\nnamespace b {\nstruct Turns {\n};\n}  // namespace b\n"
        self.assertEqual(list(check_types({"x.h": one, "y.h": other + "}  // namespace a\n"})), [])
        same = "namespace a {\nclass Else;\nclass Turns final : public Base {\n};\n}\n"
        self.assertEqual([place for place, _ in check_types({"x.h": one, "z.h": same})], ["z.h:3"])

    def test_a_word_of_the_vocabulary_names_one_type_in_all_namespaces(self):
        one = "namespace a {\nenum class Verdict : int {\n};\n}\n"
        for other in ("struct Verdict {", "enum class Verdict : int {",
                      "using Verdict = int;"):
            text = f"namespace b {{\n{other}\n}}\n"
            found = [place for place, _ in check_words({"x.h": one, "y.cc": text})]
            self.assertEqual(found, ["y.cc:2"], other)
        quiet = "class Verdict;\nstruct Verdicts {\n};\nVerdict verdict;\n"
        self.assertEqual(list(check_words({"x.h": one, "y.cc": quiet})), [])


class SourceText(unittest.TestCase):
    def test_digit_separators_are_not_character_literals(self):
        self.assertEqual(without_literals("a(1'000, '\"', 2'000);"), "a(1'000, ' ', 2'000);")

    def test_lines_stay_where_they_were(self):
        source = 'a /* b\nc */ d "x" R"y(\n)" )y" // e\nf'
        self.assertEqual(without_literals(source).count("\n"), source.count("\n"))
        self.assertNotIn("e", without_comments(source))
        self.assertIn('"x"', without_comments(source))

    def test_functions_are_told_from_types_tables_and_namespaces(self):
        source = """namespace a {
struct S {
    int member() const { return 1; }
};
constexpr Row kRows[] = {
    {1, 2},
};
S::S(int a)
    : a_{a},
      b_{a} {
    go();
}
template <class T>
void f(T x) {
    if (x) {
    }
}
}  // namespace a
"""
        self.assertEqual(function_spans(source), [(3, 3), (8, 12), (13, 17)])


if __name__ == "__main__":
    unittest.main()

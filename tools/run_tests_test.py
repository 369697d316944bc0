#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The counting of run_tests.py: a failure can never end up as a pass or as nothing."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from run_tests import (FAILURE_LINES, Count, count_cases, explain, follow, names_of_failed,
                       settle)

GTEST = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" failures="1" disabled="1"><testsuite name="A">
<testcase name="One" status="run" result="completed" />
<testcase name="Two" status="run" result="completed"><failure message="no"/></testcase>
<testcase name="Three" status="run" result="completed" />
<testcase name="DISABLED_Four" status="notrun" result="suppressed" />
</testsuite></testsuites>"""


class CountCases(unittest.TestCase):
    def test_gtest_cases_are_counted_one_by_one(self):
        self.assertEqual(count_cases(False, "", GTEST), Count(2, 1))

    def test_unittest_cases_are_counted_one_by_one(self):
        self.assertEqual(count_cases(True, "..\nRan 2 tests in 0.1s\n\nOK", None), Count(2, 0))
        failed = "Ran 5 tests in 0.1s\n\nFAILED (failures=1, errors=2)"
        self.assertEqual(count_cases(False, failed, None), Count(2, 3))
        erred = "Ran 5 tests in 0.1s\n\nFAILED (errors=2)"
        self.assertEqual(count_cases(False, erred, None), Count(3, 2))

    def test_node_cases_are_counted_one_by_one(self):
        self.assertEqual(count_cases(True, "1..2\n# pass 2\n# fail 0\n# cancelled 0", None),
                         Count(2, 0))
        self.assertEqual(count_cases(False, "# pass 2\n# fail 1\n# cancelled 1", None), Count(2, 2))

    def test_a_program_without_a_report_is_one_case(self):
        self.assertEqual(count_cases(True, "fine", None), Count(1, 0))
        self.assertEqual(count_cases(False, "crash", None), Count(0, 1))

    def test_a_failed_program_whose_cases_all_passed_is_a_failure(self):
        passed = GTEST.replace('<failure message="no"/>', "")
        self.assertEqual(count_cases(False, "", passed), Count(3, 1))

    def test_a_report_cut_short_by_a_crash_is_a_failure(self):
        self.assertEqual(count_cases(False, "", GTEST[:120]), Count(0, 1))


class Follow(unittest.TestCase):
    def follow(self, lines: str, reports: dict[str, str] | None = None) -> tuple[Count, str]:
        out = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(out):
            for name, report in (reports or {}).items():
                (Path(folder) / f"{name}.xml").write_text(report)
            counts = follow(lines.splitlines(), Path(folder))
        self.failed = names_of_failed(counts)
        return sum(counts.values(), Count()), out.getvalue()

    def test_interleaved_output_is_told_apart_by_its_number(self):
        count, said = self.follow(
            "1: good news\n2: bad news\n"
            "1/3 Test #1: one ..............   Passed    0.05 sec\n"
            "2/3 Test #2: two ..............***Failed    0.01 sec\n"
            "3/3 Test #10: three ...........Subprocess aborted***Exception:   0.20 sec\n")
        self.assertEqual(count, Count(1, 2))
        self.assertIn("bad news", said)
        self.assertNotIn("good news", said)
        self.assertIn("Subprocess aborted", said)
        self.assertEqual(self.failed, ["two", "three"])

    def test_reports_are_found_by_the_name_of_the_test(self):
        count, _ = self.follow("1/1 Test #1: base ...***Failed  0.01 sec\n", {"base": GTEST})
        self.assertEqual(count, Count(2, 1))

    def test_the_work_of_a_test_stands_behind_its_time(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            follow(["1/1 Test #1: base ...   Passed  2.00 sec\n"], Path("nowhere"), lambda: 1.5)
        self.assertRegex(out.getvalue(), r"base +1 passed +2\.0 s +1\.5 s\n$")

    def test_skipped_is_neither(self):
        count, said = self.follow("1/1 Test #1: x .....***Skipped   0.00 sec\n")
        self.assertEqual(count, Count(0, 0))
        self.assertIn("skipped", said)

    def test_a_test_that_could_not_start_is_a_failure(self):
        count, _ = self.follow("1/1 Test #1: x .....***Not Run   0.00 sec\n")
        self.assertEqual(count, Count(0, 1))


    def test_a_test_that_could_not_start_says_what_was_missing(self):
        _, said = self.follow(
            "Unable to find executable: /no/such\n"
            "1/2 Test #1: x .....***Not Run   0.00 sec\n"
            "Failed test dependencies: npm_x\n"
            "2/2 Test #2: y .....***Not Run   0.00 sec\n")
        self.assertIn("Unable to find executable: /no/such", said)
        self.assertIn("Failed test dependencies: npm_x", said)


class Settle(unittest.TestCase):
    def test_who_passes_alone_counts_as_passed_and_is_named(self):
        counts = {"one": Count(3, 0), "two": Count(1, 2), "three": Count(0, 1), "four": Count(0, 1)}
        again = {"npm": Count(1, 0), "two": Count(3, 0), "three": Count(0, 1)}
        self.assertEqual(settle(counts, again), ["two"])
        self.assertEqual(counts["two"], Count(3, 0))
        self.assertEqual(names_of_failed(counts), ["three", "four"])
        self.assertEqual(sum(counts.values(), Count()), Count(6, 2))


class Explain(unittest.TestCase):
    def test_failed_cases_are_named_with_their_messages(self):
        shown = explain("noise", GTEST.replace('message="no"', 'message="2 is not 3"'))
        self.assertIn("Two", shown)
        self.assertIn("2 is not 3", shown)
        self.assertNotIn("noise", shown)

    def test_a_long_message_is_cut_at_its_end(self):
        message = "\n".join(f"line {number}" for number in range(99))
        failure = f"<failure>{message}</failure>"
        shown = explain("", GTEST.replace('<failure message="no"/>', failure))
        self.assertIn("line 0", shown)
        self.assertNotIn(f"line {FAILURE_LINES}", shown)

    def test_the_failed_cases_of_node_are_shown_alone(self):
        passed = "# Subtest: a\nok 1 - a\n  ---\n  duration_ms: 1\n  ...\n"
        failed = "# Subtest: b\nnot ok 2 - b\n  ---\n  error: 'two is not three'\n  ...\n"
        shown = explain(passed + failed + passed * 50 + "1..52\n# pass 51\n# fail 1\n", None)
        self.assertIn("not ok 2 - b", shown)
        self.assertIn("two is not three", shown)
        self.assertNotIn("ok 1 - a", shown)

    def test_what_node_says_beside_its_report_is_shown_with_the_case_that_failed(self):
        passed = "# chatter\n# Subtest: a\nok 1 - a\n  ---\n  duration_ms: 1\n  ...\n"
        cause = ["# Error: Cannot find package 'x'", "#     at resolve (node:internal)"]
        failed = "not ok 2 - b.mjs\n  ---\n  error: 'test failed'\n  ...\n"
        shown = explain("\n".join([passed * 50 + "of node itself", *cause, "# Subtest: b.mjs",
                                   failed + passed * 50, "1..52"]), None)
        self.assertLess(shown.index("of node itself"), shown.index(cause[0]))
        self.assertLess(shown.index(cause[1]), shown.index("not ok 2 - b.mjs"))
        self.assertNotIn("Subtest", shown)
        self.assertLess(shown.count("chatter"), FAILURE_LINES)

    def test_a_sanitizers_report_is_shown_from_its_start(self):
        report = "==7==ERROR: AddressSanitizer: heap-use-after-free\n    #0 here\n"
        shown = explain("noise\n" + report + "shadow\n" * 99, None)
        self.assertIn("heap-use-after-free", shown)
        self.assertIn("#0 here", shown)
        self.assertNotIn("noise", shown)

    def test_without_failed_cases_the_end_of_the_output_is_shown(self):
        shown = explain("\n".join(f"line {number}" for number in range(100)), None)
        self.assertIn("60 lines before", shown)
        self.assertIn("line 99", shown)
        self.assertNotIn("line 59\n", shown)


if __name__ == "__main__":
    unittest.main()

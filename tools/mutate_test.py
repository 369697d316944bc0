#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reading and applying of mutations, and the copy of the tree: a mutation that does nothing can
never pass for one that was caught."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from mutate import Misfit, apply, copy_tree, parse

TEXT = """# Says yes to everything:
# promise 4.
file: src/a.cc
build: a_test b_test
test: a|b
--- replace
    return x;
--- with
    return true;
"""


class Parse(unittest.TestCase):
    def test_every_part_is_read(self):
        mutation = parse("yes", TEXT)
        self.assertEqual(mutation.why, "Says yes to everything: promise 4.")
        self.assertEqual((mutation.file, mutation.test), ("src/a.cc", "a|b"))
        self.assertEqual(mutation.targets, ("a_test", "b_test"))
        self.assertEqual((mutation.before, mutation.after), ("    return x;", "    return true;"))

    def test_what_stands_instead_may_be_nothing_and_the_targets_none(self):
        text = TEXT.replace("    return true;\n", "").replace("a_test b_test", "")
        self.assertEqual((parse("no", text).after, parse("no", text).targets), ("", ()))

    def test_lines_stay_as_they_are(self):
        text = TEXT.replace("return x;", "return x;\n\n    # y\n")
        self.assertEqual(parse("lines", text).before, "    return x;\n\n    # y\n")

    def test_a_file_of_another_form_is_refused(self):
        for broken in (TEXT.replace("--- with", "--- by"), TEXT.replace("# ", ""),
                       TEXT.replace("file:", "path:"), TEXT.replace("build: a_test b_test\n", ""),
                       TEXT.replace("test: a|b", "test:"), TEXT.replace("return true", "return x")):
            with self.assertRaises(Misfit):
                parse("broken", broken)


class Apply(unittest.TestCase):
    def test_the_text_is_replaced(self):
        self.assertEqual(apply(parse("yes", TEXT), "{\n    return x;\n}"), "{\n    return true;\n}")

    def test_a_text_that_is_not_there_once_is_refused(self):
        for code in ("return y;", "    return x;\n    return x;\n"):
            with self.assertRaises(Misfit):
                apply(parse("yes", TEXT), code)


class CopyTree(unittest.TestCase):
    def test_a_second_copy_touches_only_what_changed_and_mends_what_was_mutated(self):
        with tempfile.TemporaryDirectory() as folder:
            source, target = Path(folder) / "source", Path(folder) / "target"
            source.mkdir()
            subprocess.run(["git", "init", "-q", source], check=True)
            for name in ("same", "mutated", "gone"):
                (source / name).write_text(name)
            copy_tree(source, target)
            (target / "mutated").write_text("x")
            (target / "build" / "object").write_text("kept")
            (source / "gone").unlink()
            before = (target / "same").stat().st_mtime_ns
            copy_tree(source, target)
            self.assertEqual((target / "same").stat().st_mtime_ns, before)
            self.assertEqual((target / "mutated").read_text(), "mutated")
            self.assertFalse((target / "gone").exists())
            self.assertTrue((target / "build" / "object").exists())


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What nobody in the product uses is found, in objects as in headers, and nothing else."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from unused import (Object, api_names, compiled_as_one, included_by, is_product, qualified_name,
                    read_object, unused_functions, unused_in_headers)

SAMPLE = """
namespace parley {
struct Shape { virtual ~Shape(); virtual int area() const; int edges(); };
int helper();
int used_elsewhere() { return helper(); }
int used_here() { return 1; }
int called() { return used_here(); }
static int hidden() { return 2; }
int (*pointer)() = hidden;
Shape::~Shape() = default;
int Shape::area() const { return 3; }
int Shape::edges() { return 4; }
}
"""


def compiled(source: str, *options: str) -> Object:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sample.o"
        subprocess.run(["clang++-19", "-x", "c++", "-", "-c", "-fPIC", "-o", path, *options],
                       input=source.encode(), check=True)
        return read_object(path.read_bytes())


def unused(objects: dict[str, Object], source: str, is_optimised: bool,
           api: frozenset[str] = frozenset(), headers: tuple[str, ...] = ()) -> list[str]:
    alone = {(name,): each for name, each in objects.items()}
    seen = {f"{number}.h": text for number, text in enumerate(headers)}
    return [name for _, name in unused_functions(alone, {"a.cc": source}, seen, set(api),
                                                 is_optimised)]


class Objects(unittest.TestCase):
    def test_a_function_that_no_object_refers_to_is_unused(self):
        objects = {"a.cc": compiled(SAMPLE, "-O0"),
                   "b.cc": Object(references={"_ZN6parley14used_elsewhereEv"})}
        self.assertEqual(unused(objects, SAMPLE, False),
                         ["parley::Shape::edges", "parley::called"])

    def test_what_was_inlined_into_its_own_file_is_used(self):
        objects = {"a.cc": compiled(SAMPLE, "-O2"),
                   "b.cc": Object(references={"_ZN6parley14used_elsewhereEv"})}
        source = SAMPLE.replace("int edges();", "")
        self.assertEqual(unused(objects, source, True), ["parley::Shape::edges", "parley::called"])
        header = "int edges();\nint twice() { return 2 * edges(); }\n"
        self.assertEqual(unused(objects, source, True, headers=(header,)), ["parley::called"])

    def test_what_was_inlined_into_a_file_that_is_compiled_with_its_own_is_used(self):
        settle, answers = "src/core/settle.cc", "src/core/answers.cc"
        texts = {settle: "namespace parley {\nint seen() { return 1; }\n"
                         "int lost() { return 2; }\n}",
                 answers: "namespace parley {\nint caller() { return seen(); }\n}"}
        objects = {(settle, answers): compiled("".join(texts.values()), "-O2"),
                   ("main.cc",): Object(references={"_ZN6parley6callerEv"})}

        def found(header: str) -> list[tuple[str, str]]:
            return list(unused_functions(objects, texts, {header: "int seen();\nint lost();\n"},
                                         set(), True))

        self.assertEqual(found("src/base/result.h"), [(settle, "parley::lost")])
        # A name that only happens to be the same: no header of both declares it.
        self.assertEqual(found("src/core/settle.h"),
                         [(settle, "parley::lost"), (settle, "parley::seen")])

    def test_a_file_that_joins_others_stands_for_them(self):
        with tempfile.TemporaryDirectory() as folder:
            joined = Path(folder) / "unity_0_cxx.cxx"
            joined.write_text('/* generated */\n\n#include "/a/b.cc"\n\n#include "/a/c.cc"\n')
            self.assertEqual(compiled_as_one(joined), [Path("/a/b.cc"), Path("/a/c.cc")])
        self.assertEqual(compiled_as_one(Path("/a/d.cc")), [Path("/a/d.cc")])

    def test_what_a_program_may_call_is_used(self):
        objects = {"a.cc": compiled(SAMPLE, "-O0")}
        api = frozenset(api_names(["class Shape { int edges(); };\nint called();\n"]))
        self.assertEqual(unused(objects, SAMPLE, False, api), ["parley::used_elsewhere"])

    def test_names_are_read_from_symbols(self):
        for symbol, name in (
            ("_ZNK6parley3net6Router6routesEv", "parley::net::Router::routes"),
            ("_ZN6parley5titleB5cxx11Em", "parley::title"),
            ("_ZN6parley3net4LoopC2Ev", None),
            ("_ZN6parley3net4LoopD0Ev", None),
            ("_ZN6parley3net6StreamaSEOS1_", None),
            ("_ZN6parley4fillIiEEvT_", None),
            ("_ZN5boost4asio3ssl7contextEv", None),
            ("main", None),
        ):
            with self.subTest(symbol):
                self.assertEqual(qualified_name(symbol), name)

    def test_tests_and_their_helpers_are_not_the_product(self):
        self.assertTrue(is_product("src/core/settle.cc", "parley_core"))
        self.assertTrue(is_product("src/app/main.cc", "parley"))
        self.assertFalse(is_product("src/core/settle_test.cc", "core_test"))
        self.assertFalse(is_product("src/store/fault_vfs.cc", "parley_store_testing"))
        self.assertFalse(is_product("tests/simulator/disk.cc", "parley_simulation"))


class Headers(unittest.TestCase):
    HEADER = ("inline constexpr int kSeen = 1;\ninline constexpr int kLost = 2;\n"
              "class A {\n    int seen() const { return kSeen; }\n"
              "    int lost() const { return 1; }\n    int declared();\n};\n")

    def test_what_is_named_once_is_unused(self):
        found = unused_in_headers({"a.h": self.HEADER}, [self.HEADER, "return a.seen();\n"])
        self.assertEqual(list(found), [("a.h", "lost"), ("a.h", "kLost")])

    def test_headers_of_headers_are_followed(self):
        seen = included_by(["src/core/settle.cc"])
        self.assertIn("src/core/settle.h", seen)
        self.assertIn("src/base/result.h", seen)
        self.assertNotIn("src/core/test_asks.h", seen)


if __name__ == "__main__":
    unittest.main()

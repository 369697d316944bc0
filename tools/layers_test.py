#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The layer check finds each kind of forbidden arrow, and the permitted ones pass."""

import unittest

from layers import check_links, check_one_file, check_source, reachable, read_arrows
from source_text import ROOT, read

ARROWS = read_arrows(read(ROOT / "ARCHITECTURE.md"))


def faults(path: str, source: str) -> list[str]:
    return [what for _, what in check_source(path, source, ARROWS)]


class Layers(unittest.TestCase):
    def assert_forbidden(self, path: str, source: str, part: str = "") -> None:
        found = faults(path, source)
        self.assertTrue(any(part in what for what in found), found)

    def assert_permitted(self, path: str, source: str) -> None:
        self.assertEqual(faults(path, source), [])

    def test_the_table_is_read_from_the_architecture_page(self):
        self.assertEqual(len(ARROWS), 15)
        self.assertEqual(ARROWS["base"], frozenset())
        self.assertEqual(ARROWS["broker"], {"base", "text", "core", "store"})
        self.assertEqual(ARROWS["app"], set(ARROWS) - {"app"})

    def test_no_folder_stands_on_itself(self):
        for folder in ARROWS:
            self.assertNotIn(folder, reachable(ARROWS, folder))

    def test_a_row_that_names_an_unknown_folder_is_refused(self):
        with self.assertRaises(ValueError):
            read_arrows("| `base` | cellar | – |\n")

    def test_arrows_go_down_only(self):
        self.assert_permitted("src/core/a.cc", '#include "text/json.h"\n#include "core/b.h"\n')
        self.assert_forbidden("src/core/a.cc", '#include "store/store.h"\n', "core may not include")
        self.assert_forbidden("src/base/a.h", '#include "text/utf8.h"\n')
        self.assert_forbidden("src/client/a.cc", '#include "store/store.h"\n')
        self.assert_forbidden("src/door/native/a.cc", '#include "agent/claude/claude_agent.h"\n')
        self.assert_permitted("src/app/main.cc", '#include "prompt/prompt.h"\n')

    def test_a_header_without_a_folder_is_refused(self):
        self.assert_forbidden("src/core/a.cc", '#include "b.h"\n', "belongs to no layer")

    def test_a_folder_outside_the_table_is_refused(self):
        self.assert_forbidden("src/util/a.cc", "int a;\n", "belongs to no layer")

    def test_includes_in_comments_do_not_count(self):
        self.assert_permitted("src/core/a.cc", '// #include "store/store.h"\n')

    def test_a_test_may_use_all_that_its_folder_stands_on(self):
        self.assert_permitted("src/client/a_test.cc", '#include "store/memory.h"\n')
        self.assert_permitted("src/core/a_test.cc", "#include <gtest/gtest.h>\n")
        self.assert_forbidden("src/core/a_test.cc", '#include "broker/broker.h"\n')
        self.assert_permitted("src/core/a_test.cc", '#include "support/sim_world.h"\n')
        self.assert_forbidden("src/core/a.cc", "#include <gtest/gtest.h>\n")
        self.assert_forbidden("src/core/a.cc", '#include "support/sim_world.h"\n')

    def test_public_headers_have_layers_and_need_nothing_of_ours(self):
        self.assert_permitted("src/text/a.h", '#include "parley/values.h"\n')
        self.assert_forbidden("src/store/a.h", '#include "parley/broker.h"\n')
        self.assert_permitted("include/parley/result.h", "#include <tl/expected.hpp>\n")
        self.assert_permitted("include/parley/broker.h", '#include "parley/values.h"\n')
        self.assert_forbidden("include/parley/broker.h", '#include "base/clock.h"\n', "installed")
        self.assert_forbidden("include/parley/broker.h", "#include <fmt/core.h>\n", "installed")
        self.assert_forbidden("include/parley/values.h", '#include "parley/client.h"\n')
        self.assert_forbidden("include/parley/extra.h", "int a;\n", "belongs to no layer")

    def test_outside_headers_stay_in_their_folders(self):
        for header, home, stranger in (
            ("boost/asio/ip/tcp.hpp", "net", "broker"),
            ("boost/asio.hpp", "agent", "client"),
            ("boost/beast/http/parser.hpp", "wire", "net"),
            ("openssl/ssl.h", "net", "door"),
            ("sqlite3.h", "store", "broker"),
            ("libpq-fe.h", "store", "core"),
            ("utf8proc.h", "text", "term"),
            ("boost/json/parse.hpp", "text", "dialect"),
            ("toml++/toml.h", "app", "base"),
            ("termios.h", "term", "prompt"),
            ("md4c.h", "prompt", "text"),
            ("unistd.h", "net", "core"),
            ("sys/random.h", "base", "broker"),
        ):
            with self.subTest(header):
                self.assert_permitted(f"src/{home}/a.cc", f"#include <{header}>\n")
                self.assert_forbidden(f"src/{stranger}/a.cc", f"#include <{header}>\n", "only in")

    def test_heavy_headers_stay_out_of_our_headers(self):
        self.assert_permitted("src/text/json.h", "#include <boost/json/value.hpp>\n")
        self.assert_forbidden("src/text/other.h", "#include <boost/json/value.hpp>\n", ".cc files")
        self.assert_forbidden("src/store/a.h", "#include <sqlite3.h>\n", ".cc files")
        self.assert_permitted("src/store/sqlite_db.h", "#include <sqlite3.h>\n")
        self.assert_permitted("src/net/a.h", "#include <boost/asio/awaitable.hpp>\n")

    def test_an_unknown_outside_header_needs_a_decision(self):
        self.assert_forbidden("src/net/a.cc", "#include <zstd.h>\n", "not in the table")

    def test_pure_folders_read_no_files_and_no_randomness(self):
        self.assert_forbidden("src/core/a.cc", "#include <random>\n", "reads no file")
        self.assert_forbidden("src/dialect/a.cc", "#include <fstream>\n", "reads no file")
        self.assert_permitted("src/core/a_test.cc", "#include <random>\n")
        self.assert_permitted("src/core/a.cc", "#include <chrono>\n")

    def test_coroutines_live_at_the_edge(self):
        self.assert_forbidden("src/broker/a.cc", "co_return 1;\n", "coroutines live in")
        self.assert_forbidden("src/client/a.h", "auto x = co_await y;\n", "coroutines live in")
        self.assert_permitted("src/net/a.cc", "co_await y;\n")
        self.assert_permitted("src/client/a_test.cc", "co_await y;\n")
        self.assert_permitted("src/broker/a.h", "// for use with co_await\n")
        self.assert_permitted("include/parley/broker.h", "Awaiter operator co_await() const;\n")

    def test_examples_use_the_public_api_alone(self):
        self.assert_permitted("examples/embed/main.cc", "#include <parley/broker.h>\n")
        self.assert_forbidden("examples/embed/main.cc",
                              "#include <parley/broker.h>\n#include <boost/asio.hpp>\n")
        self.assert_permitted("examples/cpp/agent.cc", "#include <boost/asio.hpp>\n")

    def test_link_lists_follow_the_same_table(self):
        good = "parley_library(core SOURCES a.cc LINKS base text fmt::fmt)\n"
        bad = "parley_library(core\n  SOURCES a.cc\n  LINKS base store)\n"
        self.assertFalse(list(check_links("src/core/CMakeLists.txt", good, ARROWS)))
        self.assertTrue(list(check_links("src/core/CMakeLists.txt", bad, ARROWS)))
        part = "parley_library(client_remote SOURCES a.cc LINKS client net)\n"
        self.assertFalse(list(check_links("src/client/CMakeLists.txt", part, ARROWS)))
        helpers = "parley_library(client_testing SOURCES a.cc LINKS client store)\n"
        self.assertFalse(list(check_links("src/client/CMakeLists.txt", helpers, ARROWS)))

    def test_beast_is_compiled_in_one_file_of_a_folder(self):
        beast = "#include <boost/beast/http.hpp>\n"
        self.assertFalse(list(check_one_file({"src/wire/a.cc": beast})))
        self.assertTrue(list(check_one_file({"src/wire/a.cc": beast, "src/wire/b.cc": beast})))


if __name__ == "__main__":
    unittest.main()

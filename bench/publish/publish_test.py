#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page and its plots from a small sample: medians, losses that are told as losses, scales; and
that the page in docs is what its raw data make."""

import json
import re
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import machine
import page
import raw
from plot import Plot, Point, draw, linear_ticks, log_ticks

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
SVG = "{http://www.w3.org/2000/svg}"


def figure(what: str, who: str, unit: str, *values: float) -> dict:
    return {"what": what, "who": who, "unit": unit, "values": list(values)}


SAMPLE = {
    "machine": {"date": "2026-11-18", "commit": "0123456789ab", "build": "release", "cores": 2,
                "versions": {"SQLite": "3.40.1", "node": "26"}},
    "quick": True, "minutes": 1.5, "failed": {"page": "ended with 1"},
    "figures": {
        "rounds": [
            figure("a round", "Parley", "rounds/s", 300, 100, 200),
            figure("a round", "bare SQLite", "rounds/s", 400, 400, 500),
            figure("a round", "Parley in memory", "rounds/s", 900),
            figure("memory", "Parley", "MiB", 20),
            figure("memory", "reference tRPC", "MiB", 90),
            figure("start", "Parley", "ms", 5.0),
            figure("list", "Parley", "ms", 3.0),
            figure("list", "opencode serve", "ms", 1.0),
        ],
        "growth": [
            *(figure(f"asks that wait @ {size}", "Parley", "µs", 50, 40, 60)
              for size in (100, 1, 10)),
            *(figure(f"subscribers @ {size}", "Parley", "µs", 10 * size)
              for size in (1, 10, 100)),
        ],
    },
}


class Raw(unittest.TestCase):
    def test_what_is_measured_anew_takes_its_place_on_the_same_machine_alone(self):
        anew = {**SAMPLE, "failed": {}, "minutes": 0.5,
                "figures": {"page": [figure("first card", "Parley", "ms", 9)]}}
        both = raw.merged(SAMPLE, anew)
        self.assertEqual(set(both["figures"]), {"rounds", "growth", "page"})
        self.assertEqual((both["failed"], both["minutes"]), ({}, 2.0))
        self.assertEqual(both["commits"], {})
        later = {**anew, "machine": {**SAMPLE["machine"], raw.COMMIT: "9876543210ba"}}
        self.assertEqual(raw.merged(SAMPLE, later)["commits"], {"page": "9876543210ba"})
        self.assertIn("`9876543210ba`",
                      page.write(raw.merged(SAMPLE, later))["performance.md"])
        elsewhere = {**anew, "machine": {**SAMPLE["machine"], "cores": 64}}
        self.assertEqual(raw.merged(SAMPLE, elsewhere), elsewhere)

    def test_more_is_better_of_rates_alone(self):
        rate, cost = (raw.rows(raw.from_documents(
            [figure("x", "Parley", unit, 20), figure("x", "peer", unit, 10)]))[0]
            for unit in ("rounds/s", "µs"))
        self.assertEqual((rate.gain, rate.is_loss), (2, False))
        self.assertEqual((cost.gain, cost.is_loss), (0.5, True))

    def test_a_figure_without_peers_is_a_row_and_a_peer_without_ours_is_none(self):
        found = raw.rows(raw.from_documents(
            [figure("x", "Parley", "ms", 1), figure("y", "peer", "ms", 1)]))
        self.assertEqual([(row.ours.what, row.peer) for row in found], [("x", None)])

    def test_a_run_that_ended_no_round_has_no_cost(self):
        lines = ['{"what":"x","who":"Parley","unit":"ms","values":[3,null,1]}',
                 '{"what":"x","who":"peer","unit":"ms","values":[null]}']
        self.assertEqual(raw.parse(lines), [raw.Figure("x", "Parley", "ms", (3, 1))])

    def test_what_is_within_a_twentieth_is_no_loss(self):
        row = raw.rows(raw.from_documents(
            [figure("x", "Parley", "ms", 104), figure("x", "peer", "ms", 100)]))[0]
        self.assertFalse(row.is_loss)
        self.assertEqual(page.verdict(row), "alike")

    def test_runs_that_overlap_are_in_doubt(self):
        def verdict(ours: list[float], peers: list[float]) -> str:
            return page.verdict(raw.rows(raw.from_documents(
                [figure("x", "Parley", "ms", *ours), figure("x", "peer", "ms", *peers)]))[0])

        self.assertEqual(verdict([1, 2, 9], [7, 8, 9]), "4.0 × better, but the runs overlap")
        self.assertEqual(verdict([1, 2, 3], [7, 8, 9]), "4.0 × better")
        self.assertEqual(verdict([7, 8, 9], [1, 2, 9]),
                         "**loses: 4.0 × worse, but the runs overlap**")

    def test_programs_of_google_benchmark_are_read_run_by_run(self):
        runs = [{"run_type": kind, "run_name": name, "cpu_time": cost} for kind, name, cost in (
            ("iteration", "parse/ask", 10), ("iteration", "parse/ask", 12),
            ("aggregate", "parse/ask", 11), ("iteration", "parse_by_boost/ask", 20),
            ("iteration", "wrap_to_80", 7))]
        self.assertEqual(raw.from_google_benchmark(json.dumps({"benchmarks": runs})), [
            raw.Figure("parse: ask", "Parley", "ns", (10, 12)),
            raw.Figure("parse: ask", "Boost.JSON", "ns", (20,)),
            raw.Figure("wrap to 80", "Parley", "ns", (7,))])


class Machine(unittest.TestCase):
    def test_the_innermost_mount_says_the_file_system(self):
        mounts = "a / ext4 rw 0 0\nb /tmp tmpfs rw 0 0\nc /tmpest xfs rw 0 0\n"
        self.assertEqual(machine.file_system_of("/tmp/stores", mounts), "tmpfs")
        self.assertEqual(machine.file_system_of("/srv", mounts), "ext4")


class Page(unittest.TestCase):
    def setUp(self):
        self.files = page.write(SAMPLE)
        self.text = self.files["performance.md"]

    def test_rows_have_medians_and_their_spread(self):
        self.assertIn("| a round | rounds/s | 200 (100–300) | bare SQLite | 400 (400–500) | "
                      "**loses: 2.0 × worse** |", self.text)
        self.assertIn("| memory | MiB | 20 | reference tRPC | 90 | 4.5 × better |", self.text)
        self.assertIn("| start | ms | 5 | – |  |  |", self.text)

    def test_losses_stand_first_and_our_own_other_forms_are_none(self):
        losses = self.text.partition("## Where Parley loses")[2].partition("\n## ")[0]
        peers, _, floors = losses.partition("Beside a bare peer")
        self.assertIn("| list | 3 ms | opencode serve | 1 ms | 3.0 × |", peers)
        self.assertIn("| a round | 200 rounds/s | bare SQLite | 400 rounds/s | 2.0 × |", floors)
        self.assertNotIn("bare SQLite", peers)
        self.assertNotIn("in memory |", losses)
        self.assertIn("| Parley in memory | 900 | 4.5 × worse |", self.text)

    def test_it_says_where_of_what_and_what_is_missing(self):
        for said in ("| commit | 0123456789ab |", "| build | `release`", "SQLite 3.40.1",
                     "1.5 minutes", "`--quick`", "| not measured | page: ended with 1 |"):
            self.assertIn(said, self.text)

    def test_it_says_whether_the_machine_had_other_work(self):
        said = "The machine had other work to do"
        self.assertNotIn(said, self.text)
        busy = {**SAMPLE, "machine": {**SAMPLE["machine"], "load before the run": "1.50"}}
        self.assertIn(said, page.write(busy)["performance.md"])

    def test_a_curve_has_a_table_of_the_sizes_that_ran_and_a_picture(self):
        self.assertRegex(self.text, r"\| 1 \| 50 \(40–60\) \|\n\| 10 \|.*\n\| 100 \|")
        self.assertIn("| 100 | 1,000 | 10 |", self.text)
        pictures = re.findall(r"\]\((performance/[\w-]+\.svg)\)", self.text)
        self.assertEqual(sorted(pictures), ["performance/asks-that-wait.svg",
                                            "performance/subscribers.svg"])
        self.assertLessEqual(set(pictures), set(self.files))


class Pictures(unittest.TestCase):
    def test_a_plot_is_a_document_with_axes_and_a_line_for_each(self):
        lines = {"a & b": [Point(1, 10, 9, 11), Point(100, 12, 11, 14)],
                 "peer": [Point(1, 3, 3, 3), Point(100, 4, 4, 4)]}
        tree = ElementTree.fromstring(draw(Plot("Title", "sizes", "CPU, µs", lines)))
        texts = [element.text for element in tree.iter(f"{SVG}text")]
        for text in ("Title", "a & b", "peer", "sizes (log scale)", "CPU, µs", "1", "100", "0"):
            self.assertIn(text, texts)
        self.assertEqual(len(list(tree.iter(f"{SVG}polyline"))), 2)
        self.assertFalse(list(tree.iter(f"{SVG}script")))

    def test_more_upwards_is_more_and_a_wide_range_is_log(self):
        points = [Point(1, 1, 1, 1), Point(10, 10, 10, 10), Point(100, 100, 100, 100)]
        tree = ElementTree.fromstring(draw(Plot("t", "x", "µs", {"Parley": points})))
        line = next(tree.iter(f"{SVG}polyline")).get("points").split()
        heights = [float(pair.split(",")[1]) for pair in line]
        self.assertAlmostEqual(heights[0] - heights[1], heights[1] - heights[2], delta=0.2)
        self.assertGreater(heights[0], heights[2])
        self.assertIn("µs (log scale)", [each.text for each in tree.iter(f"{SVG}text")])

    def test_ticks_reach_around_all_values(self):
        self.assertEqual(linear_ticks(47), [0, 10, 20, 30, 40, 50])
        self.assertEqual(log_ticks(3, 4000), [1, 10, 100, 1000, 10000])


class Published(unittest.TestCase):
    def test_the_page_in_docs_is_what_its_raw_data_make(self):
        document = json.loads((DOCS / "performance/figures.json").read_text(encoding="utf-8"))
        for name, text in page.write(document).items():
            self.assertEqual((DOCS / name).read_text(encoding="utf-8"), text,
                             f"{name}: write it again by bench --publish --again")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""What was measured, as bench/figures.h writes it, and who was better."""

import json
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

PARLEY = "Parley"
# Peers that do less than is asked of Parley, on purpose.
COMMIT = "last commit that changed the product"
FLOORS = ("bare ", "libpq alone", "/bin/true", "an empty document", "a document that only paints")
ALIKE = 1.05  # within so much of each other nobody was better
SIZE_MARK = " @ "  # before the size, in figures of how a cost grows


@dataclass(frozen=True)
class Figure:
    what: str
    who: str
    unit: str
    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def is_better_when_more(self) -> bool:
        return self.unit.endswith("/s")


@dataclass(frozen=True)
class Row:
    """One figure of ours beside one of a peer, or beside none."""
    ours: Figure
    peer: Figure | None

    @property
    def gain(self) -> float | None:
        """How many times better ours is; below 1 it is worse."""
        if not self.peer or 0 in (self.ours.median, self.peer.median):
            return None
        ratio = self.ours.median / self.peer.median
        return ratio if self.ours.is_better_when_more else 1 / ratio

    @property
    def is_in_doubt(self) -> bool:
        """Whether some run of ours was better and some worse than one of the peer's."""
        if not self.peer or min(len(self.ours.values), len(self.peer.values)) < 2:
            return False
        return (min(self.ours.values) <= max(self.peer.values)
                and min(self.peer.values) <= max(self.ours.values))

    @property
    def is_beside_floor(self) -> bool:
        return self.peer is not None and self.peer.who.startswith(FLOORS)

    @property
    def is_loss(self) -> bool:
        """Another Parley is no peer."""
        return (self.gain is not None and self.gain < 1 / ALIKE
                and not self.peer.who.startswith(PARLEY))


def parse(lines: Iterable[str]) -> list[Figure]:
    """A run in which not one round ended has no cost of a round: null, which is left out."""
    figures = []
    for line in lines:
        read = json.loads(line)
        values = tuple(value for value in read["values"] if value is not None)
        if values:
            figures.append(Figure(read["what"], read["who"], read["unit"], values))
    return figures


def from_documents(documents: Iterable[dict]) -> list[Figure]:
    return parse(json.dumps(each) for each in documents)


def to_document(figure: Figure) -> dict:
    return {"what": figure.what, "who": figure.who, "unit": figure.unit,
            "values": list(figure.values)}


def rows(figures: list[Figure]) -> list[Row]:
    """Ours in the order in which they were measured, beside each peer."""
    found = []
    for ours in figures:
        if ours.who != PARLEY or SIZE_MARK in ours.what:
            continue
        peers = [each for each in figures if each.what == ours.what and each.unit == ours.unit
                 and each.who != PARLEY]
        found += [Row(ours, peer) for peer in peers] or [Row(ours, None)]
    return found


def curve(figures: list[Figure], what: str) -> dict[str, list[tuple[int, Figure]]]:
    """Of whom, at which size, what."""
    curves: dict[str, list[tuple[int, Figure]]] = {}
    for figure in figures:
        name, mark, size = figure.what.partition(SIZE_MARK)
        if mark and name == what:
            curves.setdefault(figure.who, []).append((int(size), figure))
    return {who: sorted(points, key=lambda point: point[0]) for who, points in curves.items()}


def from_google_benchmark(text: str) -> list[Figure]:
    """text_bench is a program of that library; `…_by_boost` is the peer of what has its name."""
    values: dict[tuple[str, str], list[float]] = {}
    for run in json.loads(text)["benchmarks"]:
        if run["run_type"] != "iteration":
            continue
        function, _, document = run["run_name"].partition("/")
        who = "Boost.JSON" if function.endswith("_by_boost") else PARLEY
        name = function.removesuffix("_by_boost").replace("_", " ")
        what = f"{name}: {document}" if document else name
        values.setdefault((what, who), []).append(float(f"{run['cpu_time']:.6g}"))
    return [Figure(what, who, "ns", tuple(each)) for (what, who), each in values.items()]


def merged(standing: dict, new: dict) -> dict:
    """What was measured anew in the place of what stands, if all of it is of one machine; else what
    is new alone. Which commit it is of is kept where that is another one."""
    same = ("build", "processor", "cores", "kernel")
    if any(standing["machine"].get(name) != new["machine"].get(name) for name in same):
        return new
    commit = new["machine"].get(COMMIT)
    is_later = commit != standing["machine"].get(COMMIT)
    commits = {name: of for name, of in standing.get("commits", {}).items()
               if name not in new["figures"]}
    if is_later:
        commits |= {name: commit for name in new["figures"]}
    failed = {name: why for name, why in standing["failed"].items() if name not in new["figures"]}
    return standing | {"failed": failed | new["failed"], "commits": commits,
                       "minutes": round(standing["minutes"] + new["minutes"], 1),
                       "figures": standing["figures"] | new["figures"]}

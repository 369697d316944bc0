# SPDX-License-Identifier: Apache-2.0
"""docs/performance.md and its plots, from raw data alone."""

import raw
from benchmarks import BENCHMARKS, Benchmark, Growth
from machine import quiet_load
from plot import Plot, Point, draw

OPENING = """# Performance

Made by `./parley-dev bench --publish`, which runs the benchmarks of [bench](../bench/README.md) in
turn with their peers. No figure is written by hand: every value that was measured is in
[performance/figures.json](performance/figures.json). Run it on your machine: ratios travel,
absolute figures do not.

"/s" is better when more, all else when less. Figures are medians; in brackets stand the least and
the most of repeated runs, and where those of two overlap, the verdict says so. "Processor" is CPU
time, which other programs on the machine disturb less than they do times and rates. What hostile
clients can make a broker hold or do is not here but in [reliability.md](reliability.md).
"""
BUILDS = {
    "package": "`package`: optimised as a whole, as what is installed",
    "release": "`release`: what is installed is optimised as a whole beyond that",
}
BUSY = """The machine had other work to do during this run. Times and rates are worse than on an
idle one, for Parley and for its peers; figures of one table were taken in turn, those of different
tables at different times.
"""
LOSSES = "## Where Parley loses\n"
NO_LOSSES = "To nobody who does the same, in this run.\n"
FLOORS_SAY = """Beside a bare peer (SQLite alone, libpq alone, a bare server, bare sockets,
/bin/true, an empty document), which does less on purpose, the distance is what Parley's own work
costs:
"""


def amount(value: float) -> str:
    if value == 0:
        return "0"
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def cell(figure: raw.Figure) -> str:
    text = amount(figure.median)
    if len(figure.values) == 1:
        return text
    return f"{text} ({amount(min(figure.values))}–{amount(max(figure.values))})"


def times(gain: float) -> str:
    return f"{gain:,.0f}" if gain >= 10 else f"{gain:.1f}" if gain >= 1.95 else f"{gain:.2f}"


def verdict(row: raw.Row) -> str:
    if row.gain is None:
        return ""
    if 1 / raw.ALIKE <= row.gain <= raw.ALIKE:
        return "alike"
    doubt = ", but the runs overlap" if row.is_in_doubt else ""
    if row.gain > 1:
        return f"{times(row.gain)} × better{doubt}"
    worse = f"{times(1 / row.gain)} × worse{doubt}"
    return f"**loses: {worse}**" if row.is_loss else worse


def table(head: list[str], lines: list[list[str]]) -> str:
    out = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    out += ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join(out) + "\n"


def row_cells(row: raw.Row) -> list[str]:
    peer = [row.peer.who, cell(row.peer)] if row.peer else ["–", ""]
    return [row.ours.what, row.ours.unit, cell(row.ours), *peer, verdict(row)]


def figures_table(figures: list[raw.Figure]) -> str:
    return table(["what", "unit", "Parley", "peer", "the peer's", "Parley is"],
                 [row_cells(row) for row in raw.rows(figures)])


def losses_table(rows: list[raw.Row]) -> str:
    lines = [[row.ours.what, f"{amount(row.ours.median)} {row.ours.unit}", row.peer.who,
              f"{amount(row.peer.median)} {row.peer.unit}", f"{times(1 / row.gain)} ×"]
             for row in rows]
    return table(["what", "Parley", "peer", "the peer's", "worse by"], lines)


def losses(measured: dict[str, list[raw.Figure]]) -> str:
    found = sorted((row for figures in measured.values() for row in raw.rows(figures)
                    if row.is_loss), key=lambda row: row.gain)
    to_peers = [row for row in found if not row.is_beside_floor]
    to_floors = [row for row in found if row.is_beside_floor]
    parts = [LOSSES, losses_table(to_peers) if to_peers else NO_LOSSES]
    if to_floors:
        parts += [FLOORS_SAY, losses_table(to_floors)]
    return "\n".join(parts)


def picture_name(growth: Growth) -> str:
    return growth.what.replace(" ", "-") + ".svg"


def growth_plot(growth: Growth, figures: list[raw.Figure]) -> str:
    lines = {who: [Point(size, figure.median, min(figure.values), max(figure.values))
                   for size, figure in points]
             for who, points in raw.curve(figures, growth.what).items()}
    return draw(Plot(growth.title, growth.across, growth.cost, lines))


def growth_section(growth: Growth, figures: list[raw.Figure]) -> str:
    curves = raw.curve(figures, growth.what)
    head = [growth.across, *(f"{who}, µs" for who in curves)]
    if growth.is_for_each:
        head.append("for each, µs")
    sizes = [size for size, _ in next(iter(curves.values()))]
    at = {who: dict(points) for who, points in curves.items()}
    lines = []
    for size in sizes:
        line = [f"{size:,}", *(cell(points[size]) for points in at.values())]
        if growth.is_for_each:
            line.append(amount(at[raw.PARLEY][size].median / size))
        lines.append(line)
    return (f"### {growth.title}\n\n{growth.says}\n\n![{growth.title}: {growth.cost}, by "
            f"{growth.across}](performance/{picture_name(growth)})\n\n{table(head, lines)}")


def drawn(benchmark: Benchmark, figures: list[raw.Figure]) -> list[Growth]:
    return [growth for growth in benchmark.growths if raw.curve(figures, growth.what)]


def section(benchmark: Benchmark, figures: list[raw.Figure]) -> str:
    parts = [f"## {benchmark.title}\n\n{benchmark.says}\n"]
    if raw.rows(figures):
        parts.append(figures_table(figures))
    parts += [growth_section(growth, figures) for growth in drawn(benchmark, figures)]
    return "\n".join(parts)


def machine_section(document: dict) -> str:
    machine = document["machine"]
    lines = [[name, BUILDS.get(value, value) if name == "build" else str(value)]
             for name, value in machine.items() if name != "versions"]
    lines.append(["versions", ", ".join(f"{name} {version}"
                                        for name, version in machine["versions"].items())])
    lines.append(["the run", f"{document['minutes']} minutes" +
                  (", with sizes and repeats cut (`--quick`)" if document["quick"] else "")])
    failed = document["failed"]
    if failed:
        lines.append(["not measured", "; ".join(f"{name}: {why}" for name, why in failed.items())])
    titles = {benchmark.name: benchmark.title for benchmark in BENCHMARKS}
    for name, commit in document.get("commits", {}).items():
        lines.append([f"measured again: {titles[name]}", f"`{commit}`"])
    # What it is afterwards is the benchmarks' own work.
    load = float(machine.get("load before the run", 0))
    busy = f"{BUSY}\n" if load > quiet_load(machine["cores"]) else ""
    return "## The machine\n\n" + busy + table(["", ""], lines)


def write(document: dict) -> dict[str, str]:
    """The files by their names below docs/."""
    measured = {name: raw.from_documents(each) for name, each in document["figures"].items()}
    files = {}
    parts = [OPENING, machine_section(document), losses(measured)]
    for benchmark in BENCHMARKS:
        figures = measured.get(benchmark.name)
        if not figures:
            continue
        parts.append(section(benchmark, figures))
        for growth in drawn(benchmark, figures):
            files[f"performance/{picture_name(growth)}"] = growth_plot(growth, figures)
    files["performance.md"] = "\n".join(parts)
    return files

# SPDX-License-Identifier: Apache-2.0
"""A plot as SVG: sizes to the right on a log scale, a cost upwards, linear from nought or, where it
spans more than a factor of 20, log as well. No script; colours for light and dark."""

import math
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 720, 380
LEFT, RIGHT, TOP, BOTTOM = 92, 42, 52, 58
COLORS = ("#2f81f7", "#d9822b", "#2da44e")
LOG_FROM = 20
STYLE = """<style>
text{font:13px system-ui,sans-serif;fill:#6e7781}
.title{font-weight:600;font-size:15px}
.line{fill:none;stroke-width:2}
.grid{stroke:#6e7781;stroke-opacity:.25}
.axis{stroke:#6e7781}
@media (prefers-color-scheme:dark){text{fill:#9aa4af}}
</style>"""


@dataclass(frozen=True)
class Point:
    size: float
    value: float  # the median
    least: float
    most: float


@dataclass(frozen=True)
class Plot:
    title: str
    across: str
    upwards: str  # with the unit
    lines: dict[str, list[Point]]


def number(value: float) -> str:
    if value >= 10 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.2g}"


def linear_ticks(most: float) -> list[float]:
    rough = most / 5
    unit = 10 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
    return [step * index for index in range(math.ceil(most / step) + 1)]


def log_ticks(least: float, most: float) -> list[float]:
    return [10.0 ** power for power in range(math.floor(math.log10(least)),
                                             math.ceil(math.log10(most)) + 1)]


class _Canvas:
    def __init__(self, plot: Plot) -> None:
        points = [point for line in plot.lines.values() for point in line]
        values = [point.value for point in points]
        self.sizes = sorted({point.size for point in points})
        self.is_log = max(values) > LOG_FROM * min(values)
        most = max(point.most for point in points)
        least = min(point.least for point in points)
        self.ticks = log_ticks(least, most) if self.is_log else linear_ticks(most)

    def x(self, size: float) -> float:
        first, last = math.log(self.sizes[0]), math.log(self.sizes[-1])
        share = (math.log(size) - first) / (last - first) if last > first else 0.5
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        first, last = self.ticks[0], self.ticks[-1]
        if self.is_log:
            share = math.log(value / first) / math.log(last / first)
        else:
            share = (value - first) / (last - first)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _text(x: float, y: float, text: str, more: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(text)}</text>'


def _rule(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _axes(plot: Plot, canvas: _Canvas) -> list[str]:
    out = []
    bottom = HEIGHT - BOTTOM
    for tick in canvas.ticks:
        y = canvas.y(tick)
        out.append(_rule("grid", LEFT, y, WIDTH - RIGHT, y))
        out.append(_text(LEFT - 8, y + 4, number(tick), 'text-anchor="end"'))
    for size in canvas.sizes:
        x = canvas.x(size)
        out.append(_rule("axis", x, bottom, x, bottom + 5))
        out.append(_text(x, bottom + 20, number(size), 'text-anchor="middle"'))
    out.append(_rule("axis", LEFT, bottom, WIDTH - RIGHT, bottom))
    scale = " (log scale)" if canvas.is_log else ""
    middle = (LEFT + WIDTH - RIGHT) / 2
    out.append(_text(middle, HEIGHT - 14, f"{plot.across} (log scale)", 'text-anchor="middle"'))
    high = (TOP + bottom) / 2
    out.append(_text(16, high, plot.upwards + scale,
                     f'text-anchor="middle" transform="rotate(-90 16 {high:.1f})"'))
    return out


def _line(points: list[Point], color: str, canvas: _Canvas) -> list[str]:
    path = " ".join(f"{canvas.x(point.size):.1f},{canvas.y(point.value):.1f}" for point in points)
    out = [f'<polyline class="line" stroke="{color}" points="{path}"/>']
    for point in points:
        x, y = canvas.x(point.size), canvas.y(point.value)
        out.append(f'<line stroke="{color}" stroke-opacity=".6" x1="{x:.1f}" x2="{x:.1f}" '
                   f'y1="{canvas.y(point.least):.1f}" y2="{canvas.y(point.most):.1f}"/>')
        out.append(f'<circle fill="{color}" r="3.5" cx="{x:.1f}" cy="{y:.1f}"/>')
    return out


def draw(plot: Plot) -> str:
    canvas = _Canvas(plot)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
           f"<title>{escape(plot.title)}</title>", STYLE,
           _text(LEFT, 20, plot.title, 'class="title"')]
    left = float(LEFT)
    for color, who in zip(COLORS, plot.lines):
        out.append(f'<circle fill="{color}" r="4" cx="{left + 4:.1f}" cy="37"/>')
        out.append(_text(left + 14, 41, who, ""))
        left += 34 + 7.2 * len(who)
    out += _axes(plot, canvas)
    for color, points in zip(COLORS, plot.lines.values()):
        out += _line(points, color, canvas)
    return "\n".join([*out, "</svg>"]) + "\n"

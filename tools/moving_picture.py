#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/pictures/moving.svg: an agent's terminal waits, a phone answers, the terminal goes on.
The frames are what the real programs show (moving_frames.mjs); where nothing moves, the picture
is the moment of the decision.

    PARLEY_PROGRAM=build/release/parley tools/moving_picture.py [FILE]
"""

import base64
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from terminal_pictures import CELL_HEIGHT, CELL_WIDTH, MARGIN, ROOT, draw_screen

NODE = ROOT / "tests/node/node_modules/.bin/node"
BYTES_MAX = 250_000
GAP, BEZEL, CAPTION_HEIGHT = 22, 9, 40
RARE = str.maketrans("⎿⏸", "└‖")  # few fonts have these


@dataclass(frozen=True)
class Scene:
    seconds: float
    terminal: str
    phone: str
    caption: str
    has_tap: bool = False


SCENES = (
    Scene(2.4, "works", "nothing", "An agent works, in its own window."),
    Scene(2.4, "waits", "asked",
          "It needs a permission, and waits: in its window and on your phone."),
    Scene(2.4, "waits", "opened", "You see all that you would permit, wherever you are."),
    Scene(0.9, "waits", "opened", "You see all that you would permit, wherever you are.", True),
    Scene(1.3, "waits", "chosen", "You decide: the first answer counts.", True),
    Scene(4.0, "goes-on", "answered", "The agent goes on with exactly that answer."),
)
STILL = 2  # the scene that is shown where nothing moves


def visibility(name: str, shown: list[bool]) -> str:
    """A class whose elements are to be seen in these scenes."""
    whole = sum(scene.seconds for scene in SCENES)
    steps, passed = [], 0.0
    for scene, is_shown in zip(SCENES, shown):
        steps.append(f"{100 * passed / whole:.2f}%{{visibility:"
                     f"{'visible' if is_shown else 'hidden'}}}")
        passed += scene.seconds
    still = "visible" if shown[STILL] else "hidden"
    return (f".{name}{{visibility:{still};animation:{name} {whole:.1f}s step-end infinite}}\n"
            f"@keyframes {name}{{{''.join(steps)}}}\n")


def parts(kind: str, names: list[str], drawn: dict[str, str]) -> tuple[str, str]:
    """The style and the groups of what changes: each thing once, shown where its name is."""
    style = body = ""
    for number, name in enumerate(dict.fromkeys(names)):
        if name:
            style += visibility(f"{kind}{number}", [one == name for one in names])
            body += f'<g class="{kind}{number}">\n{drawn[name]}\n</g>\n'
    return style, body


def image(file: Path, width: float, height: float) -> str:
    data = base64.b64encode(file.read_bytes()).decode()
    return f'<image width="{width}" height="{height}" href="data:image/webp;base64,{data}"/>'


def compose(folder: Path) -> str:
    frames = json.loads((folder / "frames.json").read_text())
    phone, taps = frames["phone"], frames["taps"]
    width = frames["columns"] * CELL_WIDTH + 2 * MARGIN
    height = frames["rows"] * CELL_HEIGHT + 2 * MARGIN
    scale = (height - 2 * BEZEL) / phone["height"]
    body_width = phone["width"] * scale + 2 * BEZEL
    whole = width + GAP + body_width

    screens = {scene.terminal: (folder / f"{scene.terminal}.txt").read_text().translate(RARE)
               for scene in SCENES}
    terminals = {name: draw_screen(screen) for name, screen in screens.items()}
    phones = {scene.phone: image(folder / f"{scene.phone}.webp", phone["width"], phone["height"])
              for scene in SCENES}
    rings = {scene.phone: f'<circle class="tap" cx="{taps[scene.phone]["x"]:.0f}" '
             f'cy="{taps[scene.phone]["y"]:.0f}" r="26"/>' for scene in SCENES if scene.has_tap}
    captions = {scene.caption: f'<text x="{whole / 2:.0f}" y="{height + 28}" class="caption">'
                f'{scene.caption}</text>' for scene in SCENES}
    styles, groups = zip(
        parts("t", [scene.terminal for scene in SCENES], terminals),
        parts("p", [scene.phone for scene in SCENES], phones),
        parts("r", [scene.phone if scene.has_tap else "" for scene in SCENES], rings),
        parts("c", [scene.caption for scene in SCENES], captions))
    tall = height + CAPTION_HEIGHT
    size = f'width="{whole:.0f}" height="{tall}" viewBox="0 0 {whole:.0f} {tall}"'
    return f'''<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">
<title>An agent's terminal waits, a phone answers, the terminal goes on</title>
<style>
.screen{{font:14px ui-monospace,DejaVu Sans Mono,Menlo,Consolas,monospace}}
.caption{{font:600 17px system-ui,sans-serif;fill:#7f849c;text-anchor:middle}}
.tap{{fill:#f38ba8;fill-opacity:.45;stroke:#f38ba8;stroke-width:3}}
{"".join(styles)}@media (prefers-reduced-motion:reduce){{g{{animation:none!important}}}}
</style>
<rect width="{width:.0f}" height="{height}" rx="8" fill="#1e1e2e"/>
<g class="screen">
{groups[0]}</g>
<rect x="{width + GAP:.0f}" width="{body_width:.0f}" height="{height}" rx="26" fill="#11111b"/>
<clipPath id="glass"><rect width="{phone["width"]}" height="{phone["height"]}" rx="27"/></clipPath>
<g transform="translate({width + GAP + BEZEL:.1f} {BEZEL}) scale({scale:.4f})">
<g clip-path="url(#glass)">
{groups[1]}</g>
{groups[2]}</g>
{groups[3]}</svg>
'''


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([NODE, ROOT / "tools/moving_frames.mjs", folder], check=True,
                       env=os.environ)
        picture = compose(Path(folder))
    if len(picture) > BYTES_MAX:
        print(f"{len(picture)} bytes; the limit is {BYTES_MAX}", file=sys.stderr)
        return 1
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/pictures/moving.svg"
    file.write_text(picture)
    print(f"{file}: {len(picture)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())

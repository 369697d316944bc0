# SPDX-License-Identifier: Apache-2.0
"""What a benchmark measured, for programs: see bench/figures.h."""

import json
import os
from collections.abc import Iterable

PARLEY = "Parley"


def record(what: str, unit: str, values: Iterable[float], who: str = PARLEY) -> None:
    if path := os.environ.get("BENCH_FIGURES"):
        figure = {"what": what, "who": who, "unit": unit,
                  "values": [float(f"{value:.6g}") for value in values]}
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(figure, ensure_ascii=False) + "\n")

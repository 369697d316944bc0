# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks and writes docs/performance.md: see README.md."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import machine
import page
import raw
from benchmarks import BENCHMARKS, Benchmark

ROOT = Path(__file__).resolve().parent.parent.parent
NODE = "tests/node/node_modules/.bin/node"
DATA = "performance/figures.json"
PATIENCE_SECONDS = 900  # for one benchmark
QUIET_SECONDS_MAX = 240


def command_of(benchmark: Benchmark, build: Path, is_quick: bool) -> list[str]:
    words = benchmark.quick_words if is_quick and benchmark.quick_words else benchmark.words
    if benchmark.program:
        return [str(build / "benchmarks" / benchmark.program), *words]
    if (ROOT / "bench" / benchmark.name).is_dir():
        return [NODE, f"bench/{benchmark.name}/bench.mjs", *words]
    return [sys.executable, "-B", f"bench/{benchmark.name}.py", *words]


def run(benchmark: Benchmark, build: Path, is_quick: bool) -> list[raw.Figure]:
    if benchmark.npm:
        subprocess.run(["tools/npm.sh", *benchmark.npm], check=True, cwd=ROOT)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figures"
        command = command_of(benchmark, build, is_quick)
        if benchmark.name == "text":
            command += [f"--benchmark_out={file}", "--benchmark_out_format=json",
                        "--benchmark_enable_random_interleaving=true"]
        variables = {**os.environ, "PARLEY_PROGRAM": str(build / "parley"),
                     "BENCH_FIGURES": str(file)}
        subprocess.run(command, check=True, cwd=ROOT, env=variables, timeout=PATIENCE_SECONDS)
        text = file.read_text(encoding="utf-8")
    if benchmark.name == "text":
        return raw.from_google_benchmark(text)
    return raw.parse(text.splitlines())


def reason(error: Exception) -> str:
    """Without commands and paths, which are of this machine."""
    if isinstance(error, subprocess.CalledProcessError):
        return f"ended with {error.returncode}"
    if isinstance(error, subprocess.TimeoutExpired):
        return f"took more than {PATIENCE_SECONDS} s"
    return "wrote no figures"


def wait_for_quiet() -> None:
    """What built the program, or ran before, still counts as load for a minute or two."""
    end = time.monotonic() + QUIET_SECONDS_MAX
    while os.getloadavg()[0] > machine.quiet_load(os.cpu_count()) and time.monotonic() < end:
        print(f"waiting for other work to end, at a load of {os.getloadavg()[0]:.2f}", flush=True)
        time.sleep(15)


def measure(chosen: list[Benchmark], build: Path, is_quick: bool) -> dict:
    document = {"machine": machine.describe(build), "quick": is_quick, "minutes": 0.0,
                "failed": {}, "figures": {}}
    begun = time.monotonic()
    for benchmark in chosen:
        print(f"== {benchmark.name}, after {time.monotonic() - begun:.0f} s", flush=True)
        try:
            figures = run(benchmark, build, is_quick)
            document["figures"][benchmark.name] = [raw.to_document(each) for each in figures]
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            print(f"{benchmark.name}: {error}", file=sys.stderr)
            document["failed"][benchmark.name] = reason(error)
    document["minutes"] = round((time.monotonic() - begun) / 60, 1)
    document["machine"] |= {"load after the run": f"{os.getloadavg()[0]:.2f}"}
    return document


def as_text(document: dict) -> str:
    """One figure a line, so that what changed can be seen."""
    figures = ",\n".join(
        f"  {json.dumps(name)}: [\n" +
        ",\n".join("   " + json.dumps(each, ensure_ascii=False) for each in all_of) + "\n  ]"
        for name, all_of in document["figures"].items())
    rest = {name: value for name, value in document.items() if name != "figures"}
    head = json.dumps(rest, indent=1, ensure_ascii=False).removesuffix("\n}")
    return f'{head},\n "figures": {{\n{figures}\n }}\n}}\n'


def main() -> int:
    parser = argparse.ArgumentParser(prog="parley-dev bench --publish")
    parser.add_argument("--build", type=Path, default=ROOT / "build/package",
                        help="folder of the build that is measured")
    parser.add_argument("--quick", action="store_true", help="cut sizes and repeats")
    parser.add_argument("--only", nargs="+", metavar="NAME",
                        choices=[benchmark.name for benchmark in BENCHMARKS],
                        help="measure these anew, and keep the rest that stands on the page")
    parser.add_argument("--to", type=Path, default=ROOT / "docs", help="where the page goes")
    parser.add_argument("--again", action="store_true",
                        help="measure nothing: write the page from the raw data once more")
    options = parser.parse_args()
    data = options.to / DATA
    if options.again:
        document = json.loads(data.read_text(encoding="utf-8"))
    else:
        chosen = [one for one in BENCHMARKS if not options.only or one.name in options.only]
        wait_for_quiet()
        document = measure(chosen, options.build.resolve(), options.quick)
        if options.only and data.exists():
            document = raw.merged(json.loads(data.read_text(encoding="utf-8")), document)
        data.parent.mkdir(parents=True, exist_ok=True)
        data.write_text(as_text(document), encoding="utf-8")
    for name, text in page.write(document).items():
        (options.to / name).write_text(text, encoding="utf-8")
    print(f"{options.to / 'performance.md'}; {document['minutes']} minutes")
    return 1 if document["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())

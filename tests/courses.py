#!/usr/bin/env python3
"""Course kernels (tests/kernels/courses), correct ones and some with one mistake, in run, trace, shot, check-lab, emulate,
in a notebook, in the trial run of a dropped file, and in the window: is the verdict the same everywhere, at the same line?

    tests/courses.py [BUILD [REGEX]]        BUILD (default build/ci) has lanescope, cli_tests and ui_tests

REGEX selects kernels by name; the window always shows all of them. LANESCOPE_PROGRAM names another program to test. The
window needs Xvfb. Prints one row per kernel and totals; exits with 1 if any verdict differs."""
import concurrent.futures
import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests/kernels/courses"
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/ci").resolve()
PROGRAM = os.environ.setdefault("LANESCOPE_PROGRAM", str(BUILD / "lanescope"))
COMMANDS = ["run", "trace", "shot", "check-lab", "emulate"]
DOUBTS = ("undefined_result", "partial_barrier") # warnings
WAYS = COMMANDS + ["notebook", "first run", "window"]
sys.path.insert(0, str(ROOT / "app/packaging/python"))
import lanescope


def rows(regex):
    """Rows of the table of verdicts: name, kind, and the line of the mistake (None for a correct kernel)."""
    words = [row.split() for row in (FOLDER / "verdicts.txt").read_text().splitlines()]
    return [(*row, None)[:3] for row in words if row and row[0][0] != "#" and re.search(regex, row[0])]


def wanted(kind, line):
    word = {"right": "right", "time_limit": "stopped"}.get(kind, "doubt" if kind in DOUBTS else "fault")
    return f"{word}:{line}" if line else word


def verdict(row, status, status_of_faults, said, warned):
    name, kind, line = row
    fails = kind != "right" and kind not in DOUBTS
    if kind == "beyond_guess": # of a guessed size: no verdict
        status_of_faults = 2
    there = f"{name}.cu:{line}" in said if line else not warned
    return wanted(kind, line) if there and status == (status_of_faults if fails else 0) else f"WRONG({status})"


def by_command(row, way, pictures):
    name, kind, _ = row
    words = {"run": ["--steps", "1"], "shot": ["-o", f"{pictures}/{name}.png", "--size", "320x180", "--frame", "1"]}.get(way, [])
    if kind == "time_limit":
        words = words + ["--time-limit", "0.3"]
    if way == "emulate" and name == "clamp_template":
        words = ["--kernel", "clampValues<int>"]
    done = subprocess.run([PROGRAM, way, str(FOLDER / f"{name}.cu"), *words], capture_output=True, text=True, errors="replace",
                          env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
    return verdict(row, done.returncode, 1 if way == "check-lab" else 5, done.stderr + done.stdout, "warning" in done.stderr)


def in_notebook(row):
    warned = io.StringIO()
    try:
        with contextlib.redirect_stderr(warned):
            lanescope.trace(FOLDER / f"{row[0]}.cu", device="simt")
        return verdict(row, 0, 5, warned.getvalue(), "warning" in warned.getvalue())
    except lanescope.LanescopeError as error:
        return verdict(row, error.status, 5, str(error), False)


def failures(binary, chosen, folder):
    """Failure messages of the chosen tests of a binary, by test name."""
    out = f"{folder}/{binary}.json"
    subprocess.run([BUILD / binary, f"--gtest_filter={chosen}", f"--gtest_output=json:{out}"], cwd=BUILD,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "LANESCOPE_COURSES": "1"})
    with open(out) as file:
        suites = json.load(file)["testsuites"]
    return {test["name"]: "\n".join(one["failure"] for one in test.get("failures", [])) for suite in suites
            for test in suite["testsuite"] if test["result"] == "COMPLETED"}


def in_window(said, all_rows):
    """Verdicts of the one test that opens all kernels in turn; unknown for all kernels after one that does not open."""
    table, ended, text = {}, not said, "".join(said.values())
    for name, kind, line in all_rows:
        ended = ended or f" {name}. Last report" in text
        bad = ended or re.search(rf"\b{name}\b", text)
        table[name] = "WRONG" if bad else wanted(kind, line)
    return table


def main():
    chosen = rows(sys.argv[2] if len(sys.argv) > 2 else "")
    table = {row[0]: {} for row in chosen}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        window = pool.submit(failures, "ui_tests", "OwnKernel.CourseKernel*", folder)
        jobs = {pool.submit(by_command, row, way, folder): (row[0], way) for row in chosen for way in COMMANDS}
        for job in concurrent.futures.as_completed(jobs):
            name, way = jobs[job]
            table[name][way] = job.result()
        names = ":".join(f"*WindowTrialGivesSameVerdict/{row[0]}" for row in chosen)
        first = failures("cli_tests", names, folder)
        window = window.result()
    shown = in_window(window, rows(""))
    for row in chosen:
        name, kind, line = row
        table[name]["notebook"] = in_notebook(row) # redirects stderr, so not in parallel
        said = [text for test, text in first.items() if test.endswith("/" + name)]
        table[name]["first run"] = wanted(kind, line) if said == [""] else "WRONG"
        table[name]["window"] = shown[name]
    print(f"{'kernel':34}" + "".join(f"{way:>14}" for way in WAYS))
    for name, verdicts in table.items():
        print(f"{name:34}" + "".join(f"{verdicts[way]:>14}" for way in WAYS))
    right = [row[0] for row in chosen if row[1] == "right"]
    wrong = [row[0] for row in chosen if set(table[row[0]].values()) != {wanted(*row[1:])}]
    print(f"{len(chosen)} kernels, {len(right)} right, {len(chosen) - len(right)} with a mistake: {len(wrong)} without one verdict "
          f"everywhere, {len(set(wrong) & set(right))} right ones among them")
    said = "".join(window.values())
    if said:
        print("the window's test:", said[:600])
    sys.exit(1 if wrong or said or not chosen else 0)


main()

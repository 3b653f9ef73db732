#!/usr/bin/env python3
"""Runs the tests that numba-cuda's package contains (or Numba's, for its older target), each module with `lanescope
program`, and counts results.

    tests/programs/python/numba_suite.py [--lanescope build/ci/lanescope] [--python .deps/numba/bin/python3] [MODULE …]

Needs the packages of app/packaging/requirements/numba_suite.txt, which `source app/setup.sh; fetch_numba_suite`
installs. Writes a file per module into --logs, and prints a line per module, then failures by the last line of their traceback.
Takes more than half an hour."""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests")]
from python_programs import environment

END = re.compile(r"^Ran (\d+) tests? in ", re.M)
FUNCTIONS = """import importlib, inspect, sys, unittest
module = importlib.import_module(sys.argv[1])
tests = [function for name, function in inspect.getmembers(module, inspect.isfunction)
         if name.startswith("test") and not inspect.signature(function).parameters]
unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(map(unittest.FunctionTestCase, tests)))
"""


def modules(python, folder):
    """Names of the test modules below the package's folder, without benchmarks and the simulator's tests."""
    found = subprocess.run([python, "-c", "import numba.cuda; print(numba.cuda.__path__[0])"], capture_output=True,
                           text=True, check=True).stdout.strip()
    tests = pathlib.Path(found) / "tests"
    return sorted(".".join(("numba.cuda.tests", *path.relative_to(tests).with_suffix("").parts))
                  for path in tests.rglob("test_*.py") if path.parts[-2] not in ("benchmarks", "cudasim"))


def counted(text):
    """Numbers of passed and skipped tests, and the last line of each failed test's first traceback, keyed by test."""
    ran = END.search(text)
    if not ran:
        return None
    skipped = int(match[1]) if (match := re.search(r"\bskipped=(\d+)", text[ran.end():])) else 0
    failures = {}
    for block in re.split(r"^={70}$", text[:ran.start()], flags=re.M)[1:]:
        head = re.search(r"^(?:FAIL|ERROR): (\w+) \(([\w.]+)\)", block, re.M)
        lines = [line for line in block.rstrip("-\n ").splitlines() if line.strip()]
        if head:
            failures.setdefault(head[2] if head[2].endswith(head[1]) else f"{head[2]}.{head[1]}", lines[-1].strip())
    failures = {test: reason for test, reason in failures.items() if not reason.startswith("Skipped: ")}
    return max(0, int(ran[1]) - len(failures) - skipped), skipped, failures


def run_tests(chosen, words, log, tests):
    """The tests' results, and how the process ended. unittest finds none in a module of functions, as test_matmul is:
    those functions are then run as they are."""
    result, ended = run_with(chosen, words, log, ["-m", "unittest", "--", "-v", tests])
    if result == (0, 0, {}):
        script = log.parent / "functions.py"
        script.write_text(FUNCTIONS, encoding="utf-8")
        result, ended = run_with(chosen, words, log, [str(script), "--", tests])
    return result, ended


def run_with(chosen, words, log, command):
    """The same of one process."""
    with open(log, "w", encoding="utf-8") as text:
        process = subprocess.Popen([os.path.abspath(chosen.lanescope), "program", *command], stdout=text,
                                   stderr=subprocess.STDOUT, cwd=log.parent, env=words, start_new_session=True)
        try:
            process.wait(chosen.timeout)
            ended = f"status {process.returncode}"
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
            ended = "stopped"
    return counted(log.read_text(encoding="utf-8", errors="replace")), ended


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--lanescope", default=ROOT / "build/ci/lanescope")
    options.add_argument("--python", default=ROOT / ".deps/numba/bin/python3")
    options.add_argument("--logs", default=ROOT / "build/numba_suite")
    options.add_argument("--packages", default=ROOT / ".deps/numba_suite",
                         help="the folder with the packages of app/packaging/requirements/numba_suite.txt")
    options.add_argument("--timeout", type=float, default=300, help="seconds per module")
    options.add_argument("module", nargs="*", help="a module, or a part of its name (default: all)")
    chosen = options.parse_args()
    logs = pathlib.Path(chosen.logs).resolve()
    logs.mkdir(parents=True, exist_ok=True)
    words = environment(os.path.abspath(chosen.python), str(logs))
    words["PYTHONPATH"] = os.path.abspath(chosen.packages)
    sums, kinds = [0, 0, 0], collections.Counter()
    for module in modules(chosen.python, logs):
        if chosen.module and not any(part in module for part in chosen.module):
            continue
        name = module.removeprefix("numba.cuda.tests.")
        begin = time.time()
        result, ended = run_tests(chosen, words, logs / f"{name}.txt", module)
        if result is None:
            kinds[f"{module}: no summary, {ended}"] += 1
            print(f"{module}: no summary, {ended}; {time.time() - begin:.0f} s", flush=True)
            continue
        passed, skipped, failures = result
        # A fault ends the context of all later tests of the process, as on a GPU: each failed test runs alone.
        failed = 0
        for test in failures:
            alone, ended = run_tests(chosen, words, logs / f"{name}.{test.rsplit('.', 1)[-1]}.txt", test)
            if alone is None or alone[2]:
                failed += 1
                reason = next(iter(alone[2].values())) if alone else f"no summary, {ended}"
                kinds[re.sub(r"\d+", "N", reason)[:160]] += 1
                print(f"    {test}: {reason[:200]}", flush=True)
            else:
                passed, skipped = passed + alone[0], skipped + alone[1]
        sums = [a + b for a, b in zip(sums, (passed, failed, skipped))]
        print(f"{module}: {passed} passed, {failed} failed, {skipped} skipped; {time.time() - begin:.0f} s", flush=True)
    print(f"all: {sums[0]} passed, {sums[1]} failed, {sums[2]} skipped")
    for kind, number in kinds.most_common():
        print(f"{number:5} {kind}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Python programs on the lockstep machine: Numba, cuda.core and cuda.bindings; puzzles, a course, homework and kernels
in CUDA C++ that are silent and have a mistake found at its line; mistakes in host code; and the manual's page for
Python, command by command.

    tests/python_programs.py [--lanescope build/ci/lanescope] [--python .deps/numba/bin/python3]
        [--older .deps/numba_older/bin/python3] [--pycuda .deps/pycuda] [--quick]

--quick runs a sample, as continuous integration does. Needs nvcc's toolkit for NVRTC and NVVM, and the packages of
app/packaging/requirements/numba.txt."""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time

from programs import ROOT, find_nvcc

FOLDER = os.path.join(ROOT, "tests", "programs", "python")
PAGE = os.path.join(ROOT, "assets", "manual", "python.md")
SAMPLE = ["guarded", "prefix_sum"]


def environment(python, folder):
    """The environment that a user of the interpreter has, with the toolkit's NVRTC and NVVM."""
    home = os.path.dirname(os.path.dirname(os.path.realpath(find_nvcc())))
    found = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NUMBA"))}
    return {**found, "VIRTUAL_ENV": os.path.dirname(os.path.dirname(python)), "CUDA_HOME": home, "CUDA_PATH": home,
            "NUMBA_CACHE_DIR": os.path.join(folder, "cache"), "NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS": "0",
            "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore"}


class Runner:
    def __init__(self, lanescope, python, folder):
        self.lanescope, self.folder = lanescope, folder
        self.environment = environment(python, folder)
        self.problems = []

    def run(self, *words):
        return subprocess.run([self.lanescope, *words], capture_output=True, text=True, cwd=self.folder,
                              env=self.environment)

    def program(self, *words):
        """Status, output, error output, and (file's line, kind) of each finding."""
        done = self.run("program", "--json", *words)
        try:
            report = json.loads(done.stdout)
        except json.JSONDecodeError:
            return done.returncode, done.stdout, done.stderr, []
        findings = [(finding["line"], finding["kind"], finding["message"]) for finding in report["findings"]]
        self.files = {(finding["line"], os.path.basename(finding["file"])) for finding in report["findings"]}
        findings += [(0, "missing", sentence) for sentence in report["missing"] if "made no CUDA calls" not in sentence]
        return done.returncode, report["output"], report["error_output"], findings

    def check(self, what, right, *shown):
        if not right:
            self.problems.append(f"{what}: {shown}")


def lines_of(script):
    """Line and kind of each mistake: "# NAME: KIND" at its end, or "// NAME: KIND"."""
    with open(script, encoding="utf-8") as text:
        found = [(number, re.search(r"(?:#|//) (\w+): (\w+)$", line.rstrip())) for number, line in enumerate(text, 1)]
    return {match[1]: (number, match[2]) for number, match in found if match}


def check_puzzles(runner, quick):
    script = os.path.join(FOLDER, "puzzles.py")
    mistakes = lines_of(script)
    status, output, errors, findings = runner.program(script)
    runner.check("puzzles", status == 0 and not findings and output == "".join(f"{name} right\n" for name in mistakes),
                 status, output, errors, findings)
    runner.check("puzzles", len(mistakes) == 14, mistakes)
    for name in SAMPLE if quick else mistakes:
        status, output, errors, findings = runner.program(script, "--", name)
        found = [finding[:2] for finding in findings]
        runner.check(name, status == 5 and mistakes[name] in found, status, output, errors, findings)
    if not quick:
        message = runner.program(script, "--", "convolution")[3][0][2]
        runner.check("names", "passed as parameter a (" in message and "In kernel mistaken at" in message, message)


def check_exercises(runner, script, modules=(), quick=False, sample=None):
    """All exercises of the script as they should be, then all with their mistakes, or those of the sample."""
    name = os.path.basename(script)
    mistakes = {**lines_of(script), **{key: place for module in modules for key, place in lines_of(module).items()}}
    if not quick:
        status, output, errors, findings = runner.program(script)
        runner.check(name, status == 0 and not findings and all(line.endswith(" right") for line in output.splitlines())
                     and len(output.splitlines()) == len(mistakes), status, output, errors, findings)
    if quick and sample:
        mistakes = {exercise: mistakes[exercise] for exercise in sample}
    status, output, errors, findings = runner.program(script, "--", *mistakes)
    found = {finding[:2] for finding in findings}
    for exercise, place in mistakes.items():
        runner.check(f"{name} {exercise}", place in found, place, output, errors, findings)
    lines = {line for line, _ in mistakes.values()}
    runner.check(name, status == 5 and {line for line, _ in found} == lines, status, sorted(found), output)
    files = [os.path.basename(file) for file in (script, *modules)]
    runner.check(name, all(file in files for _, file in runner.files), runner.files)


def check_older_target(runner):
    """Numba's own target: the puzzles, and a grid-wide barrier, for which it links NVIDIA's device library."""
    check_puzzles(runner, True)
    script = os.path.join(runner.folder, "grid.py")
    with open(script, "w", encoding="utf-8") as text:
        text.write("""import numpy as np
from numba import cuda

@cuda.jit
def reversed_twice(values, out):
    i = cuda.grid(1)
    values[i] = i
    cuda.cg.this_grid().sync()
    out[i] = values[values.size - 1 - i]

out = np.zeros(256, np.int32)
reversed_twice[4, 64](np.zeros(256, np.int32), out)
print((out == np.arange(256)[::-1]).all())
""")
    status, output, errors, findings = runner.program(script)
    runner.check("grid-wide barrier", status == 0 and output == "True\n" and not findings, status, output, errors,
                 findings)


def check_pycuda(runner, packages):
    """PyCUDA, which compiles with nvcc as a child process."""
    script = os.path.join(FOLDER, "with_pycuda.py")
    before = dict(runner.environment)
    runner.environment |= {"PYTHONPATH": packages, "PYCUDA_CACHE_DIR": runner.folder,
                           "PATH": os.path.join(before["CUDA_HOME"], "bin") + os.pathsep + before["PATH"]}
    status, output, errors, findings = runner.program(script)
    runner.check("PyCUDA", status == 0 and output == "right\n" and not findings, status, output, errors, findings)
    status, output, errors, findings = runner.program(script, "--", "wrong")
    runner.check("PyCUDA, wrong", [finding[:2] for finding in findings] == [lines_of(script)["wrong"]] and
                 {file for _, file in runner.files} == {"with_pycuda.py"} and "an illegal memory access" in errors, status,
                 errors, findings)
    runner.environment = before


def check_host(runner, quick):
    script = os.path.join(FOLDER, "host.py")
    status, output, errors, findings = runner.program(script)
    runner.check("host", status == 0 and not findings and output == "pinned_filled right\nwith_runtime right\n", status,
                 output, errors, findings)
    mistakes = lines_of(script)
    for name in ["copy_too_long"] if quick else mistakes:
        status, output, errors, findings = runner.program(script, "--", name)
        runner.check(name, status == 5 and [finding[:2] for finding in findings] == [mistakes[name]], mistakes[name],
                     status, output, errors, findings)


def check_kinds(runner, quick):
    script = os.path.join(FOLDER, "kinds.py")
    right = {"default": "saxpy 1999.0\n", "optimised": "saxpy 1999.0\n", "debug": "saxpy 1999.0\n",
             "cached": "saxpy 1999.0\n", "linked": "doubled 62\n", "empty_tuples": "length 2\n", "core": "scale 3.0\n",
             "compiler_error": "NVRTC_ERROR_COMPILATION True\n", "by_name": "0 0\n"}
    for name in ["cached", *right] if not quick else ["optimised", "core"]:
        status, output, errors, findings = runner.program(script, "--", name)
        runner.check(name, status == 0 and not findings and output == right[name], status, output, errors, findings)
    status, output, errors, findings = runner.program(script, "--", "core_with_mistake")
    found = [finding[:2] for finding in findings]
    runner.check("core_with_mistake", status == 5 and found == [lines_of(script)["cpp"]], status, output, errors,
                 findings)
    status, output, errors, _ = runner.program(script, "--", "exception")
    said = "ValueError: as written in the script"
    runner.check("exception", status == 1 and "saxpy 1999.0" in output and said in errors, status, output, errors)
    runner.environment["MALLOC_PERTURB_"] = "165" # a use of freed memory ends the program
    status, output, errors, findings = runner.program(script, "--", "at_end")
    runner.check("at_end", status == 5 and [finding[:2] for finding in findings] == [lines_of(script)["at_end"]], status,
                 output, errors, findings)
    del runner.environment["MALLOC_PERTURB_"]
    status = runner.program(script, "--", "status")[0]
    runner.check("status", status == 3, status)
    _, output, errors, _ = runner.program(script, "--", "arguments", "a", "--b")
    runner.check("arguments", output == "['a', '--b'] __main__ kinds.py\n", output, errors)
    done = runner.run("program", "-m", "platform", "--", "--terse")
    runner.check("module", done.returncode == 0 and "Linux" in done.stdout, done)
    done = runner.run("program", "no_such_script.py")
    runner.check("no script", done.returncode == 3 and "There is no file no_such_script.py" in done.stderr, done)


def check_page(runner):
    """Follows the manual's page: writes its script, and runs its commands in order."""
    with open(PAGE, encoding="utf-8") as text:
        page = text.read()
    script = os.path.join(runner.folder, "blur.py")
    with open(script, "w", encoding="utf-8") as text:
        text.write(re.search(r"```python\n(.*?)```", page, re.S)[1])
    with open(os.path.join(runner.folder, "test_blur.py"), "w", encoding="utf-8") as text:
        text.write("import blur\n")
    commands = re.findall(r"^    (\S.*)$", re.sub(r"```.*?```", "", page, flags=re.S), re.M)
    commands = [command for command in commands if command.startswith(("pip ", "lanescope "))]
    runner.check("page", commands[0] == "pip install 'numba-cuda[cu13]'" and len(commands) == 7, commands)
    sentence = re.search(r"```\n(blur.py:12: .*?)```", page, re.S)[1]
    wanted = " ".join(re.sub("0x[0-9a-f]+", "ADDRESS", sentence).split())
    done = runner.run(*shlex.split(commands[1])[1:])
    said = " ".join(re.sub("0x[0-9a-f]+", "ADDRESS", done.stderr).split())
    runner.check(commands[1], done.returncode == 5 and wanted in said and "CUDA_ERROR_ILLEGAL_ADDRESS" in said, done)
    mended = re.search(r"`(image = cuda.to_device\(.*\))`", page)[1]
    with open(script, encoding="utf-8") as text:
        source = text.read()
    with open(script, "w", encoding="utf-8") as text:
        text.write(re.sub(r"image = cuda.to_device\(.*\)", mended, source))
    for command in commands[2:]:
        if "pytest" in command or command == "lanescope blur.py":
            continue # needs pytest; tests/ui/script_test.cpp opens scripts
        done = runner.run(*shlex.split(command)[1:])
        runner.check(command, done.returncode == 0 and "predicted" not in done.stderr, done)
    with open(os.path.join(runner.folder, "launches", "000_blur", "lab.json"), encoding="utf-8") as record:
        extents = {name: buffer["extent"] for name, buffer in json.load(record)["buffers"].items()}
    runner.check("shapes", extents == {"image": [162, 98], "out": [160, 96]}, extents)
    for words in (["trace"], ["step", "-c", "to 12;where"]):
        done = runner.run(words[0], "launches/000_blur", *words[1:])
        runner.check(f"{words[0]} of the Python source", "total += image[y + dy, x + dx]" in done.stdout, done)
    runner.check("picture", os.path.exists(os.path.join(runner.folder, "blur.png")), os.listdir(runner.folder))


def check_notebook_on_page(runner, python):
    """The page's cell, after the script's kernel; then its table's lines."""
    with open(PAGE, encoding="utf-8") as text:
        page = text.read()
    script, cell = re.findall(r"```python\n(.*?)```", page, re.S)
    launch = "blur, (12, 20), (8, 8), image, out"
    lines = [line.replace("…", launch) for line in re.findall(r"^\| `(lanescope\..*?)` \|", page, re.M)]
    runner.check("page", len(lines) == 6, lines)
    lines = [f"print({line})" for line in lines if ".page(" not in line]  # needs the browser's build
    text = "\n".join([script[:script.index("image = ")], cell, "faster_blur = blur", *lines,
                      "print(round(float(out.mean()), 6))",
                      "try: lanescope.trace(blur, (12, 20), (8, 8), waves(96, 160), out)",
                      "except lanescope.KernelFault as fault: print(fault)"])
    environment = {**runner.environment, "PYTHONPATH": os.path.join(ROOT, "app", "packaging", "python"),
                   "LANESCOPE_PROGRAM": runner.lanescope}
    path = os.path.join(runner.folder, "cell_of_page.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([python, path], capture_output=True, text=True, cwd=runner.folder, env=environment)
    right = all(words in done.stdout for words in ("total += image", "results are equal", "Picture object", "0.001663",
                                                   "reads 4 bytes", "passed as parameter image (61440 bytes)", "total  "))
    runner.check("cell of page", done.returncode == 0 and right, done)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--lanescope", default=os.path.join(ROOT, "build", "ci", "lanescope"))
    options.add_argument("--python", default=os.path.join(ROOT, ".deps", "numba", "bin", "python3"))
    options.add_argument("--older", default=os.path.join(ROOT, ".deps", "numba_older", "bin", "python3"),
                         help="the interpreter of app/packaging/requirements/numba_older.txt")
    options.add_argument("--pycuda", default=os.path.join(ROOT, ".deps", "pycuda"),
                         help="the folder with the packages of app/packaging/requirements/pycuda.txt")
    options.add_argument("--quick", action="store_true")
    chosen = options.parse_args()
    if not os.path.exists(chosen.python):
        sys.exit(f"There is no {chosen.python}: run app/setup.sh --tests.")
    begin = time.time()
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(os.path.abspath(chosen.lanescope), os.path.abspath(chosen.python), folder)
        check_puzzles(runner, chosen.quick)
        check_exercises(runner, os.path.join(FOLDER, "course.py"), quick=chosen.quick)
        check_exercises(runner, os.path.join(FOLDER, "homework.py"), quick=chosen.quick,
                        sample=["last_block", "barrier_in_branch", "freed", "core_events"])
        check_exercises(runner, os.path.join(FOLDER, "core.py"), [os.path.join(FOLDER, "core_sources.py")], chosen.quick)
        check_host(runner, chosen.quick)
        check_kinds(runner, chosen.quick)
        check_page(runner)
        check_notebook_on_page(runner, os.path.abspath(chosen.python))
        if os.path.exists(chosen.pycuda):
            check_pycuda(runner, os.path.abspath(chosen.pycuda))
        else:
            print(f"There is no {chosen.pycuda}: PyCUDA is skipped (source app/setup.sh; fetch_pycuda).")
        if os.path.exists(chosen.older):
            older = Runner(runner.lanescope, os.path.abspath(chosen.older), folder)
            check_older_target(older)
            runner.problems += [f"Numba 0.61: {problem}" for problem in older.problems]
        else:
            print(f"There is no {chosen.older}: Numba's older target is skipped.")
    for problem in runner.problems:
        print(problem)
    print(f"Python programs: {len(runner.problems)} failures; {time.time() - begin:.0f} s")
    return 1 if runner.problems else 0


if __name__ == "__main__":
    sys.exit(main())

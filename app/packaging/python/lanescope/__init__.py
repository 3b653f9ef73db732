"""Lanescope from Python: the same program, its pictures and counts as objects that notebooks show.

    import lanescope
    lanescope.shot("transpose/tile", map="bank_conflicts")
    lanescope.trace("transpose/tile")
    lanescope.compare("transpose/naive", "transpose/tile")
    lanescope.page("transpose/tile", map="bank_conflicts")

Each takes a kernel with its launch, too, without a GPU or a driver:

    lanescope.trace(blur, (12, 20), (8, 8), image, out)

and, after `%load_ext lanescope`, a cell that begins with `%%lanescope` holds a kernel, which is
executed and counted.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from .errors import KernelFault, LanescopeError
from .kernels import (compare_kernels, is_kernel, page_of_kernel, run_kernel, shot_kernel, step_kernel,
                      trace_kernel, why_kernel)
from .results import Text
from .tables import Page, Picture, Table

__all__ = ["KernelFault", "LanescopeError", "Page", "Picture", "Table", "compare", "page", "program", "run",
           "shot", "step", "trace", "why"]


def program():
    """The program's path: of the environment's LANESCOPE_PROGRAM, of this package, or on PATH."""
    here = pathlib.Path(__file__).resolve().parent
    name = "lanescope.exe" if os.name == "nt" else "lanescope"
    candidates = [os.environ.get("LANESCOPE_PROGRAM"), here / "program" / name, here.parent.parent / name,
                  *(root / "build/lanescope" for root in list(here.parents)[3:4]),
                  shutil.which("lanescope")]
    for candidate in candidates:
        if candidate and os.path.isfile(candidate):
            return str(candidate)
    raise LanescopeError("The program lanescope is not found. Install it, or name it in the "
                         "environment variable LANESCOPE_PROGRAM.", 3)


def run(*arguments, statuses=(0,), findings="raise", **given):
    """Runs a kernel with every check, as `trace` does, and returns its arrays, findings and output. Given
    words, calls the program with them and returns its output; any other exit status is a LanescopeError."""
    if arguments and is_kernel(arguments[0]):
        return run_kernel(arguments[0], arguments[1:], findings, given)
    done = subprocess.run([program(), *map(str, arguments)], capture_output=True, encoding="utf-8")
    if done.returncode not in statuses:
        raise LanescopeError(done.stderr.strip().removeprefix("lanescope: ") or
                             f"lanescope ended with status {done.returncode}.", done.returncode)
    # Warnings of the first run, or a note that nothing was validated.
    print(done.stderr, end="", file=sys.stderr)
    return done.stdout


def options(**given):
    """map="sectors", steps=3 → --map sectors --steps 3; True becomes a flag without a value, and a dict becomes one
    NAME=VALUE per entry."""
    words = []
    for name, value in given.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, dict):
            for key, each in value.items():
                words += [option, f"{key}={each}"]
        else:
            words += [option, str(value)]
    return words


def shot(target=None, *launch, set=None, **given):
    """The picture that `lanescope shot TARGET` writes, byte for byte. Options are the command's:
    map="bank_conflicts", frame=30, size="640x360", session="talk.json", set={"size": 257}.
    For a kernel with its launch, as `trace` takes it: the last array, once the launch is over."""
    if is_kernel(target):
        return shot_kernel(target, launch, given)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "picture.png"
        run("shot", *([target] if target else []), *options(set=set, **given), "-o", path)
        return Picture(path.read_bytes())


def page(*sources, height=900, set=None, **given):
    """The page that `lanescope page` makes, inline: it runs in the browser that shows the notebook, also
    where no Python runs. A source is a session or a lecture by its file's name, a Picture, or a variant,
    which is drawn as `shot` draws it with these options; or a kernel with its launch, as `trace` takes it."""
    if sources and is_kernel(sources[0]):
        return Page(page_of_kernel(sources[0], sources[1:], given), height)
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, source in enumerate(sources):
            drawn = pathlib.Path(folder) / f"{number}.png"
            if not isinstance(source, Picture) and os.path.isfile(source):
                files.append(source)
                continue
            (source if isinstance(source, Picture) else shot(source, set=set, **given)).save(drawn)
            files.append(drawn)
        made = pathlib.Path(folder) / "page.html"
        run("page", *files, "-o", made)
        return Page(made.read_text(encoding="utf-8"), height)


def trace(target, *launch, findings="raise", set=None, **given):
    """The counts of every site of a variant, as `lanescope trace` counts them: a Table.

    `trace(kernel, grid, block, *arguments)` runs a kernel with every check and counts it, without a GPU or
    a driver: a Numba kernel (a function, or the object that cuda.jit returns) or CUDA C++ (a string, or a
    cupy.RawKernel). `trace(kernel, grid, *arguments, BLOCK=128, num_warps=4)` does so for Triton. NumPy arrays
    come back changed. A finding raises KernelFault; with findings="return" it is in the result's `findings`.
    Further options are those of `lanescope emulate`: gpu="A100", checks="races"."""
    if is_kernel(target):
        return trace_kernel(target, launch, findings, given)
    return Table.of_trace(json.loads(run("trace", target, *options(set=set, **given), "--json")))


def compare(a, b, *launch, set=None, **given):
    """The totals of two variants, or of two kernels launched alike on copies of the arrays, side by side, and
    b over a."""
    if is_kernel(a):
        return compare_kernels(a, b, launch, given)
    traces = [json.loads(run("trace", each, *options(set=set, **given), "--json")) for each in (a, b)]
    return Table.of_totals(a, b, *(each["totals"] for each in traces))


def step(target, *launch, commands="where; vars", set=None, **given):
    """The replies of `lanescope step` to these commands: "to 12; vars; line". The target is a variant, or a kernel
    with its launch, as `trace` takes it. The arrays stay as they are."""
    if is_kernel(target):
        return step_kernel(target, launch, commands, given)
    return Text(run("step", target, "-c", commands, *options(set=set, **given)))


def why(target, *launch, array=None, index=0, set=None, **given):
    """Which lane wrote an element, when, and from which values. For a kernel with its launch, as `trace` takes
    it: the element `index`, a number or a tuple, of the array passed as the parameter `array` (default: the
    last one). For a variant: the options of `lanescope why`, at="3,4"."""
    if is_kernel(target):
        return why_kernel(target, launch, array, index, given)
    return Text(run("why", target, *options(set=set, **given)))


def load_ipython_extension(shell):
    from .magic import LanescopeMagics
    shell.register_magics(LanescopeMagics)

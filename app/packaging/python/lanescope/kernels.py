"""Commands on a kernel and its arrays: Numba's, Triton's, and CUDA C++, without a driver."""

import json
import os
import pathlib
import subprocess
import sys

from .cpp_kernels import cpp_launch, is_cpp_kernel
from .errors import KernelFault, LanescopeError
from .launches import order_of
from .numba_kernels import is_numba_kernel, numba_launch
from .results import Result, Text, Trace
from .tables import Picture, Table
from .triton_kernels import COMPILE_OPTIONS, is_triton_kernel, triton_launch

WHY_ROUNDING = ("Triton makes one instruction of a product and a sum, so that lanes with the same sum differ in its "
                "last bit. enable_fp_fusion=False prevents this. The launch runs again, without the check for races.")
FINDINGS = 5  # exit status of a launch with findings


def is_kernel(target):
    return is_numba_kernel(target) or is_triton_kernel(target) or (
        is_cpp_kernel(target) and not isinstance(target, pathlib.Path))


def call(words, folder=None, statuses=(0,)):
    """Runs the program and returns its output. `folder` is the one in which it runs."""
    from . import program
    done = subprocess.run([program(), *map(str, words)], cwd=folder, capture_output=True, encoding="utf-8")
    if done.returncode not in statuses:
        raise LanescopeError(message_of(done), done.returncode)
    return done.stdout


def message_of(done):
    """The error's message, from JSON or from the error output."""
    try:
        return json.loads(done.stdout)["error"]
    except (ValueError, KeyError, TypeError):
        said = done.stderr.strip().removeprefix("lanescope: ")
        return said or f"lanescope ended with status {done.returncode}."


def launch_of(kernel, arguments, options, written=False):
    """The launch, and the options that are left for the program."""
    if is_triton_kernel(kernel):
        if not arguments:
            raise LanescopeError("A Triton kernel is followed by its grid, then its arguments.", 2)
        names = set(getattr(kernel, "arg_names", ()))
        constants = {name: value for name, value in options.items() if name in names}
        compile_options = {name: value for name, value in options.items() if name in COMPILE_OPTIONS}
        rest = {name: value for name, value in options.items() if name not in constants and
                name not in compile_options}
        return triton_launch(kernel, arguments[0], arguments[1:], constants, options=compile_options), rest
    if len(arguments) < 2:
        raise LanescopeError("A kernel is followed by its grid and its block, then its arguments.", 2)
    rest = dict(options)
    chosen = {name: rest.pop(name) for name in ("shared", "cluster") if name in rest}
    grid, block, *values = arguments
    if is_cpp_kernel(kernel):
        if "name" in rest:
            chosen["name"] = rest.pop("name")
        return cpp_launch(call, kernel, grid, block, values, **chosen), rest
    return numba_launch(kernel, grid, block, values, written=written, **chosen), rest


def emulated(kernel, arguments, options, findings, made):
    """Runs the launch, copies the memory back, and makes a result of its counts."""
    if findings not in ("raise", "return"):
        raise LanescopeError(f'findings is "{findings}": it is "raise" or "return".', 2)
    launch, rest = launch_of(kernel, arguments, options)
    if not rest.get("sample"):
        rest.setdefault("keep_going", 100)
    trace, done = counted(launch, rest)
    if is_triton_kernel(kernel) and trace["faults"] and all(map(is_rounding_of_triton, trace["faults"])):
        print(f"{trace['faults'][0]['message']} {WHY_ROUNDING}", file=sys.stderr)
        trace, done = counted(launch, rest | {"checks": "uninitialised,barriers"})
    for finding in trace["faults"]:
        finding["message"] = launch.named(finding["message"])
    for site in (*trace["sites"], *trace["faults"]):
        if not os.path.isabs(site.get("file") or "/"):
            site["file"] = os.path.basename(site["file"])
    launch.read_back()
    result = made(launch, trace, draw)
    if done.returncode == FINDINGS and findings == "raise":
        raise KernelFault(result.findings, result)
    if done.returncode not in (0, FINDINGS):
        raise LanescopeError(launch.named(message_of(done)), done.returncode)
    if done.returncode == 0:
        print(launch.named(done.stderr), end="", file=sys.stderr)
    return result


def counted(launch, given):
    """The JSON of `emulate`, and the finished process."""
    from . import options as words_of, program
    words = [program(), *launch.emulate_words(), *words_of(**given), "--json"]
    done = subprocess.run(words, cwd=launch.folder, capture_output=True, encoding="utf-8")
    try:
        trace = json.loads(done.stdout)
    except ValueError:
        trace = {}
    if "sites" not in trace:  # the launch did not start
        raise LanescopeError(launch.named(message_of(done)), done.returncode)
    return trace, done


def is_rounding_of_triton(finding):
    """Lanes of a reduction hold the same sum, computed in different orders, and all of them store it in shared
    memory, which Triton's language does not address."""
    return finding["kind"] == "race" and "of the same warp writes another value in the same instruction" in \
        finding["message"] and "in shared memory" in finding["message"]


def draw(launch, **options):
    from . import options as words_of
    options.setdefault("steps", 1)
    drawn = launch.folder.parent / "picture.png"
    call(["shot", launch.lab(), *words_of(**options), "-o", drawn])
    return Picture(drawn.read_bytes())


def page_of_kernel(kernel, arguments, options):
    """The text of a page with the launch's picture."""
    launch, rest = launch_of(kernel, arguments, options)
    draw(launch, **rest)
    made = launch.folder.parent / "page.html"
    call(["page", made.with_name("picture.png"), "-o", made])
    return made.read_text(encoding="utf-8")


def trace_kernel(kernel, arguments, findings, options):
    return emulated(kernel, arguments, options, findings, Trace)


def run_kernel(kernel, arguments, findings, options):
    return emulated(kernel, arguments, options, findings, Result)


def shot_kernel(kernel, arguments, options):
    launch, rest = launch_of(kernel, arguments, options)
    return draw(launch, **rest)


def step_kernel(kernel, arguments, commands, options):
    from . import options as words_of
    written = options.get("text", "written") == "written"
    launch, rest = launch_of(kernel, arguments, options, written)
    if launch.ptx is not None:
        rest["text"] = "optimised"  # as Numba compiled it, with or without every variable
    if not isinstance(commands, str):
        commands = ";".join(commands)
    return Text(launch.named(call(["step", launch.lab(), "-c", commands, *words_of(**rest)])))


def why_kernel(kernel, arguments, array, index, options):
    import numpy
    from . import options as words_of
    launch, rest = launch_of(kernel, arguments, options)
    buffers = {buffer.name: buffer for buffer in launch.buffers if buffer.count}
    if array is None and launch.result() is not None:
        array = launch.result().name
    if array not in buffers:
        raise LanescopeError(f"There is no array {array}; the kernel has {', '.join(buffers)}.", 2)
    whole = buffers[array].array
    shape = whole.shape
    try:
        place = int(numpy.ravel_multi_index(index, shape, order=order_of(whole))) if isinstance(index, tuple) else int(index)
    except ValueError:
        raise LanescopeError(f"The array {array} has the shape {shape}, and no element {index}.", 2) from None
    rest.setdefault("element_bytes", whole.itemsize)
    words = ["why", launch.lab(), "--buffer", array, "--index", place, *words_of(**rest)]
    return Text(launch.named(call(words)))


def compare_kernels(a, b, arguments, options):
    """Both launches start from the same arrays, which stay as they are."""
    import copy
    traces, arrays = [], []
    for kernel in (a, b):
        result = emulated(kernel, copy.deepcopy(list(arguments)), options, "raise", Trace)
        traces.append(result)
        arrays.append(result.arrays)
    names = [f"{label} ({name_of(kernel)})" if name_of(a) == name_of(b) else name_of(kernel)
             for label, kernel in (("a", a), ("b", b))]
    table = Table.of_totals(*names, *(each.raw["totals"] for each in traces))
    table.differences = differences(*arrays)
    differ = ", ".join(f"{name} by up to {value:g}" for name, value in table.differences.items() if value)
    table.title += f"; {'results differ: ' + differ if differ else 'results are equal'}"
    return table


def differences(first, second):
    """The largest difference per array that both launches have."""
    import numpy
    found = {}
    for (name, one), two in zip(first.items(), second.values()):
        if one.shape != two.shape or one.dtype.kind not in "fiubc":
            continue
        wide = numpy.complex128 if one.dtype.kind == "c" else numpy.float64
        apart = numpy.abs(one.astype(wide) - two.astype(wide))
        apart[(one == two) | (one != one) & (two != two)] = 0
        found[name] = float(numpy.max(numpy.where(numpy.isnan(apart), numpy.inf, apart), initial=0))
    return found


def name_of(kernel):
    for attribute in ("__name__", "name"):
        name = getattr(kernel, attribute, None)
        if isinstance(name, str) and name:
            return name
    return getattr(getattr(kernel, "fn", None), "__name__", None) or "kernel"

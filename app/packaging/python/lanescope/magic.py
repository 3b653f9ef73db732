"""`%%lanescope`: a cell that holds a kernel. It is executed with every check and counted, as
`lanescope emulate` does; the cell's line takes that command's options. A kernel of Numba or Triton
is launched as they do: `%%lanescope blur[(12, 20), (8, 8)](image, out)`."""

import ast
import html
import json
import pathlib
import shlex
import struct
import subprocess
import tempfile

from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.display import HTML, SVG, display

from . import LanescopeError, program, trace as trace_kernel
from .triton_kernels import is_triton_kernel
from .results import source_with_counts
from .tables import Table

# struct format of a buffer's elements, keyed by the type that --arg names.
TYPES = {"f32": "f", "f64": "d", "i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I",
         "i64": "q", "u64": "Q"}


def plot(values, title):
    """A buffer's values over their index, as a drawing."""
    width, height, rim = 640, 160, 24
    finite = [value for value in values if value == value and abs(value) != float("inf")]
    if not finite:
        return None
    low, high = min(finite), max(finite)
    span = (high - low) or 1
    step = max(1, len(values) // 2000)
    points = " ".join(
        f"{rim + (width - 2 * rim) * i / max(1, len(values) - 1):.1f},"
        f"{height - rim - (height - 2 * rim) * (values[i] - low) / span:.1f}"
        for i in range(0, len(values), step) if values[i] == values[i] and abs(values[i]) != float("inf"))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">'
            f'<text x="{rim}" y="15">{html.escape(title)}, {low:g} to {high:g}</text>'
            f'<polyline fill="none" stroke="#26828e" stroke-width="1.5" points="{points}"/></svg>')


def python_launch(line):
    """The parts of a line like `kernel[grid, block](arguments)`, or None: kernel, launch, arguments and
    keywords as expressions."""
    try:
        call = ast.parse(line.strip(), mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Subscript):
        return None
    return call.func.value, call.func.slice, call.args, call.keywords


@magics_class
class LanescopeMagics(Magics):
    @cell_magic
    def lanescope(self, line, cell):
        """%%lanescope [--grid X] [--block X] [--arg …]… and whatever else `emulate` takes, for CUDA C++.
        %%lanescope KERNEL[GRID, BLOCK](ARGUMENT, …) for Numba, KERNEL[GRID](ARGUMENT, …) for Triton."""
        parts = python_launch(line)
        if parts is not None:
            return self.launch(cell, *parts)
        words = shlex.split(line)
        arguments = [words[i + 1] for i, word in enumerate(words[:-1]) if word == "--arg"]
        # Request the first buffer's bytes, because it is drawn.
        buffer = next((i for i, each in enumerate(arguments)
                       if each.split("[")[0] in TYPES and "[" in each), None)
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            source = folder / ("cell.ptx" if ".version" in cell and ".entry" in cell else "cell.cu")
            source.write_text(cell, encoding="utf-8")
            words = ["emulate", source.name, *words, "--json"]
            dumped = folder / "buffer"
            if buffer is not None:
                words += ["--dump", f"{buffer}:{dumped}"]
            done = subprocess.run([program(), *words], cwd=folder, capture_output=True, encoding="utf-8")
            said = done.stderr.strip().removeprefix("lanescope: ")
            try:
                trace = json.loads(done.stdout)
            except ValueError:
                raise LanescopeError(said, done.returncode) from None
            if "sites" not in trace:  # nothing ran
                raise LanescopeError(trace.get("error") or said, done.returncode)
            display(HTML(source_with_counts(cell, trace)))
            if trace.get("printf"):
                print(trace["printf"], end="" if trace["printf"].endswith("\n") else "\n")
            for one in trace.get("values", []):
                print(f"{one['of']}, {len(one['values'])} of {one['elements']} {one['type']}:",
                      *one["values"])
            for fault in trace.get("faults", []):
                display(HTML(f"<p><b>{html.escape(fault['kind'])}</b>: "
                             f"{html.escape(fault['message'])}</p>"))
            if dumped.exists():
                kind = arguments[buffer].split("[")[0]
                data = dumped.read_bytes()
                count = len(data) // struct.calcsize(TYPES[kind])
                drawn = plot(struct.unpack(f"={count}{TYPES[kind]}", data), f"buffer {buffer}")
                if drawn:
                    display(SVG(drawn))
        return Table.of_trace(trace) if trace.get("sites") else None

    def launch(self, cell, kernel, extents, arguments, keywords):
        """Runs the cell, which defines the kernel, and traces the launch of the cell's line."""
        self.shell.run_cell(cell).raise_error()

        def value(node):
            expression = ast.fix_missing_locations(ast.Expression(node))
            return eval(compile(expression, "<%%lanescope>", "eval"), self.shell.user_ns)  # as in a cell

        values = []
        for each in arguments:
            values += value(each.value) if isinstance(each, ast.Starred) else [value(each)]
        options = {}
        for each in keywords:
            options |= value(each.value) if each.arg is None else {each.arg: value(each.value)}
        kernel, extents = value(kernel), value(extents)
        if is_triton_kernel(kernel):
            return trace_kernel(kernel, extents, *values, **options)
        if not isinstance(extents, tuple) or len(extents) < 2:
            raise LanescopeError("Give the grid and the block: kernel[grid, block](…).", 2)
        shared = extents[3] if len(extents) > 3 else 0  # after the stream
        return trace_kernel(kernel, *extents[:2], *values, shared=shared, **options)

#!/usr/bin/env python3
"""Kernels of Numba, Triton and CUDA C++ given to the Python module, without a driver: results, findings, counts,
steps, pictures and cells.

    .deps/numba/bin/python3 tests/notebook/kernels.py [--lanescope build/ci/lanescope] [--triton .deps/triton]

Needs the packages of app/packaging/requirements/numba.txt; those of triton.txt and IPython where they are there."""
import argparse
import enum
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "tests/programs/python"
sys.path[:0] = [str(ROOT / "app/packaging/python"), str(SCRIPTS), str(ROOT / "tests")]

from programs import find_nvcc

sys.path.remove(str(ROOT / "tests"))  # its triton.py is not Triton
os.environ.setdefault("CUDA_HOME", os.path.dirname(os.path.dirname(os.path.realpath(find_nvcc()))))
import lanescope
import numba
import numpy as np
from numba import cuda

SIZE = {"size": "320x180"}
CUDA_CPP = """
struct Pair { int first, second; };
__global__ void saxpy(float a, const float* x, float* y, int n, unsigned char more, long long most, double half)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i] + more + most + half;
}
extern "C" __global__ void sum(int out[], Pair pair) { out[threadIdx.x] = pair.first + pair.second; }
"""


class Colour(enum.IntEnum):
    RED = 3


@cuda.jit
def blur(image, out):
    x, y = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        total = 0.0
        for dy in range(3):
            for dx in range(3):
                total += image[y + dy, x + dx]  # blur: out_of_bounds
        out[y, x] = total / 9


@cuda.jit
def transposed_blocks(image, out):
    y, x = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        out[y, x] = image[y, x] * 2


def doubled(image, out):
    x, y = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        out[y, x] = image[y, x] * 2


@cuda.jit
def kinds(out, flag, small, large, real, half, both, pair, colour, records):
    out[0] = 1 if flag else 0
    out[1] = small
    out[2] = large // 2**40
    out[3] = real
    out[4] = half
    out[5] = both.real
    out[6] = both.imag
    out[7] = pair[0]
    out[8] = pair[1][1]
    out[9] = 1 if colour == Colour.RED else 0
    out[10] = records[1].b


@cuda.jit
def length(values, out):
    out[0] = len(values)


@cuda.jit
def unordered(values, out):
    tile = cuda.shared.array(32, numba.int32)
    i = cuda.threadIdx.x
    tile[i] = values[i]
    out[i] = tile[31 - i]  # unordered: race


def line_of(name):
    with open(__file__, encoding="utf-8") as text:
        return next(number for number, line in enumerate(text, 1) if f"# {name}: " in line)


def fails(call, status, *words):
    """The error that the call raises, with its status and words."""
    try:
        call()
    except lanescope.LanescopeError as error:
        assert error.status == status and all(word in str(error) for word in words), (error, error.status, words)
        return error
    raise AssertionError(f"no error: {words}")


def check_numba():
    random = np.random.default_rng(1)
    image = random.random((50, 66), np.float32)
    out = np.zeros((48, 64), np.float32)
    grid, block = (8, 6), (8, 8)
    traced = lanescope.trace(blur, grid, block, image, out)
    wanted = sum(image[y:y + 48, x:x + 64] for y in range(3) for x in range(3)) / 9
    assert np.allclose(out, wanted, atol=1e-6) and not traced.findings
    assert traced.totals["global_store"]["requests"] == 48 * 64 // 32 and "kernels.py" in traced[0]["line"]
    shown = traced._repr_html_()
    assert "total += image" in shown and shown.count("data:image/png;base64,") == 2
    assert traced._repr_png_().startswith(b"\x89PNG") and "blur on simt" in repr(traced)

    # A mistake is raised at its line, with the parameter's name; or returned.
    error = fails(lambda: lanescope.trace(blur, grid, block, image[:49].copy(), out), 5,
                  f"kernels.py:{line_of('blur')}", "passed as parameter image")
    assert isinstance(error, lanescope.KernelFault) and error.line == line_of("blur") and len(error.findings) > 1
    assert error._render_traceback_() == [each["message"] for each in error.findings]
    returned = lanescope.run(blur, grid, block, image[:49].copy(), out, findings="return")
    assert returned.findings[0]["kind"] == "out_of_bounds" and "d5500033" in lanescope.trace(
        blur, grid, block, image[:49].copy(), out, findings="return").source()
    error = fails(lambda: lanescope.run(unordered, 1, 32, np.arange(32, dtype=np.int32), np.zeros(32, np.int32)), 5)
    assert (error.line, error.findings[0]["kind"]) == (line_of("unordered"), "race"), (error.line, error)

    # Steps, reasons and pictures leave the arrays as they are.
    before = out.copy()
    stepped = lanescope.step(blur, grid, block, image, out, commands=f"to {line_of('blur')};vars")
    assert re.search(r"^total +0", stepped, re.M) and re.search(r"^image +\{.*shape = \{50, 66\}", stepped, re.M), stepped
    reason = lanescope.why(blur, grid, block, image, out, index=(3, 5))
    assert f"line {line_of('blur')}" in reason and "image[" in reason and "<pre>" in reason._repr_html_(), reason
    fails(lambda: lanescope.why(blur, grid, block, image, out, index=(48, 0)), 2, "no element")
    fails(lambda: lanescope.why(blur, grid, block, image, out, array="outt"), 2, "image, out")
    assert lanescope.shot(blur, grid, block, image, out, map="sectors", **SIZE).data.startswith(b"\x89PNG")
    try:
        assert len(lanescope.page(blur, grid, block, image, out, map="sectors").text) > 1e6
    except lanescope.LanescopeError as error:  # without the browser's build
        assert error.status == 3 and "app/browser.sh" in str(error), error
    assert np.array_equal(out, before)

    # A plain function; two kernels beside each other.
    image = image[:48, :64].copy()
    lanescope.run(doubled, grid, block, image, out)
    assert np.array_equal(out, image * 2)
    # Exchanged axes leave columns out.
    compared = lanescope.compare(doubled, transposed_blocks, grid, block, image, np.zeros_like(out))
    assert "results differ: out" in compared.title, compared.title
    compared = lanescope.compare(doubled, doubled, grid, block, image, out)
    assert "results are equal" in compared.title and all(row["ratio"] == 1 for row in compared)

    # Every kind of argument.
    records = np.array([(1, 2), (3, 4)], np.dtype([("a", np.int32), ("b", np.float64)], align=True))
    out = np.zeros(11)
    lanescope.run(kinds, 1, 1, out, True, np.int8(-5), 2**43, 2.5, np.float32(0.5), 3 + 4j, (7, (8, 9)), Colour.RED,
                  records)
    assert out.tolist() == [1, -5, 8, 2.5, 0.5, 3, 4, 7, 9, 1, 4], out
    lanescope.run(length, 1, 1, ((), (), ()), out)
    assert out[0] == 3
    fortran, out = np.asfortranarray(image), np.zeros((48, 64), np.float32, order="F")
    lanescope.run(doubled, grid, block, fortran, out)
    assert np.array_equal(out, image * 2)
    reason = lanescope.why(doubled, grid, block, fortran, out, index=(3, 5))
    assert f"out[{3 + 5 * 48}] is {fortran[3, 5] * 2:.7g}"[:14] in reason, reason
    same = image.copy()
    lanescope.run(doubled, grid, block, same, same)
    assert np.array_equal(same, image * 2)

    fails(lambda: lanescope.run(doubled, grid, block, image), 2, "2 arguments (image, out)", "1 are passed")
    fails(lambda: lanescope.run(doubled, grid, block, image[:, ::2], out), 2, "image", "ascontiguousarray")
    fails(lambda: lanescope.run(doubled, 0, block, image, out), 2, "grid")
    fails(lambda: lanescope.run(doubled, grid), 2, "grid and its block")
    fails(lambda: lanescope.run(doubled, grid, 2048, image, out), 2, "1024")
    fails(lambda: lanescope.run(doubled, grid, block, image, out, findings="none"), 2, "findings")


def check_cpp():
    x, y = np.arange(100, dtype=np.float32), np.ones(100, np.float32)
    traced = lanescope.trace(CUDA_CPP, 2, 64, 2, x, y, 100, 1, 2, 0.5, name="saxpy")
    assert np.array_equal(y, 2 * x + 4.5) and traced[0]["line"] == "kernel.cu:6"
    fails(lambda: lanescope.run(CUDA_CPP, 2, 64, 2, x, y, 101, 1, 2, 0.5, name="saxpy"), 5, "kernel.cu:6",
          "parameter x")
    fails(lambda: lanescope.run(CUDA_CPP, 2, 64, 2, x, name="saxpy"), 2, "7 arguments, and 2")
    fails(lambda: lanescope.run(CUDA_CPP, 2, 64, 2, x, y, 100, 1, 2, x, name="saxpy"), 2, "half", "8 bytes")
    fails(lambda: lanescope.run("__global__ void k(int* p) { p[0] = q; }", 1, 1, x), 2, '"q" is undefined')
    out = np.zeros(64, np.int32)
    for pair in (np.array([3, 4], np.int32), np.array([3, 4], np.int32).tobytes()):
        lanescope.run(CUDA_CPP, 1, 64, out, pair, name="sum")
        assert (out == 7).all()
    assert "a * x[i]" in lanescope.why(CUDA_CPP, 2, 64, 2, x, y, 100, 1, 2, 0.5, name="saxpy", index=70)
    assert lanescope.shot(CUDA_CPP, 2, 64, 2, x, y, 100, 1, 2, 0.5, name="saxpy", **SIZE).data.startswith(b"\x89PNG")
    assert re.search(r"^a +2", lanescope.step(CUDA_CPP, 2, 64, 2, x, y, 100, 1, 2, 0.5, name="saxpy",
                                              commands="to 6;vars"), re.M)


def check_puzzles(folder):
    """The fourteen puzzles, traced without a driver: silent, or the mistake at its line."""
    command = [sys.executable, SCRIPTS / "traced.py", SCRIPTS / "puzzles.py"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "app/packaging/python"), "PYTHONWARNINGS": "ignore"}
    text = (SCRIPTS / "puzzles.py").read_text(encoding="utf-8")
    mistakes = [(match[1], match[2], text[:match.start()].count("\n") + 1)
                for match in re.finditer(r"# (\w+): (\w+)$", text, re.M)]
    assert len(mistakes) == 14, mistakes
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)
    assert done.returncode == 0 and done.stdout == "".join(f"{name} right\n" for name, _, _ in mistakes), done
    for name, kind, line in mistakes:
        done = subprocess.run([*command, name], capture_output=True, text=True, cwd=folder, env=environment)
        assert done.returncode == 5 and f"{line} {kind} " in done.stdout, (name, kind, line, done)


def check_triton():
    import triton_five
    for kernel, grid, arguments, constants, wanted, tolerance in triton_five.launches():
        name = kernel.fn.__name__
        out = arguments[kernel.arg_names.index("out")]
        traced = lanescope.trace(kernel, grid, *arguments, **constants)
        assert np.abs(out - wanted).max() <= tolerance, (name, np.abs(out - wanted).max())
        assert not traced.findings and traced.totals["global_store"]["sectors"] > 0
        assert "tl.store" in traced.source(), name
    add, (x, y, out, n) = triton_five.add, next(triton_five.launches())[2]
    wanted, out[:] = x + y, 0
    lanescope.run(add, lambda constants: (-(-n // constants["BLOCK"]),), x, y, out, n, BLOCK=256, num_warps=2)
    assert np.array_equal(out, wanted)
    fails(lambda: lanescope.run(add, (8,), x[:900], y, out, n, BLOCK=128), 5, "triton_five.py", "parameter x")
    fails(lambda: lanescope.run(add, (8,), x, y, out, n), 2, "BLOCK")
    reason = lanescope.why(add, (8,), x, y, out, n, BLOCK=128, index=200)
    assert re.match(r"out\[200\] is (.*)", reason) and "x[200] at the start" in reason
    assert abs(float(reason.split()[2]) - wanted[200]) < 1e-6, reason  # a float, although the PTX stores bits
    assert "left + right" in lanescope.step(add, (8,), x, y, out, n, BLOCK=128, commands="list")
    assert lanescope.shot(add, (8,), x, y, out, n, BLOCK=128, **SIZE).data.startswith(b"\x89PNG")


def check_cells():
    from IPython.core.interactiveshell import InteractiveShell
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "lanescope")
    shell.run_cell("import numpy as np\nfrom numba import cuda\nvalues = np.arange(64, dtype=np.float32)\n"
                   "out = np.zeros(64, np.float32)")
    cell = "@cuda.jit\ndef half(values, out):\n    i = cuda.grid(1)\n    out[i] = values[i] / 2\n"
    traced = shell.run_cell_magic("lanescope", "half[2, 32](values, out)", cell)
    assert np.array_equal(shell.user_ns["out"], np.arange(64) / 2)
    assert "values[i] / 2" in traced._repr_html_() and traced[0]["line"] == "cell.py:4", traced[0]
    fails(lambda: shell.run_cell_magic("lanescope", "half[3, 32](values, out)", cell), 5, "cell.py:4")
    fails(lambda: shell.run_cell_magic("lanescope", "half[2](values, out)", cell), 2, "grid, block")


def check_time():
    """A second call costs at most 50 ms above Numba's compilation; prints both."""
    x = np.zeros(1000, np.float32)
    spent, compile_kernel = [], cuda.compile

    def timed(*arguments, **options):
        begin = time.perf_counter()
        made = compile_kernel(*arguments, **options)
        spent.append(time.perf_counter() - begin)
        return made

    @cuda.jit
    def more(x):
        x[cuda.grid(1)] += 1

    cuda.compile = timed
    begin = time.perf_counter()
    lanescope.trace(more, 8, 125, x)
    first = time.perf_counter() - begin - spent[0]
    times = []
    for _ in range(11):
        begin = time.perf_counter()
        lanescope.trace(more, 8, 125, x)
        times.append(time.perf_counter() - begin)
    cuda.compile = compile_kernel
    assert len(spent) == 1 and (x == 12).all()
    return 1000 * first, 1000 * sorted(times)[5], 1000 * spent[0]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--lanescope", default=ROOT / "build/ci/lanescope")
    options.add_argument("--triton", default=ROOT / ".deps/triton", help="the folder with Triton's package")
    options.add_argument("--check-time", action="store_true", help="fails if a second call takes more than 50 ms")
    chosen = options.parse_args()
    os.environ["LANESCOPE_PROGRAM"] = str(pathlib.Path(chosen.lanescope).resolve())
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRITON_CACHE_DIR"] = folder
        check_numba()
        check_cpp()
        check_puzzles(folder)
        skipped = []
        if os.path.isdir(chosen.triton):
            sys.path.append(str(chosen.triton))
            check_triton()
        else:
            skipped.append("Triton")
        if importlib.util.find_spec("IPython"):
            check_cells()
        else:
            skipped.append("IPython")
    first, second, compilation = check_time()
    assert not chosen.check_time or second <= 50, second
    print(f"kernels of Numba, Triton and CUDA C++ are as they should be{'; not there: ' if skipped else ''}"
          f"{', '.join(skipped)}")
    print(f"trace of a small kernel above Numba's compilation ({compilation:.0f} ms): first call {first:.0f} ms, second "
          f"{second:.0f} ms")


if __name__ == "__main__":
    main()

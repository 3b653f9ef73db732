"""Triton's kernels as launches: compiled to PTX without a driver for the architecture whose matrix
instructions are simulated."""

import inspect
import linecache
import os
import re
import struct

from .errors import LanescopeError
from .launches import Buffer, Launch, as_array, check_contiguous
from .numba_kernels import is_cell

ARCHITECTURE = 90
WARP = 32
SCRATCH_BYTES = 16  # for a scratch buffer that the kernel does not use

TYPES = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64", "bool": "i1",
         **{f"{sign}int{bits}": f"{sign}i{bits}".replace("ui", "u") for sign in ("", "u") for bits in (8, 16, 32, 64)}}
COMPILE_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg", "enable_fp_fusion")


def is_triton_kernel(kernel):
    return hasattr(kernel, "arg_names") and hasattr(kernel, "fn") and type(kernel).__module__.startswith("triton")


def triton_launch(kernel, grid, arguments, constants, *, options=None):
    """`constants` are arguments by name; a grid may be a function of them, as Triton has it."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    import triton

    while not hasattr(kernel, "params"):  # under @triton.autotune and @triton.heuristics
        raise LanescopeError(f"{kernel.fn.__name__} is tuned automatically, which needs a GPU. Pass the kernel itself "
                             f"(its attribute fn) with the constants of one configuration.", 2)
    values = dict(zip(kernel.arg_names, arguments)) | constants
    for name in kernel.arg_names:
        if name not in values:
            default = inspect.signature(kernel.fn).parameters[name].default
            if default is inspect.Parameter.empty:
                raise LanescopeError(f"{kernel.fn.__name__} has the argument {name}, which is not passed.", 2)
            values[name] = default
    signature, constexprs, attributes, passed = {}, {}, {}, []
    buffers = {}
    for index, parameter in enumerate(kernel.params):
        name, value = parameter.name, values[parameter.name]
        if parameter.is_constexpr or value is None:
            signature[name] = "constexpr"
            constexprs[(index,)] = value
            continue
        kind, bound, divisible = argument_of(name, value, buffers)
        if kind == "i32" and value == 1 and not parameter.do_not_specialize:
            signature[name] = "constexpr"
            constexprs[(index,)] = 1
            continue
        signature[name] = kind
        passed.append((name, bound))
        if divisible and not parameter.do_not_specialize:
            attributes[(index,)] = [["tt.divisibility", 16]]
    source = ASTSource(fn=kernel, signature=signature, constexprs=constexprs, attrs=attributes)
    made = triton.compile(source, target=GPUTarget("cuda", ARCHITECTURE, WARP), options=options or {})
    extents = grid(values) if callable(grid) else grid
    extents = list(extents) if isinstance(extents, (tuple, list)) else [extents]
    blocks = 1
    for each in extents:
        blocks *= int(each)
    head = re.search(r"\.entry[^)]*\)", made.asm["ptx"])[0]
    parameters, names = [bound for _, bound in passed], [name for name, _ in passed]
    sizes = [getattr(made.metadata, f"{kind}_scratch_size", 0) for kind in ("global", "profile")]
    for index in range(head.count(".param") - len(passed)):
        import numpy
        scratch = numpy.zeros(max(SCRATCH_BYTES, (sizes[index] if index < 2 else 0) * blocks), numpy.uint8)
        scratch.flags.writeable = False  # not a result
        parameters.append(Buffer("scratch", scratch))
        names.append("scratch")
    path = kernel.fn.__code__.co_filename
    first = kernel.fn.__code__.co_firstlineno
    cluster = made.metadata.num_ctas if made.metadata.num_ctas > 1 else None
    launch = Launch(kernel=made.metadata.name, source_name="cell.py" if is_cell(path) else os.path.basename(path),
                    source="".join(linecache.getlines(path)) or None, ptx=made.asm["ptx"], grid=extents,
                    block=WARP * made.metadata.num_warps, parameters=parameters, names=names,
                    shared=made.metadata.shared, cluster=cluster)
    launch.lines = (first, first + len(inspect.getsource(kernel.fn).splitlines()) - 1)
    return launch


def argument_of(name, value, buffers):
    """Triton's type, the parameter, and whether it is divisible by 16."""
    array = as_array(value)
    if array is not None:
        check_contiguous(array, name)
        kind = "bfloat16" if str(getattr(value, "dtype", "")) == "torch.bfloat16" else array.dtype.name
        if kind not in TYPES:
            raise LanescopeError(f"The array {name} has elements of the type {array.dtype}, which Triton does not support.", 2)
        key = (array.__array_interface__["data"][0], array.nbytes, array.dtype)
        return f"*{TYPES[kind]}", buffers.setdefault(key, Buffer(name, array)), True
    if isinstance(value, bool):
        return "i1", struct.pack("<?", value), False
    if isinstance(value, float) or getattr(getattr(value, "dtype", None), "kind", "") == "f":
        return "fp32", struct.pack("<f", float(value)), False
    if hasattr(value, "__index__"):
        number = int(value)
        if -2**31 <= number < 2**31:
            return "i32", struct.pack("<i", number), number % 16 == 0
        if number < 2**63:
            return "i64", struct.pack("<q", number), number % 16 == 0
        return "u64", struct.pack("<Q", number), number % 16 == 0
    raise LanescopeError(f"The argument {name} is a {type(value).__name__}: pass an array or a number.", 2)

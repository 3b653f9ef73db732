"""Numba's kernels as launches: compiled to PTX without a driver, each array written out as the
parameters that Numba passes for it."""

import inspect
import linecache
import os
import re
import struct
import weakref

from .errors import LanescopeError
from .launches import FILE_LINE, Buffer, Launch, as_array, check_contiguous

compiled = weakref.WeakKeyDictionary()  # PTX per function, keyed by types and options


def is_numba_kernel(kernel):
    """True for a function, and for the object that `cuda.jit` returns."""
    return inspect.isfunction(kernel) or (hasattr(kernel, "py_func") and hasattr(kernel, "targetoptions"))


def numba_launch(kernel, grid, block, arguments, *, shared=0, cluster=None, written=False):
    """`written` compiles for stepping: every variable, lines in order."""
    try:
        from numba import cuda
    except ImportError:
        raise LanescopeError("A Python function needs Numba to be compiled: pip install 'numba-cuda[cu13]'.", 3) from None
    if os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0"):
        raise LanescopeError("NUMBA_ENABLE_CUDASIM replaces Numba's compiler. Unset it.", 3)
    dispatcher = cuda.jit(kernel) if inspect.isfunction(kernel) else kernel
    function = dispatcher.py_func
    names = list(inspect.signature(function).parameters)
    if len(names) != len(arguments):
        raise LanescopeError(f"{function.__name__} takes {len(names)} arguments ({', '.join(names)}), and "
                             f"{len(arguments)} are passed.", 2)
    arguments = [value if (array := as_array(value)) is None else array for value in arguments]
    types = []
    for name, value in zip(names, arguments):
        try:
            types.append(dispatcher.typeof_pyval(value))
        except ValueError:
            raise LanescopeError(f"Numba has no type for the argument {name}, which is a "
                                 f"{type(value).__name__}.", 2) from None
    text = ptx_of(cuda, function, tuple(types), dispatcher.targetoptions, written)
    buffers, parameters, parameter_names = {}, [], []
    for name, kind, value in zip(names, types, arguments):
        made = parameters_of(name, kind, value, buffers)
        parameters += made
        parameter_names += [name] * len(made)
    symbol = re.search(r"\.entry\s+([\w$]+)", text)[1]
    path = function.__code__.co_filename
    shown = "cell.py" if is_cell(path) else os.path.basename(path)
    text = FILE_LINE.sub(lambda line: line[1] + (shown if os.path.basename(line[2]) == os.path.basename(path) and
                                                 is_cell(path) else line[2]) + line[3], text)
    launch = Launch(kernel=symbol, source_name=shown, source="".join(linecache.getlines(path)) or None, ptx=text,
                    grid=grid, block=block, parameters=parameters, names=parameter_names, shared=shared,
                    cluster=cluster)
    launch.lines = lines_of(function)
    return launch


def ptx_of(cuda, function, types, options, written):
    """The kernel's PTX with line numbers; options are the decorator's."""
    if options.get("link"):
        raise LanescopeError("The kernel links other files (link=…), which Numba does not put into PTX. Run the "
                             "script with lanescope program.", 3)
    chosen = {name: options[name] for name in ("fastmath", "opt", "debug", "launch_bounds")
              if options.get(name) is not None}
    if written:
        chosen |= {"debug": True, "opt": False}
    if not chosen.get("debug"):
        chosen["lineinfo"] = True
    known = inspect.signature(cuda.compile).parameters
    chosen = {name: value for name, value in chosen.items() if name in known}
    key = (types, tuple(sorted((name, repr(value)) for name, value in chosen.items())))
    texts = compiled.setdefault(function, {})
    if key not in texts:
        def compile_kernel(**chosen):
            return cuda.compile(function, types, device=False, abi="numba", cc=(9, 0), output="ptx", **chosen)[0]

        try:
            made = compile_kernel(**chosen)
        except Exception as error:  # Numba cannot describe every type to a debugger
            if type(error).__module__.split(".")[0] == "numba":
                raise
            made = compile_kernel(**{name: value for name, value in chosen.items()
                                     if name not in ("debug", "lineinfo", "opt")})
        texts[key] = made.decode() if isinstance(made, bytes) else made
    return texts[key]


def parameters_of(name, kind, value, buffers):
    """The kernel's parameters for one argument: bytes, or a Buffer for an address."""
    import numpy

    def is_a(word):  # numba-cuda has its own copies of Numba's types
        return any(each.__name__ == word for each in type(kind).__mro__)

    if is_a("Array"):
        check_contiguous(value, name)
        key = (value.__array_interface__["data"][0], value.nbytes, value.dtype)
        buffer = buffers.setdefault(key, Buffer(name, value))
        numbers = struct.pack(f"<{2 * value.ndim}q", *value.shape, *value.strides)
        words = [numbers[i:i + 8] for i in range(0, len(numbers), 8)]
        return [bytes(8), bytes(8), struct.pack("<q", value.size), struct.pack("<q", value.itemsize), buffer, *words]
    if is_a("Record"):
        array = numpy.asarray(value).reshape(1)
        return [buffers.setdefault(id(value), Buffer(name, array))]
    if is_a("Boolean"):
        return [struct.pack("<?", bool(value))]
    if is_a("Integer"):
        return [int(value).to_bytes(kind.bitwidth // 8, "little", signed=kind.signed)]
    if is_a("Float"):
        return [struct.pack({16: "<e", 32: "<f", 64: "<d"}[kind.bitwidth], value)]
    if is_a("Complex"):
        part = {64: "<f", 128: "<d"}[kind.bitwidth]
        return [struct.pack(part, value.real), struct.pack(part, value.imag)]
    if is_a("NPDatetime") or is_a("NPTimedelta"):
        return [value.view(numpy.int64).tobytes()]
    if is_a("BaseTuple"):
        parts = [parameters_of(f"{name}[{i}]", each, element, buffers)
                 for i, (each, element) in enumerate(zip(kind, value))]
        return [parameter for part in parts for parameter in part]
    if is_a("EnumMember"):
        return parameters_of(name, kind.dtype, value.value, buffers)
    raise LanescopeError(f"The argument {name} is of the type {kind}, which cannot be passed here.", 2)


def is_cell(path):
    """True for a notebook's cell, whose file's name says nothing."""
    return path.startswith("<") or "ipykernel_" in path


def lines_of(function):
    """The kernel's first and last line."""
    try:
        lines, first = inspect.getsourcelines(function)
    except OSError:
        return None
    return first, first + len(lines) - 1

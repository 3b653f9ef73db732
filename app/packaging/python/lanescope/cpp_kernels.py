"""CUDA C++ as launches: source in a string, of a `cupy.RawKernel`, or PTX that a compiler such as
`cuda.core` returned."""

import json
import pathlib
import re
import struct

from .errors import LanescopeError
from .launches import Buffer, Launch, as_array, check_contiguous


def is_cpp_kernel(kernel):
    return bool(text_of(kernel)) or isinstance(kernel, pathlib.Path)


def text_of(kernel):
    """CUDA C++ or PTX; empty for anything else."""
    if isinstance(kernel, bytes):
        kernel = kernel.decode("utf-8", "replace")
    if not isinstance(kernel, str):
        kernel = getattr(kernel, "code", None)  # cupy.RawKernel, cuda.core.ObjectCode
        if isinstance(kernel, bytes):
            kernel = kernel.decode("utf-8", "replace")
    return kernel if isinstance(kernel, str) and ("__global__" in kernel or ".entry" in kernel) else ""


def cpp_launch(call, kernel, grid, block, arguments, *, name=None, shared=0, cluster=None):
    """`name` chooses one of several kernels; `call` runs the program in a folder and returns its output."""
    source_name = "kernel.cu"
    if isinstance(kernel, pathlib.Path):
        source_name, kernel = kernel.name, kernel.read_text(encoding="utf-8")
    text = text_of(kernel)
    if not text:
        raise LanescopeError(f"{source_name} has no kernel: neither __global__ nor .entry is in it.", 2)
    if name is None and not isinstance(kernel, (str, bytes)) and isinstance(getattr(kernel, "name", None), str):
        name = kernel.name if hasattr(kernel, "kernel") or hasattr(kernel, "backend") else None
    is_ptx = ".entry" in text and "__global__" not in text
    stem = pathlib.Path(source_name).stem
    source_name = f"{stem}.ptx" if is_ptx else f"{stem}.cu"
    launch = Launch(kernel=name or "", source_name=source_name, source=text, grid=grid, block=block, parameters=[],
                    names=[], shared=shared, cluster=cluster)
    words = ["emulate", source_name, "--param-sizes", "--json", *(["--kernel", name] if name else [])]
    described = json.loads(call(words, launch.folder))
    launch.kernel = described["kernel"]
    sizes = [each["bytes"] for each in described["parameters"]]
    if len(sizes) != len(arguments):
        raise LanescopeError(f"The kernel takes {len(sizes)} arguments, and {len(arguments)} are passed.", 2)
    declared = declarations(text, name or base_name(described["kernel"]))
    if len(declared) != len(sizes):
        declared = [("", f"argument_{i}") for i in range(len(sizes))]
    parameters, buffers = [], {}
    for (kind, label), size, value in zip(declared, sizes, arguments):
        parameters.append(parameter_of(kind, label, size, value, buffers))
    launch.set_parameters(parameters, [label for _, label in declared])
    launch.lines = None
    return launch


def declarations(text, kernel):
    """(type, name) of each parameter, where the source declares the kernel."""
    found = re.search(rf"__global__[^;{{}}()]*(?:\([^()]*(?:\([^()]*\))?[^()]*\)[^;{{}}()]*)?\b{re.escape(kernel)}\s*\(([^)]*)\)",
                      re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S))
    if not found or not found[1].strip():
        return []
    made = []
    for each in found[1].split(","):
        each = each.split("=")[0].strip()
        name = re.search(r"(\w+)\s*(?:\[[^]]*\])?$", each)
        made.append((each[:name.start()].strip() + ("*" if each.endswith("]") else ""), name[1]) if name else (each, ""))
    return made


def base_name(symbol):
    from .launches import short_name
    return short_name(symbol)


def parameter_of(kind, name, size, value, buffers):
    array = as_array(value)
    if array is not None and (array.ndim > 0 if not kind else "*" in kind):
        check_contiguous(array, name)
        if size != 8:
            raise LanescopeError(f"The kernel's argument {name} has {size} bytes, and an array is passed.", 2)
        key = (array.__array_interface__["data"][0], array.nbytes, array.dtype)
        return buffers.setdefault(key, Buffer(name, array))
    if hasattr(value, "dtype"):
        made = value.tobytes()
    elif isinstance(value, (bytes, bytearray)):
        made = bytes(value)
    elif isinstance(value, float) or "float" in kind or "double" in kind or "half" in kind:
        letter = {2: "<e", 4: "<f", 8: "<d"}.get(size)
        made = struct.pack(letter, float(value)) if letter else b""
    elif value is None:
        made = bytes(size)
    elif hasattr(value, "__index__"):
        made = (int(value) % (1 << 8 * size)).to_bytes(size, "little")
    else:
        raise LanescopeError(f"The argument {name} is a {type(value).__name__}: pass an array, a number, or the bytes "
                             f"of a struct.", 2)
    if len(made) != size:
        raise LanescopeError(f"The kernel's argument {name} has {size} bytes, and {len(made)} are passed.", 2)
    return made

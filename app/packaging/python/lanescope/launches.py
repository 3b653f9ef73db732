"""One launch of a kernel on arrays, as files that the program reads: the kernel's text, a file per
array, and a lab's record for the commands that take labs."""

import json
import pathlib
import re
import tempfile

from .errors import LanescopeError

# The program's types of elements, keyed by the names of NumPy's types.
ELEMENTS = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "int8": "i8", "uint8": "u8",
            "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32", "int64": "i64", "uint64": "u64",
            "bool": "u8", "complex64": "f32", "complex128": "f64", "datetime64": "i64", "timedelta64": "i64"}

# PTX names source files by number, in lines such as: .file 1 "/home/me/blur.py"
FILE_LINE = re.compile(r'^(\s*\.file\s+\d+\s+")([^"]*)(")', re.M)


class Buffer:
    """The memory that one array takes part with, named like the parameter."""

    def __init__(self, name, array):
        self.name, self.array = name, array
        self.element = ELEMENTS.get(array.dtype.name.split("[")[0], "u8")
        self.bytes = array.nbytes
        self.count = 8 * self.bytes // int(re.search(r"\d+$", self.element)[0])

    def extent(self):
        """Columns, rows, …: the shape's reverse; one row where the record has no such shape."""
        shape = contiguous(self.array).shape
        whole = 1 <= len(shape) <= 3 and self.count == self.array.size and all(shape)
        return list(reversed(shape)) if whole else [max(1, self.count)]


class Launch:
    """`parameters` are the kernel's, in order: bytes, or a Buffer, whose address is passed."""

    def __init__(self, *, kernel, source_name, grid, block, parameters, names, ptx=None, source=None,
                 shared=0, cluster=None):
        if source is None:  # a function that was typed in, or made by other code
            source_name = f"{pathlib.Path(source_name).stem}.ptx"
        self.kernel, self.source_name, self.source, self.ptx = kernel, source_name, source, ptx
        self.grid, self.block, self.cluster = three(grid, "grid"), three(block, "block"), cluster
        self.shared, self.lines = shared, None
        self._folder = tempfile.TemporaryDirectory(prefix="lanescope_")
        self.folder = pathlib.Path(self._folder.name) / "lab"  # sessions lie beside it
        self.folder.mkdir()
        self._write_texts()
        self.set_parameters(parameters, names)

    def set_parameters(self, parameters, names):
        self.parameters, self.names = parameters, names
        self.buffers = list({id(each): each for each in parameters if isinstance(each, Buffer)}.values())
        for number, buffer in enumerate(self.buffers):
            (self.folder / f"buffer_{number}.bin").write_bytes(contiguous(buffer.array).tobytes())

    def _write_texts(self):
        stem = pathlib.Path(self.source_name).stem
        if self.ptx is not None:
            (self.folder / f"{stem}.ptx").write_text(self.ptx, encoding="utf-8")
        if self.source is not None:
            (self.folder / self.source_name).write_text(self.source, encoding="utf-8")

    def kernel_file(self):
        return f"{pathlib.Path(self.source_name).stem}.ptx" if self.ptx is not None else self.source_name

    def emulate_words(self):
        """The words of `lanescope emulate`, run in the folder; each array's memory is dumped to a file."""
        words = ["emulate", self.kernel_file(), "--kernel", self.kernel,
                 "--grid", commas(self.grid), "--block", commas(self.block)]
        if self.shared:
            words += ["--shared", str(self.shared)]
        if self.cluster:
            words += ["--cluster", commas(three(self.cluster, "cluster"))]
        first = {}
        for index, parameter in enumerate(self.parameters):
            if not isinstance(parameter, Buffer):
                text = f"hex:{parameter.hex()}"
            elif id(parameter) in first:
                text = f"@{first[id(parameter)]}"
            elif parameter.count == 0:
                text = "null"
            else:
                number = self.buffers.index(parameter)
                first[id(parameter)] = index
                text = f"{parameter.element}[{parameter.count}]:file:buffer_{number}.bin"
                words += ["--dump", f"{index}:after_{number}.bin"]
            words += ["--arg", text]
        return words

    def lab(self):
        """The folder as a lab, which `run`, `trace`, `step`, `why` and `shot` open."""
        record = self.folder / "lab.json"
        if not record.exists():
            record.write_text(json.dumps(self._record()), encoding="utf-8")
        return self.folder

    def _record(self):
        named, buffers, before, memory = {}, {}, [], []
        for number, buffer in enumerate(self.buffers):
            if buffer.count == 0:
                continue
            name = named[id(buffer)] = self._free_name(buffer.name, buffers)
            shape = {"type": buffer.element, "extent": buffer.extent()}
            start = self._free_name(f"{name}_before", buffers)
            buffers[start] = {**shape, "fill": {"file": f"buffer_{number}.bin"}}
            buffers[name] = shape
            before.append({"copy": start, "to": name})
            memory.append(name)
        result = self.result()
        variant = {"id": "kernel", "title": short_name(self.kernel), "idea": "As launched from Python.",
                   "kernel": self.kernel, "grid": self.grid, "block": self.block,
                   "arguments": [named.get(id(each), {"bytes": "00" * 8}) if isinstance(each, Buffer)
                                 else {"bytes": each.hex()} for each in self.parameters]}
        if self.shared:
            variant["shared"] = self.shared
        if self.cluster:
            variant["cluster"] = three(self.cluster, "cluster")
        record = {"title": short_name(self.kernel), "question": "What does this launch do?",
                  "file": self.source_name, "buffers": buffers, "memory": memory, "before": before}
        if result is not None:
            name = named[id(result)]
            record |= {"result": name, "views": [{"field": name, "draw": "elements", "quantity": name}],
                       "check": {"variant": "kernel", "tolerance": 0, "reason": "There is one variant."}}
        threads = 1
        for each in (*self.grid, *self.block):
            threads *= each
        return record | {"work": {"bytes": sum(each.bytes for each in self.buffers), "flops": 0,
                                  "items": threads, "item": "threads"},
                         "variants": [variant], "test_sizes": [{}]}

    def result(self):
        """The array that pictures draw: the last one that is not empty and that Python may write to."""
        filled = [each for each in self.buffers if each.count]
        writable = [each for each in filled if each.array.flags.writeable]
        return (writable or filled or [None])[-1]

    def read_back(self):
        """Copies the memory after the launch into the arrays."""
        import numpy
        for number, buffer in enumerate(self.buffers):
            dumped = self.folder / f"after_{number}.bin"
            if dumped.exists() and buffer.array.flags.writeable:
                data = numpy.frombuffer(dumped.read_bytes(), buffer.array.dtype)
                buffer.array[...] = data.reshape(buffer.array.shape, order=order_of(buffer.array))

    def named(self, text):
        """The program's text with parameters named as in Python: "passed as parameter 4" or "parameter 4[489]"."""
        def name(match):
            index = int(match[1])
            known = index < len(self.names) and self.names[index]
            return f"parameter {self.names[index]}" if known else match[0]
        return re.sub(r"\bparameter (\d+)\b", name, text)

    @staticmethod
    def _free_name(wanted, taken):
        name = wanted = re.sub(r"\W", "_", wanted) or "array"
        number = 2
        while name in taken:
            name, number = f"{wanted}_{number}", number + 1
        return name


def three(extent, word):
    """(x, y, z) of a number or a tuple, as Numba, CuPy and Triton take it."""
    values = [int(each) for each in extent] if isinstance(extent, (tuple, list)) else [int(extent)]
    if not 1 <= len(values) <= 3 or min(values) < 1:
        raise LanescopeError(f"The {word} is {extent}: it is one to three positive numbers.", 2)
    return values + [1] * (3 - len(values))


def commas(values):
    return ",".join(map(str, values))


def order_of(array):
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


def contiguous(array):
    """The array's memory as it is: Fortran's order is transposed to C's."""
    return array.T if order_of(array) == "F" else array


def as_array(value):
    """NumPy's array of an array that is on the host, sharing its memory; None for anything else."""
    import numpy
    if isinstance(value, numpy.ndarray):
        return value
    if type(value).__module__.split(".")[0] == "torch" and hasattr(value, "detach"):
        if str(value.dtype) == "torch.bfloat16":
            import torch
            return value.detach().view(torch.int16).numpy()
        return value.detach().numpy()
    if hasattr(value, "__cuda_array_interface__"):
        raise LanescopeError("An array is in a GPU's memory. Pass a NumPy array: it is copied there and back.", 2)
    return None


def check_contiguous(array, name):
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise LanescopeError(f"The array {name} is not contiguous, and CUDA cannot copy it as a whole. Pass "
                             f"numpy.ascontiguousarray({name}), and copy the result back.", 2)


def short_name(symbol):
    """The kernel's name in its source: from "_ZN8__main__4blurB2v1…" or "_Z5saxpyfPKf" to "blur" or "saxpy"."""
    rest, names = symbol.removeprefix("_ZN").removeprefix("_Z"), []
    if rest == symbol:
        return symbol
    while match := re.match(r"\d+", rest):
        length = int(match[0])
        names.append(rest[match.end():match.end() + length])
        rest = rest[match.end() + length:]
        if not symbol.startswith("_ZN"):
            break
    return names[-1] if names else symbol

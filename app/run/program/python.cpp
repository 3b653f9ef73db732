// Python reads sitecustomize.py from its search path when it starts. Ours puts a finder in front of
// the others that changes some modules once they have loaded, and runs the sitecustomize.py that it
// hides.
#include "app/run/program/python.h"

#include <cstdlib>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "compute/error.h"
#include "compute/process/search_path.h"

namespace lanescope::app {
namespace {

constexpr std::string_view start_file =
    R"(# Asks Numba for line numbers, in which Lanescope reports findings, passes on PyCUDA's texts, and gives the bindings of the CUDA runtime Lanescope's functions.
import functools
import inspect
import os
import sys


def is_debugged_by_default():
    for name in ("numba.cuda.core.config", "numba.core.config"):
        chosen = getattr(sys.modules.get(name), "CUDA_DEBUGINFO_DEFAULT", None)
        if chosen is not None:
            return bool(chosen)
    return os.environ.get("NUMBA_CUDA_DEBUGINFO", "0") not in ("", "0")


# NVIDIA's optimiser does not link lines of Python with C++, so it is not asked to.
def with_lines(jit):
    has_lto = "lto" in inspect.signature(jit).parameters

    @functools.wraps(jit)
    def jit_with_lines(*args, **options):
        debug = options.get("debug")
        if debug is None:
            debug = is_debugged_by_default()
        if not debug and len(args) < 2:
            options.setdefault("lineinfo", True)
            if has_lto and options["lineinfo"] and not options.get("lto"):
                options["lto"] = False
        return jit(*args, **options)
    return jit_with_lines


def change_decorators(module):
    if callable(getattr(module, "jit", None)):
        module.jit = with_lines(module.jit)


# Numba cannot describe every type to a debugger, which lines alone do not need.
def with_or_without_lines(compile_kernel):
    @functools.wraps(compile_kernel)
    def compile_with_or_without_lines(function, *args, **options):
        try:
            return compile_kernel(function, *args, **options)
        except Exception as error:
            if type(error).__module__.split(".")[0] == "numba" or not options.get("lineinfo"):
                raise
            return compile_kernel(function, *args, **dict(options, lineinfo=False))
    return compile_with_or_without_lines


def change_dispatcher(module):
    if callable(getattr(module, "compile_cuda", None)):
        module.compile_cuda = with_or_without_lines(module.compile_cuda)


# The bindings are linked with NVIDIA's static runtime, and other modules get its functions from the
# table of Cython's C interface.
def change_runtime(module, suffixes=("",)):
    import ctypes
    table = getattr(module, "__pyx_capi__", {})
    try:
        library = ctypes.CDLL("libcudart.so.13", os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:
        return
    make, signature_of = ctypes.pythonapi.PyCapsule_New, ctypes.pythonapi.PyCapsule_GetName
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p] * 3
    signature_of.restype, signature_of.argtypes = ctypes.c_void_p, [ctypes.py_object]
    for name, function in list(table.items()):
        ours = [getattr(library, name[1:] + suffix, None) for suffix in suffixes]
        ours = [each for each in ours if each is not None]
        if ours:
            table[name] = make(ctypes.cast(ours[0], ctypes.c_void_p), signature_of(function), None)


def change_runtime_of_threads(module):
    change_runtime(module, ("_ptds", "_ptsz", ""))


# PyCUDA compiles a text as the file kernel.cu, with nvcc.
def change_pycuda(module):
    import ctypes
    note = getattr(ctypes.CDLL(None), "lanescope_note_compiled_text", None)
    compile_text = getattr(module, "compile_plain", None)
    if note is None or compile_text is None:
        return
    note.argtypes, note.restype = [ctypes.c_char_p] * 2, None

    @functools.wraps(compile_text)
    def compile_noted_text(source, *args, **options):
        if isinstance(source, str):
            note(b"kernel.cu", source.encode())
        return compile_text(source, *args, **options)
    module.compile_plain = compile_noted_text


class AfterLoading:
    changes = {
        "numba.cuda.decorators": change_decorators,
        "numba.cuda.dispatcher": change_dispatcher,
        "cuda.bindings._internal.runtime": change_runtime,
        "cuda.bindings._internal.runtime_ptds": change_runtime_of_threads,
        "pycuda.compiler": change_pycuda,
    }

    def find_spec(self, name, path=None, target=None):
        change = self.changes.pop(name, None)
        if change is None:
            return None
        spec = None
        for finder in sys.meta_path:
            if finder is self:
                continue
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find else None
            if spec is not None:
                break
        load = getattr(getattr(spec, "loader", None), "exec_module", None)
        if load is None:
            return spec

        def exec_module(module):
            load(module)
            change(module)

        try:
            spec.loader.exec_module = exec_module
        except AttributeError:
            pass
        return spec


def run_hidden():
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != here]
    this = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
        if this is not None:
            sys.modules["sitecustomize"] = this


sys.meta_path.insert(0, AfterLoading())
run_hidden()
)";

// pyenv's python3 is a script: the interpreter that it starts would not load the simulator.
bool is_script(const std::filesystem::path& program)
{
    std::ifstream file(program, std::ios::binary);
    return file.get() == '#' && file.get() == '!';
}

} // namespace

bool is_python_source(const std::filesystem::path& file)
{
    return file.extension() == ".py";
}

std::filesystem::path find_python()
{
    if (const char* const chosen = std::getenv("LANESCOPE_PYTHON")) {
        if (const auto found = find_program(chosen)) return *found;
        throw Error(ExitStatus::device_unavailable,
                    fmt::format("There is no program {}, which LANESCOPE_PYTHON names.", chosen),
                    "Give the path of a Python interpreter.");
    }
    const char* const active = std::getenv("VIRTUAL_ENV");
    for (const char* name : {"python3", "python"}) {
        if (active != nullptr)
            if (const auto found =
                    find_program((std::filesystem::path(active) / "bin" / name).string()))
                return *found;
        if (const auto found = find_program(name); found && !is_script(*found)) return *found;
    }
    throw Error(ExitStatus::device_unavailable,
                "PATH has no python3 that is a binary; a script, such as pyenv's, does not work.",
                "Install Python 3, or name the interpreter in LANESCOPE_PYTHON (that of pyenv: "
                "pyenv which python3).");
}

std::vector<std::string> make_python_start(const std::filesystem::path& folder)
{
    const std::filesystem::path start = folder / "python";
    std::filesystem::create_directory(start);
    std::ofstream(start / "sitecustomize.py") << start_file;
    const char* const own = std::getenv("PYTHONPATH");
    const bool more = own != nullptr && *own != '\0';
    return {fmt::format("PYTHONPATH={}{}{}", start.string(), more ? ":" : "", more ? own : "")};
}

} // namespace lanescope::app

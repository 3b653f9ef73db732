// Python reads sitecustomize.py from its search path when it starts. Ours puts a finder in front of
// the others that changes some modules once they have loaded, and runs the sitecustomize.py that it
// hides. A traceback ends with the exception; the script's last line in it is the one to look at.
#include "app/run/program/python.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

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


# A kept launch is stepped in a second text of its kernel, where every variable has a place. Its
# first line has the name of the kernel.
def keep_text_as_written(kernel, function, types, options, folder):
    from numba import cuda
    if options.get("link"):
        return
    text = cuda.compile(function, types, device=False, abi="numba", output="ptx", debug=True, opt=False,
                        cc=cuda.get_current_device().compute_capability,
                        fastmath=bool(options.get("fastmath")))[0]
    text = text.decode() if isinstance(text, bytes) else text
    name = text.split(".entry", 1)[1].split("(", 1)[0].strip()
    with open(os.path.join(folder, f"{len(os.listdir(folder))}.ptx"), "w") as file:
        file.write(f"{kernel.entry_name}\n{text.replace(name, kernel.entry_name)}")


def with_text_as_written(make, folder):
    @functools.wraps(make)
    def make_kernel(self, function, types, *args, **options):
        make(self, function, types, *args, **options)
        try:
            keep_text_as_written(self, function, types, options, folder)
        except Exception:  # Numba cannot describe every type to a debugger
            pass
    return make_kernel


def change_dispatcher(module):
    if callable(getattr(module, "compile_cuda", None)):
        module.compile_cuda = with_or_without_lines(module.compile_cuda)
    folder = os.environ.get("LANESCOPE_AS_WRITTEN")
    if folder and hasattr(module, "_Kernel"):
        module._Kernel.__init__ = with_text_as_written(module._Kernel.__init__, folder)


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

std::vector<std::string> make_python_start(const std::filesystem::path& folder,
                                           const std::filesystem::path& beside)
{
    const std::filesystem::path start = folder / "python";
    std::filesystem::create_directory(start);
    std::ofstream(start / "sitecustomize.py") << start_file;
    std::string path = start.string();
    if (!beside.empty()) path += ":" + beside.string();
    if (const char* const own = std::getenv("PYTHONPATH"); own != nullptr && *own != '\0')
        path += fmt::format(":{}", own);
    return {"PYTHONPATH=" + path};
}

namespace {

// Line number in the last mention of the script, `File "blur.py", line 12`; 0: none.
int last_line_of(const std::filesystem::path& script, std::string_view text)
{
    constexpr std::string_view file = "File \"", line = "\", line ";
    int last = 0;
    for (std::size_t at = 0; (at = text.find(file, at)) != text.npos; ++at) {
        const std::size_t begin = at + file.size(), end = text.find(line, begin);
        if (end == text.npos) break;
        const std::filesystem::path name = text.substr(begin, end - begin);
        if (name.filename() != script.filename() || (name.is_absolute() && name != script))
            continue;
        last = std::atoi(std::string(text.substr(end + line.size(), 9)).c_str());
    }
    return last;
}

// The last lines of a text, at most `count`.
std::string_view last_lines(std::string_view text, int count)
{
    text = text.substr(0, text.find_last_not_of(" \n") + 1);
    std::size_t at = text.size();
    for (int i = 0; i < count && at != text.npos && at > 0; ++i) at = text.rfind('\n', at - 1);
    return at == text.npos || at == 0 ? text : text.substr(at + 1);
}

// The exception that a traceback ends with: its first two lines, as one. Numba's first line names
// only the step of the compiler that failed.
std::string exception_in(std::string_view errors)
{
    constexpr std::string_view begin = "Traceback (most recent call last):";
    constexpr std::size_t max_bytes = 400;
    std::string words;
    int lines = 0;
    bool is_traceback = false, inside = false;
    while (!errors.empty()) {
        const std::string_view line = errors.substr(0, errors.find('\n'));
        errors.remove_prefix(std::min(line.size() + 1, errors.size()));
        if (line.starts_with(begin) || line.starts_with("  File \"")) {
            is_traceback = true;
            inside = false;
            words.clear();
        } else if (is_traceback && (inside || !line.starts_with(' '))) {
            const std::size_t first = line.find_first_not_of(' ');
            if (first == line.npos) continue;
            if (!inside) lines = 0;
            inside = true;
            if (lines++ >= 2) continue;
            if (!words.empty()) words += words.ends_with(':') ? " " : ": ";
            words += line.substr(first);
        }
    }
    if (words.size() > max_bytes) words = words.substr(0, max_bytes) + " …";
    return words;
}

// The cure, if the exception says that a module is missing: install it.
std::string cure_of(std::string_view exception)
{
    constexpr std::string_view missing = "ModuleNotFoundError: No module named '";
    if (!exception.starts_with(missing)) return {};
    const std::string_view rest = exception.substr(missing.size());
    const std::string_view module = rest.substr(0, rest.find_first_of("'."));
    const bool is_numba = module == "numba" || module == "numba_cuda";
    return fmt::format(
        ". Install it (pip install {}), or name an interpreter that has it in LANESCOPE_PYTHON.",
        is_numba ? "'numba-cuda[cu13]'" : module);
}

} // namespace

std::string PythonProblem::text(const std::filesystem::path& script) const
{
    const std::string name = script.filename().string();
    return line > 0 ? fmt::format("{}, line {}: {}", name, line, sentence)
                    : fmt::format("{}: {}", name, sentence);
}

std::optional<PythonProblem> python_problem(const std::filesystem::path& script,
                                            const ProcessEnd& end, const ProgramReport& report)
{
    if (report.has_faults()) return {};
    if (end.out_of_time)
        return PythonProblem{0, "It took longer than five minutes and was ended.", {}};
    if (end.signal != 0)
        return PythonProblem{0, fmt::format("It was ended by signal {}.", end.signal), {}};
    const std::string_view errors = end.error_output;
    if (end.status != 0) {
        PythonProblem problem{last_line_of(script, errors), exception_in(errors),
                              std::string(last_lines(errors, 20))};
        problem.sentence += cure_of(problem.sentence);
        if (problem.sentence.empty()) {
            const std::string last(last_lines(errors, 1));
            problem.sentence = fmt::format("It ended with exit status {}{}{}", end.status,
                                           last.empty() ? "." : ": ", last);
        }
        return problem;
    }
    if (!report.launches.empty()) return {};
    return PythonProblem{
        0,
        report.missing.empty() || report.cuda_version > 0
            ? "It launched no kernel. Call one when the script runs: kernel[blocks, "
              "threads](arrays)."
            : "It launched no kernel: " + report.missing.front(),
        {}};
}

const ProgramLaunch* launch_to_show(const ProgramReport& report, int index, std::string_view kernel)
{
    const auto is_fault = [&](const ProgramLaunch& launch) {
        return std::ranges::any_of(report.findings, [&](const ProgramFinding& one) {
            return one.fault && one.launch == launch.index;
        });
    };
    const ProgramLaunch* best = nullptr;
    int best_rank = 0;
    for (const ProgramLaunch& launch : report.launches) {
        if (launch.lab.empty()) continue;
        const bool same = !kernel.empty() && launch.kernel == kernel;
        const int rank = same && launch.index == index ? 4 : same ? 3 : is_fault(launch) ? 2 : 1;
        if (rank <= best_rank) continue;
        best = &launch;
        best_rank = rank;
    }
    return best;
}

} // namespace lanescope::app

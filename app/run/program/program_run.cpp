// Preloads our library (LD_PRELOAD) under the name that the program looks for, so that it is found
// first, whatever search path was built into the program.
#include "app/run/program/program_run.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "app/run/program/kept_launches.h"
#include "app/run/program/older_cuda.h"
#include "app/run/program/program_file.h"
#include "app/run/program/python.h"
#include "app/run/program/real_runtime.h"
#include "app/run/program/watched_launches.h"
#include "compute/cuda/compile/toolkit.h"
#include "compute/endings.h"
#include "compute/process/end_request.h"
#include "compute/process/programs.h"
#include "compute/process/search_path.h"
#include "compute/python_source.h"
#include "compute/read_number.h"
#include "compute/simt/machine/state/options.h"

namespace lanescope::app {
namespace {

// 90 for "compute_90a"; 0 if there is no number.
int compute_number(std::string_view architecture)
{
    architecture.remove_prefix(
        std::min(architecture.find_first_of("0123456789"), architecture.size()));
    int number = 0;
    read_number(architecture.data(), architecture.data() + architecture.size(), number);
    return number;
}

double seconds_since(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// True if one of the words occurs in one of the sources.
bool mentions_any(const ProgramRequest& request, std::initializer_list<std::string_view> words)
{
    for (const auto& file : request.files) {
        std::ifstream stream(file, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(stream), {}};
        for (const std::string_view word : words)
            if (text.find(word) != text.npos) return true;
    }
    return false;
}

// Library folders of the compiler's toolkit.
std::vector<std::filesystem::path> library_folders(const std::filesystem::path& nvcc)
{
    std::error_code problem;
    const auto home = std::filesystem::weakly_canonical(nvcc, problem).parent_path().parent_path();
    std::vector<std::filesystem::path> folders;
    for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib"})
        if (std::filesystem::exists(home / folder, problem)) folders.push_back(home / folder);
    return folders;
}

void pass_to_linker(std::vector<std::string>& command, const std::string& word)
{
    command.push_back("-Xlinker");
    command.push_back(word);
}

// Links OpenGL and the libraries around it whose headers the sources include.
void link_opengl(std::vector<std::string>& command, const ProgramRequest& request)
{
    struct Library {
        std::initializer_list<std::string_view> headers;
        const char* option;
    };
    for (const Library& library : {
             Library{{"GL/glut.h", "GL/freeglut"}, "-lglut"},
             Library{{"GL/glew.h"}, "-lGLEW"},
             Library{{"GLFW/glfw3.h"}, "-lglfw"},
             Library{{"GL/glu.h", "gluPerspective", "gluLookAt", "gluOrtho2D"}, "-lGLU"},
             Library{{"EGL/egl.h"}, "-lEGL"},
             Library{{"<GL/", "\"GL/", "<EGL/", "\"EGL/", "cuda_gl_interop.h", "cudaGL.h"}, "-lGL"},
         })
        if (mentions_any(request, library.headers)) command.push_back(library.option);
}

// Links the toolkit's driver stub or, without one, the machine's driver for a GPU and our library
// for the lockstep machine.
void link_driver(std::vector<std::string>& command, const ProgramRequest& request,
                 const std::vector<std::filesystem::path>& folders)
{
    for (const auto& folder : folders)
        if (std::filesystem::exists(folder / "stubs" / "libcuda.so")) {
            command.push_back("-L" + (folder / "stubs").string());
            command.push_back("-lcuda");
            return;
        }
    if (request.on_gpu) {
        command.push_back("-l:libcuda.so.1");
        return;
    }
    for (const char* library : {"libcudart.so.13", "driver_13/libcuda.so.1"})
        pass_to_linker(command, (runtime_folder(false) / library).string());
}

// Links NVIDIA's own NVRTC, with its folder in the program's search path.
void link_nvrtc(std::vector<std::string>& command,
                const std::vector<std::filesystem::path>& folders)
{
    for (const auto& folder : folders)
        for (const char* name : {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"}) {
            if (!std::filesystem::exists(folder / name)) continue;
            pass_to_linker(command, (folder / name).string());
            pass_to_linker(command, "-rpath=" + folder.string());
            return;
        }
    command.push_back("-lnvrtc");
}

// nvcc passes file names to a shell, in double quotes.
std::string name_for_nvcc(const std::filesystem::path& file)
{
    const std::string name = file.string();
    const auto is_read_by_shells = [](unsigned char c) {
        return c < ' ' || c == 0x7f || c == '"' || c == '\\' || c == '$' || c == '`';
    };
    if (std::ranges::any_of(name, is_read_by_shells))
        throw Error(
            ExitStatus::bad_usage,
            fmt::format("{} has a character in its name that nvcc passes to a shell.", name),
            "Rename it: quotes, dollar signs, backslashes and line breaks cannot be used.");
    return name.starts_with('-') ? "./" + name : name;
}

struct BuildOptions {
    bool separate = false;                  // -rdc=true
    std::filesystem::path include_before{}; // a header to include before each source; empty: none
};

std::vector<std::string> build_command(const ProgramRequest& request,
                                       const std::filesystem::path& nvcc,
                                       const std::filesystem::path& program,
                                       const BuildOptions& options)
{
    const bool separate = options.separate;
    std::vector<std::string> command{nvcc.string(),
                                     "-cudart",
                                     "shared",
                                     "-o",
                                     program.string(),
                                     "-lineinfo",
                                     "-Xcompiler",
                                     "-g1",
                                     "--extended-lambda",
                                     "--expt-relaxed-constexpr",
                                     "-std=" + request.compile.standard};
    // PTX only: machine code would be unused, and takes long to generate.
    std::string architecture = request.compile.architecture;
    if (separate && compute_number(architecture) < 80 && request.gpu.empty())
        architecture = "compute_80";
    command.push_back(fmt::format("-gencode=arch={0},code={0}", architecture));
    if (separate) command.push_back("-rdc=true");
    if (!options.include_before.empty()) {
        command.push_back("-include");
        command.push_back(options.include_before.string());
    }
    for (const auto& folder : request.compile.include_directories)
        command.push_back("-I" + folder.string());
    for (const std::string& definition : request.compile.definitions)
        command.push_back("-D" + definition);
    for (const std::string& flag : request.compile.flags) command.push_back(flag);
    for (const auto& file : request.files) command.push_back(name_for_nvcc(file));
    const auto folders = library_folders(nvcc);
    if (mentions_any(request, {"<cuda.h>", "\"cuda.h\""})) link_driver(command, request, folders);
    if (mentions_any(request, {"<nvrtc.h>", "\"nvrtc.h\""})) link_nvrtc(command, folders);
    link_opengl(command, request);
    return command;
}

// Kernels that launch kernels, or span several files, need a device link.
bool needs_separate_compilation(const ProgramRequest& request)
{
    const auto sources = std::ranges::count_if(request.files, is_source);
    if (sources > 1) return true;
    for (const auto& file : request.files) {
        std::ifstream stream(file, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(stream), {}};
        for (const char* word :
             {"cudaStreamTailLaunch", "cudaStreamFireAndForget", "cuda_device_runtime_api.h"})
            if (text.find(word) != text.npos) return true;
    }
    return false;
}

// Builds the program in the folder. `changed` receives sentences on features that CUDA 13 removed.
std::filesystem::path build(const ProgramRequest& request, const std::filesystem::path& folder,
                            std::vector<std::string>& changed)
{
    const auto nvcc = cuda::find_nvcc();
    if (!nvcc)
        throw Error(
            ExitStatus::device_unavailable,
            "CUDA programs are built with nvcc, which was not found.",
            "Install a CUDA toolkit or pip install nvidia-cuda-nvcc, or build the program "
            "elsewhere with nvcc "
            "-cudart shared -gencode arch=compute_75,code=compute_75 -lineinfo and give its name.");
    const std::filesystem::path program = folder / request.files.front().stem();
    BuildOptions options{.separate = needs_separate_compilation(request)};
    for (;;) {
        WatchedProcess compiler;
        compiler.arguments = build_command(request, *nvcc, program, options);
        compiler.environment = {"TMPDIR=" + folder.string()};
        for (std::string& entry : environment_for_program())
            if (entry.starts_with("PATH=")) compiler.environment.push_back(std::move(entry));
        compiler.limits.seconds = 600;
        compiler.keeps_output = true;
        const ProcessEnd end = run_watched(compiler);
        if (end.status == 0) return program;
        const std::string log = end.output + end.error_output;
        constexpr std::string_view wants_separate = "separate compilation mode";
        if (!options.separate && log.find(wants_separate) != log.npos) {
            options.separate = true;
            continue;
        }
        if (options.include_before.empty() && !end.out_of_time) {
            changed = older_cuda_names(log);
            if (!changed.empty()) {
                options.include_before = folder / "lanescope_older_cuda.h";
                std::ofstream(options.include_before) << older_cuda_header();
                continue;
            }
        }
        if (end.out_of_time)
            throw Error(ExitStatus::bad_usage, "nvcc did not finish within ten minutes.",
                        "Build a smaller file.");
        throw cuda::CompileError(request.files.front(), log);
    }
}

// Never overwrites an existing folder's contents.
void make_keep_folder(const std::filesystem::path& folder)
{
    std::error_code problem;
    if (std::filesystem::exists(folder, problem) &&
        !(std::filesystem::is_directory(folder, problem) &&
          std::filesystem::is_empty(folder, problem)))
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} already exists, and nothing is overwritten.", folder.string()),
                    "Name another folder, or an empty one.");
    std::filesystem::create_directories(folder, problem);
    if (problem)
        throw Error(
            ExitStatus::bad_usage,
            fmt::format("The folder {} cannot be created: {}.", folder.string(), problem.message()),
            "Choose a folder you can write to.");
}

} // namespace

bool is_source(const std::filesystem::path& file)
{
    constexpr std::array<std::string_view, 5> sources{ending::cuda_source, ".cpp", ".cc", ".cxx",
                                                      ".c"};
    return ending::is_one_of(file, sources);
}

std::filesystem::path runtime_folder(bool on_gpu)
{
    const std::filesystem::path beside = cuda::program_folder();
    const std::filesystem::path within = on_gpu ? "runtime/passing" : "runtime";
    for (const auto& folder : {beside / within, beside / "lib" / within})
        if (std::filesystem::exists(folder / "libcudart.so.13")) return folder;
    throw Error(
        ExitStatus::device_unavailable,
        fmt::format("{} is missing, and programs need it to run.",
                    (beside / within / "libcudart.so.13").string()),
        "Reinstall Lanescope, or build the rest of it: app/run.sh, or cmake --build build.");
}

namespace {

// True if a source copies to shared memory asynchronously and is compiled for a GPU before sm_80:
// ordinary copies replace these there, which hides a missing wait.
bool hides_asynchronous_copies(const ProgramRequest& request)
{
    return !request.on_gpu && request.checks && compute_number(request.compile.architecture) < 80 &&
           mentions_any(request, {"memcpy_async("});
}

// Folders of libraries that the program must find before all others. On a GPU, the driver and the
// compilers are NVIDIA's.
std::string libraries_first(const ProgramRequest& request, const ProgramFile& file)
{
    if (request.on_gpu && file.cuda_version == 0) return {};
    const int version = library_version(file);
    const auto folder = runtime_folder(request.on_gpu);
    std::string first = (folder / fmt::format("libcudart.so.{}", version)).string();
    if (!request.on_gpu)
        first += fmt::format(":{}:{}",
                             (folder / fmt::format("driver_{}", version) / "libcuda.so.1").string(),
                             (folder / "liblanescope_compilers.so").string());
    return first;
}

// Settings passed to the library.
std::vector<std::string> environment_of(const ProgramRequest& request, const ProgramFile& file,
                                        const std::filesystem::path& program)
{
    std::vector<std::string> environment{
        fmt::format("LANESCOPE_CHECKS={}", !request.checks                ? "none"
                                           : simt::usual_precise_checks() ? "precise"
                                                                          : "all"),
        fmt::format("LANESCOPE_ONLY={}", request.only),
        fmt::format("LANESCOPE_DEVICES={}", request.devices),
        fmt::format("LANESCOPE_GPU={}", request.gpu),
        fmt::format("LANESCOPE_LAUNCH_LIMIT={}", request.launch_limit_s)};
    if (request.sample_seed)
        environment.push_back(fmt::format("LANESCOPE_SAMPLE={}", *request.sample_seed));
    if (const std::string first = libraries_first(request, file); !first.empty())
        environment.push_back("LD_PRELOAD=" + first);
    if (request.on_gpu && file.cuda_version != 0)
        environment.push_back(
            fmt::format("{}={}", real_runtime_variable, find_real_runtime(file, program).string()));
    if (!request.keep.empty()) {
        environment.push_back(
            fmt::format("LANESCOPE_KEEP={}", std::filesystem::absolute(request.keep).string()));
        environment.push_back(fmt::format("LANESCOPE_KEEP_BYTES={}", request.keep_bytes));
        if (request.keep_launch >= 0)
            environment.push_back(fmt::format("LANESCOPE_KEEP_LAUNCH={}", request.keep_launch));
    }
    return environment;
}

bool runs_in_python(const ProgramRequest& request)
{
    return request.is_module || is_python_source(request.files.front());
}

// The command to start: the program, or the interpreter with the script or module that it runs.
std::vector<std::string> command_of(const ProgramRequest& request,
                                    const std::filesystem::path& program)
{
    std::vector<std::string> command{std::filesystem::absolute(program).string()};
    if (request.is_module) command.emplace_back("-m");
    if (runs_in_python(request)) command.push_back(request.files.front().string());
    command.insert(command.end(), request.arguments.begin(), request.arguments.end());
    return command;
}

// Throws for a file that is not there, and for more than one program.
void check_files(const ProgramRequest& request, bool builds)
{
    for (const auto& file : request.files) {
        if (request.is_module) break;
        if (!std::filesystem::exists(file))
            throw Error(ExitStatus::no_such_thing,
                        fmt::format("There is no file {}.", file.string()),
                        "Name a .cu or .py file, or a program that nvcc has built.");
    }
    if (!builds && request.files.size() > 1)
        throw Error(ExitStatus::bad_usage, "Only one program can run at a time.",
                    "Put its arguments after --, as in: lanescope program ./program -- 1000.");
}

// Sentences about the parts of the run that its report lacks.
std::vector<std::string> missing_parts(const ProgramRequest& request, const ProgramFile& file,
                                       bool builds, const std::vector<std::string>& changed,
                                       const ProgramResult& result)
{
    std::vector<std::string> missing;
    if (!changed.empty())
        missing.push_back(fmt::format(
            "The program is written for an older CUDA and was built with replacements. {}",
            fmt::join(changed, " ")));
    if (builds && hides_asynchronous_copies(request))
        missing.push_back(fmt::format(
            "The program is compiled for {}, where memcpy_async is an ordinary copy: whether it "
            "waits for its copies is checked with --arch sm_80.",
            request.compile.architecture));
    if (request.on_gpu)
        for (const std::string& library : libraries_with_kernels(file))
            missing.push_back(fmt::format("Launches made by {} are not listed.", library));
    if (!request.on_gpu && result.report.cuda_version == 0 && result.end.status == 0)
        missing.push_back("The program made no CUDA calls.");
    if (request.on_gpu && (file.uses_driver || file.cuda_version == 0))
        missing.push_back(
            "The program calls the driver API, which NVIDIA's driver handles on the GPU: launches, "
            "copies and allocations made through it are not listed.");
    return missing;
}

// Folder in which the interpreter writes kernels for stepping.
std::filesystem::path as_written_in(const std::filesystem::path& folder)
{
    return folder / "as_written";
}

// Adds what a Python interpreter needs to start with this runtime, in files of the folder.
void start_in_python(const ProgramRequest& request, const std::filesystem::path& folder,
                     WatchedProcess& process)
{
    // No leak report, because an interpreter frees some memory only when it exits.
    process.environment.emplace_back("LANESCOPE_LEAKS=none");
    for (std::string& setting : make_python_start(folder, request.imports_from))
        process.environment.push_back(std::move(setting));
    if (!request.as_written || request.keep.empty()) return;
    std::filesystem::create_directory(as_written_in(folder));
    process.environment.push_back("LANESCOPE_AS_WRITTEN=" + as_written_in(folder).string());
}

// Runs the process, and reads its report.
void run_process(const ProgramRequest& request, WatchedProcess& process, ProgramResult& result)
{
    ReportReader reader;
    process.report = [&](std::string_view piece) { reader.take(piece); };
    std::optional<WatchedLaunches> launches;
    if (request.ends_on_request) launches.emplace(process);
    const auto begin = std::chrono::steady_clock::now();
    result.end = run_watched(process);
    result.end.on_request = request.ends_on_request && end_request() != 0;
    result.run_s = seconds_since(begin);
    result.report = reader.finish();
}

} // namespace

ProgramResult run_whole_program(const ProgramRequest& request)
{
    if constexpr (!runs_programs) refuse_programs();
    ProgramResult result;
    runtime_folder(request.on_gpu); // fail before anything is built
    const bool in_python = runs_in_python(request);
    const bool builds = !request.is_module && is_source(request.files.front());
    check_files(request, builds);
    std::optional<WatchedFolder> folder;
    std::filesystem::path program = request.files.front();
    std::vector<std::string> changed;
    if (builds) {
        const auto begin = std::chrono::steady_clock::now();
        folder.emplace();
        program = build(request, folder->path(), changed);
        result.build_s = seconds_since(begin);
    }
    ProgramFile file;
    if (in_python) {
        program = find_python();
    } else {
        file = read_program_file(program);
        require_shared_runtime(file, request.files.front());
        if (!request.on_gpu) require_own_kernels(file, request.files.front());
    }

    WatchedProcess process;
    process.arguments = command_of(request, program);
    process.limits = request.limits;
    process.keeps_output = request.keeps_output;
    process.environment = environment_of(request, file, program);
    const bool interprets =
        in_python || (file.cuda_version == 0 && program.filename().string().starts_with("python"));
    if (!request.on_gpu && interprets) {
        if (!folder) folder.emplace();
        start_in_python(request, folder->path(), process);
    }
    if (!request.keep.empty()) make_keep_folder(request.keep);
    run_process(request, process, result);
    for (std::string& sentence : missing_parts(request, file, builds, changed, result))
        result.report.missing.push_back(std::move(sentence));
    result.report.on_gpu = request.on_gpu; // a program that crashed early has reported nothing
    if (!request.keep.empty())
        make_labs(request.keep, request.files.front().filename().string(),
                  builds ? request.files : std::vector<std::filesystem::path>(),
                  folder ? as_written_in(folder->path()) : std::filesystem::path(),
                  result.report.launches);
    return result;
}

} // namespace lanescope::app

// Tries NVRTC first, because it answers in a tenth of the time, then nvcc for what NVRTC can't
// compile.
#include "compute/cuda/compile/compile.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <regex>

#include "compute/cuda/compile/nvrtc.h"
#include "compute/cuda/compile/toolkit.h"
#include "compute/device/device.h"
#include "compute/process/process.h"

namespace lanescope::cuda {
namespace fs = std::filesystem;
namespace {

fs::path folder_of(const fs::path& name)
{
    return name.has_parent_path() ? name.parent_path() : fs::path(".");
}

std::vector<std::string> common_options(const fs::path& name, const CompileOptions& options)
{
    std::vector<std::string> arguments{"-lineinfo", "-std=" + options.standard};
    if (options.own_folder) arguments.push_back("-I" + folder_of(name).string());
    for (const fs::path& folder : options.include_directories)
        arguments.push_back("-I" + folder.string());
    for (const std::string& definition : options.definitions)
        arguments.push_back("-D" + definition);
    arguments.insert(arguments.end(), options.flags.begin(), options.flags.end());
    return arguments;
}

// Recognises the compilers' message about a kernel that launches kernels, which requires linking
// with the device runtime. Compiling for that changes the output of any other text, so it is not
// the default.
bool asks_for_device_runtime(std::string_view text, std::string_view log)
{
    if (text.find("<<<") == std::string_view::npos) return false;
    for (const std::string_view sign :
         {"separate compilation mode", "device-side kernel launch",
          "identifier \"cudaStreamFireAndForget\"", "identifier \"cudaStreamTailLaunch\"",
          "identifier \"cudaStreamNonBlocking\"", "identifier \"cudaStream_t\"",
          "identifier \"cudaGetLastError\""})
        if (log.find(sign) != std::string_view::npos) return true;
    return false;
}

constexpr const char* with_device_runtime = "-rdc=true";

// Tries first without the declarations that few kernels need (textures, runtime functions), which
// saves a quarter of the time. If that fails, also because an older compiler doesn't know the
// option, compiles with everything.
Nvrtc::Result compile_by_nvrtc(const Nvrtc& nvrtc, std::string_view text, const fs::path& name,
                               const CompileOptions& options)
{
    std::vector<std::string> arguments = common_options(name, options);
    arguments.push_back("--gpu-architecture=" + options.architecture);
    for (const fs::path& folder : toolkit_includes()) arguments.push_back("-I" + folder.string());
    const auto compile = [&] { return nvrtc.compile(std::string(text), name.string(), arguments); };
    arguments.emplace_back("--minimal");
    Nvrtc::Result result = compile();
    if (result.compiled) return result;
    arguments.pop_back();
    if (!asks_for_device_runtime(text, result.log)) result = compile();
    if (result.compiled || !asks_for_device_runtime(text, result.log)) return result;
    arguments.emplace_back(with_device_runtime);
    return compile();
}

// A new folder in the system's temporary folder, removed with its contents.
class TemporaryFolder {
public:
    TemporaryFolder()
    {
        std::string pattern = (fs::temp_directory_path() / "lanescope-XXXXXX").string();
        if (!mkdtemp(pattern.data()))
            throw Error(ExitStatus::bad_usage,
                        fmt::format("No temporary folder in {}: {}.",
                                    fs::temp_directory_path().string(), std::strerror(errno)),
                        "Set TMPDIR to a folder that can be written to.");
        path_ = pattern;
    }
    ~TemporaryFolder()
    {
        std::error_code none;
        fs::remove_all(path_, none);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

std::string quoted(const std::string& name)
{
    std::string text = "\"";
    for (char c : name) {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
    }
    return text + '"';
}

std::string read_whole(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

Compiled compile_by_nvcc(const fs::path& nvcc, std::string_view text, const fs::path& name,
                         const CompileOptions& options)
{
    const TemporaryFolder folder;
    const fs::path source = folder.path() / "kernel.cu";
    const fs::path ptx = folder.path() / "kernel.ptx";
    // #line gives the copy the original's name, in messages and in the line table.
    std::ofstream(source, std::ios::binary) << "#line 1 " << quoted(name.string()) << '\n' << text;

    std::vector<std::string> arguments{nvcc.string(), "-ptx", "-arch=" + options.architecture};
    for (std::string& option : common_options(name, options))
        arguments.push_back(std::move(option));
    arguments.insert(arguments.end(), {"-o", ptx.string(), source.string()});
    Finished finished = run_to_end(arguments);
    if (finished.status != 0 && asks_for_device_runtime(text, finished.output)) {
        arguments.insert(arguments.end() - 1, with_device_runtime);
        finished = run_to_end(arguments);
    }
    if (finished.status != 0) throw CompileError(name, finished.output);
    return {read_whole(ptx), std::move(finished.output)};
}

// Whether the text may contain what only nvcc accepts: host code, and the headers that it needs.
// Errors in a kernel alone would be the same, and nvcc takes half a second to repeat them.
bool may_need_nvcc(std::string_view text)
{
    for (const std::string_view sign : {"#include", "<<<", "cuda", "main"})
        if (text.find(sign) != std::string_view::npos) return true;
    return false;
}

} // namespace

std::string missing_header(std::string_view header)
{
    constexpr std::string_view of_samples[] = {"exception.h",      "multithreading.h", "nvMath.h",
                                               "rendercheck_gl.h", "param.h",          "paramgl.h",
                                               "dynlink_d3d11.h",  "helper_nvJPEG.hxx"};
    const bool sample = header.starts_with("helper_") ||
                        std::ranges::find(of_samples, header) != std::end(of_samples);
    if (sample)
        return fmt::format("There is no header {}. It comes with NVIDIA's CUDA samples, in the "
                           "folder Common of github.com/NVIDIA/cuda-samples: name that folder "
                           "with -I.",
                           header);
    return fmt::format(
        "There is no header {}. Headers are searched for beside the file, in folders "
        "that are named with -I, and among the compiler's own.",
        header);
}

namespace {

// Message for the log, with a hint if a header is missing.
std::string words_of(const fs::path& name, const std::string& log)
{
    static const std::regex missing(
        R"re((?:could not|cannot) open source file "([^"\n]{1,200})"|fatal error: ([^:\n]{1,200}): No such file)re");
    std::string words = fmt::format("{} does not compile:\n{}", name.string(), log);
    std::smatch found;
    const std::string begin = log.substr(0, 4000); // limited, because std::regex recurses
    if (std::regex_search(begin, found, missing))
        words += fmt::format("{}{}", words.ends_with('\n') ? "" : "\n",
                             missing_header(found[found[1].matched ? 1 : 2].str()));
    return words;
}

} // namespace

CompileError::CompileError(const fs::path& name, std::string log)
    : Error(ExitStatus::bad_usage, words_of(name, log)), log_(std::move(log))
{
}

Compiled compile_to_ptx(std::string_view text, const fs::path& name, const CompileOptions& options)
{
    const std::unique_ptr<Nvrtc> nvrtc = Nvrtc::load();
    std::string refusal;
    if (nvrtc) {
        Nvrtc::Result result = compile_by_nvrtc(*nvrtc, text, name, options);
        if (result.compiled) return {std::move(result.ptx), std::move(result.log)};
        refusal = std::move(result.log);
        if (!may_need_nvcc(text)) throw CompileError(name, refusal);
    }
    if (const auto nvcc = find_nvcc()) return compile_by_nvcc(*nvcc, text, name, options);
    if (nvrtc) throw CompileError(name, refusal);
    throw device::DeviceError(
        fmt::format(
            "{} cannot be compiled: neither NVRTC (libnvrtc.so.13) nor nvcc is on this machine.",
            name.string()),
        "Get one by `pip install 'lanescope[edit]'` or install a CUDA toolkit (CUDA_HOME says "
        "where); "
        "or give the kernel as PTX.");
}

std::string compilers_found()
{
    const std::unique_ptr<Nvrtc> nvrtc = Nvrtc::load();
    const auto nvcc = find_nvcc();
    if (!nvrtc && !nvcc) return "No compiler for .cu files: neither NVRTC nor nvcc was found.";
    return fmt::format("Kernels are compiled by {}{}{}.",
                       nvrtc ? "NVRTC (" + nvrtc->path() + ")" : "", nvrtc && nvcc ? " and " : "",
                       nvcc ? "nvcc (" + nvcc->string() + ")" : "");
}

} // namespace lanescope::cuda

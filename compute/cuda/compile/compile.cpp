// Tries NVRTC first, because it takes a tenth of the time; nvcc compiles sources that NVRTC cannot.
#include "compute/cuda/compile/compile.h"

#include <cctype>
#include <fstream>
#include <sstream>

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <regex>

#include "compute/cuda/compile/nvrtc.h"
#include "compute/cuda/compile/toolkit.h"
#include "compute/device/device.h"
#include "compute/process/library.h"
#include "compute/process/process.h"
#include "compute/process/temporary_folder.h"

namespace lanescope::cuda {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> common_options(const CompileOptions& options)
{
    std::vector<std::string> arguments{"-lineinfo", "-std=" + options.standard};
    if (!options.own_folder.empty()) arguments.push_back("-I" + options.own_folder.string());
    for (const fs::path& folder : options.include_directories)
        arguments.push_back("-I" + folder.string());
    for (const std::string& definition : options.definitions)
        arguments.push_back("-D" + definition);
    arguments.insert(arguments.end(), options.flags.begin(), options.flags.end());
    return arguments;
}

// Makes a file name safe for compilers: not an option, on one line, and without characters that PTX
// strings escape.
std::string name_for_compiler(const fs::path& name)
{
    std::string text = name.string();
    std::ranges::replace(text, '"', '\'');
    std::ranges::replace_if(
        text, [](unsigned char c) { return c < ' ' || c == 0x7f || c == '\\'; }, '?');
    return text.starts_with('-') ? "./" + text : text;
}

// Recognises the compilers' message about a kernel that launches kernels, which requires linking
// with the device runtime. Compiling for that changes the output of any other source, so it is not
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

std::string read_whole(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// nvcc splits folder names at commas and passes them to a shell, so a folder with special
// characters in its name gets a link with a plain one.
fs::path plain_name(const fs::path& folder, const fs::path& links)
{
    constexpr std::string_view plain = "/._-+=@~%:";
    const auto is_plain = [&](unsigned char c) {
        return std::isalnum(c) != 0 || c >= 0x80 || plain.find(static_cast<char>(c)) != plain.npos;
    };
    const std::string name = folder.string();
    if (std::ranges::all_of(name, is_plain)) return folder;
    for (int number = 0;; ++number) {
        const fs::path link = links / fmt::format("headers_{}", number);
        std::error_code problem;
        fs::create_directory_symlink(fs::absolute(folder), link, problem);
        if (!problem || problem != std::errc::file_exists) return link;
    }
}

CompileOptions with_plain_names(CompileOptions options, const fs::path& links)
{
    if (!options.own_folder.empty()) options.own_folder = plain_name(options.own_folder, links);
    for (fs::path& folder : options.include_directories) folder = plain_name(folder, links);
    return options;
}

} // namespace

// Tries first without the declarations that few kernels need (textures, runtime functions), which
// saves a quarter of the time. If that fails, for instance because an older compiler doesn't know
// the option, compiles with everything, unless the text has host functions, which NVRTC refuses.
Compiled compile_with_nvrtc(const Nvrtc& nvrtc, std::string_view text, const fs::path& name,
                            const CompileOptions& options)
{
    std::vector<std::string> arguments = common_options(options);
    arguments.push_back("--gpu-architecture=" + options.architecture);
    for (const fs::path& folder : toolkit_includes()) arguments.push_back("-I" + folder.string());
    const auto compile = [&] {
        return nvrtc.compile(std::string(text), name_for_compiler(name), arguments);
    };
    arguments.emplace_back("--minimal");
    Nvrtc::Result result = compile();
    if (!result.compiled) {
        if (result.log.find("host functions are not allowed in JIT mode") != std::string::npos)
            throw CompileError(name, result.log);
        arguments.pop_back();
        const bool launches = asks_for_device_runtime(text, result.log);
        if (!launches) result = compile();
        if (!result.compiled && asks_for_device_runtime(text, result.log)) {
            arguments.emplace_back(with_device_runtime);
            result = compile();
        }
    }
    if (!result.compiled) throw CompileError(name, result.log);
    return {std::move(result.ptx), std::move(result.log)};
}

Compiled compile_with_nvcc(const fs::path& nvcc, std::string_view text, const fs::path& name,
                           const CompileOptions& options, const fs::path& folder,
                           const Walls* walls, FileView* view)
{
    const fs::path source = folder / "kernel.cu";
    const fs::path ptx = folder / "kernel.ptx";
    // #line gives the copy the original's name, in messages and in the line table.
    std::ofstream(source, std::ios::binary) << "#line 1 \"" << name_for_compiler(name) << "\"\n"
                                            << text;

    std::vector<std::string> arguments{nvcc.string(), "-ptx", "-arch=" + options.architecture};
    for (std::string& option : common_options(with_plain_names(options, folder)))
        arguments.push_back(std::move(option));
    arguments.insert(arguments.end(), {"-o", ptx.string(), source.string()});
    // TMPDIR also applies to nvcc's child processes; ccache would write elsewhere.
    const Process::Start start{
        .walls = walls,
        .view = view,
        .changes = {"TMPDIR=" + folder.string(), "CCACHE_DISABLE=1"},
    };
    Finished finished = run_to_end(arguments, start);
    if (finished.status != 0 && asks_for_device_runtime(text, finished.output)) {
        arguments.insert(arguments.end() - 1, with_device_runtime);
        finished = run_to_end(arguments, start);
    }
    if (finished.status != 0) throw CompileError(name, finished.output);
    return {read_whole(ptx), std::move(finished.output)};
}

bool may_need_nvcc(std::string_view text)
{
    for (const std::string_view sign : {"#include", "<<<", "cuda", "main"})
        if (text.find(sign) != std::string_view::npos) return true;
    return false;
}

void throw_no_compiler(const fs::path& name)
{
    throw device::DeviceError(
        fmt::format("{} cannot be compiled: neither NVRTC ({}) nor nvcc is on this machine.",
                    name.string(), cuda_library("nvrtc", 13)),
        "Run `pip install 'lanescope[edit]'`, install a CUDA toolkit (set CUDA_HOME to its "
        "location), or supply the kernel as PTX.");
}

std::string missing_header(std::string_view header)
{
    constexpr std::string_view sample_headers[] = {
        "exception.h", "multithreading.h", "nvMath.h",        "rendercheck_gl.h",
        "param.h",     "paramgl.h",        "dynlink_d3d11.h", "helper_nvJPEG.hxx"};
    const bool sample = header.starts_with("helper_") ||
                        std::ranges::find(sample_headers, header) != std::end(sample_headers);
    if (sample)
        return fmt::format("There is no header {}. It comes with NVIDIA's CUDA samples, in the "
                           "folder Common of github.com/NVIDIA/cuda-samples: name that folder "
                           "with -I.",
                           header);
    return fmt::format("There is no header {}. Headers are searched for beside the file, in "
                       "folders named with -I, and among the compiler's own.",
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
    const auto nvcc = find_nvcc();
    if (nvrtc) {
        try {
            return compile_with_nvrtc(*nvrtc, text, name, options);
        } catch (const CompileError&) {
            if (!nvcc || !may_need_nvcc(text)) throw;
        }
    }
    if (!nvcc) throw_no_compiler(name);
    const TemporaryFolder folder;
    return compile_with_nvcc(*nvcc, text, name, options, folder.path());
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

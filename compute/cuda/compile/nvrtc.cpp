// NVRTC through its C interface, as declared in the toolkit's nvrtc.h.
#include "compute/cuda/compile/nvrtc.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "compute/cuda/compile/toolkit.h"
#include "compute/process/library.h"

namespace lanescope::cuda {
namespace {

using Program = void*;
constexpr int success = 0;

struct Header {
    const char* name;
    const char* text;
};

// NVRTC has CUDA's declarations, printf and assert built in; empty files stand in for host headers
// that a kernel file includes only for these.
constexpr std::array<Header, 14> host_headers{{
    {"stdio.h", ""},
    {"cstdio", ""},
    {"stdlib.h", ""},
    {"cstdlib", ""},
    {"math.h", ""},
    {"cmath", ""},
    {"assert.h", ""},
    {"cassert", ""},
    {"string.h", ""},
    {"cuda_runtime.h", ""},
    {"cuda_runtime_api.h", ""},
    {"device_launch_parameters.h", ""},
    {"stdint.h",
     "#pragma once\n"
     "typedef signed char int8_t; typedef short int16_t; typedef int int32_t;\n"
     "typedef long long int64_t; typedef unsigned char uint8_t; typedef unsigned short uint16_t;\n"
     "typedef unsigned int uint32_t; typedef unsigned long long uint64_t;\n"
     "typedef unsigned long long uintptr_t; typedef long long intptr_t;\n"},
    {"cstdint", "#pragma once\n#include <stdint.h>\n"},
}};

// Constants of <math.h> and <limits.h>, which nvcc's cuda_runtime.h includes for every file.
constexpr std::string_view host_constants[] = {
    "INFINITY=(__int_as_float(0x7f800000))",
    "NAN=(__int_as_float(0x7fffffff))",
    "HUGE_VAL=(__longlong_as_double(0x7ff0000000000000LL))",
    "M_E=2.71828182845904523536",
    "M_LOG2E=1.44269504088896340736",
    "M_LN2=0.69314718055994530942",
    "M_LN10=2.30258509299404568402",
    "M_PI=3.14159265358979323846",
    "M_PI_2=1.57079632679489661923",
    "M_PI_4=0.78539816339744830962",
    "M_1_PI=0.31830988618379067154",
    "M_2_PI=0.63661977236758134308",
    "M_SQRT2=1.41421356237309504880",
    "M_SQRT1_2=0.70710678118654752440",
    "CHAR_BIT=8",
    "SCHAR_MAX=127",
    "SCHAR_MIN=(-128)",
    "UCHAR_MAX=255",
    "SHRT_MAX=32767",
    "SHRT_MIN=(-32768)",
    "USHRT_MAX=65535",
    "INT_MAX=2147483647",
    "INT_MIN=(-2147483647-1)",
    "UINT_MAX=4294967295U",
    "LONG_MAX=9223372036854775807L",
    "LONG_MIN=(-9223372036854775807L-1L)",
    "ULONG_MAX=18446744073709551615UL",
    "LLONG_MAX=9223372036854775807LL",
    "LLONG_MIN=(-9223372036854775807LL-1LL)",
    "ULLONG_MAX=18446744073709551615ULL",
};

// Adds these constants to the options, except for those that the options already define.
std::vector<std::string> with_constants(const std::vector<std::string>& options)
{
    std::vector<std::string> all;
    for (const std::string_view constant : host_constants) {
        const std::string name = "-D" + std::string(constant.substr(0, constant.find('=')));
        const bool defined = std::ranges::any_of(options, [&](const std::string& option) {
            return option == name || option.starts_with(name + "=");
        });
        if (!defined) all.push_back("-D" + std::string(constant));
    }
    all.insert(all.end(), options.begin(), options.end());
    return all;
}

// NVRTC opens its second library by name alone, which fails if the toolkit is not on the loader's
// search path; so that library is opened first.
void open_builtins(const std::filesystem::path& folder)
{
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none))
        if (entry.path().filename().string().find("nvrtc-builtins") != std::string::npos)
            open_library(entry.path());
}

void replace_all(std::string& text, const std::string& from, const std::string& to)
{
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

} // namespace

std::string in_ascii(const std::string& name)
{
    std::string ascii;
    for (const char letter : name)
        ascii += static_cast<unsigned char>(letter) < 0x80
                     ? std::string(1, letter)
                     : fmt::format("_{:02x}", static_cast<unsigned char>(letter));
    return ascii;
}

// The library is never closed: unloading would leak memory that its C++ runtime has reserved.
struct Nvrtc::Functions {
    int (*create)(Program*, const char*, const char*, int, const char* const*,
                  const char* const*) = nullptr;
    int (*destroy)(Program*) = nullptr;
    int (*compile)(Program, int, const char* const*) = nullptr;
    int (*ptx_size)(Program, std::size_t*) = nullptr;
    int (*ptx)(Program, char*) = nullptr;
    int (*log_size)(Program, std::size_t*) = nullptr;
    int (*log)(Program, char*) = nullptr;

    explicit Functions(void* library)
    {
        const auto get = [library]<class Function>(Function& function, const char* name) {
            function = reinterpret_cast<Function>(find_function(library, name));
        };
        get(create, "nvrtcCreateProgram");
        get(destroy, "nvrtcDestroyProgram");
        get(compile, "nvrtcCompileProgram");
        get(ptx_size, "nvrtcGetPTXSize");
        get(ptx, "nvrtcGetPTX");
        get(log_size, "nvrtcGetProgramLogSize");
        get(log, "nvrtcGetProgramLog");
    }

    bool complete() const
    {
        return create && destroy && compile && ptx_size && ptx && log_size && log;
    }
};

Nvrtc::Nvrtc(std::unique_ptr<Functions> functions, std::string path)
    : functions_(std::move(functions)), path_(std::move(path))
{
}

Nvrtc::~Nvrtc() = default;

std::unique_ptr<Nvrtc> Nvrtc::load()
{
    for (const auto& candidate :
         library_candidates({cuda_library("nvrtc", 13), cuda_library("nvrtc", 12)})) {
        if (candidate.has_parent_path()) open_builtins(candidate.parent_path());
        void* handle = open_library(candidate);
        if (!handle) continue;
        auto functions = std::make_unique<Functions>(handle);
        if (functions->complete())
            return std::unique_ptr<Nvrtc>(new Nvrtc(std::move(functions), candidate.string()));
    }
    return nullptr;
}

Nvrtc::Result Nvrtc::compile(const std::string& text, const std::string& name,
                             const std::vector<std::string>& options) const
{
    std::vector<const char*> header_names;
    std::vector<const char*> header_texts;
    for (const Header& header : host_headers) {
        header_names.push_back(header.name);
        header_texts.push_back(header.text);
    }
    std::vector<const char*> arguments;
    const std::vector<std::string> defined = with_constants(options);
    for (const std::string& option : defined) arguments.push_back(option.c_str());

    const Functions& nvrtc = *functions_;
    Result result;
    Program program = nullptr;
    const std::string given = nvrtc_reads_utf8 ? name : in_ascii(name);
    if (nvrtc.create(&program, text.c_str(), given.c_str(), static_cast<int>(header_names.size()),
                     header_texts.data(), header_names.data()) != success) {
        result.log = "NVRTC could not start.";
        return result;
    }
    result.compiled =
        nvrtc.compile(program, static_cast<int>(arguments.size()), arguments.data()) == success;
    const auto fetch = [&](auto size_of, auto text_of) {
        std::size_t bytes = 0;
        if (size_of(program, &bytes) != success || bytes == 0) return std::string();
        std::string fetched(bytes, '\0');
        if (text_of(program, fetched.data()) != success) return std::string();
        fetched.resize(bytes - 1);
        return fetched;
    };
    result.log = fetch(nvrtc.log_size, nvrtc.log);
    if (result.compiled) result.ptx = fetch(nvrtc.ptx_size, nvrtc.ptx);
    nvrtc.destroy(&program);
    if (given != name) {
        replace_all(result.log, given, name);
        replace_all(result.ptx, given, name);
    }
    return result;
}

} // namespace lanescope::cuda

// NVRTC produces PTX on the way to machine code and can return both, so the machine code that a
// program requests gets the PTX as an extra section. Line information, by which findings are
// located, is requested on the program's behalf.
#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <nvrtc.h>

#include "compute/runtime/compilers/interposed.h"
#include "compute/runtime/reporting/carried_ptx.h"

namespace lanescope::compilers {

namespace {

template <class Function>
Function* nvrtc_function(std::size_t number, const char* name)
{
    return function_of<Function>({Family::nvrtc, number}, name);
}

#define REAL(name) nvrtc_function<decltype(::name)>(number, #name)

// NVIDIA's link-time optimiser refuses code with line information from different compilers, so such
// code is compiled without it.
bool excludes_lines(std::string_view option)
{
    return option == "-dlto" || option == "--dlink-time-opt" || option == "-G" ||
           option == "--device-debug" || option == "-lineinfo" || option == "--generate-line-info";
}

// Also notifies the runtime library in this process, which remembers
// the source's lines in the script.
nvrtcResult create(std::size_t number, nvrtcProgram* program, const char* text, const char* name,
                   int count, const char* const* headers, const char* const* names)
{
    auto* const real = REAL(nvrtcCreateProgram);
    if (real == nullptr) return NVRTC_ERROR_INTERNAL_ERROR;
    const nvrtcResult result = real(program, text, name, count, headers, names);
    static auto* const note = reinterpret_cast<void (*)(const char*, const char*)>(
        real_dlsym(RTLD_DEFAULT, "lanescope_note_compiled_text"));
    if (result == NVRTC_SUCCESS && note != nullptr)
        note(name == nullptr ? "default_program" : name, text);
    return result;
}

nvrtcResult compile(std::size_t number, nvrtcProgram program, int count, const char* const* options)
{
    auto* const real = REAL(nvrtcCompileProgram);
    if (real == nullptr) return NVRTC_ERROR_INTERNAL_ERROR;
    if (count < 0 || (count > 0 && options == nullptr)) return real(program, count, options);
    std::vector<const char*> all(options, options + count);
    if (std::ranges::any_of(
            all, [](const char* option) { return option == nullptr || excludes_lines(option); }))
        return real(program, count, options);
    all.push_back("-lineinfo");
    const nvrtcResult result = real(program, count + 1, all.data());
    // If an option is refused, compiles again so that the log is about the program's options.
    return result == NVRTC_ERROR_INVALID_OPTION ? real(program, count, options) : result;
}

// Machine code with its PTX as a section.
nvrtcResult machine_code(std::size_t number, nvrtcProgram program, std::string& code)
{
    auto* const size_of_code = REAL(nvrtcGetCUBINSize);
    auto* const get_code = REAL(nvrtcGetCUBIN);
    if (size_of_code == nullptr || get_code == nullptr) return NVRTC_ERROR_INTERNAL_ERROR;
    std::size_t bytes = 0;
    nvrtcResult result = size_of_code(program, &bytes);
    if (result != NVRTC_SUCCESS) return result;
    code.assign(bytes, '\0');
    if (bytes == 0) return result;
    result = get_code(program, code.data());
    if (result != NVRTC_SUCCESS) return result;
    std::size_t text_bytes = 0;
    if (REAL(nvrtcGetPTXSize)(program, &text_bytes) != NVRTC_SUCCESS || text_bytes <= 1)
        return result;
    std::string text(text_bytes, '\0');
    if (REAL(nvrtcGetPTX)(program, text.data()) != NVRTC_SUCCESS) return result;
    text.resize(std::strlen(text.c_str()));
    code = runtime::with_ptx(code, {text});
    return result;
}

nvrtcResult get_size(std::size_t number, nvrtcProgram program, std::size_t* bytes)
{
    if (bytes == nullptr) {
        auto* const real = REAL(nvrtcGetCUBINSize);
        return real == nullptr ? NVRTC_ERROR_INTERNAL_ERROR : real(program, bytes);
    }
    std::string code;
    const nvrtcResult result = machine_code(number, program, code);
    if (result == NVRTC_SUCCESS) *bytes = code.size();
    return result;
}

nvrtcResult get(std::size_t number, nvrtcProgram program, char* into)
{
    if (into == nullptr) {
        auto* const real = REAL(nvrtcGetCUBIN);
        return real == nullptr ? NVRTC_ERROR_INTERNAL_ERROR : real(program, into);
    }
    std::string code;
    const nvrtcResult result = machine_code(number, program, code);
    if (result == NVRTC_SUCCESS) std::memcpy(into, code.data(), code.size());
    return result;
}

#undef REAL

template <std::size_t... number>
std::array<Replacement, 4> replacements(std::index_sequence<number...>)
{
    return {{{"nvrtcCreateProgram",
              {reinterpret_cast<void*>(+[](nvrtcProgram* program, const char* text,
                                           const char* name, int count, const char* const* headers,
                                           const char* const* names) {
                  return create(number, program, text, name, count, headers, names);
              })...}},
             {"nvrtcCompileProgram",
              {reinterpret_cast<void*>(
                  +[](nvrtcProgram program, int count, const char* const* options) {
                      return compile(number, program, count, options);
                  })...}},
             {"nvrtcGetCUBINSize",
              {reinterpret_cast<void*>(+[](nvrtcProgram program, std::size_t* bytes) {
                  return get_size(number, program, bytes);
              })...}},
             {"nvrtcGetCUBIN", {reinterpret_cast<void*>(+[](nvrtcProgram program, char* into) {
                  return get(number, program, into);
              })...}}}};
}

} // namespace

const Replacement* nvrtc_replacement(const std::string& name)
{
    static const auto all = replacements(std::make_index_sequence<max_libraries>());
    const auto found = std::ranges::find(all, name, &Replacement::name);
    return found == all.end() ? nullptr : &*found;
}

} // namespace lanescope::compilers

using namespace lanescope::compilers;

// Exports for programs linked with NVRTC.
extern "C" {

__attribute__((visibility("default"))) nvrtcResult
nvrtcCreateProgram(nvrtcProgram* program, const char* text, const char* name, int count,
                   const char* const* headers, const char* const* names)
{
    return create(0, program, text, name, count, headers, names);
}
__attribute__((visibility("default"))) nvrtcResult
nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options)
{
    return compile(0, program, count, options);
}
__attribute__((visibility("default"))) nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program,
                                                                     std::size_t* bytes)
{
    return get_size(0, program, bytes);
}
__attribute__((visibility("default"))) nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* into)
{
    return get(0, program, into);
}

} // extern "C"

// Defines every API function as a jump to the real one, whatever its parameters. The symbols are
// weak: a function of the same name in another file replaces its jump.
#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include "compute/runtime/passing/real.h"
#include "compute/runtime/reporting/report.h"

#define FUNCTION(name)                                                                             \
    asm(".pushsection lanescope_real, \"aw\", @progbits\n"                                         \
        ".balign 16\n"                                                                             \
        ".globl lanescope_real_" #name "\n"                                                        \
        ".hidden lanescope_real_" #name "\n"                                                       \
        "lanescope_real_" #name ":\n"                                                              \
        ".quad 1f, 0\n"                                                                            \
        ".popsection\n"                                                                            \
        ".pushsection .rodata\n"                                                                   \
        "1: .asciz \"" #name "\"\n"                                                                \
        ".popsection\n"                                                                            \
        ".pushsection .text\n"                                                                     \
        ".balign 16\n"                                                                             \
        ".weak " #name "\n"                                                                        \
        ".type " #name ", @function\n" #name ":\n"                                                 \
        "endbr64\n"                                                                                \
        "lea lanescope_real_" #name "(%rip), %r11\n"                                               \
        "jmp *8(%r11)\n"                                                                           \
        ".size " #name ", . - " #name "\n"                                                         \
        ".popsection\n");
#include "functions.h"
#undef FUNCTION

// Called for functions that the real library lacks; the jump leaves the function's entry in %r11.
asm(".pushsection .text\n"
    ".balign 16\n"
    ".hidden lanescope_absent\n"
    ".globl lanescope_absent\n"
    ".type lanescope_absent, @function\n"
    "lanescope_absent:\n"
    "endbr64\n"
    "mov %r11, %rdi\n"
    "jmp lanescope_tell_absent\n"
    ".size lanescope_absent, . - lanescope_absent\n"
    ".popsection\n");

using lanescope::runtime::Report;
using lanescope::runtime::passing::RealFunction;

extern "C" {

// Start and end of the section, as named by the linker.
extern __attribute__((visibility("hidden"))) RealFunction __start_lanescope_real[];
extern __attribute__((visibility("hidden"))) RealFunction __stop_lanescope_real[];
__attribute__((visibility("hidden"))) void lanescope_absent();

__attribute__((visibility("hidden"), used)) int lanescope_tell_absent(const RealFunction* called)
{
    const bool is_known = called >= __start_lanescope_real && called < __stop_lanescope_real;
    const char* const name = is_known ? called->name : "a function";
    Report::instance().missing(
        name, fmt::format("The program calls {}, which this CUDA runtime does not have: it returns "
                          "cudaErrorNotSupported. Install the toolkit that it was built with.",
                          name));
    return cudaErrorNotSupported;
}

} // extern "C"

namespace lanescope::runtime::passing {

bool is_exported(const RealFunction& function)
{
    return function.function != reinterpret_cast<void*>(&lanescope_absent);
}

} // namespace lanescope::runtime::passing

namespace {

constexpr int no_device = 4; // exit status for "device not available"

// Runs before any code of the program, and after the report has removed its settings from the
// environment, because the library opened here may read settings from it, too.
__attribute__((constructor(102))) void find_real_functions()
{
    constexpr const char* variable = "LANESCOPE_CUDART";
    const char* const path = std::getenv(variable);
    void* const library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* const why = path == nullptr ? "no library is named" : dlerror();
        std::fprintf(stderr,
                     "lanescope: NVIDIA's CUDA runtime cannot be opened: %s. Set "
                     "%s=/path/libcudart.so.13.\n",
                     why, variable);
        _exit(no_device);
    }
    for (RealFunction* each = __start_lanescope_real; each != __stop_lanescope_real; ++each) {
        each->function = dlsym(library, each->name);
        if (each->function == nullptr) each->function = reinterpret_cast<void*>(&lanescope_absent);
    }
    unsetenv(variable);
}

} // namespace

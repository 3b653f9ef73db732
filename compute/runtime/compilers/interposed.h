// NVIDIA's compiler libraries, some of whose functions are replaced in a program that runs on the
// lockstep machine. A program reaches them by linking, or with dlopen() and dlsym(); either way it
// gets the functions declared here, which call NVIDIA's and add PTX to the machine code.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace lanescope::compilers {

// Several versions of a library may be loaded at once; each has its own replacements.
constexpr std::size_t max_libraries = 6;

enum class Family : unsigned char { nvrtc, jit_link };

// A loaded library; `number` is less than max_libraries. Programs linked with one use number 0.
struct Library {
    Family family;
    std::size_t number;
};

// Address of the library's own function; null if it has none of that name.
void* function_of(Library library, const char* name);

template <class Function>
Function* function_of(Library library, const char* name)
{
    return reinterpret_cast<Function*>(function_of(library, name));
}

// A replaced function: its name, and one replacement per library.
struct Replacement {
    const char* name = nullptr;
    std::array<void*, max_libraries> functions{};
};

// Replacement for a function of a family; null if NVIDIA's is used as it is.
const Replacement* nvrtc_replacement(const std::string& name);
const Replacement* jit_link_replacement(const std::string& name);

// The real dlsym(), which does not look into this library first.
void* real_dlsym(void* handle, const char* name);

// Removes the version from a name that nvJitLink.h uses: "__nvJitLinkCreate_13_0".
std::string plain_name(const char* name);

} // namespace lanescope::compilers

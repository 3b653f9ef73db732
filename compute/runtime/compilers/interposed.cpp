// dlsym() and dlopen() for the whole program, and the table of compiler libraries. Functions of
// OpenGL that the runtime watches are found there, too. Both
// functions depend on their caller (RTLD_NEXT, the caller's search path), so calls that
// do not concern CUDA are tail calls to the C library's functions: this file is compiled
// with sibling calls in every build.
#include "compute/runtime/compilers/interposed.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>

#include <dlfcn.h>
#include <link.h>

namespace lanescope::compilers {

namespace {

#if defined(__x86_64__)
constexpr const char* oldest_glibc = "GLIBC_2.2.5";
#else
constexpr const char* oldest_glibc = "GLIBC_2.17";
#endif

template <class Function>
Function* next_function(const char* name)
{
    void* found = dlvsym(RTLD_NEXT, name, oldest_glibc);
    if (found == nullptr) found = dlvsym(RTLD_NEXT, name, "GLIBC_2.34");
    return reinterpret_cast<Function*>(found);
}

using DlsymFunction = void*(void*, const char*) noexcept;
using DlopenFunction = void*(const char*, int) noexcept; // without noexcept, no tail call

DlsymFunction* next_dlsym()
{
    static std::atomic<DlsymFunction*> function = nullptr;
    if (function == nullptr) function = next_function<DlsymFunction>("dlsym");
    return function;
}
DlopenFunction* next_dlopen()
{
    static std::atomic<DlopenFunction*> function = nullptr;
    if (function == nullptr) function = next_function<DlopenFunction>("dlopen");
    return function;
}

const void* base_of(const void* address)
{
    Dl_info info{};
    return dladdr(address, &info) == 0 ? nullptr : info.dli_fbase;
}

// --- Libraries that are loaded ---

struct Loaded {
    const void* base = nullptr;
    void* handle = nullptr;
};
using Table = std::array<Loaded, max_libraries>;

std::mutex& table_mutex()
{
    static auto* const mutex = new std::mutex;
    return *mutex;
}
Table& table_of(Family family)
{
    static auto* const tables = new std::array<Table, 2>;
    return (*tables)[static_cast<std::size_t>(family)];
}

// Index of the function's library in the table, added if new; max_libraries if there is no room.
std::size_t number_of(Family family, const void* function)
{
    Dl_info info{};
    if (dladdr(function, &info) == 0) return max_libraries;
    const std::lock_guard lock(table_mutex());
    Table& table = table_of(family);
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (table[i].base == nullptr)
            table[i] = {info.dli_fbase, next_dlopen()(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)};
        if (table[i].base == info.dli_fbase) return table[i].handle == nullptr ? max_libraries : i;
    }
    return max_libraries;
}

// Path of a loaded library whose file name begins with `begin`.
std::string loaded_path(std::string_view begin)
{
    struct Search {
        std::string_view begin;
        std::string found;
    } search{begin, {}};
    dl_iterate_phdr(
        [](dl_phdr_info* each, std::size_t, void* into) {
            auto& wanted = *static_cast<Search*>(into);
            const std::string_view path = each->dlpi_name;
            if (!path.substr(path.rfind('/') + 1).starts_with(wanted.begin)) return 0;
            wanted.found = path;
            return 1;
        },
        &search);
    return search.found;
}

// Enters the library that the program is linked with, if any, into the table.
void enter_linked(Family family)
{
    const bool nvrtc = family == Family::nvrtc;
    const std::string path = loaded_path(nvrtc ? "libnvrtc.so" : "libnvJitLink.so");
    if (path.empty()) return;
    void* const handle = next_dlopen()(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    void* const any = handle == nullptr
                          ? nullptr
                          : real_dlsym(handle, nvrtc ? "nvrtcVersion" : "nvJitLinkVersion");
    if (any != nullptr) number_of(family, any);
}

// Some versions of nvJitLink export their functions under versioned names only.
void* versioned_function(void* handle, const std::string& name)
{
    for (const char* major : {"_13_", "_12_"})
        for (char minor = '0'; minor <= '9'; ++minor)
            if (void* const found = real_dlsym(handle, ("__" + name + major + minor).c_str()))
                return found;
    return nullptr;
}

} // namespace

void* real_dlsym(void* handle, const char* name)
{
    return next_dlsym()(handle, name);
}

void* function_of(Library library, const char* name)
{
    Loaded loaded = table_of(library.family)[library.number];
    if (loaded.handle == nullptr && library.number == 0) {
        enter_linked(library.family);
        loaded = table_of(library.family)[0];
    }
    if (loaded.handle == nullptr) return nullptr;
    void* const found = real_dlsym(loaded.handle, name);
    if (found != nullptr || library.family == Family::nvrtc) return found;
    return versioned_function(loaded.handle, name);
}

std::string plain_name(const char* name)
{
    std::string plain = name;
    if (!plain.starts_with("__nvJitLink")) return plain;
    const std::size_t version = plain.find('_', 2);
    return plain.substr(2, version == plain.npos ? version : version - 2);
}

namespace {

// Returns our replacement for the function `name`; null: use NVIDIA's, if there is one.
void* replaced(void* handle, const char* name)
{
    if (handle == RTLD_NEXT || handle == RTLD_DEFAULT) return nullptr;
    const bool nvrtc = std::strncmp(name, "nvrtc", 5) == 0;
    const Replacement* const found =
        nvrtc ? nvrtc_replacement(name) : jit_link_replacement(plain_name(name));
    if (found == nullptr) return nullptr;
    void* const real = real_dlsym(handle, name);
    if (real == nullptr || base_of(real) == base_of(reinterpret_cast<void*>(&replaced)))
        return nullptr;
    const std::size_t number = number_of(nvrtc ? Family::nvrtc : Family::jit_link, real);
    return number == max_libraries ? nullptr : found->functions[number];
}

bool is_compiler_function(const char* name)
{
    return std::strncmp(name, "nvrtc", 5) == 0 || std::strncmp(name, "nvJitLink", 9) == 0 ||
           std::strncmp(name, "__nvJitLink", 11) == 0;
}

bool is_opengl_function(const char* name)
{
    return (name[0] == 'g' && name[1] == 'l' && name[2] >= 'A' && name[2] <= 'Z') ||
           std::strcmp(name, "eglGetProcAddress") == 0;
}

// Returns the runtime's replacement for a function of OpenGL, which notices uses of memory that is
// mapped for CUDA; null: there is none, or the runtime itself looks for OpenGL's function. GLFW,
// SDL and GLAD look up functions in OpenGL's libraries in this way.
void* watched(void* handle, const char* name, const void* caller)
{
    if (handle == RTLD_NEXT || handle == RTLD_DEFAULT) return nullptr;
    const void* const runtime = base_of(real_dlsym(RTLD_DEFAULT, "lanescope_note_compiled_text"));
    if (runtime == nullptr || base_of(caller) == runtime) return nullptr;
    void* const ours = real_dlsym(RTLD_DEFAULT, name);
    if (ours == nullptr || base_of(ours) != runtime) return nullptr;
    return real_dlsym(handle, name) == nullptr ? nullptr : ours;
}

// Numba's older target prefers functions whose names end in _v2, and assumes that their
// parameters are the same. These two functions, new in CUDA 13, have one more
// parameter, and older drivers lack them.
bool is_taken_for_another(const char* name)
{
    return std::strcmp(name, "cuCtxGetDevice_v2") == 0 ||
           std::strcmp(name, "cuCtxSynchronize_v2") == 0;
}

// Maps any path of the driver or runtime to the library that is already loaded, if one is.
const char* loaded_replacement(const char* path)
{
    if (path == nullptr) return path;
    const char* const slash = std::strrchr(path, '/');
    const char* const name = slash == nullptr ? path : slash + 1;
    const bool driver = std::strcmp(name, "libcuda.so") == 0;
    for (const char* ours : {"libcuda.so.1", "libcudart.so.13", "libcudart.so.12"})
        if (std::strcmp(name, ours) == 0 || (driver && std::strcmp(ours, "libcuda.so.1") == 0))
            return loaded_path(ours).empty() ? path : ours;
    return path;
}

} // namespace

} // namespace lanescope::compilers

using namespace lanescope::compilers;

extern "C" {

__attribute__((visibility("default"))) void* dlsym(void* handle, const char* name) noexcept
{
    if (is_compiler_function(name))
        if (void* const function = replaced(handle, name)) return function;
    if (is_opengl_function(name))
        if (void* const function = watched(handle, name, __builtin_return_address(0)))
            return function;
    return next_dlsym()(handle,
                        is_taken_for_another(name) ? "cuCtxGetDevice of a newer CUDA" : name);
}

__attribute__((visibility("default"))) void* dlopen(const char* path, int flags) noexcept
{
    return next_dlopen()(loaded_replacement(path), flags);
}

} // extern "C"

// Finds a function for late.S. A program that lacks a library ends as one that is linked with it would
// have ended at its start.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

extern "C" [[gnu::visibility("hidden")]] void* lanescope_late_function(const char* library,
                                                                       const char* name)
{
    void* const opened = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    void* const found = opened != nullptr ? dlsym(opened, name) : nullptr;
    if (found != nullptr) return found;
    std::fprintf(stderr, "lanescope: error while loading shared libraries: %s\n", dlerror());
    constexpr int like_the_loader = 127;
    std::_Exit(like_the_loader);
}

// dlopen().
#include "compute/process/library.h"

#include <dlfcn.h>

namespace lanescope {

std::string driver_library()
{
    return "libcuda.so.1";
}

std::string cuda_library(const std::string& name, int major_version)
{
    return "lib" + name + ".so." + std::to_string(major_version);
}

void* open_library(const std::filesystem::path& name, Binding binding)
{
    return dlopen(name.c_str(), (binding == Binding::lazy ? RTLD_LAZY : RTLD_NOW) | RTLD_LOCAL);
}

void* find_function(void* library, const char* name)
{
    return dlsym(library, name);
}

std::string library_problem()
{
    const char* const text = dlerror();
    return text == nullptr ? "no reason given" : text;
}

} // namespace lanescope

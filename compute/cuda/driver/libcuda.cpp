// Opens the driver's library and decides whether calls go to the driver or to the runtime.
#include "compute/cuda/driver/libcuda.h"

#include <cstdlib>
#include <optional>
#include <string_view>

#include <cuda_runtime_api.h>

#include "compute/cuda/driver/older_driver.h"
#include "compute/process/library.h"

namespace lanescope::cuda {
namespace {

template <class Function>
bool find_into(Function& function, void* library, const char* symbol)
{
    function = reinterpret_cast<Function>(find_function(library, symbol));
    return function != nullptr;
}

// Opens the driver, if it is usable at all.
std::optional<Libcuda> open()
{
    Libcuda driver;
    driver.library = open_library(driver_library());
    if (!driver.library) return {};
    bool complete = true;
#define CALL(name, symbol) complete &= find_into(driver.name, driver.library, symbol);
#define MAYBE(name, symbol) find_into(driver.name, driver.library, symbol);
#include "compute/cuda/driver/calls.def"
    find_into(driver.register_gl_buffer, driver.library, "cuGraphicsGLRegisterBuffer");
    find_into(driver.register_gl_image, driver.library, "cuGraphicsGLRegisterImage");
    find_into(driver.get_gl_devices, driver.library, "cuGLGetDevices_v2");
    return complete ? std::optional(driver) : std::nullopt;
}

// The runtime works with any driver of the runtime's own major version.
bool runtime_serves(int driver_version)
{
    if constexpr (!has_cuda_runtime) return false;
    const char* asked = std::getenv("LANESCOPE_CUDA");
    if (asked && std::string_view(asked) == "driver") return false;
    return driver_version >= CUDART_VERSION / 1000 * 1000;
}

} // namespace

void* Libcuda::find(const char* symbol) const
{
    return find_function(library, symbol);
}

const Libcuda* libcuda()
{
    static const std::optional<Libcuda> driver = []() -> std::optional<Libcuda> {
        std::optional<Libcuda> found = open();
        int version = 0;
        if (!found || found->cuDriverGetVersion(&version) != CUDA_SUCCESS ||
            version < oldest_driver || runtime_serves(version))
            return {};
        return found;
    }();
    return driver ? &*driver : nullptr;
}

bool driver_answers()
{
    return libcuda() != nullptr;
}

} // namespace lanescope::cuda

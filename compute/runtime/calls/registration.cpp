// Functions that nvcc-generated code calls before main() to register the program's binaries,
// kernels and variables. Nothing is loaded until it is needed.
#include <fmt/format.h>

#include "compute/device/kernel_names.h"
#include "compute/runtime/driver/device_library.h"
#include "compute/runtime/machine.h"
#include "compute/runtime/reporting/fat_binary.h"

using namespace lanescope::runtime;

namespace {

Module& module_of(void** handle)
{
    return *reinterpret_cast<Module*>(handle);
}

} // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper)
{
    Machine& machine = Machine::instance();
    const std::lock_guard lock(machine.mutex);
    auto made = std::make_unique<Module>();
    FatBinary read = read_fat_binary(wrapper);
    made->texts = std::move(read.texts);
    add_device_library(made->texts);
    made->machine_architectures = std::move(read.machine_architectures);
    made->problem = std::move(read.problem);
    machine.modules.push_back(std::move(made));
    return reinterpret_cast<void**>(machine.modules.back().get());
}

void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}

void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*)
{
    Machine& machine = Machine::instance();
    const std::lock_guard lock(machine.mutex);
    auto made = std::make_unique<Function>();
    made->module = &module_of(handle);
    made->symbol = name;
    made->name = lanescope::device::short_name(name);
    machine.functions[host] = made.get();
    machine.handles.insert(made.get());
    module_of(handle).functions.push_back(std::move(made));
}

void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t bytes,
                       int constant, int)
{
    Machine& machine = Machine::instance();
    const std::lock_guard lock(machine.mutex);
    module_of(handle).symbols[host] = {.name = name, .bytes = bytes, .constant = constant != 0};
}

void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name, int,
                              std::size_t bytes, int constant, int)
{
    Machine& machine = Machine::instance();
    const std::lock_guard lock(machine.mutex);
    module_of(handle).symbols[pointer] = {.name = name,
                                          .bytes = bytes,
                                          .constant = constant != 0,
                                          .managed = true,
                                          .managed_pointer = pointer};
}

void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}
void __cudaRegisterUnifiedTable(void**, void*) {}

char __cudaInitModule(void** handle)
{
    Machine& machine = Machine::instance();
    const std::lock_guard lock(machine.mutex);
    try {
        machine.prepare_managed(module_of(handle));
    } catch (...) {
        caught("__managed__");
        return 0;
    }
    return 1;
}

} // extern "C"

// Modules, loaded into a context at run time, and the linker, which accepts PTX only.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "compute/device/kernel_names.h"
#include "compute/runtime/driver/device_library.h"
#include "compute/runtime/driver/driver.h"
#include "compute/runtime/reporting/fat_binary.h"
#include "compute/runtime/reporting/script_sources.h"

namespace lanescope::runtime {

namespace {

struct Link {
    std::vector<std::string> texts{};
    std::string image{};
};
std::vector<std::unique_ptr<Link>>& links()
{
    static auto* const all = new std::vector<std::unique_ptr<Link>>;
    return *all;
}
Link* own(CUlinkState state)
{
    for (const auto& link : links())
        if (link.get() == reinterpret_cast<Link*>(state)) return link.get();
    return nullptr;
}

void copy_text(const std::string& text, char* to, std::size_t bytes)
{
    if (to == nullptr || bytes == 0) return;
    const std::size_t some = std::min(bytes - 1, text.size());
    std::memcpy(to, text.data(), some);
    to[some] = '\0';
}

int target_of(const std::string& text)
{
    constexpr std::string_view word = ".target sm_";
    const std::size_t at = text.find(word);
    return at == text.npos ? 0 : std::atoi(text.c_str() + at + word.size());
}

// Error log for device code that a driver would not compile.
std::string refusal_of(const FatBinary& read)
{
    const int newest = simulated_gpu().capability();
    for (const std::string& text : read.texts)
        if (const int target = target_of(text); target > newest)
            return fmt::format("The PTX is for sm_{}, but the device is sm_{}.", target, newest);
    return {};
}

cudaError_t refuse_machine_code(const FatBinary& read)
{
    std::string architectures;
    for (const int each : read.machine_architectures)
        architectures += fmt::format("{}sm_{}", architectures.empty() ? "" : ", ", each);
    Report::instance().missing(
        "machine code",
        fmt::format("{} is given machine code of {} without PTX{}, and the lockstep machine runs "
                    "PTX. Compile it while the program runs here, after deleting the program's "
                    "cache, or load PTX: nvcc -ptx or -fatbin with code=compute_75.",
                    called_as("cuModuleLoadData"), architectures,
                    read.maker.empty() ? "" : ", made by " + read.maker));
    return cudaErrorNoKernelImageForDevice;
}

CUresult load(const char* name, CUmodule* module, const void* image, const JitOptions& options)
{
    return driver(name, [&](Machine& machine) {
        if (module == nullptr || image == nullptr) return cudaErrorInvalidValue;
        Module* made = nullptr;
        const cudaError_t result = load_module(machine, image, &current_context(), options, &made);
        if (result == cudaSuccess) *module = reinterpret_cast<CUmodule>(made);
        return result;
    });
}

template <class Body>
CUresult with_module(const char* name, CUmodule handle, Body body)
{
    return driver(name, [&](Machine& machine) {
        Module* const module = module_of(machine, handle);
        return module == nullptr ? cudaErrorInvalidResourceHandle : body(machine, *module);
    });
}

} // namespace

cudaError_t load_module(Machine& machine, const void* image, Context* context,
                        const JitOptions& options, Module** made)
{
    const FatBinary read = read_device_code(image);
    if (read.texts.empty() && read.machine_architectures.empty())
        return cudaErrorInvalidKernelImage;
    if (read.texts.empty()) return refuse_machine_code(read);
    auto module = std::make_unique<Module>();
    for (const std::string& text : read.texts) module->texts.push_back(with_script_lines(text));
    add_device_library(module->texts);
    module->machine_architectures = read.machine_architectures;
    module->problem = read.problem;
    module->context = context;
    module->library = context == nullptr;
    std::string refused = refusal_of(read);
    try {
        const int device = context == nullptr ? this_thread().device : context->device;
        if (refused.empty()) machine.loaded(*module, device);
    } catch (const Error& error) {
        refused = error.what();
    }
    if (!refused.empty()) {
        options.write_logs(refused);
        Finding finding{.kind = "bad_ptx"};
        finding.call = called_as("cuModuleLoadData");
        finding.site = CallSite::here();
        finding.message =
            fmt::format("{} is given PTX that cannot be compiled: {}", finding.call, refused);
        machine.find(finding);
        return cudaErrorInvalidPtx;
    }
    *made = module.get();
    machine.modules.push_back(std::move(module));
    return cudaSuccess;
}

cudaError_t read_image(const char* name, std::string& into)
{
    std::ifstream file(name, std::ios::binary);
    if (!file) return cudaErrorFileNotFound;
    into.assign(std::istreambuf_iterator<char>(file), {});
    into.push_back('\0');
    return cudaSuccess;
}

std::vector<std::string> kernel_names(Machine& machine, Module& module)
{
    std::vector<std::string> names;
    const int device = module.context == nullptr ? this_thread().device : module.context->device;
    for (const auto& text : machine.loaded(module, device))
        for (std::string& name : text->kernel_names()) names.push_back(std::move(name));
    return names;
}

cudaError_t list_functions(Machine& machine, Module& module, std::vector<Function*>& functions,
                           std::size_t max_count)
{
    for (const std::string& name : kernel_names(machine, module)) {
        if (functions.size() == max_count) break;
        Function* function = nullptr;
        const cudaError_t result = find_function(machine, module, name.c_str(), &function);
        if (result != cudaSuccess) return result;
        functions.push_back(function);
    }
    return cudaSuccess;
}

JitOptions::JitOptions(unsigned count, const CUjit_option* options, void** values)
{
    for (unsigned i = 0; options != nullptr && values != nullptr && i < count; ++i) {
        const auto number = reinterpret_cast<std::uintptr_t>(values[i]) & 0xffffffffu;
        switch (options[i]) {
        case CU_JIT_ERROR_LOG_BUFFER: error_log = static_cast<char*>(values[i]); break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: error_log_bytes = number; break;
        case CU_JIT_INFO_LOG_BUFFER: info_log = static_cast<char*>(values[i]); break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: info_log_bytes = number; break;
        default: break; // optimisation options have no effect here
        }
    }
    write_logs({});
}

void JitOptions::write_logs(const std::string& error) const
{
    copy_text(error, error_log, error_log_bytes);
    copy_text({}, info_log, info_log_bytes);
}

cudaError_t find_function(Machine& machine, Module& module, const char* name, Function** found)
{
    if (name == nullptr) return cudaErrorInvalidValue;
    for (const auto& function : module.functions)
        if (function->symbol == name) {
            *found = function.get();
            return cudaSuccess;
        }
    const auto names = kernel_names(machine, module);
    if (std::ranges::find(names, name) == names.end()) return cudaErrorSymbolNotFound;
    auto made = std::make_unique<Function>();
    made->module = &module;
    made->symbol = name;
    made->name = device::short_name(name);
    machine.handles.insert(made.get());
    *found = made.get();
    module.functions.push_back(std::move(made));
    return cudaSuccess;
}

cudaError_t find_global(Machine& machine, Module& module, const char* name, Memory** found)
{
    if (name == nullptr) return cudaErrorInvalidValue;
    const int device = module.context == nullptr ? this_thread().device : module.context->device;
    for (const auto& text : machine.loaded(module, device)) {
        device::Variable variable;
        try {
            variable = text->variable(name);
        } catch (const Error&) {
            continue;
        }
        Memory known;
        known.address = variable.address;
        known.bytes = variable.bytes;
        known.kind = MemoryKind::variable;
        known.device = device;
        known.context = module.context;
        known.call = fmt::format("variable {}", name);
        const auto [place, is_new] = machine.memory.emplace(variable.address, std::move(known));
        if (is_new) module.globals.push_back(variable.address);
        *found = &place->second;
        return cudaSuccess;
    }
    return cudaErrorSymbolNotFound;
}

} // namespace lanescope::runtime

using namespace lanescope::runtime;

extern "C" {

// --- Modules ---

CUresult cuModuleLoadData(CUmodule* module, const void* image)
{
    return load(__func__, module, image, JitOptions(0, nullptr, nullptr));
}
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count,
                            CUjit_option* options, void** values)
{
    return load(__func__, module, image, JitOptions(count, options, values));
}
CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image)
{
    return load(__func__, module, image, JitOptions(0, nullptr, nullptr));
}
CUresult cuModuleLoad(CUmodule* module, const char* file)
{
    std::string image;
    const CUresult read = driver(__func__, [&](Machine&) {
        if (module == nullptr || file == nullptr) return cudaErrorInvalidValue;
        return read_image(file, image);
    });
    return read == CUDA_SUCCESS
               ? load(__func__, module, image.data(), JitOptions(0, nullptr, nullptr))
               : read;
}
CUresult cuModuleUnload(CUmodule handle)
{
    return driver(__func__, [&](Machine& machine) {
        Module* const module = module_of(machine, handle);
        if (module == nullptr || module->library) return cudaErrorInvalidResourceHandle;
        machine.host_waits_for_context(*module->context);
        machine.unload(*module);
        return cudaSuccess;
    });
}
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode)
{
    return driver(
        __func__,
        [&](Machine&) {
            if (mode == nullptr) return cudaErrorInvalidValue;
            *mode = CU_MODULE_LAZY_LOADING;
            return cudaSuccess;
        },
        Needs::driver);
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule handle, const char* name)
{
    return driver(__func__, [&](Machine& machine) {
        if (function == nullptr || name == nullptr) return cudaErrorInvalidValue;
        Module* const module = module_of(machine, handle);
        if (module == nullptr) return cudaErrorInvalidResourceHandle;
        Function* found = nullptr;
        const cudaError_t result = find_function(machine, *module, name, &found);
        if (result != cudaSuccess) return result;
        machine.kernel(*found, this_thread().device); // unsupported kernels are refused
                                                      // here rather than at launch
        *function = reinterpret_cast<CUfunction>(found);
        return cudaSuccess;
    });
}
CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule handle)
{
    return with_module(__func__, handle, [&](Machine& machine, Module& module) {
        if (count == nullptr) return cudaErrorInvalidValue;
        *count = static_cast<unsigned>(kernel_names(machine, module).size());
        return cudaSuccess;
    });
}
CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned max_count, CUmodule handle)
{
    return with_module(__func__, handle, [&](Machine& machine, Module& module) {
        if (functions == nullptr) return cudaErrorInvalidValue;
        std::vector<Function*> found;
        const cudaError_t result = list_functions(machine, module, found, max_count);
        for (Function* function : found) *functions++ = reinterpret_cast<CUfunction>(function);
        return result;
    });
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, std::size_t* bytes, CUmodule handle,
                              const char* name)
{
    return with_module("cuModuleGetGlobal", handle, [&](Machine& machine, Module& module) {
        Memory* found = nullptr;
        const cudaError_t result = find_global(machine, module, name, &found);
        if (result != cudaSuccess) return result;
        if (address != nullptr) *address = found->address;
        if (bytes != nullptr) *bytes = found->bytes;
        return cudaSuccess;
    });
}

// --- The linker: PTX texts are joined into one image. ---

CUresult cuLinkCreate_v2(unsigned count, CUjit_option* options, void** values, CUlinkState* state)
{
    return driver("cuLinkCreate", [&](Machine&) {
        if (state == nullptr) return cudaErrorInvalidValue;
        JitOptions(count, options, values).write_logs({});
        links().push_back(std::make_unique<Link>());
        *state = reinterpret_cast<CUlinkState>(links().back().get());
        return cudaSuccess;
    });
}
CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, std::size_t bytes,
                          const char*, unsigned, CUjit_option*, void**)
{
    return driver("cuLinkAddData", [&](Machine&) {
        Link* const link = own(state);
        if (link == nullptr) return cudaErrorInvalidResourceHandle;
        if (data == nullptr || bytes == 0) return cudaErrorInvalidValue;
        FatBinary read;
        if (type == CU_JIT_INPUT_PTX)
            read = read_device_code(std::string(static_cast<const char*>(data), bytes).c_str());
        else
            read.texts = texts_to_link({static_cast<const char*>(data), bytes});
        if (read.texts.empty() && type == CU_JIT_INPUT_PTX) return cudaErrorInvalidPtx;
        if (read.texts.empty()) {
            Report::instance().missing(
                "cuLinkAddData", "The program links machine code, an object or a library "
                                 "without PTX: on the lockstep machine the linker joins PTX.");
            return cudaErrorNotSupported;
        }
        for (std::string& text : read.texts) link->texts.push_back(std::move(text));
        return cudaSuccess;
    });
}
CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char* file, unsigned count,
                          CUjit_option* options, void** values)
{
    std::string image;
    const CUresult read = driver("cuLinkAddFile", [&](Machine&) {
        return file == nullptr ? cudaErrorInvalidValue : read_image(file, image);
    });
    // The functions of NVIDIA's device library are added where a module that declares them is
    // loaded.
    if (read == CUDA_SUCCESS && std::filesystem::path(file).filename() == "libcudadevrt.a")
        return CUDA_SUCCESS;
    return read == CUDA_SUCCESS ? cuLinkAddData_v2(state, type, image.data(), image.size(), file,
                                                   count, options, values)
                                : read;
}
CUresult cuLinkComplete(CUlinkState state, void** image, std::size_t* bytes)
{
    return driver(__func__, [&](Machine&) {
        Link* const link = own(state);
        if (link == nullptr) return cudaErrorInvalidResourceHandle;
        if (image == nullptr) return cudaErrorInvalidValue;
        link->image = linked_image(link->texts);
        *image = link->image.data();
        if (bytes != nullptr) *bytes = link->image.size() + 1;
        return cudaSuccess;
    });
}
CUresult cuLinkDestroy(CUlinkState state)
{
    return driver(__func__, [&](Machine&) {
        Link* const link = own(state);
        if (link == nullptr) return cudaErrorInvalidResourceHandle;
        std::erase_if(links(), [&](const auto& each) { return each.get() == link; });
        return cudaSuccess;
    });
}

} // extern "C"

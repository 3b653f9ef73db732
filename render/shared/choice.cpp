// Chooses the sharing path for this machine and explains the choice.
#include <glad/gl.h>

#include <cuda_runtime_api.h>

#include <cuda_gl_interop.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "compute/cuda/check.h"
#include "compute/cuda/cuda_device.h"
#include "compute/simt/simt_device.h"
#include "render/context/context_info.h"
#include "render/gl/objects.h"
#include "render/shared/sharing.h"

namespace lanescope::render {
namespace {

bool staging_wanted(const SharingOptions& options)
{
    const char* value = std::getenv("LANESCOPE_SHARING");
    return options.force_staged || (value != nullptr && std::string_view(value) == "staged");
}

struct Refusal {
    std::string reason; // empty if CUDA can map this context's memory
    cudaError_t error = cudaSuccess;
};

// Leaves no error in the CUDA runtime.
Refusal why_not_mapped(const cuda::CudaDevice& device)
{
    device.use();
    unsigned count = 0;
    std::array<int, 32> ordinals{};
    const cudaError_t asked = cudaGLGetDevices(
        &count, ordinals.data(), static_cast<unsigned>(ordinals.size()), cudaGLDeviceListAll);
    cudaGetLastError();
    if (asked != cudaSuccess) return {cuda::describe(asked), asked};
    if (std::find(ordinals.begin(), ordinals.begin() + count, device.ordinal()) ==
        ordinals.begin() + count)
        return {"another GPU owns the OpenGL context"};
    // The query is not reliable everywhere (remote desktops, WSL2), so tries to map a buffer.
    const gl::Buffer probe(256);
    cudaGraphicsResource_t resource = nullptr;
    const cudaError_t registered =
        cudaGraphicsGLRegisterBuffer(&resource, probe.id(), cudaGraphicsRegisterFlagsNone);
    cudaGetLastError();
    if (registered != cudaSuccess) return {cuda::describe(registered), registered};
    cudaGraphicsUnregisterResource(resource);
    return {};
}

std::string cure_for(const ContextInfo& context)
{
    if (context.software)
        return "If this screen belongs to an NVIDIA driver, start with "
               "__GLX_VENDOR_LIBRARY_NAME=nvidia (on a laptop "
               "with two GPUs also __NV_PRIME_RENDER_OFFLOAD=1); remote desktops, VirtualGL and "
               "WSL2 cannot share.";
    return "On a laptop with two GPUs, start with __NV_PRIME_RENDER_OFFLOAD=1 "
           "__GLX_VENDOR_LIBRARY_NAME=nvidia; WSL2 "
           "and VirtualGL cannot share.";
}

} // namespace

SharingChoice choose_sharing(device::Device& device, const SharingOptions& options)
{
    const ContextInfo context = describe_context({});
    const std::string copies =
        "Kernels work in the device's own memory; each frame is copied for drawing";
    if (staging_wanted(options))
        return {SharingPath::staged, fmt::format("Staged, as requested. {}.", copies)};
    if (const auto* gpu = dynamic_cast<const cuda::CudaDevice*>(&device)) {
        const Refusal refusal = why_not_mapped(*gpu);
        if (refusal.reason.empty())
            return {
                SharingPath::cuda_mapped,
                fmt::format("Zero copy: kernels write OpenGL's memory on {}.", context.renderer)};
        return {SharingPath::staged,
                fmt::format("Staged: {} draws, and CUDA cannot map its memory: {}. {} through "
                            "pinned memory. {}",
                            context.renderer, refusal.reason, copies, cure_for(context)),
                static_cast<int>(refusal.error)};
    }
    if (dynamic_cast<const simt::SimtDevice*>(&device) != nullptr)
        return {SharingPath::simt_mapped,
                fmt::format("Zero copy: the lockstep machine writes OpenGL's mapped memory ({}).",
                            context.renderer)};
    return {SharingPath::staged,
            fmt::format("Staged: this device shares no memory with OpenGL. {}.", copies)};
}

} // namespace lanescope::render

// OpenGL buffers and textures that the program shares with CUDA. On a GPU, OpenGL and CUDA
// use the same memory; here a map copies OpenGL's contents into memory of the simulated
// GPU, and an unmap copies them back. Every map returns a new address and new arrays, so
// that uses of old ones are noticed.
#pragma once

#include <cstddef>
#include <string>

#include "compute/runtime/machine.h"
#include "compute/trace/trace.h"

namespace lanescope::runtime::graphics {

// Bodies of the API functions; `call` is the function's name. They report errors in the program
// and return the error that CUDA documents.
cudaError_t register_buffer(Machine& machine, cudaGraphicsResource_t* resource, unsigned buffer,
                            unsigned flags, const char* call);
cudaError_t register_image(Machine& machine, cudaGraphicsResource_t* resource, unsigned image,
                           unsigned target, unsigned flags, const char* call);
cudaError_t unregister(Machine& machine, cudaGraphicsResource_t resource, const char* call);
cudaError_t set_map_flags(Machine& machine, cudaGraphicsResource_t resource, unsigned flags,
                          const char* call);
cudaError_t map(Machine& machine, int count, cudaGraphicsResource_t* resources, Stream& stream,
                const char* call);
cudaError_t unmap(Machine& machine, int count, cudaGraphicsResource_t* resources, Stream& stream,
                  const char* call);
cudaError_t mapped_pointer(Machine& machine, void** pointer, std::size_t* bytes,
                           cudaGraphicsResource_t resource, const char* call);
cudaError_t mapped_array(Machine& machine, cudaArray_t* array, cudaGraphicsResource_t resource,
                         unsigned layer, unsigned level, const char* call);
// Reports and returns an error unless an OpenGL context is current on this thread.
cudaError_t check_context(Machine& machine, const char* call);
// The buffer's newest registration; null if there is none.
cudaGraphicsResource_t registration_of_buffer(unsigned buffer);

// How an OpenGL call uses objects: draws (vertices, indices, textures), reads textures, transfers
// pixels from or to a buffer, writes the buffer bound to a target or a buffer by name, or deletes
// an object by name.
enum class OpenGlUse : std::uint8_t {
    draw,
    texture,
    unpack,
    pack,
    write,
    write_named,
    delete_buffer,
    delete_texture
};
bool any_mapped();
// Reports the call if it uses a mapped resource. `object` is a target or an object's name.
void check_use(const char* call, OpenGlUse use, unsigned object);

// A copy of device memory to the host.
struct HostCopy {
    const std::byte* host = nullptr;
    std::uint64_t device = 0;
    std::size_t bytes = 0;
    std::string call{};
    CallSite site{};
};
void note_host_copy(HostCopy copy);
bool any_host_copies();
// Warns when OpenGL gets bytes from the host that are still on the device, from where a copy
// brought them: the second time, because once is no harm. `is_texture`: it copies them to one.
void check_upload(const char* call, const void* data, std::size_t bytes, bool is_texture);

// Forgets the resources that were registered in a CUDA context that is being destroyed.
void forget(const Context& context);

// Returns true if the address, or the handle of a texture or surface, was valid while a resource
// was mapped, and adds that to the finding.
bool explain_stale(std::uint64_t address, Finding& finding);
// Reports a launch that wrote a read-only resource, or read one whose contents the map had
// discarded.
void check_access(Machine& machine, const Memory& memory, const trace::Touched& touched,
                  const LaunchRecord& record);
// The same for a copy or fill that writes the memory.
void check_write(Machine& machine, const Memory& memory, const MemoryUse& use,
                 std::string_view call);

} // namespace lanescope::runtime::graphics

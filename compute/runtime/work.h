// Work queued in streams or stored in graph nodes: one description per kind of work,
// which runs at once or is stored.
#pragma once

#include <functional>
#include <variant>

#include "compute/runtime/machine.h"
#include "compute/runtime/reporting/keeping.h"

namespace lanescope::runtime {

// One end of a copy: linear memory with a pitch, or an array with an offset.
struct CopyEnd {
    std::byte* pointer = nullptr; // host or device pointer as passed by the program
    std::size_t pitch = 0;        // bytes between rows
    std::size_t rows = 0;         // rows between slices
    cudaArray_t array = nullptr;  // used instead of the pointer
    std::size_t x_bytes = 0, y = 0, z = 0;
};

struct CopyWork {
    CopyEnd to{}, from{};
    std::size_t width_bytes = 0, height = 1, depth = 1;
    cudaMemcpyKind kind = cudaMemcpyDefault;
    int to_device = -1, from_device = -1; // for peer copies
    bool waits = false;                   // the host waits until it is done
};
struct FillWork {
    std::byte* pointer = nullptr;
    std::size_t pitch = 0, rows = 0;
    std::size_t width = 0, height = 1, depth = 1; // in elements
    unsigned value = 0;
    unsigned element_bytes = 1;
    bool waits = false;
};
struct HostWork {
    cudaHostFn_t function = nullptr;
    cudaStreamCallback_t callback = nullptr; // a callback instead of the function
    void* data = nullptr;
    cudaStream_t handle = nullptr;
};
struct RecordWork {
    cudaEvent_t event = nullptr;
};
struct WaitWork {
    cudaEvent_t event = nullptr;
};
struct EmptyWork {};
struct GraphWork {
    std::shared_ptr<Graph> graph;
};
struct AllocateWork {
    std::uint64_t bytes = 0;
    std::uint64_t address = 0;
};
struct FreeWork {
    std::uint64_t address = 0;
};
struct Conditional;
// Runs the body graph that a condition selects (conditions.h).
struct ConditionalWork {
    std::shared_ptr<Conditional> conditional;
};
using Work = std::variant<EmptyWork, LaunchRequest, CopyWork, FillWork, HostWork, RecordWork,
                          WaitWork, GraphWork, AllocateWork, FreeWork, ConditionalWork>;

// A launch as requested through an API function.
struct LaunchCall {
    const void* function = nullptr; // host function or handle
    Dim3 grid{}, block{};
    void** arguments = nullptr;
    std::span<const std::byte> packed{}; // instead of `arguments`: packed as the kernel expects
    std::size_t shared_bytes = 0;
    cudaStream_t stream = nullptr;
    bool cooperative = false;
    std::optional<Dim3> cluster{}; // blocks per cluster
    bool dependent = false;        // programmatic stream serialization
};
cudaError_t launch(const LaunchCall& asked, const char* name);
// Copies or fills on behalf of API function `name` (copies.cpp).
cudaError_t queue_copy(const CopyWork& work, cudaStream_t handle, const char* name);
cudaError_t queue_fill(const FillWork& work, cudaStream_t handle, const char* name);

// Validates the arguments without side effects.
cudaError_t check(Machine& machine, const CopyWork& work, const char* name);
cudaError_t check(Machine& machine, const FillWork& work, const char* name);
// Runs the work as the stream's next item.
cudaError_t perform(Machine& machine, Stream& stream, const Work& work, const char* name);
// Runs the work, or adds it to the graph being captured.
cudaError_t queue(Machine& machine, Stream& stream, Work work, const char* name);

// --- Arrays (images.cpp) ---
struct ArrayInfo {
    std::size_t element_bytes = 0;
    std::size_t width = 0, height = 0, depth = 0; // 0: dimension absent
};
// Returns false for an invalid handle.
bool array_info(cudaArray_const_t array, ArrayInfo& info);
// Reads all texels, as tightly packed rows.
void read_array(Machine& machine, cudaArray_const_t array, std::vector<std::byte>& texels);
void write_array(Machine& machine, cudaArray_t array, const std::vector<std::byte>& texels);
// The resource that a mapped array belongs to: its description, flags and registration site.
struct MappedImage {
    std::string words;
    unsigned flags = 0;
    CallSite site{};
};
cudaError_t make_mapped_array(Machine& machine, const cudaChannelFormatDesc& channels,
                              cudaExtent extent, MappedImage image, cudaArray_t* array);
// Frees the array and invalidates its textures and surfaces, whose handles it returns.
std::vector<std::uint64_t> drop_array(cudaArray_t array);
// Empty for an invalid handle.
std::optional<ImageBehind> image_owner(Machine& machine, std::uint64_t handle);

// --- Graphs (graphs.cpp) ---
// Adds the work to the stream's capture.
cudaError_t capture(Machine& machine, Stream& stream, Work work);
cudaError_t perform(Machine& machine, Stream& stream, const Graph& graph);
cudaError_t perform(Machine& machine, Stream& stream, const Conditional& conditional);
// Invalidates the capture, because the call would have to wait for captured work.
cudaError_t invalidate_capture(Stream& stream);
// Work in the legacy default stream would wait for the blocking streams of its context: invalidates
// the captures of these. Returns cudaSuccess for other streams and if there are none.
cudaError_t invalidate_captures_before(Machine& machine, const Stream& stream);
// Invalidates captures during which this thread must not call what may wait, such as cudaMalloc.
cudaError_t invalidate_unsafe_captures(Machine& machine);
// Records an event in a stream being captured, or makes a stream wait for such an event.
cudaError_t capture_record(Machine& machine, Stream& stream, Event& event);
cudaError_t capture_wait(Machine& machine, Stream& stream, Event& event);

} // namespace lanescope::runtime

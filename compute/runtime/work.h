// What is queued in streams and stands in the nodes of graphs: one description of each, that is
// done at once or kept.
#pragma once

#include <functional>
#include <variant>

#include "compute/runtime/machine.h"
#include "compute/runtime/telling/keeping.h"

namespace lanescope::runtime {

// One end of a copy: linear memory with a pitch, or an array with a place in it.
struct CopyEnd {
    std::byte* pointer = nullptr; // host or device, as the program names it
    std::size_t pitch = 0;        // bytes from row to row
    std::size_t rows = 0;         // from slice to slice
    cudaArray_t array = nullptr;  // in place of the pointer
    std::size_t x_bytes = 0, y = 0, z = 0;
};

struct CopyWork {
    CopyEnd to{}, from{};
    std::size_t width_bytes = 0, height = 1, depth = 1;
    cudaMemcpyKind kind = cudaMemcpyDefault;
    int to_device = -1, from_device = -1; // of a copy between peers
    bool waits = false;                   // the host goes on when it is done
};
struct FillWork {
    std::byte* pointer = nullptr;
    std::size_t pitch = 0, rows = 0;
    std::size_t width = 0, height = 1, depth = 1; // elements
    unsigned value = 0;
    unsigned element_bytes = 1;
    bool waits = false;
};
struct HostWork {
    cudaHostFn_t function = nullptr;
    cudaStreamCallback_t callback = nullptr; // in place of the function
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
using Work = std::variant<EmptyWork, LaunchRequest, CopyWork, FillWork, HostWork, RecordWork,
                          WaitWork, GraphWork, AllocateWork, FreeWork>;

// A launch as a function of the interface is asked for it.
struct LaunchCall {
    const void* function = nullptr; // of the host, or a handle
    Dim3 grid{}, block{};
    void** arguments = nullptr;
    std::span<const std::byte> packed{}; // in place of these: laid out as the kernel has them
    std::size_t shared_bytes = 0;
    cudaStream_t stream = nullptr;
    bool cooperative = false;
};
cudaError_t launch(const LaunchCall& asked, const char* name);
// Copies and fills as the function of that name (copies.cpp).
cudaError_t queue_copy(const CopyWork& work, cudaStream_t handle, const char* name);
cudaError_t queue_fill(const FillWork& work, cudaStream_t handle, const char* name);

// Looks at the arguments, without doing anything.
cudaError_t check(Machine& machine, const CopyWork& work, const char* name);
cudaError_t check(Machine& machine, const FillWork& work, const char* name);
// Does it, as the next work of the stream.
cudaError_t perform(Machine& machine, Stream& stream, const Work& work, const char* name);
// Does it, or adds it to the graph that the stream's work is being captured into.
cudaError_t queue(Machine& machine, Stream& stream, Work work, const char* name);

// --- Arrays (images.cpp) ---
struct ArrayInfo {
    std::size_t element_bytes = 0;
    std::size_t width = 0, height = 0, depth = 0; // 0: no such dimension
};
// False for a handle that is none.
bool array_info(cudaArray_const_t array, ArrayInfo& info);
// All texels, tightly packed rows.
void read_array(Machine& machine, cudaArray_const_t array, std::vector<std::byte>& texels);
void write_array(Machine& machine, cudaArray_t array, const std::vector<std::byte>& texels);
// Nothing for what is no such handle.
std::optional<ImageBehind> image_behind(Machine& machine, std::uint64_t handle);

// --- Graphs (graphs.cpp) ---
// Adds the work to the capture of the stream.
cudaError_t capture(Machine& machine, Stream& stream, Work work);
cudaError_t perform(Machine& machine, Stream& stream, const Graph& graph);
// For calls that would wait for what is being captured: it can no longer become a graph.
cudaError_t invalidate_capture(Stream& stream);
// An event recorded in a stream that is captured, and a stream that waits for such an event.
cudaError_t capture_record(Machine& machine, Stream& stream, Event& event);
cudaError_t capture_wait(Machine& machine, Stream& stream, Event& event);

} // namespace lanescope::runtime

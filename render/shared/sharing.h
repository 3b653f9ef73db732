// Memory that kernels write and OpenGL draws, by the shortest path this machine has: CUDA maps
// OpenGL's memory, copies go through pinned memory, or the lockstep machine writes straight into
// mapped OpenGL memory.
#pragma once

#include <glad/gl.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "compute/device/device.h"
#include "render/shared/path.h"

namespace lanescope::render {

struct SharingOptions {
    // Copies even if memory could be shared; LANESCOPE_SHARING=staged does the same.
    bool force_staged = false;
};

struct SharingChoice {
    SharingPath path = SharingPath::staged;
    std::string explanation; // the path, for the panel and `doctor`; if it is not the best path,
                             // also the reason and a suggested fix
    int refused_with = 0;    // CUDA's error code, if CUDA cannot map OpenGL's memory
};

// Queries what CUDA and the current OpenGL context can share, without creating any memory.
SharingChoice choose_sharing(device::Device& device, const SharingOptions& options = {});

// Per frame: map() → launches → finish() → unmap() → draw. unmap() calls finish() if needed. Only
// while mapped do buffers have an address and images a surface handle, and OpenGL must not touch
// them then. Everything created here must be destroyed before the Sharing, with its OpenGL context
// current. Recreate after a resize.
class Sharing : public device::Allocator {
public:
    explicit Sharing(device::Device& device, const SharingOptions& options = {});
    ~Sharing() override;
    Sharing(const Sharing&) = delete;
    Sharing& operator=(const Sharing&) = delete;

    SharingPath path() const;
    const std::string& explanation() const;

    // Memory created between map() and unmap() is mapped at once.
    std::unique_ptr<device::Buffer> buffer(std::size_t bytes) override;
    std::unique_ptr<device::Image> image(int width, int height, device::Format format) override;

    // Maps all resources in one call. Returns false, without effect, while OpenGL is still
    // executing drawing that was submitted before the first attempt; waits for at most the given
    // time.
    bool try_map(std::chrono::nanoseconds at_most = {});
    void map(); // waits; throws if OpenGL takes more than 10 s
    // Callable from any thread while mapped, once all work is queued. Transfers the kernels' output
    // as far as possible without OpenGL; waits for the device if necessary.
    void finish();
    void unmap(); // unmaps all resources in one call; OpenGL then sees the kernels' output
    bool mapped() const;

    // OpenGL name of memory created here; std::out_of_range for any other.
    GLuint gl_buffer(const device::Buffer& buffer) const;
    GLuint gl_texture(const device::Image& image) const;

    // Median of the last 64 frames in microseconds of this thread; 0 before the first. On the
    // staged path unmap includes the copies.
    double map_us() const;
    double unmap_us() const;
    std::size_t shared_bytes() const; // bytes copied by one unmap() on the staged path

    class Backend;

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Maps for the duration of a scope.
class MappedScope {
public:
    explicit MappedScope(Sharing& sharing) : sharing_(sharing) { sharing_.map(); }
    ~MappedScope() noexcept(false) { sharing_.unmap(); }
    MappedScope(const MappedScope&) = delete;
    MappedScope& operator=(const MappedScope&) = delete;

private:
    Sharing& sharing_;
};

} // namespace lanescope::render

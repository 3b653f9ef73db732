// Memory that kernels write and OpenGL draws, by the shortest way this machine has: CUDA maps
// OpenGL's memory, copies are staged through pinned memory, or the lockstep machine writes straight
// into mapped OpenGL memory.
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
    // Copy even where memory could be shared; the environment variable LANESCOPE_SHARING=staged
    // does the same.
    bool force_staged = false;
};

struct SharingChoice {
    SharingPath path = SharingPath::staged;
    std::string explanation; // for the panel and `doctor`: what happens and, when it is not the
                             // best, why and the cure
};

// Asks CUDA and the current OpenGL context what they can do together, without making anything.
SharingChoice choose_sharing(device::Device& device, const SharingOptions& options = {});

// Frame: map() → launches → finish() → unmap() → draw. Without finish() unmap() does its
// part. Buffers have an address, and images a surface handle,
// only in between; OpenGL must not touch them there. Everything made here must be destroyed before
// the Sharing, with its OpenGL context current. Made again after a resize.
class Sharing : public device::Allocator {
public:
    explicit Sharing(device::Device& device, const SharingOptions& options = {});
    ~Sharing() override;
    Sharing(const Sharing&) = delete;
    Sharing& operator=(const Sharing&) = delete;

    SharingPath path() const;
    const std::string& explanation() const;

    // Memory made between map() and unmap() is mapped at once.
    std::unique_ptr<device::Buffer> buffer(std::size_t bytes) override;
    std::unique_ptr<device::Image> image(int width, int height, device::Format format) override;

    // Every resource, in one call. False, and nothing is done, while OpenGL still reads for what it
    // was asked to draw before the first of such calls; waits for it at most so long.
    bool try_map(std::chrono::nanoseconds at_most = {});
    void map(); // the same, waiting; throws when OpenGL needs more than 10 s
    // While mapped, by any thread, after everything has been queued: brings what kernels wrote as
    // far as that can be done without OpenGL. Waits for the device where it must.
    void finish();
    void unmap(); // every resource, in one call; afterwards OpenGL sees what kernels wrote
    bool mapped() const;

    // The OpenGL name behind memory made here; std::out_of_range for any other.
    GLuint gl_buffer(const device::Buffer& buffer) const;
    GLuint gl_texture(const device::Image& image) const;

    // Medians of the last 64 frames, in microseconds of this thread; 0 before the first. On the
    // staged path unmap includes the copies.
    double map_us() const;
    double unmap_us() const;
    std::size_t shared_bytes() const; // what one unmap() copies on the staged path

    class Backend;

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Maps for a scope.
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

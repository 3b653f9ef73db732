// Reads pictures back from OpenGL: at once, or some frames later without stalling.
#pragma once

#include <glad/gl.h>

#include <deque>
#include <optional>
#include <vector>

#include "render/gl/objects.h"
#include "render/views/paint/pixels.h"

namespace lanescope::render {

// Waits for the drawing and reads it. The framebuffer must have one sample per pixel
// (gl::Target::resolve); 0 is the window's.
Pixels read_pixels(GLuint framebuffer, const PixelRect& part);

// Reads pictures asynchronously, up to three at a time.
class PixelReader {
public:
    PixelReader() = default;
    ~PixelReader();
    PixelReader(const PixelReader&) = delete;
    PixelReader& operator=(const PixelReader&) = delete;

    // Queues a read of what has been drawn so far.
    void request(GLuint framebuffer, const PixelRect& part);
    // Returns the oldest picture if it has arrived. If three reads are pending, waits for it.
    std::optional<Pixels> poll();
    // Waits for the oldest picture; empty if none is pending.
    std::optional<Pixels> wait();

private:
    struct Read {
        gl::MappedBuffer buffer;
        GLsync fence;
        int width;
        int height;
    };
    Pixels take();

    std::deque<Read> reads_;
    std::vector<gl::MappedBuffer> spare_;
};

} // namespace lanescope::render

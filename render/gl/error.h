// OpenGL failures as exceptions, and the driver's debug messages as a list that tests require to be
// empty.
#pragma once

#include <glad/gl.h>

#include <memory>
#include <mutex>
#include <source_location>
#include <string>
#include <vector>

#include "compute/error.h"

namespace lanescope::render::gl {

class GlError : public Error {
public:
    explicit GlError(std::string cause, std::string cure = {})
        : Error(ExitStatus::device_unavailable, std::move(cause), std::move(cure))
    {
    }
};

// Throws GlError with the location if OpenGL has recorded an error since the last call.
void check(std::source_location at = std::source_location::current());

// Collects the debug messages of a context (KHR_debug) during its lifetime. The context must be
// current at construction and destruction.
class DebugLog {
public:
    DebugLog();
    ~DebugLog();
    DebugLog(const DebugLog&) = delete;
    DebugLog& operator=(const DebugLog&) = delete;

    // Returns and clears the messages so far: errors, undefined behaviour and everything of high
    // severity.
    std::vector<std::string> take();
    // Throws GlError with the messages, if any.
    void check();

private:
    // Signature of GLDEBUGPROC.
    static void GLAD_API_PTR receive(GLenum source, GLenum type, GLuint id, GLenum severity,
                                     GLsizei length, const GLchar* text, const void* user);
    std::mutex mutex_;
    std::vector<std::string> messages_;
};

} // namespace lanescope::render::gl

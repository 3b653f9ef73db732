// OpenGL drawn by the processor where the machine has no OpenGL at all: Mesa as one library, which
// packages of the program bring along.
#pragma once

#include <memory>
#include <string>

namespace lanescope::render {

// A current OpenGL 4.5 context on a few pixels of its own, of the library libOSMesa.so.8.
class SoftwareContext {
public:
    // Null, and why, when there is no such library or it gives no such context.
    static std::unique_ptr<SoftwareContext> make(std::string& reason);
    ~SoftwareContext();
    SoftwareContext(const SoftwareContext&) = delete;
    SoftwareContext& operator=(const SoftwareContext&) = delete;

private:
    struct Functions;
    explicit SoftwareContext(std::unique_ptr<Functions> functions);

    std::unique_ptr<Functions> functions_;
    void* context_ = nullptr;
    std::unique_ptr<unsigned char[]> pixels_;
};

} // namespace lanescope::render

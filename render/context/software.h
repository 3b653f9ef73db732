// OpenGL on the CPU for machines without any OpenGL: OSMesa, Mesa in a single library, which the
// program's packages include.
#pragma once

#include <memory>
#include <string>

namespace lanescope::render {

// A current OpenGL 4.5 context of libOSMesa.so.8 with a tiny surface.
class SoftwareContext {
public:
    // Returns null, with the reason, if the library is missing or cannot create such a context.
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

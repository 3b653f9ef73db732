// OSMesa through its C interface, as GL/osmesa.h of Mesa declares it.
#include "render/context/software.h"

#include <glad/gl.h>

#include <array>
#include <cstdlib>

#include "compute/process/library.h"

namespace lanescope::render {
namespace {

constexpr int side = 16; // pixels per side of the surface, on which nothing is drawn
constexpr int format = 0x22;
constexpr int profile = 0x33;
constexpr int core_profile = 0x34;
constexpr int major_version = 0x36;
constexpr int minor_version = 0x37;

} // namespace

// The library is never closed: other threads may still be destroying contexts.
struct SoftwareContext::Functions {
    void* (*create)(const int*, void*) = nullptr;
    void (*destroy)(void*) = nullptr;
    unsigned char (*make_current)(void*, void*, unsigned, int, int) = nullptr;
    GLADapiproc (*address)(const char*) = nullptr;

    explicit Functions(void* library)
    {
        const auto get = [library]<class Function>(Function& function, const char* name) {
            function = reinterpret_cast<Function>(find_function(library, name));
        };
        get(create, "OSMesaCreateContextAttribs");
        get(destroy, "OSMesaDestroyContext");
        get(make_current, "OSMesaMakeCurrent");
        get(address, "OSMesaGetProcAddress");
    }
    bool complete() const { return create && destroy && make_current && address; }
};

SoftwareContext::SoftwareContext(std::unique_ptr<Functions> functions)
    : functions_(std::move(functions)), pixels_(new unsigned char[std::size_t{4} * side * side]{})
{
}

SoftwareContext::~SoftwareContext()
{
    if (context_ == nullptr) return;
    functions_->make_current(nullptr, nullptr, GL_UNSIGNED_BYTE, 0, 0);
    functions_->destroy(context_);
}

std::unique_ptr<SoftwareContext> SoftwareContext::make(std::string& reason)
{
    void* library = open_library("libOSMesa.so.8");
    if (library == nullptr) {
        reason = "there is no libOSMesa.so.8";
        return nullptr;
    }
    auto functions = std::make_unique<Functions>(library);
    if (!functions->complete()) {
        reason = "libOSMesa.so.8 is incomplete";
        return nullptr;
    }
    // Without LLVM, Mesa reports OpenGL 3.3, although it implements all of 4.5 that the program
    // needs: it only lacks tessellation.
    constexpr int keep = 0;
    setenv("MESA_GL_VERSION_OVERRIDE", "4.5", keep);
    setenv("MESA_GLSL_VERSION_OVERRIDE", "450", keep);
    const std::array wanted{format,        GL_RGBA, profile, core_profile, major_version, 4,
                            minor_version, 5,       0};
    std::unique_ptr<SoftwareContext> context(new SoftwareContext(std::move(functions)));
    const Functions& mesa = *context->functions_;
    context->context_ = mesa.create(wanted.data(), nullptr);
    if (context->context_ == nullptr ||
        mesa.make_current(context->context_, context->pixels_.get(), GL_UNSIGNED_BYTE, side,
                          side) == 0 ||
        gladLoadGL(mesa.address) == 0 || glCreateBuffers == nullptr) {
        reason = "libOSMesa.so.8 does not provide OpenGL 4.5";
        return nullptr;
    }
    return context;
}

} // namespace lanescope::render

// Creates an OpenGL context without a window, for programs that share memory with it: on EGL's
// surfaceless platform, as Mesa has it, or on EGL's first device, as NVIDIA's driver requires.
#pragma once

#include <cstdio>
#include <cstring>
#include <vector>

#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>

class OffscreenContext {
public:
    OffscreenContext()
    {
        const auto get = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(
            eglGetProcAddress("eglGetPlatformDisplayEXT"));
        display_ = get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
        if (eglInitialize(display_, nullptr, nullptr) != EGL_TRUE) {
            const auto query = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(
                eglGetProcAddress("eglQueryDevicesEXT"));
            EGLDeviceEXT device = nullptr;
            EGLint devices = 0;
            query(1, &device, &devices);
            display_ = get(EGL_PLATFORM_DEVICE_EXT, device, nullptr);
            eglInitialize(display_, nullptr, nullptr);
        }
        eglBindAPI(EGL_OPENGL_API);
        context_ = eglCreateContext(display_, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, nullptr);
        make_current();
        if (glGetString(GL_VERSION) == nullptr) std::printf("There is no OpenGL here.\n");
    }
    ~OffscreenContext()
    {
        release();
        eglDestroyContext(display_, context_);
    }
    OffscreenContext(const OffscreenContext&) = delete;
    OffscreenContext& operator=(const OffscreenContext&) = delete;

    void make_current() { eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_); }
    void release() { eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT); }

private:
    EGLDisplay display_ = EGL_NO_DISPLAY;
    EGLContext context_ = EGL_NO_CONTEXT;
};

inline GLuint new_buffer(const void* data, std::size_t bytes)
{
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(bytes), data, GL_DYNAMIC_DRAW);
    return buffer;
}

template <class T>
std::vector<T> buffer_values(GLuint buffer, std::size_t count)
{
    std::vector<T> values(count);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glGetBufferSubData(GL_ARRAY_BUFFER, 0, static_cast<GLsizeiptr>(count * sizeof(T)),
                       values.data());
    return values;
}

inline GLuint new_texture(GLint internal, GLsizei width, GLsizei height, GLenum format, GLenum type,
                          const void* texels)
{
    GLuint texture = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, internal, width, height, 0, format, type, texels);
    return texture;
}

// A framebuffer that draws into a texture.
inline GLuint framebuffer_of(GLuint texture)
{
    GLuint framebuffer = 0;
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    return framebuffer;
}

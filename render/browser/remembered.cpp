// Caches WebGL state that is queried in every frame (Dear ImGui restores it), since asking the
// browser would wait until its GPU process has finished drawing.
#include <GLES3/gl3.h>

#include <algorithm>
#include <array>

// The linker redirects calls to these functions here (render/CMakeLists.txt).
#define CALL(type, name, ...)                                                                      \
    extern "C" type __real_##name(__VA_ARGS__);                                                    \
    extern "C" type __wrap_##name(__VA_ARGS__)

namespace {

struct Box {
    std::array<GLint, 4> is{};
    bool known = false; // false until the first call after the context was created
};
Box scissor, viewport;
GLenum source_rgb = GL_ONE, target_rgb = GL_ZERO, source_alpha = GL_ONE, target_alpha = GL_ZERO,
       equation_rgb = GL_FUNC_ADD, equation_alpha = GL_FUNC_ADD;

} // namespace

CALL(void, glScissor, GLint x, GLint y, GLsizei width, GLsizei height)
{
    scissor = {{x, y, width, height}, true};
    __real_glScissor(x, y, width, height);
}
CALL(void, glViewport, GLint x, GLint y, GLsizei width, GLsizei height)
{
    viewport = {{x, y, width, height}, true};
    __real_glViewport(x, y, width, height);
}
CALL(void, glBlendFunc, GLenum source, GLenum target)
{
    source_rgb = source_alpha = source;
    target_rgb = target_alpha = target;
    __real_glBlendFunc(source, target);
}
CALL(void, glBlendFuncSeparate, GLenum source, GLenum target, GLenum from_alpha, GLenum to_alpha)
{
    source_rgb = source;
    target_rgb = target;
    source_alpha = from_alpha;
    target_alpha = to_alpha;
    __real_glBlendFuncSeparate(source, target, from_alpha, to_alpha);
}
CALL(void, glBlendEquation, GLenum equation)
{
    equation_rgb = equation_alpha = equation;
    __real_glBlendEquation(equation);
}
CALL(void, glBlendEquationSeparate, GLenum rgb, GLenum alpha)
{
    equation_rgb = rgb;
    equation_alpha = alpha;
    __real_glBlendEquationSeparate(rgb, alpha);
}

CALL(void, glGetIntegerv, GLenum what, GLint* value)
{
    const auto number = [&](GLenum is) { *value = static_cast<GLint>(is); };
    const Box* const box = what == GL_SCISSOR_BOX ? &scissor : &viewport;
    switch (what) {
    case GL_SCISSOR_BOX:
    case GL_VIEWPORT:
        if (!box->known) return __real_glGetIntegerv(what, value);
        std::ranges::copy(box->is, value);
        return;
    case GL_BLEND_SRC_RGB: return number(source_rgb);
    case GL_BLEND_DST_RGB: return number(target_rgb);
    case GL_BLEND_SRC_ALPHA: return number(source_alpha);
    case GL_BLEND_DST_ALPHA: return number(target_alpha);
    case GL_BLEND_EQUATION_RGB: return number(equation_rgb);
    case GL_BLEND_EQUATION_ALPHA: return number(equation_alpha);
    default: return __real_glGetIntegerv(what, value);
    }
}

// Called for the current program, to see if it was deleted: programs are never deleted while
// current.
CALL(GLboolean, glIsProgram, GLuint program)
{
    return program != 0;
}

// Compiles and links embedded shaders; errors name the file and line.
#include "render/gl/program.h"

#include <fmt/format.h>

#include "assets/assets.h"

namespace lanescope::render::gl {
namespace {

struct ShaderKind {
    static void free(GLuint id) { glDeleteShader(id); }
};

std::string read_shader(std::string_view path)
{
    const auto text = assets::find(path);
    if (!text)
        throw GlError(fmt::format("The shader {} is not in this build.", path),
                      "Rebuild Lanescope.");
    constexpr std::string_view directive = "#include \"";
    std::string whole;
    for (std::size_t at = 0; at < text->size();) {
        const auto end = std::min(text->find('\n', at), text->size() - 1);
        const auto line = text->substr(at, end + 1 - at);
        if (line.starts_with(directive))
            whole += read_shader(line.substr(directive.size(), line.rfind('"') - directive.size()));
        else
            whole += line;
        at = end + 1;
    }
    return whole;
}

// A browser prints compile and link errors on its console: querying each would wait for the GPU
// process.
#ifdef __EMSCRIPTEN__
constexpr bool asks = false;
#else
constexpr bool asks = true;
#endif

// Inserted after the version line of every shader: how elements of a buffer are read.
#ifdef __EMSCRIPTEN__
constexpr std::string_view head = R"(
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp usampler2D;
#define samplerBuffer sampler2D
#define usamplerBuffer usampler2D
#define element(buffer, index) texelFetch(buffer, ivec2((index) & 2047, (index) >> 11), 0)
)";
static_assert(webgl::buffer_row == 2048);
#else
constexpr std::string_view head = R"(
#define element(buffer, index) texelFetch(buffer, index)
)";
#endif

std::string whole(const std::string& text, Definitions definitions)
{
    std::string all = glsl_version;
    all += head;
    for (const auto definition : definitions)
        if (!definition.empty()) all += fmt::format("#define {}\n", definition);
    return all + "#line 1\n" + text;
}

Name<ShaderKind> compile(GLenum stage, std::string_view path, const std::string& text)
{
    Name<ShaderKind> shader(glCreateShader(stage));
    const char* source = text.c_str();
    glShaderSource(shader.id(), 1, &source, nullptr);
    glCompileShader(shader.id());
    if (!asks) return shader;
    GLint compiled = GL_FALSE;
    glGetShaderiv(shader.id(), GL_COMPILE_STATUS, &compiled);
    if (compiled != GL_TRUE) {
        std::string log(4096, '\0');
        GLsizei length = 0;
        glGetShaderInfoLog(shader.id(), static_cast<GLsizei>(log.size()), &length, log.data());
        log.resize(static_cast<std::size_t>(length));
        throw GlError(fmt::format("The shader {} does not compile: {}", path, log));
    }
    return shader;
}

} // namespace

Program::Program(std::string_view vertex_path, std::string_view fragment_path,
                 Definitions definitions)
    : paths_(fmt::format("{} and {}", vertex_path, fragment_path))
{
    const std::string vertex_text = whole(read_shader(vertex_path), definitions);
    const std::string fragment_text = whole(read_shader(fragment_path), definitions);
    const auto vertex = compile(GL_VERTEX_SHADER, vertex_path, vertex_text);
    const auto fragment = compile(GL_FRAGMENT_SHADER, fragment_path, fragment_text);
    text_ = vertex_text + fragment_text;
    link({vertex.id(), fragment.id()});
}

#ifndef __EMSCRIPTEN__
Program::Program(std::string_view compute_path, Definitions definitions)
    : paths_(compute_path), text_(whole(read_shader(compute_path), definitions))
{
    link({compile(GL_COMPUTE_SHADER, compute_path, text_).id()});
}
#endif

void Program::link(std::initializer_list<GLuint> shaders)
{
    name_ = Name<ProgramKind>(glCreateProgram());
    for (const GLuint shader : shaders) glAttachShader(name_.id(), shader);
    glLinkProgram(name_.id());
    if (!asks) return;
    GLint linked = GL_FALSE;
    glGetProgramiv(name_.id(), GL_LINK_STATUS, &linked);
    if (linked != GL_TRUE) {
        std::string log(4096, '\0');
        GLsizei length = 0;
        glGetProgramInfoLog(name_.id(), static_cast<GLsizei>(log.size()), &length, log.data());
        log.resize(static_cast<std::size_t>(length));
        throw GlError(fmt::format("The shaders {} do not link: {}", paths_, log));
    }
    check();
}

void Program::set(std::string_view uniform, const glm::mat4& value)
{
    glProgramUniformMatrix4fv(name_.id(), location(uniform), 1, GL_FALSE, &value[0][0]);
}

GLint Program::location(std::string_view uniform)
{
    if (const auto found = locations_.find(uniform); found != locations_.end())
        return found->second;
    const GLint location = glGetUniformLocation(name_.id(), std::string(uniform).c_str());
    if (location < 0 && text_.find(uniform) == std::string::npos)
        throw GlError(fmt::format("The shaders {} have no uniform '{}'.", paths_, uniform));
    locations_.emplace(uniform, location);
    return location;
}

} // namespace lanescope::render::gl

// A shader program built from the embedded files of shaders/, with uniforms set by name.
#pragma once

#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <glm/vec4.hpp>

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "render/gl/objects.h"

namespace lanescope::render::gl {

// The version line of the shaders.
#ifdef __EMSCRIPTEN__
constexpr const char* glsl_version = "#version 300 es";
#else
constexpr const char* glsl_version = "#version 450 core";
#endif

// Macros defined in a program's shaders; empty names are skipped.
using Definitions = std::initializer_list<std::string_view>;

struct ProgramKind {
    static void free(GLuint id) { glDeleteProgram(id); }
};

class Program {
public:
    // Paths like "shaders/field.frag". A line `#include "shaders/x.glsl"` inserts that file. Throws
    // GlError with the compiler's message.
    Program(std::string_view vertex_path, std::string_view fragment_path,
            Definitions definitions = {});
#ifndef __EMSCRIPTEN__
    // A compute program.
    Program(std::string_view compute_path, Definitions definitions);
#endif

    void use() const
    {
        glUseProgram(name_.id());
    }
    // Setting a uniform that the compiler removed has no effect; one that the shader does not
    // declare throws GlError.
    void set(std::string_view uniform, int value)
    {
        glProgramUniform1i(name_.id(), location(uniform), value);
    }
    void set(std::string_view uniform, float value)
    {
        glProgramUniform1f(name_.id(), location(uniform), value);
    }
    void set(std::string_view uniform, glm::vec2 value)
    {
        glProgramUniform2f(name_.id(), location(uniform), value.x, value.y);
    }
    void set(std::string_view uniform, glm::ivec2 value)
    {
        glProgramUniform2i(name_.id(), location(uniform), value.x, value.y);
    }
    void set(std::string_view uniform, glm::ivec3 value)
    {
        glProgramUniform3i(name_.id(), location(uniform), value.x, value.y, value.z);
    }
    void set(std::string_view uniform, glm::vec3 value)
    {
        glProgramUniform3f(name_.id(), location(uniform), value.x, value.y, value.z);
    }
    void set(std::string_view uniform, glm::vec4 value)
    {
        glProgramUniform4f(name_.id(), location(uniform), value.x, value.y, value.z, value.w);
    }
    void set(std::string_view uniform, const glm::mat4& value);

private:
    void link(std::initializer_list<GLuint> shaders);
    GLint location(std::string_view uniform);

    Name<ProgramKind> name_;
    std::string paths_;
    std::string text_; // shader text, to tell removed uniforms from misspelt ones
    std::map<std::string, GLint, std::less<>> locations_;
};

// How a program produces colours: drawn by fragments, or computed into an image.
enum class Stage { draws, computes };

// A program compiled on first use or by prepare(): GPU drivers may take tens of milliseconds per
// program, and a view uses only a few of its programs.
class LazyProgram {
public:
    // Same arguments as Program.
    LazyProgram(std::string_view vertex_path, std::string_view fragment_path,
                std::string_view definition = {}, std::string_view another = {})
        : vertex_path_(vertex_path), fragment_path_(fragment_path), definition_(definition),
          another_(another)
    {
    }
    // Compiles the file at `fragment_path` as a compute shader instead, with COMPUTED defined.
    void compute() { stage_ = Stage::computes; }
    Stage stage() const { return stage_; }
    Program& get()
    {
        prepare();
        return *program_;
    }
    // Compiles if needed; returns false if that was done already.
    bool prepare()
    {
        if (program_) return false;
#ifndef __EMSCRIPTEN__
        if (stage_ == Stage::computes)
            return program_.emplace(fragment_path_, Definitions{"COMPUTED", definition_, another_}),
                   true;
#endif
        program_.emplace(vertex_path_, fragment_path_, Definitions{definition_, another_});
        return true;
    }

private:
    std::string vertex_path_;
    std::string fragment_path_;
    std::string definition_;
    std::string another_;
    Stage stage_ = Stage::draws;
    std::optional<Program> program_;
};

} // namespace lanescope::render::gl

// Waves: a mesh that a CUDA kernel stores in a vertex buffer and OpenGL draws from there, without a copy.
// Drag to turn it. `waves 60 picture.ppm` draws 60 frames and saves the last one.
#define GL_GLEXT_PROTOTYPES
#define GLFW_INCLUDE_GLEXT
#include <GLFW/glfw3.h>

#include <cuda_gl_interop.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "one_store.cu"

constexpr int columns = 160;
constexpr int rows = 160;
constexpr float pi = 3.14159265f;

void check(cudaError_t status, const char* call)
{
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
    std::exit(1);
}
#define CHECK(call) check(call, #call)

// Corners of two triangles per cell of the mesh.
std::vector<unsigned> triangles()
{
    std::vector<unsigned> corners;
    for (unsigned y = 0; y + 1 < rows; ++y)
        for (unsigned x = 0; x + 1 < columns; ++x) {
            const unsigned first = y * columns + x;
            for (unsigned corner : {first, first + 1, first + columns, first + columns, first + 1, first + columns + 1})
                corners.push_back(corner);
        }
    return corners;
}

// A buffer that OpenGL owns.
GLuint new_buffer(GLenum target, std::size_t bytes, const void* data)
{
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(target, buffer);
    glBufferData(target, static_cast<GLsizeiptr>(bytes), data, GL_DYNAMIC_DRAW);
    return buffer;
}

// Colours a vertex by its height, which is its fourth number, and turns the mesh.
GLuint new_shaders()
{
    const char* const vertex = "#version 120\n"
                               "attribute vec4 vertex; uniform vec2 angles; varying float height;\n"
                               "void main() {\n"
                               "    float x = cos(angles.x) * vertex.x - sin(angles.x) * vertex.y;\n"
                               "    float y = sin(angles.x) * vertex.x + cos(angles.x) * vertex.y;\n"
                               "    float up = sin(angles.y) * y + cos(angles.y) * vertex.z;\n"
                               "    float away = cos(angles.y) * y - sin(angles.y) * vertex.z;\n"
                               "    height = vertex.w;\n"
                               "    gl_Position = vec4(1.8 * x, 1.8 * up, away, 3.0 + away);\n"
                               "}\n";
    const char* const fragment = "#version 120\n"
                                 "varying float height;\n"
                                 "void main() {\n"
                                 "    float t = clamp(0.5 + 3.0 * height, 0.0, 1.0);\n"
                                 "    gl_FragColor = vec4(mix(vec3(0.0, 0.13, 0.3), vec3(1.0, 0.91, 0.27), t), 1.0);\n"
                                 "}\n";
    const GLuint program = glCreateProgram();
    for (GLenum kind : {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER}) {
        const GLuint shader = glCreateShader(kind);
        glShaderSource(shader, 1, kind == GL_VERTEX_SHADER ? &vertex : &fragment, nullptr);
        glCompileShader(shader);
        glAttachShader(program, shader);
    }
    glBindAttribLocation(program, 0, "vertex");
    glLinkProgram(program);
    glUseProgram(program);
    return program;
}

void save_picture(const char* path, int width, int height)
{
    std::vector<unsigned char> pixels(3 * static_cast<std::size_t>(width) * height);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels.data());
    std::FILE* const file = std::fopen(path, "wb");
    if (file == nullptr) return std::perror(path);
    std::fprintf(file, "P6\n%d %d\n255\n", width, height);
    for (int y = height - 1; y >= 0; --y) // OpenGL's rows begin at the bottom
        std::fwrite(&pixels[3 * static_cast<std::size_t>(y) * width], 3, static_cast<std::size_t>(width), file);
    std::fclose(file);
}

int main(int count, char** arguments)
{
    const int frames = count > 1 ? std::atoi(arguments[1]) : 0; // 0: until the window closes
    if (!glfwInit()) return std::fprintf(stderr, "There is no display.\n"), 1;
    GLFWwindow* const window = glfwCreateWindow(640, 480, "Waves", nullptr, nullptr);
    if (window == nullptr) return std::fprintf(stderr, "There is no OpenGL.\n"), 1;
    glfwMakeContextCurrent(window); // CUDA shares with the context that is current
    glfwSwapInterval(1);

    const std::vector<unsigned> corners = triangles();
    GLuint indices = new_buffer(GL_ELEMENT_ARRAY_BUFFER, corners.size() * sizeof(unsigned), corners.data());
    GLuint buffer = new_buffer(GL_ARRAY_BUFFER, columns * rows * sizeof(float4), nullptr);
    const auto corner_count = static_cast<GLsizei>(corners.size());
    const GLuint shaders = new_shaders();
    glEnable(GL_DEPTH_TEST);

    // Once: CUDA gets to know the buffer. The kernel writes all of it, so its old contents need not be kept.
    cudaGraphicsResource* resource = nullptr;
    CHECK(cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsRegisterFlagsWriteDiscard));

    for (int frame = 0; !glfwWindowShouldClose(window) && (frames == 0 || frame < frames); ++frame) {
        // Between map and unmap the buffer belongs to CUDA, otherwise to OpenGL.
        float4* vertices = nullptr;
        std::size_t bytes = 0;
        CHECK(cudaGraphicsMapResources(1, &resource));
        CHECK(cudaGraphicsResourceGetMappedPointer(reinterpret_cast<void**>(&vertices), &bytes, resource));
        const dim3 block(32, 8);
        const dim3 grid((columns + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
        waves_one_store<<<grid, block>>>(vertices, columns, rows, 10 * pi, 0.16f, 0.15f * frame);
        CHECK(cudaGetLastError());
        CHECK(cudaGraphicsUnmapResources(1, &resource));

        double x = 0;
        double y = 0;
        if (glfwGetMouseButton(window, GLFW_MOUSE_BUTTON_LEFT) == GLFW_PRESS) glfwGetCursorPos(window, &x, &y);
        int width = 0;
        int height = 0;
        glfwGetFramebufferSize(window, &width, &height);
        glViewport(0, 0, width, height);
        glClearColor(0.05f, 0.06f, 0.08f, 1);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        glUniform2f(glGetUniformLocation(shaders, "angles"), 0.6f + 0.01f * static_cast<float>(x),
                    0.6f + 0.01f * static_cast<float>(y));
        glBindBuffer(GL_ARRAY_BUFFER, buffer);
        glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, nullptr);
        glEnableVertexAttribArray(0);
        glDrawElements(GL_TRIANGLES, corner_count, GL_UNSIGNED_INT, nullptr);
        if (frame + 1 == frames && count > 2) save_picture(arguments[2], width, height);
        glfwSwapBuffers(window);
        glfwPollEvents();
    }

    CHECK(cudaGraphicsUnregisterResource(resource)); // before OpenGL deletes the buffer
    glDeleteBuffers(1, &buffer);
    glDeleteBuffers(1, &indices);
    glfwTerminate();
}

// Registers, maps and draws single resources. Each resource keeps the context alive, and makes it
// current to destroy its OpenGL objects.
#include "render/shared/step_graphics.h"

#include <glad/gl.h>

#include <cuda_runtime_api.h>

#include <cuda_gl_interop.h>

#include <chrono>
#include <optional>
#include <utility>

#include "compute/cuda/check.h"
#include "compute/cuda/cuda_device.h"
#include "compute/cuda/image.h"
#include "render/context/offscreen.h"
#include "render/gl/objects.h"
#include "render/gl/program.h"
#include "render/shared/backend.h"

namespace lanescope::render {
namespace {

using Clock = std::chrono::steady_clock;

class QueryClock : public device::GraphicsClock {
public:
    ~QueryClock() override
    {
        if (!queries_.empty())
            glDeleteQueries(static_cast<GLsizei>(queries_.size()), queries_.data());
    }
    // Reads both clocks between two readings of the host's.
    void start() override
    {
        marked_ = 0;
        started_ = Clock::now();
        glGetInteger64v(GL_TIMESTAMP, &origin_ns_);
        const std::chrono::duration<double, std::milli> asked = Clock::now() - started_;
        origin_ms_ = asked.count() / 2;
    }
    void mark() override
    {
        if (marked_ == queries_.size()) {
            queries_.push_back(0);
            glGenQueries(1, &queries_.back());
        }
        glQueryCounter(queries_[marked_++], GL_TIMESTAMP);
    }
    std::vector<double> read_ms() override
    {
        std::vector<double> ms;
        for (std::size_t i = 0; i < marked_; ++i) {
            GLint64 at_ns = 0;
            glGetQueryObjecti64v(queries_[i], GL_QUERY_RESULT, &at_ns);
            ms.push_back(origin_ms_ + static_cast<double>(at_ns - origin_ns_) / 1e6);
        }
        marked_ = 0;
        gl::check();
        return ms;
    }

private:
    std::vector<GLuint> queries_;
    std::size_t marked_ = 0;
    Clock::time_point started_{};
    GLint64 origin_ns_ = 0;
    double origin_ms_ = 0;
};

// The context, and its objects for drawing.
struct Core {
    explicit Core(cuda::CudaDevice& gpu)
        : device(gpu), offscreen({.cuda_ordinal = gpu.ordinal(), .beside_others = true})
    {
    }

    void make_current()
    {
        if (depth > 0) {
            ++depth;
            return;
        }
        device.use();
        earlier.emplace();
        offscreen.make_current();
        depth = 1;
    }
    void release() noexcept
    {
        if (--depth == 0) earlier.reset();
    }
    cudaStream_t stream() const { return static_cast<cudaStream_t>(device.stream()); }

    cuda::CudaDevice& device;
    int depth = 0;
    std::optional<EarlierContext> earlier;
    Offscreen offscreen;
    // Created in the context, and destroyed in it.
    struct Drawing {
        gl::Target target{1024, 1024};
        gl::Program vertices{"shaders/frame.vert", "shaders/frame.frag", {"VERTICES"}};
        gl::Program image{"shaders/frame.vert", "shaders/frame.frag"};
        gl::VertexArray no_vertices;
        QueryClock clock;
    };
    std::optional<Drawing> drawing;

    ~Core()
    {
        if (!drawing) return;
        try {
            make_current();
            drawing.reset();
            release();
        } catch (const Error&) { // the context is lost, with all it had
        }
    }
    void clear_target() const
    {
        drawing->target.bind();
        glClearColor(0, 0, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
    }
};

class CurrentScope {
public:
    explicit CurrentScope(Core& core) : core_(core) { core_.make_current(); }
    ~CurrentScope() { core_.release(); }
    CurrentScope(const CurrentScope&) = delete;
    CurrentScope& operator=(const CurrentScope&) = delete;

private:
    Core& core_;
};

// The registration that buffers and images have in common.
class Registered : public device::GraphicsResource {
public:
    explicit Registered(std::shared_ptr<Core> core) : core_(std::move(core)) {}
    Registered(const Registered&) = delete;
    Registered& operator=(const Registered&) = delete;

    void unregister() override
    {
        core().device.check(cudaGraphicsUnregisterResource(std::exchange(handle_, nullptr)));
    }
    void map() override
    {
        core().device.check(cudaGraphicsMapResources(1, &handle_, core().stream()));
        mapped_ = true;
        after_map();
    }
    void unmap() override
    {
        mapped_ = false;
        core().device.check(cudaGraphicsUnmapResources(1, &handle_, core().stream()));
    }

protected:
    virtual void after_map() = 0;
    Core& core() const { return *core_; }
    // Called by destructors while the OpenGL object exists; makes the context current for it.
    void leave() noexcept
    {
        if (handle_ != nullptr) {
            if (mapped_) cudaGraphicsUnmapResources(1, &handle_, core().stream());
            cudaGraphicsUnregisterResource(handle_);
        }
        cudaGetLastError(); // after a lost device nothing is left to free
    }
    void require_mapped() const
    {
        if (!mapped_)
            throw device::LaunchError("Memory of OpenGL's was used while it was not mapped.",
                                      "Map it first.");
    }

    cudaGraphicsResource_t handle_ = nullptr;
    bool mapped_ = false;

private:
    std::shared_ptr<Core> core_;
};

class VertexBuffer final : public device::Buffer, public Registered {
public:
    VertexBuffer(std::shared_ptr<Core> core, std::size_t bytes) : Registered(std::move(core))
    {
        buffer_.emplace(bytes);
        array_.emplace();
        constexpr int floats = 4;
        glVertexArrayVertexBuffer(array_->id(), 0, buffer_->id(), 0, floats * sizeof(float));
        glVertexArrayAttribFormat(array_->id(), 0, floats, GL_FLOAT, GL_FALSE, 0);
        glVertexArrayAttribBinding(array_->id(), 0, 0);
        glEnableVertexArrayAttrib(array_->id(), 0);
        register_it();
    }
    ~VertexBuffer() override
    {
        try {
            const CurrentScope current(core());
            leave();
            array_.reset();
            buffer_.reset();
        } catch (const Error&) { // the context is lost, with all it had
        }
    }

    device::Address address() const override
    {
        require_mapped();
        return reinterpret_cast<device::Address>(pointer_);
    }
    std::size_t bytes() const override { return buffer_->bytes(); }

    void register_it() override
    {
        core().device.check(
            cudaGraphicsGLRegisterBuffer(&handle_, buffer_->id(), cudaGraphicsRegisterFlagsNone));
    }
    void update(std::span<const std::byte> bytes) override { buffer_->upload(bytes); }
    void draw() override
    {
        core().clear_target();
        core().drawing->vertices.use();
        array_->bind();
        glDrawArrays(GL_POINTS, 0, static_cast<GLsizei>(bytes() / (4 * sizeof(float))));
        gl::check();
    }

private:
    void after_map() override
    {
        std::size_t size = 0;
        core().device.check(cudaGraphicsResourceGetMappedPointer(&pointer_, &size, handle_));
    }

    std::optional<gl::Buffer> buffer_;
    std::optional<gl::VertexArray> array_;
    void* pointer_ = nullptr;
};

class TextureImage final : public cuda::ArrayImage, public Registered {
public:
    TextureImage(std::shared_ptr<Core> core, int width, int height, device::Format format)
        : Registered(std::move(core)), format_(format)
    {
        texture_.emplace(texel_format(format).internal, width, height);
        register_it();
    }
    ~TextureImage() override
    {
        try {
            const CurrentScope current(core());
            wrapped_.reset();
            leave();
            texture_.reset();
        } catch (const Error&) { // the context is lost, with all it had
        }
    }

    int width() const override { return texture_->width(); }
    int height() const override { return texture_->height(); }
    int depth() const override { return 0; }
    device::Format format() const override { return format_; }
    std::uint64_t surface() const override
    {
        require_mapped();
        return wrapped_->surface();
    }
    void* array() const override { return mapped_ ? array_ : nullptr; }

    void register_it() override
    {
        core().device.check(cudaGraphicsGLRegisterImage(&handle_, texture_->id(), GL_TEXTURE_2D,
                                                        cudaGraphicsRegisterFlagsSurfaceLoadStore));
    }
    void update(std::span<const std::byte> bytes) override
    {
        const TexelFormat texels = texel_format(format_);
        texture_->upload(texels.format, texels.type, bytes.data());
    }
    void draw() override
    {
        core().clear_target();
        core().drawing->image.set("image", 0);
        core().drawing->image.use();
        core().drawing->no_vertices.bind();
        glBindTextureUnit(0, texture_->id());
        glDrawArrays(GL_TRIANGLES, 0, 3);
        gl::check();
    }

private:
    void after_map() override
    {
        cudaArray_t array = nullptr;
        core().device.check(cudaGraphicsSubResourceGetMappedArray(&array, handle_, 0, 0));
        if (array == array_) return;
        wrapped_ = core().device.wrap_array(array, width(), height(), format_);
        array_ = array;
    }

    device::Format format_;
    std::optional<gl::Texture> texture_;
    std::unique_ptr<device::Image> wrapped_; // surface object of array_, reused across frames
    cudaArray_t array_ = nullptr;
};

class StepGraphics final : public device::Graphics {
public:
    explicit StepGraphics(std::shared_ptr<Core> core) : core_(std::move(core)) {}

    void make_current() override { core_->make_current(); }
    void release() noexcept override { core_->release(); }
    device::GraphicsBuffer buffer(std::size_t bytes) override
    {
        auto made = std::make_unique<VertexBuffer>(core_, bytes);
        device::GraphicsResource* const resource = made.get();
        return {std::move(made), resource};
    }
    device::GraphicsImage image(int width, int height, device::Format format) override
    {
        auto made = std::make_unique<TextureImage>(core_, width, height, format);
        device::GraphicsResource* const resource = made.get();
        return {std::move(made), resource};
    }
    void present() override { glFlush(); }
    void finish() override { glFinish(); }
    device::GraphicsClock& clock() override { return core_->drawing->clock; }

private:
    std::shared_ptr<Core> core_;
};

} // namespace

device::GraphicsChoice step_graphics(device::Device& device)
{
    auto* const gpu = dynamic_cast<cuda::CudaDevice*>(&device);
    if (!gpu) return {nullptr, "This device shares no memory with OpenGL."};
    const EarlierContext earlier;
    auto core = std::make_shared<Core>(*gpu);
    const SharingChoice choice = choose_sharing(device);
    if (choice.path != SharingPath::cuda_mapped) return {nullptr, choice.explanation};
    core->drawing.emplace();
    return {std::make_shared<StepGraphics>(std::move(core)), {}};
}

} // namespace lanescope::render

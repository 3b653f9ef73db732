// Frames a second without a window: map, one step of the naive heat kernel, unmap, draw the field.
// One benchmark for each engine and sharing path; the path that was chosen, and what mapping cost,
// stand beside the time. With maps, every step is counted and every map is painted and drawn.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <optional>

#include "compute/cuda/cuda_device.h"
#include "compute/cuda/live_maps.h"
#include "compute/labs/lab.h"
#include "compute/simt/simt_device.h"
#include "render/context/offscreen.h"
#include "render/context/window.h"
#include "render/gl/objects.h"
#include "render/shared/sharing.h"
#include "render/views/field.h"

namespace {

using namespace lanescope;

constexpr int width_px = 1280;
constexpr int height_px = 720;

std::string_view path_name(render::SharingPath path)
{
    switch (path) {
    case render::SharingPath::cuda_mapped: return "zero copy";
    case render::SharingPath::staged: return "staged";
    case render::SharingPath::simt_mapped: return "simt mapped";
    }
    return "";
}

// Lets OpenGL be at most two frames behind, as a window's swap does.
class FramePacing {
public:
    ~FramePacing()
    {
        for (GLsync fence : fences_) glDeleteSync(fence);
    }
    void end_frame()
    {
        GLsync& fence = fences_[frame_++ % fences_.size()];
        if (fence) glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, GLuint64{1'000'000'000});
        glDeleteSync(fence);
        fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    }

private:
    std::array<GLsync, 2> fences_{};
    std::size_t frame_ = 0;
};

constexpr std::array warp_metrics{trace::WarpMetric::active_lanes, trace::WarpMetric::global_excess,
                                  trace::WarpMetric::shared_conflicts,
                                  trace::WarpMetric::instructions, trace::WarpMetric::divergence};
constexpr std::array memory_metrics{trace::MemoryMetric::touches, trace::MemoryMetric::warps};

// Every map of a step, in memory that OpenGL shows: painted by kernels on the GPU, from the trace
// elsewhere.
class Maps {
public:
    Maps(device::Device& device, render::Sharing& sharing, std::size_t elements)
        : device_(device), elements_(elements)
    {
        if (auto* gpu = dynamic_cast<cuda::CudaDevice*>(&device)) live_.emplace(*gpu);
        for (auto& map : warp_maps_) map = sharing.buffer(4 * elements);
        for (auto& map : memory_maps_) map = sharing.buffer(4 * sectors());
    }

    void step(labs::Experiment& experiment)
    {
        const labs::Experiment::Result result = experiment.next_result();
        trace::Trace trace;
        trace.keep_on_device = live_.has_value();
        trace.footprint.address = trace.watched.address =
            result.buffer->address() + result.offset_bytes;
        trace.footprint.bytes = trace.watched.bytes = 4 * elements_;
        trace.footprint.element_bytes = 4;
        experiment.step(&trace);
        for (std::size_t i = 0; i < warp_maps_.size(); ++i) {
            if (live_)
                live_->paint_warps(trace.device_counts, warp_metrics[i], warp_maps_[i]->address());
            else
                paint(*warp_maps_[i], elements_,
                      [&](auto values) { paint_warps(trace, warp_metrics[i], values); });
        }
        for (std::size_t i = 0; i < memory_maps_.size(); ++i) {
            if (live_)
                live_->paint_memory(trace.device_counts, memory_metrics[i],
                                    memory_maps_[i]->address());
            else
                paint(*memory_maps_[i], sectors(),
                      [&](auto values) { paint_memory(trace, memory_metrics[i], values); });
        }
    }

    void draw(render::FieldView& view, const render::Sharing& sharing, int width, int height) const
    {
        constexpr int side = 180;
        int column = 0;
        const auto draw_one = [&](const device::Buffer& map, int columns, int rows) {
            const render::PixelRect viewport{side * column++, 0, side, side};
            view.draw({sharing.gl_buffer(map), columns, rows},
                      render::Scale{.low = 0, .high = 8, .quantity = {}, .unit = {}},
                      render::place(viewport, 1));
        };
        for (const auto& map : warp_maps_) draw_one(*map, width, height);
        for (const auto& map : memory_maps_) draw_one(*map, width / 8, height);
    }

private:
    std::size_t sectors() const { return (elements_ + 7) / 8; }

    template <class Paint>
    void paint(const device::Buffer& map, std::size_t count, Paint paint_values)
    {
        host_.resize(count);
        paint_values(std::span(host_));
        device_.upload(map.address(), std::as_bytes(std::span(host_)));
    }

    device::Device& device_;
    std::size_t elements_;
    std::optional<cuda::LiveMaps> live_;
    std::array<std::unique_ptr<device::Buffer>, warp_metrics.size()> warp_maps_;
    std::array<std::unique_ptr<device::Buffer>, memory_metrics.size()> memory_maps_;
    std::vector<float> host_;
};

class Stage {
public:
    Stage(device::Device& device, int size, bool staged, bool maps)
        : lab_(labs::find("heat")), sharing_(device, {.force_staged = staged}),
          target_(width_px, height_px)
    {
        labs::Values values(lab_);
        values.set("size", size);
        const labs::Variant& naive = labs::find_variant(lab_, "naive");
        const render::MappedScope mapped(sharing_);
        experiment_ = lab_.start({device, sharing_, lab_, naive, values, 1, {}});
        if (maps) maps_.emplace(device, sharing_, static_cast<std::size_t>(size) * size);
    }

    void draw_next()
    {
        std::optional<labs::Picture> picture;
        {
            const render::MappedScope mapped(sharing_);
            if (maps_)
                maps_->step(*experiment_);
            else
                experiment_->step();
            picture = experiment_->picture("field");
        }
        const auto& field = std::get<labs::FieldPicture>(*picture);
        const render::PixelRect viewport{0, 0, width_px, height_px};
        target_.bind();
        view_.draw(
            {sharing_.gl_buffer(*field.values), field.width, field.height},
            {.low = field.low, .high = field.high, .quantity = field.quantity, .unit = field.unit},
            render::place(viewport, double(field.width) / field.height));
        if (maps_) maps_->draw(view_, sharing_, field.width, field.height);
    }

    const render::Sharing& sharing() const { return sharing_; }
    const render::gl::Target& target() const { return target_; }

private:
    const labs::Lab& lab_;
    render::Sharing sharing_;
    render::gl::Target target_;
    render::FieldView view_;
    std::unique_ptr<labs::Experiment> experiment_;
    std::optional<Maps> maps_;
};

enum class Where { offscreen, window };

// A current OpenGL context, and what its window needs at the end of a frame.
class Context {
public:
    Context(Where where, const device::Device& device)
    {
        const auto* gpu = dynamic_cast<const cuda::CudaDevice*>(&device);
        if (where == Where::window)
            window_ = std::make_unique<render::Window>(render::WindowOptions{
                .width = width_px, .height = height_px, .vertical_sync = false});
        else
            offscreen_ = std::make_unique<render::Offscreen>(render::OffscreenOptions{
                .cuda_ordinal = gpu ? std::optional<int>(gpu->ordinal()) : std::nullopt});
    }
    const render::ContextInfo& info() const
    {
        return window_ ? window_->info() : offscreen_->info();
    }
    void end_frame(const render::gl::Target& target)
    {
        if (!window_) return pacing_.end_frame();
        glBlitNamedFramebuffer(target.resolve(), 0, 0, 0, width_px, height_px, 0, 0, width_px,
                               height_px, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        window_->swap();
        render::Window::poll_events();
    }

private:
    std::unique_ptr<render::Window> window_;
    std::unique_ptr<render::Offscreen> offscreen_;
    FramePacing pacing_;
};

using MakeDevice = std::function<std::unique_ptr<device::Device>()>;

struct Setting {
    std::string name;
    MakeDevice make;
    Where where = Where::offscreen;
    bool staged = false;
    bool maps = false;
};

void run_frames(benchmark::State& state, const Setting& setting)
{
    try {
        const std::unique_ptr<device::Device> device = setting.make();
        Context context(setting.where, *device);
        Stage stage(*device, static_cast<int>(state.range(0)), setting.staged, setting.maps);
        const auto frame = [&] {
            stage.draw_next();
            context.end_frame(stage.target());
        };
        for (int i = 0; i < 10; ++i) frame();
        glFinish();
        for (auto _ : state) {
            (void)_;
            frame();
        }
        glFinish();
        device->synchronize();
        state.counters["frames/s"] = benchmark::Counter(static_cast<double>(state.iterations()),
                                                        benchmark::Counter::kIsRate);
        state.counters["map_us"] = stage.sharing().map_us();
        state.counters["unmap_us"] = stage.sharing().unmap_us();
        state.SetLabel(std::string(path_name(stage.sharing().path())) + " on " +
                       context.info().renderer);
    } catch (const Error& error) {
        state.SkipWithError(error.what());
    }
}

[[maybe_unused]] const bool registered = [] {
    const auto add = [](const Setting& setting, std::vector<std::int64_t> sizes) {
        auto* bench =
            benchmark::RegisterBenchmark(setting.name.c_str(), [setting](benchmark::State& state) {
                run_frames(state, setting);
            });
        for (std::int64_t size : sizes) bench->Arg(size);
        bench->Unit(benchmark::kMicrosecond)->UseRealTime();
    };
    const MakeDevice gpu = [] { return cuda::make_device(); };
    const MakeDevice simt = [] { return simt::make_device(); };
    add({"offscreen/cuda", gpu}, {512, 1024, 4096});
    add({"offscreen/cuda_staged", gpu, Where::offscreen, true}, {512, 1024, 4096});
    add({"offscreen/cuda_maps", gpu, Where::offscreen, false, true}, {512, 1024});
    add({"offscreen/simt", simt}, {512});
    add({"offscreen/simt_maps", simt, Where::offscreen, false, true}, {256});
    if (std::getenv("DISPLAY")) {
        add({"window/cuda", gpu, Where::window}, {512});
        add({"window/simt", simt, Where::window}, {512});
    }
    return true;
}();

} // namespace

BENCHMARK_MAIN();

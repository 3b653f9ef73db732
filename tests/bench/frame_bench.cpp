// Frames a second without a window: map, one step of the naive heat kernel, unmap, draw the field.
// One benchmark for each engine and sharing path; the path that was chosen, and what mapping cost,
// stand beside the time. With maps, every step is counted and every map is drawn.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <vector>

#include "app/document/subject.h"
#include "app/draw/maps.h"
#include "app/draw/scene.h"
#include "app/run/stage.h"
#include "compute/cuda/cuda_device.h"
#include "compute/simt/simt_device.h"
#include "render/context/offscreen.h"
#include "render/context/window.h"
#include "render/gl/objects.h"

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

// The looks that show every map of a step: four over the picture, two over the memory.
std::vector<app::Look> map_looks()
{
    std::vector<app::Look> looks;
    for (const std::string& name : app::map_names()) {
        if (name == "off") continue;
        looks.emplace_back();
        looks.back().map = name;
    }
    for (const bool warps : {false, true}) {
        looks.emplace_back();
        looks.back().subject = app::Subject::memory;
        looks.back().memory_warps = warps;
    }
    return looks;
}

app::Start naive_heat(int size)
{
    app::Start start;
    start.lab = "heat";
    start.variant = "naive";
    start.parameters["size"] = std::to_string(size);
    return start;
}

// What the window does in a frame, but for its panels.
class Frames {
public:
    Frames(device::Device& device, int size, bool maps)
        : target_(width_px, height_px), stage_(device, {naive_heat(size), {}, 0})
    {
        plan_.view = "field";
        if (!maps) return;
        looks_ = map_looks();
        plan_.counting.map = true;
        plan_.counting.memory = "now";
    }

    void draw_next()
    {
        stage_.frame(plan_);
        target_.bind();
        draw_subject(scene_, stage_, {}, {}, {0, 0, width_px, height_px}, text_px);
        constexpr int side = 200;
        int column = 0;
        for (const app::Look& look : looks_)
            draw_subject(scene_, stage_, look, {}, {side * column++, 0, side, side}, text_px);
    }

    const render::Sharing& sharing() { return stage_.sharing(); }
    const render::gl::Target& target() const { return target_; }

private:
    static constexpr float text_px = 20;

    render::gl::Target target_;
    app::Scene scene_;
    app::Stage stage_;
    app::FramePlan plan_;
    std::vector<app::Look> looks_;
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
        // What a user's environment variable does too.
        setting.staged ? setenv("LANESCOPE_SHARING", "staged", 1) : unsetenv("LANESCOPE_SHARING");
        Frames frames(*device, static_cast<int>(state.range(0)), setting.maps);
        const auto frame = [&] {
            frames.draw_next();
            context.end_frame(frames.target());
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
        state.counters["map_us"] = frames.sharing().map_us();
        state.counters["unmap_us"] = frames.sharing().unmap_us();
        state.SetLabel(std::string(path_name(frames.sharing().path())) + " on " +
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

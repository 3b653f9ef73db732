// Frames per second: map, one step of the naive heat kernel, unmap, draw the field; the next step
// starts during the swap, as in the window. One benchmark per engine and sharing path; the path
// taken and the cost of mapping are reported beside the time. With maps, every step is counted and
// every map is drawn; "four heatmaps" draws the set that existed before sectors and wavefronts had
// their own maps.
#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/draw/scene/scene.h"
#include "app/draw/subjects/subject_drawing.h"
#include "app/run/worker.h"
#include "render/context/offscreen.h"
#include "render/context/window.h"
#include "render/gl/objects.h"
#include "render/views/maps/warp_metric.h"

namespace {

using namespace lanescope;
using namespace std::chrono_literals;

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

// Keeps OpenGL at most two frames behind, as a window's swap does.
class FramePacing {
public:
    ~FramePacing()
    {
        // If no frame was drawn, OpenGL may be missing because its window could not be opened.
        for (GLsync fence : fences_)
            if (fence) glDeleteSync(fence);
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

// GPU time of a frame's drawing, from its first OpenGL command to its last; read three frames later
// to avoid waiting.
class DrawingTime {
public:
    DrawingTime() { glCreateQueries(GL_TIMESTAMP, static_cast<GLsizei>(at_.size()), at_.data()); }
    ~DrawingTime() { glDeleteQueries(static_cast<GLsizei>(at_.size()), at_.data()); }
    DrawingTime(const DrawingTime&) = delete;
    DrawingTime& operator=(const DrawingTime&) = delete;

    void begin()
    {
        if (frame_ >= frames) {
            std::array<GLuint64, 2> ns{};
            for (std::size_t i = 0; i < ns.size(); ++i)
                glGetQueryObjectui64v(query(i), GL_QUERY_RESULT, &ns[i]);
            sum_us_ += static_cast<double>(ns[1] - ns[0]) * 1e-3;
            ++count_;
        }
        glQueryCounter(query(0), GL_TIMESTAMP);
    }
    void end()
    {
        glQueryCounter(query(1), GL_TIMESTAMP);
        ++frame_;
    }
    double mean_us() const { return count_ > 0 ? sum_us_ / count_ : 0; }

private:
    static constexpr std::size_t frames = 3;
    GLuint query(std::size_t which) const { return at_[2 * (frame_ % frames) + which]; }

    std::array<GLuint, 2 * frames> at_{};
    std::size_t frame_ = 0;
    double sum_us_ = 0;
    int count_ = 0;
};

enum class Maps { none, four_heatmaps, all };

// Map settings, one per map of a step: heatmaps over the picture, and two memory maps.
std::vector<app::Look> map_looks(Maps maps)
{
    using render::WarpMetric;
    std::vector<app::Look> looks;
    for (const WarpMetric metric : render::all_warp_metrics) {
        const bool later = metric == WarpMetric::sectors || metric == WarpMetric::wavefronts;
        if (later && maps == Maps::four_heatmaps) continue;
        if (render::is_served(metric)) continue; // a model's, not counted on a GPU
        looks.emplace_back();
        looks.back().map = render::name(metric);
    }
    for (const bool warps : {false, true}) {
        looks.emplace_back();
        looks.back().subject = app::Subject::memory;
        looks.back().memory_warps = warps;
    }
    return looks;
}

app::OpenJob naive_heat(const std::string& engine, int size)
{
    app::Session session;
    session.device = engine;
    session.journal.start.lab = "heat";
    session.journal.start.variant = "naive";
    session.journal.start.parameters = {{"size", std::to_string(size)}, {"steps_per_frame", "1"}};
    return {"heat", [session] { return app::Found{app::Arrival::session, session}; }, engine};
}

// A frame of the window without its panels.
class Frames {
public:
    Frames(const std::string& engine, int size, Maps maps)
        : target_(render::gl::Target::for_window(width_px, height_px))
    {
        app::Plan plan;
        plan.opened = worker_.open(naive_heat(engine, size));
        plan.running = false;
        plan.view = "field";
        if (maps != Maps::none) {
            looks_ = map_looks(maps);
            plan.counting.map = true;
            plan.counting.memory = "now";
        }
        worker_.tell(plan);
        frame_ = worker_.settle();
        while (frame_->engine.has_clock && frame_->engine.roofs.copy_gb_per_s == 0) {
            worker_.wait(100ms); // measuring the roofs uses the same GPU
            frame_ = worker_.settle();
        }
        plan.running = true;
        worker_.tell(plan);
        worker_.release_frame();
    }

    // Draws the picture of one more step; the next step starts when the drawing is queued.
    void draw_next()
    {
        const Clock::time_point begin = Clock::now();
        const std::uint64_t drawn = frame_->picture;
        for (worker_.process_gl_tasks(); worker_.newest()->picture == drawn || !worker_.drawable();
             worker_.process_gl_tasks()) {
            if (const auto problem = worker_.newest()->problem())
                std::rethrow_exception(problem->error);
            worker_.wait(100ms);
        }
        frame_ = worker_.newest();
        const Clock::time_point drawable = Clock::now();
        drawing_.begin();
        target_.bind();
        app::draw_subject(
            {scene_, frame_->a, {app::Look{}, {}, {0, 0, width_px, height_px}, text_px}});
        constexpr int side = 200;
        int column = 0;
        for (const app::Look& look : looks_)
            app::draw_subject(
                {scene_, frame_->a, {look, {}, {side * column++, 0, side, side}, text_px}});
        drawing_.end();
        worker_.release_frame();
        waited_ += drawable - begin;
        drew_ += Clock::now() - drawable;
    }

    // Returns the times accumulated since the last call: waiting for pictures to be ready, and
    // queuing their drawing.
    std::array<std::chrono::duration<double, std::micro>, 2> take_times()
    {
        return {std::exchange(waited_, {}), std::exchange(drew_, {})};
    }

    const app::Frame& frame() const { return *frame_; }
    double drawing_us() const { return drawing_.mean_us(); }
    const render::gl::Target& target() const { return target_; }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr float text_px = 20;

    Clock::duration waited_{}, drew_{};
    render::gl::Target target_;
    DrawingTime drawing_;
    app::Scene scene_;
    app::Worker worker_{{}};
    std::shared_ptr<const app::Frame> frame_;
    std::vector<app::Look> looks_;
};

enum class Where { offscreen, window };

// A current OpenGL context, and the end-of-frame work of its window.
class Context {
public:
    Context(Where where, const std::string& engine)
    {
        if (where == Where::window)
            window_ = std::make_unique<render::Window>(render::WindowOptions{
                .width = width_px, .height = height_px, .vertical_sync = false});
        else
            offscreen_ = std::make_unique<render::Offscreen>(render::OffscreenOptions{
                .cuda_ordinal = engine == "cuda" ? std::optional<int>(0) : std::nullopt});
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

struct Setting {
    std::string name;
    std::string engine;
    Where where = Where::offscreen;
    bool staged = false;
    Maps maps = Maps::none;
};

void run_frames(benchmark::State& state, const Setting& setting)
{
    try {
        Context context(setting.where, setting.engine);
        // Uses the same environment variable as users do.
        setting.staged ? setenv("LANESCOPE_SHARING", "staged", 1) : unsetenv("LANESCOPE_SHARING");
        Frames frames(setting.engine, static_cast<int>(state.range(0)), setting.maps);
        const auto frame = [&] {
            frames.draw_next();
            context.end_frame(frames.target());
        };
        for (int i = 0; i < 10; ++i) frame();
        glFinish();
        frames.take_times();
        for (auto _ : state) {
            (void)_;
            frame();
        }
        glFinish();
        const auto [waited, drew] = frames.take_times();
        const auto per_frame = static_cast<double>(state.iterations());
        state.counters["wait_us"] =
            waited.count() / per_frame; // time until the step is done and its memory mapped
        state.counters["draw_us"] = drew.count() / per_frame;
        state.counters["gl_us"] = frames.drawing_us(); // GPU time of drawing, from the first
                                                       // OpenGL command to the last
        state.counters["frames/s"] = benchmark::Counter(static_cast<double>(state.iterations()),
                                                        benchmark::Counter::kIsRate);
        state.counters["map_us"] = frames.frame().engine.map_us;
        state.counters["unmap_us"] = frames.frame().engine.unmap_us;
        state.SetLabel(std::string(path_name(frames.frame().engine.path)) + " on " +
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
    const std::string gpu = "cuda";
    const std::string simt = "simt";
    add({"offscreen/cuda", gpu}, {512, 1024, 4096});
    add({"offscreen/cuda_staged", gpu, Where::offscreen, true}, {512, 1024, 4096});
    add({"offscreen/cuda_maps", gpu, Where::offscreen, false, Maps::all}, {512, 1024});
    add({"offscreen/cuda_four_heatmaps", gpu, Where::offscreen, false, Maps::four_heatmaps},
        {512, 1024});
    add({"offscreen/simt", simt}, {512});
    add({"offscreen/simt_maps", simt, Where::offscreen, false, Maps::all}, {256});
    add({"offscreen/simt_four_heatmaps", simt, Where::offscreen, false, Maps::four_heatmaps},
        {256});
    if (std::getenv("DISPLAY")) {
        add({"window/cuda", gpu, Where::window}, {512});
        add({"window/simt", simt, Where::window}, {512});
    }
    return true;
}();

} // namespace

BENCHMARK_MAIN();

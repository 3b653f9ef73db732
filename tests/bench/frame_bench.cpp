// Frames a second without a window: map, one step of the naive heat kernel, unmap, draw the field.
// One benchmark for each engine and sharing path; the path that was chosen, and what mapping cost,
// stand beside the time.
#include <benchmark/benchmark.h>

#include <array>
#include <functional>
#include <optional>

#include "compute/cuda/cuda_device.h"
#include "compute/labs/lab.h"
#include "compute/simt/simt_device.h"
#include "render/context/offscreen.h"
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

class Stage {
public:
    Stage(device::Device& device, int size, bool staged)
        : lab_(labs::find("heat")), sharing_(device, {.force_staged = staged}),
          target_(width_px, height_px)
    {
        labs::Values values(lab_);
        values.set("size", size);
        const labs::Variant& naive = labs::find_variant(lab_, "naive");
        const render::MappedScope mapped(sharing_);
        experiment_ = lab_.start({device, sharing_, lab_, naive, values, 1});
    }

    void frame()
    {
        std::optional<labs::Picture> picture;
        {
            const render::MappedScope mapped(sharing_);
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
        pacing_.end_frame();
    }

    const render::Sharing& sharing() const { return sharing_; }

private:
    const labs::Lab& lab_;
    render::Sharing sharing_;
    render::gl::Target target_;
    render::FieldView view_;
    FramePacing pacing_;
    std::unique_ptr<labs::Experiment> experiment_;
};

using MakeDevice = std::function<std::unique_ptr<device::Device>()>;

void run_frames(benchmark::State& state, const MakeDevice& make, bool staged)
{
    try {
        const std::unique_ptr<device::Device> device = make();
        const auto* gpu = dynamic_cast<const cuda::CudaDevice*>(device.get());
        const render::Offscreen context(
            {.cuda_ordinal = gpu ? std::optional<int>(gpu->ordinal()) : std::nullopt,
             .debug = false});
        Stage stage(*device, static_cast<int>(state.range(0)), staged);
        for (int i = 0; i < 10; ++i) stage.frame();
        glFinish();
        for (auto _ : state) {
            (void)_;
            stage.frame();
        }
        glFinish();
        device->synchronize();
        state.counters["frames/s"] = benchmark::Counter(static_cast<double>(state.iterations()),
                                                        benchmark::Counter::kIsRate);
        state.counters["map_us"] = stage.sharing().map_us();
        state.counters["unmap_us"] = stage.sharing().unmap_us();
        state.SetLabel(std::string(path_name(stage.sharing().path())) + ", " +
                       context.info().renderer);
    } catch (const Error& error) {
        state.SkipWithError(error.what());
    }
}

[[maybe_unused]] const bool registered = [] {
    const auto add = [](const char* name, const MakeDevice& make, bool staged,
                        std::vector<std::int64_t> sizes) {
        auto* bench = benchmark::RegisterBenchmark(
            name, [=](benchmark::State& state) { run_frames(state, make, staged); });
        for (std::int64_t size : sizes) bench->Arg(size);
        bench->Unit(benchmark::kMicrosecond)->UseRealTime();
    };
    const MakeDevice gpu = [] { return cuda::make_device(); };
    const MakeDevice simt = [] { return simt::make_device(); };
    add("frame/cuda", gpu, false, {512, 1024, 4096});
    add("frame/cuda_staged", gpu, true, {512, 1024, 4096});
    add("frame/simt", simt, false, {512});
    return true;
}();

} // namespace

BENCHMARK_MAIN();

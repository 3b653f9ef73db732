// A running rod, and its reference in double precision.
#pragma once

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "compute/labs/kernels.h"
#include "compute/labs/lab.h"

namespace lanescope::labs::rod {

inline constexpr float coldest = 0;
inline constexpr float hottest = 100;
inline constexpr float ambient = 15;

// The rod at first, without its ghosts: two hot pieces, a ripple and a few needles on cold metal.
std::vector<float> start(int cells, std::uint64_t seed);

// One step of the reference; the ends are held at their temperatures.
void advance(std::vector<double>& rod, double k, double left, double right);

// A stroke centred at `center` cells after cell `first` pulls cells towards `temperature`, fully at
// its centre, not at all at its radius.
struct Stain {
    int first = 0; // at the stroke's left end, which may lie outside of the rod
    float center = 0;
    float radius = 1;
    float temperature = 0;
};
void stain(std::vector<double>& rod, const Stain& stain);

class LineExperiment : public Experiment {
public:
    explicit LineExperiment(const Setup& setup);

    void select(const Variant& variant) override;
    void set(const Values& values) override;
    void step(trace::Trace* trace) override;
    void recount(trace::Trace& trace) override;
    std::int64_t steps() const override { return steps_; }
    int steps_per_frame() const override { return steps_per_frame_; }
    Picture picture(std::string_view view) override;
    void paint(const Stroke& stroke) override; // draws the curve: as hot as the stroke is high
    Check check() override;
    Work work() const override;
    Shape shape() const override;
    Result next_result() const override;
    std::vector<Memory> memory() const override;
    std::string warning() const override;

private:
    // Something that happened when `step` steps were done: another diffusion number, or a stroke.
    struct Event {
        std::int64_t step = 0;
        std::variant<float, Stain> what;
    };

    void begin();
    void launch(trace::Trace* trace);
    void move_to(int front);
    const std::vector<double>& follow();
    const device::Buffer& now() const { return *fields_[current_]; }
    const device::Buffer& next() const { return *fields_[1 - current_]; }
    device::Address first_cell(const device::Buffer& field) const
    {
        return field.address() + sizeof(float) * front_;
    }

    device::Device& device_;
    Kernels kernels_;
    const Variant* variant_;
    const device::Kernel* kernel_;
    std::uint64_t seed_;
    int cells_;
    int vertex_count_;
    float left_;
    float right_;
    std::unique_ptr<device::Buffer> fields_[2];
    std::unique_ptr<device::Buffer> vertices_;
    int current_ = 0;
    int front_; // where the rod's first cell lies in a field
    bool begun_ = false;
    int steps_per_frame_ = 1;
    std::int64_t steps_ = 0;
    float k_ = 0;
    float largest_k_ = 0; // so far
    std::vector<Event> log_;

    // How far the reference has followed.
    std::optional<std::vector<double>> reference_;
    float reference_k_ = 0;
    std::int64_t reference_steps_ = 0;
    std::size_t reference_events_ = 0;
};

} // namespace lanescope::labs::rod

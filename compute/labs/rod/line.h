// A running rod, and its reference in double precision.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compute/labs/kernels.h"
#include "compute/labs/lab.h"

namespace lanescope::labs::rod {

inline constexpr float coldest = 0;
inline constexpr float hottest = 100;

// The rod at first, without its ghosts: two hot pieces, a ripple and a few needles on cold metal.
std::vector<float> start(int cells, std::uint64_t seed);

// One step of the reference; the ends are held at their temperatures.
void advance(std::vector<double>& rod, double k, double left, double right);

class LineExperiment : public Experiment {
public:
    explicit LineExperiment(const Setup& setup);

    void select(const Variant& variant) override;
    void set(const Values& values) override;
    void step(trace::Trace* trace) override;
    std::int64_t steps() const override { return steps_; }
    int steps_per_frame() const override { return steps_per_frame_; }
    Picture picture(std::string_view view) override;
    Check check() override;
    Work work() const override;
    Shape shape() const override;
    Result next_result() const override;
    std::string warning() const override;

private:
    struct Change {
        std::int64_t step = 0;
        float k = 0;
    };

    void begin();
    void move_to(int front);
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
    std::vector<Change> changes_; // of the diffusion number
    std::optional<std::vector<double>> reference_;
    std::int64_t reference_steps_ = 0;
};

} // namespace lanescope::labs::rod

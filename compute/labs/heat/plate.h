// A running plate: two fields that take turns as source and target, and a log from which the
// reference can follow.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "compute/labs/heat/reference.h"
#include "compute/labs/kernels.h"
#include "compute/labs/lab.h"

namespace lanescope::labs::heat {

class PlateExperiment : public Experiment {
public:
    explicit PlateExperiment(const Setup& setup);

    void select(const Variant& variant) override;
    void set(const Values& values) override;
    void step(trace::Trace* trace) override;
    void recount(trace::Trace& trace) override;
    std::int64_t steps() const override { return steps_; }
    int steps_per_frame() const override { return steps_per_frame_; }
    Picture picture(std::string_view view) override;
    void paint(const Stroke& stroke) override;
    Check check() override;
    Work work() const override;
    Shape shape() const override;
    Result next_result() const override
    {
        return {.buffer = &next(), .width = width_, .height = height_};
    }
    std::vector<Memory> memory() const override
    {
        return {{"now", &now(), now().bytes()}, {"next", &next(), next().bytes()}};
    }
    std::string warning() const override;

private:
    struct Conditions {
        float k = 0;
        bool insulated = false;
        friend bool operator==(const Conditions&, const Conditions&) = default;
    };
    // Something that happened when `step` steps were done.
    struct Event {
        std::int64_t step = 0;
        std::variant<Conditions, Stain> what;
    };

    void begin();
    void launch(trace::Trace* trace);
    const device::Buffer& now() const { return *fields_[current_]; }
    const device::Buffer& next() const { return *fields_[1 - current_]; }
    const Plate& follow();
    double tolerance() const;

    device::Device& device_;
    Kernels kernels_;
    const Variant* variant_;
    const device::Kernel* kernel_;
    std::uint64_t seed_;
    int width_;
    int height_;
    int columns_; // of the landscape
    int rows_;
    std::unique_ptr<device::Buffer> fields_[2];
    std::unique_ptr<device::Buffer> vertices_;
    int current_ = 0;
    bool begun_ = false;

    Conditions conditions_;
    int steps_per_frame_ = 1;
    std::int64_t steps_ = 0;
    std::vector<Event> log_;

    // How far the reference has followed.
    std::optional<Plate> reference_;
    std::int64_t reference_steps_ = 0;
    std::size_t reference_events_ = 0;
};

} // namespace lanescope::labs::heat

// What experiments share whose step is one launch of the variant's kernel on memory that is filled
// once.
#pragma once

#include <vector>

#include "compute/labs/kernels.h"
#include "compute/labs/lab.h"

namespace lanescope::labs {

class OneLaunch : public Experiment {
public:
    void select(const Variant& variant) override;
    void set(const Values& values) override { values_ = values; }
    void step(trace::Trace* trace) override;
    void recount(trace::Trace& trace) override;
    std::int64_t steps() const override { return steps_; }
    Shape shape() const override
    {
        return {.kernel = kernel_, .grid = grid(), .block = variant_->block};
    }

protected:
    explicit OneLaunch(const Setup& setup);

    // Uploads the input. Called once, when memory shared with OpenGL is mapped for the first time.
    virtual void fill() {}
    // Makes the result what it is before the first step.
    virtual void clear() = 0;
    // Queued before every launch.
    virtual void prepare() {}
    virtual Dim3 grid() const = 0;
    virtual std::vector<device::Argument> arguments() const = 0;
    // For a select() that picks another kernel of the variant's file.
    void select_kernel(const Variant& variant, const device::Kernel& kernel);
    // Calls fill() if nobody has yet: to be called before memory is drawn, checked or stepped.
    void begin();

    device::Device& device() const { return device_; }
    Kernels& kernels() { return kernels_; }
    const Variant& variant() const { return *variant_; }
    // The variant of the last step, which made what is in memory now; the selected one before the
    // first step.
    const Variant& made_by() const { return *made_by_; }
    const Values& values() const { return values_; }
    std::uint64_t seed() const { return seed_; }

private:
    void launch(trace::Trace* trace);

    device::Device& device_;
    Kernels kernels_;
    const Variant* variant_;
    const Variant* made_by_;
    const device::Kernel* kernel_;
    Values values_;
    std::uint64_t seed_;
    std::int64_t steps_ = 0;
    bool begun_ = false;
};

} // namespace lanescope::labs

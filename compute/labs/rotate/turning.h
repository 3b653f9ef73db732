// A running rotation: the source in every form that the variants read, and the picture that they
// write.
#pragma once

#include <array>

#include "compute/labs/one_launch.h"
#include "compute/labs/rotate/chart.h"

namespace lanescope::labs::rotate {

// In the order of the parameter's choices, which is that of the kernels' `mode`.
inline constexpr std::array address_modes{device::AddressMode::border, device::AddressMode::clamp,
                                          device::AddressMode::wrap, device::AddressMode::mirror};

class TurningPicture : public OneLaunch {
public:
    explicit TurningPicture(const Setup& setup);

    void step(trace::Trace* trace) override;
    Picture picture(std::string_view view) override;
    Check check() override;
    Work work() const override;
    Result next_result() const override;
    std::vector<Memory> memory() const override;

protected:
    void fill() override;
    void clear() override;
    void prepare() override;
    Dim3 grid() const override { return grid_over(variant().tile, size_, size_); }
    std::vector<device::Argument> arguments() const override;

private:
    Turn turn_at(std::int64_t step) const;
    std::size_t mode() const { return values().integer("address_mode"); }
    const device::Texture& texture() const;

    int size_;
    Rgba8Image source_;
    std::unique_ptr<device::Image> array_;
    std::unique_ptr<device::Buffer> linear_;
    // Made once for each mode: a texture that queued work still reads must not go away.
    std::array<std::unique_ptr<device::Texture>, address_modes.size()> point_;
    std::array<std::unique_ptr<device::Texture>, address_modes.size()> smooth_;
    std::unique_ptr<device::Buffer> rows_; // for linear_copy
    std::unique_ptr<device::Image> picture_;

    // Of the last step.
    Turn turn_;
    device::AddressMode made_with_mode_ = device::AddressMode::border;
};

} // namespace lanescope::labs::rotate

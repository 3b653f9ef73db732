// Runs a step while recording its launches, and explains the values that they wrote.
#include "app/run/debug/why.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include <fmt/format.h>

#include "app/run/debug/step_start.h"
#include "app/run/debug/stepped_text.h"
#include "compute/simt/machine/state/options.h"
#include "compute/trace/findings.h"

namespace lanescope::app {

using simt::Place;
using simt::Slice;

Explainer::Explainer(const DebugStart& start) : start_(start)
{
    const labs::Lab& lab = *start_.lab;
    const labs::Variant& variant = *start_.variant;
    std::istringstream text{std::string(lab.source(variant))};
    for (std::string line; std::getline(text, line);) {
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
        lines_.push_back(line);
    }
    const bool as_written = start_.text == SteppedText::as_written;
    device_ = stepped_device(start_, as_written ? ptx_as_written(lab, variant).ptx : "");
    allocator_ = std::make_unique<device::PlainAllocator>(*device_);
    if (start_.runs_on) start_.runs_on(device_.get());
    StepBegin begin = step_start(start_, *device_, *allocator_);
    experiment_ = std::move(begin.experiment);
    step_ = begin.step;
    result_ = experiment_->next_result();
    device_->note(true);
    try {
        experiment_->step();
    } catch (const device::KernelFault& found) {
        fault_ = found.fault(); // what was written before the fault can still be explained
        if (trace::is_stop(fault_->kind)) throw Error(ExitStatus::kernel_fault, fault_->message);
    }
    if (device_->launches().empty())
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} launches nothing that can be explained.", variant.title),
                    "Choose another variant.");
    slicer_ = std::make_unique<simt::Slicer>(*device_);
}

Explainer::~Explainer() = default;

std::pair<std::int64_t, std::int64_t> Explainer::element_at(double u, double v) const
{
    const auto at = [](double share, int count) {
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(share * count)), 0,
                                        std::max(count - 1, 0));
    };
    return {at(u, result_.width), at(v, result_.height)};
}

simt::Place Explainer::element(std::int64_t x, std::int64_t y) const
{
    if (result_.buffer == nullptr && result_.image == nullptr)
        throw Error(
            ExitStatus::bad_usage,
            fmt::format("{} has no result that is a row or a grid of elements.", start_.lab->title),
            "Name a buffer with --buffer and an element with --index.");
    if (x < 0 || y < 0 || x >= result_.width || y >= result_.height)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("The result has columns 0 to {} and rows 0 to {}.",
                                result_.width - 1, result_.height - 1),
                    "Row 0 is at the bottom of the picture.");
    const auto offset = result_.offset_bytes + static_cast<std::size_t>(y * result_.width + x) *
                                                   static_cast<std::size_t>(result_.element_bytes);
    Place place;
    place.bytes = std::min(result_.element_bytes, 8);
    if (result_.image != nullptr) {
        place.surface = result_.image->surface();
        place.address = offset;
    } else {
        place.address = result_.buffer->address() + offset;
    }
    return place;
}

simt::Place Explainer::element_of(const std::string& name, std::int64_t index, int bytes) const
{
    const device::Buffer* buffer = experiment_->buffer(name);
    if (buffer == nullptr) {
        std::string names;
        for (const auto& one : experiment_->memory())
            names += (names.empty() ? "" : ", ") + one.name;
        throw Error(ExitStatus::no_such_thing, fmt::format("There is no buffer {}.", name),
                    names.empty() ? "" : fmt::format("There are: {}.", names));
    }
    if (index < 0 ||
        static_cast<std::uint64_t>(index + 1) * static_cast<std::uint64_t>(bytes) > buffer->bytes())
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} has elements 0 to {} of {} bytes.", name,
                                buffer->bytes() / static_cast<std::size_t>(bytes) - 1, bytes));
    Place place;
    place.address = buffer->address() + static_cast<std::uint64_t>(index * bytes);
    place.bytes = bytes;
    return place;
}

Slice Explainer::slice(const Place& place, bool with_addresses)
{
    return slicer_->why(place, launches() - 1, {.with_addresses = with_addresses});
}

WhyTree Explainer::tree(const Place& place)
{
    return tree(slice(place));
}

std::string Explainer::line_text(int line) const
{
    return trimmed_line(lines_, line);
}

WhyTree Explainer::tree(const Slice& slice) const
{
    return tree_of(slice, lines_);
}

} // namespace lanescope::app

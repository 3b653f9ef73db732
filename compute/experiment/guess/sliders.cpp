// Collects the sliders of all kernels; if a name is already used for a different kind of parameter,
// the kernel's name is appended.
#include "compute/experiment/guess/sliders.h"

#include <algorithm>
#include <string_view>

#include "compute/experiment/guess/roles.h"

namespace lanescope::labs::guessing {

namespace {

// Names already defined in expressions.
constexpr std::string_view taken =
    "steps events pi x y z i e min max floor ceil mod clamp sqrt log2 sin cos f32 "
    "multiprocessors shared_per_multiprocessor shared_per_block "
    "stroke_u stroke_v stroke_radius stroke_erases";

} // namespace

std::string Sliders::add(const std::string& name, Json parameter, const std::string& kernel)
{
    std::string id = is_one_of(name, taken) || buffers_.contains(name) ? name + "_value" : name;
    for (Json& known : parameters_) {
        if (known["id"] != id) continue;
        if (known["kind"] == parameter["kind"]) return id;
        id += "_" + kernel;
    }
    Json whole{{"id", id}, {"title", name}};
    whole.update(parameter);
    parameters_.push_back(std::move(whole));
    return id;
}

Json integer_slider(std::int64_t min, std::int64_t max, std::int64_t initial, bool restarts,
                    const char* help)
{
    return {{"kind", "integer"},  {"min", std::min(min, initial)}, {"max", std::max(max, initial)},
            {"initial", initial}, {"restarts", restarts},          {"logarithmic", max > 1000},
            {"help", help}};
}

} // namespace lanescope::labs::guessing

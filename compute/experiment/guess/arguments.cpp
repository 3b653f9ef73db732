// Numbers that are not sizes become sliders; textures, surfaces and tables get pictures and
// weights.
#include "compute/experiment/guess/kernel.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compute/device/kernel_names.h"
#include "compute/experiment/record/layout.h"

namespace lanescope::labs::guessing {

// Adds a slider for a number that is not a size.
std::string Kernel::slider(std::size_t index)
{
    Parameter& one = parameters_[index];
    if (!one.id.empty()) return one.id;
    const auto launch_value = known_at_launch(index);
    if (is_real_number(one)) {
        Slider range = slider_of(one.name, base_, body_);
        const bool bytes = std::ranges::any_of(parameters_, [](const Parameter& other) {
            return other.pointer && other.elements.type == "u8";
        });
        if (bytes && named(one.name, "thresh")) range = {0, 255, 100};
        if (launch_value) {
            range.initial = *launch_value;
            range.min = std::min(range.min, *launch_value < 0 ? 2 * *launch_value : *launch_value);
            range.max = std::max(range.max, 2 * *launch_value);
        }
        return sliders_.add(one.name,
                            {{"kind", "real"},
                             {"min", range.min},
                             {"max", range.max},
                             {"initial", range.initial},
                             {"help", fmt::format("Argument {} of {}.", one.name, base_)}},
                            base_);
    }
    if (one.type == "bool")
        return sliders_.add(one.name,
                            {{"kind", "toggle"},
                             {"initial", true},
                             {"help", fmt::format("Argument {} of {}.", one.name, base_)}},
                            base_);
    std::int64_t min = 0;
    std::int64_t max = 100;
    std::int64_t initial = 1;
    bool restarts = false;
    switch (one.role) {
    case Role::iterations: min = 1, max = 2000, initial = 100; break;
    case Role::radius: min = 0, max = 32, initial = 3, restarts = true; break;
    case Role::window: min = 1, max = 63, initial = 5, restarts = true; break;
    case Role::bins: min = 1, max = 4096, initial = 64, restarts = true; break;
    case Role::seed: min = 0, max = 1000, initial = 1; break;
    case Role::count:
    case Role::width:
    case Role::height:
    case Role::inner:
    case Role::depth: min = 1, max = 4096, initial = 16; break;
    default: break;
    }
    if (named(one.name, "thresh")) max = 255, initial = 100;
    if (launch_value && std::abs(*launch_value) < 1e9) {
        initial = static_cast<std::int64_t>(*launch_value);
        min = std::min(min, initial);
        max = std::max(max, 2 * initial);
    }
    return sliders_.add(
        one.name, integer_slider(min, max, initial, restarts, "An argument of the kernel."), base_);
}

Json Kernel::argument(std::size_t index)
{
    Parameter& one = parameters_[index];
    if (one.pointer) return one.id;
    if (one.type == "cudaTextureObject_t" || one.type == "cudaSurfaceObject_t") return picture(one);
    if (sizes_used_.contains(index)) return one.id;
    if (is_bitonic_stage(one)) return one.name;
    const auto known = elements_of(one.type);
    if (known && known->each > 1) {
        Json members = Json::array();
        for (int i = 0; i < known->each; ++i) {
            const std::string part = fmt::format("{}_{}", one.name, "xyzw"[i]);
            members.push_back(
                {{known->type, sliders_.add(part,
                                            {{"kind", "real"},
                                             {"min", -4},
                                             {"max", 4},
                                             {"initial", 0.5},
                                             {"help", "A component of a kernel argument."}},
                                            base_)}});
        }
        return {{"struct", members}};
    }
    if (one.structure) return structure(index);
    if (!known) return {{"struct", Json::array({{{"i32", 0}}})}};
    if (one.role == Role::channels) return channels();
    const bool real = is_real_number(one);
    if (role_of(one.name) == Role::time && (real || !has("<" + one.name + ";"))) {
        if (real) return {{known->type, "steps * 0.05"}};
        return "steps";
    }
    if (one.role == Role::parity) return "mod(steps, 2)";
    return slider(index);
}

// Fields in order, as their sliders.
Json Kernel::structure(std::size_t index)
{
    Json members = Json::array();
    for (const SourceField& field : parameters_[index].structure->fields) {
        const auto known = elements_of(field.type);
        if (!known) break; // the remaining fields are zero
        const auto part = std::ranges::find_if(parameters_, [&](const Parameter& one) {
            return one.whole == index && one.name == field.name;
        });
        if (part == parameters_.end()) {
            for (int i = 0; i < field.count * known->each; ++i)
                members.push_back({{known->type, 0}});
            continue;
        }
        const auto at = static_cast<std::size_t>(part - parameters_.begin());
        members.push_back({{known->type, sizes_used_.contains(at) ? part->id : slider(at)}});
    }
    return {{"struct", members}};
}

int Kernel::channels() const
{
    int max_channels = 3;
    for (const Parameter& one : parameters_)
        if (one.pointer && one.channels > 1) max_channels = one.channels;
    return max_channels;
}

Json Kernel::picture(Parameter& one)
{
    const bool surface = one.type == "cudaSurfaceObject_t";
    const std::string format = surface && !has("uchar4") ? "r32f"
                               : has("uchar4")           ? "rgba8"
                               : has("float4")           ? "rgba32f"
                                                         : "r32f";
    one.id = one.name;
    const std::string width = shape_.x.empty() ? "256" : shape_.x;
    made_.images[one.id] = {{"format", format},
                            {"extent", Json::array({width, shape_.y.empty() ? width : shape_.y})}};
    if (!surface)
        made_.images[one.id]["fill"] = format == "rgba8" ? Json("image") : Json("test_card");
    if (surface) return one.id;
    return {{"texture", one.id},
            {"filter", "linear"},
            {"address", 1},
            {"normalized_coordinates", has("+0.5f)/") || has("/width") || has("/(float)")},
            {"normalized_reads", format == "rgba8" && has("tex2D<float4>")}};
}

// Fills the __constant__ arrays that the kernel reads with weights that sum to 1, or with ones.
// Module variables that it updates are reset before every step, unless steps continue from their
// result.
void Kernel::find_tables(const std::map<std::string, const ptx::Variable*>& tables)
{
    for (const auto& [name, variable] : tables) {
        if (!has_word(body_, name)) continue;
        const std::string buffer = name + "_values";
        if (variable->space == ptx::Space::global) {
            if (continues(base_)) continue;
            made_.buffers[buffer] = {
                {"type", "u8"}, {"extent", Json::array({variable->size_bytes()})}, {"fill", 0}};
            made_.variables[name] = buffer;
            continue;
        }
        const auto declared = source_.arrays.find(name);
        const auto known =
            declared == source_.arrays.end() ? std::nullopt : elements_of(declared->second);
        const std::string type = known ? known->type : "f32";
        const std::size_t count =
            variable->size_bytes() / static_cast<std::size_t>(bytes_of_type(type));
        if (count < 1) continue;
        Json fill{{"each", is_real(type) ? fmt::format("1 / {}", count) : "1"}};
        made_.buffers[buffer] = {{"type", type}, {"extent", Json::array({count})}, {"fill", fill}};
        made_.constants[name] = buffer;
    }
}

} // namespace lanescope::labs::guessing

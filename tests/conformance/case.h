// A conformance case: a small kernel, its launch, its seeded inputs, and the tolerance for its
// outputs compared with a GPU's. The recordings are in recorded/, one file per group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compute/device/shaped_image.h"
#include "compute/dim3.h"

namespace lanescope::conformance {

using Bytes = std::vector<std::byte>;

enum class Element : std::uint8_t { bits, f16, bf16, f32, f64 };

// Tolerance for an output compared with its recording. Bounds for approximate instructions are from
// the PTX manual; all others are exact, including NaN payloads; `any_nan` is exact but accepts any
// NaN (a compiler may swap the operands of a sum).
struct Tolerance {
    enum class Kind : std::uint8_t { exact, any_nan, ulps, relative, absolute } kind = Kind::exact;
    double bound = 0;
};

struct Output {
    std::size_t bytes = 0;
    Element element = Element::bits;
    Tolerance tolerance;
};

// An image that the kernel reads as a texture or accesses as a surface; its handle is a parameter.
struct ImageInput {
    device::ImageShape shape;
    device::Format format = device::Format::r32f;
    Bytes texels;
    device::Sampling sampling;
    device::Filter between_levels = device::Filter::point;
    bool is_surface = false;
};

// Kernel parameters come in this order: outputs, inputs, images, scalars.
struct Case {
    std::string group;
    std::string name;
    std::string ptx;    // PTX text, or
    std::string source; // path of an embedded .cu whose PTX is used
    std::string kernel;
    Dim3 grid;
    Dim3 block;
    std::uint32_t dynamic_shared_bytes = 0;
    std::vector<Output> outputs;
    std::vector<Bytes> inputs;
    std::vector<ImageInput> images;
    std::vector<device::Argument> scalars;
    // Returns the same case with `times` as many threads and random inputs from a seed; empty if
    // the case has fixed inputs.
    std::function<Case(std::uint32_t times, std::uint64_t seed)> more = {};
    bool recorded = true; // false: not recorded yet, used only by differential runs
};

// All cases, in order; names are unique within a group.
const std::vector<Case>& all_cases();
std::vector<std::string> all_groups();

// Runs a case and returns its outputs, which start as zeros. Fills `trace` unless it is null.
std::vector<Bytes> run(device::Device& device, const Case& test, trace::Trace* trace = nullptr);

// Returns an empty string if the outputs agree, else the element that differs, and how.
std::string difference(const Case& test, const std::vector<Bytes>& got,
                       const std::vector<Bytes>& want);

} // namespace lanescope::conformance

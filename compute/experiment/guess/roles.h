// Guesses the meaning of kernel parameters from conventional names.
#pragma once

#include <string_view>

namespace lanescope::labs {

enum class Role : unsigned char {
    none,
    width,
    height,
    depth,
    count,
    inner, // k of a matrix product
    pitch,
    iterations,
    radius,
    window, // width of a filter mask
    bins,
    channels,
    time,
    parity, // parity of the step: 0, 1, 0, …
    seed,
    counter, // counter of a loop around the launch
};

// For integer parameters.
Role role_of(std::string_view name);

// Range and initial value of a slider for a real number.
struct Slider {
    double min = 0;
    double max = 4;
    double initial = 1;
};
// `kernel` is the kernel's name, `body` its text: fractals and heat need
// different ranges than other kernels.
Slider slider_of(std::string_view name, std::string_view kernel, std::string_view body);

// True if any of the space-separated words occurs in the name, ignoring case.
bool named(std::string_view name, std::string_view words);
// True if the name equals one of them.
bool is_one_of(std::string_view name, std::string_view words);

// True if steps of such a kernel continue from their result.
bool continues(std::string_view kernel);

} // namespace lanescope::labs

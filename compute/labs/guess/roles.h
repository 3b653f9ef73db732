// What parameters of kernels mean, by the names that people give them.
#pragma once

#include <string_view>

namespace lanescope::labs {

enum class Role : unsigned char {
    none,
    width,
    height,
    depth,
    count,
    inner, // of a matrix product: k
    pitch,
    iterations,
    radius,
    window, // width of a mask
    bins,
    channels,
    time,
    parity, // of the step: 0, 1, 0, …
    seed,
    counter, // of a loop around the launch
};

// Of a whole number.
Role role_of(std::string_view name);

// How the slider of a real number is made.
struct Slider {
    double min = 0;
    double max = 4;
    double initial = 1;
};
// `kernel` is its name, `body` its text: fractals and heat want other numbers than the rest.
Slider slider_of(std::string_view name, std::string_view kernel, std::string_view body);

// Whether any of the words, separated by blanks, stands in the name, whatever its case.
bool named(std::string_view name, std::string_view words);
// Whether it is one of them.
bool is_one_of(std::string_view name, std::string_view words);

// Whether steps of such a kernel go on from their result.
bool goes_on(std::string_view kernel);

} // namespace lanescope::labs

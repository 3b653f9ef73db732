// Element types in records: of buffers, arguments and values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compute/device/device.h"

namespace lanescope::labs {

enum class Element : std::uint8_t { u8, i8, u16, i16, f16, u32, i32, f32, u64, i64, f64, bytes };

struct ElementType {
    Element element = Element::f32;
    std::size_t bytes = 4;

    bool is_real() const;
};

// Minimum and maximum of the type.
std::pair<double, double> range_of(ElementType type);

// "f32", …, or "bytesN" for a structure of N bytes (at most 1 MiB), which can't be a value and
// is not compared.
std::optional<ElementType> find_element(std::string_view name);
std::string element_names();

// Element i as a number.
double element_at(ElementType type, std::span<const std::byte> bytes, std::size_t i);
// Formats an element as it is printed.
std::string element_text(ElementType type, double value);
// Converts a number to an argument or element of that type. Throws std::out_of_range if it doesn't
// fit.
std::vector<std::byte> bytes_of(ElementType type, double value);
// Same, for an array.
std::vector<std::byte> bytes_of(ElementType type, std::span<const double> values);

std::string format_names();

} // namespace lanescope::labs

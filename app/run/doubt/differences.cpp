// Elements have the type that the launch gives their buffer; without one, they are words of four
// bytes.
#include "app/run/doubt/differences.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/run/kernel/value.h"
#include "compute/endings.h"
#include "compute/error.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

using nlohmann::json;

constexpr std::size_t max_expected_bytes = std::size_t{1} << 30;

std::uint64_t word(const ResultMemory& memory, std::size_t index, int bytes)
{
    std::uint64_t bits = 0;
    std::memcpy(&bits, memory.bytes.data() + index * static_cast<std::size_t>(bytes),
                static_cast<std::size_t>(bytes));
    return bits;
}

// The value of a floating-point element.
double real(const ResultMemory& memory, const NumberType& type, std::size_t index)
{
    const int bytes = static_cast<int>(type.bytes);
    if (bytes == 8) {
        double value = 0;
        std::memcpy(&value, memory.bytes.data() + 8 * index, 8);
        return value;
    }
    if (bytes == 4) {
        float value = 0;
        std::memcpy(&value, memory.bytes.data() + 4 * index, 4);
        return value;
    }
    const std::string text = type.text(memory.bytes.data() + index * type.bytes); // 16 bits
    return std::strtod(text.c_str(), nullptr);
}

bool equal(const ResultMemory& one, const ResultMemory& other, const NumberType& type,
           std::size_t index, double tolerance)
{
    const int bytes = static_cast<int>(type.bytes);
    if (word(one, index, bytes) == word(other, index, bytes)) return true;
    if (!type.is_float) return false;
    const double a = real(one, type, index);
    const double b = real(other, type, index);
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return tolerance > 0 && std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

[[noreturn]] void refuse(const std::string& text, const std::string& why)
{
    throw Error(ExitStatus::bad_usage, fmt::format("--expect {}: {}", text, why),
                "Write it as NAME[INDEX]=VALUE, NAME=TYPE[]:1,2,3, NAME=FILE or FILE.json.");
}

const ResultMemory& find_memory(const std::vector<ResultMemory>& memory, const std::string& name)
{
    std::string names;
    for (const ResultMemory& one : memory) {
        if (one.id == name || one.title == name) return one;
        names += (names.empty() ? "" : ", ") + one.id;
    }
    throw Error(ExitStatus::no_such_thing, fmt::format("The launch has no result {}.", name),
                names.empty() ? "It has no buffers." : fmt::format("There are: {}.", names));
}

// One number of a JSON file as text that NumberType::parse() reads.
std::string number_of(const std::string& text, const json& value)
{
    if (value.is_string()) return value.get<std::string>(); // "nan", "inf", "0x7fc00000"
    if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
    if (!value.is_number()) refuse(text, "its values must be numbers.");
    return value.dump();
}

void add_json(const std::string& text, const json& values, ExpectedMemory& to)
{
    if (values.is_array()) {
        for (std::size_t i = 0; i < values.size(); ++i)
            if (!values[i].is_null()) to.elements[i] = number_of(text, values[i]);
        return;
    }
    if (values.is_number() || values.is_string()) {
        to.elements[0] = number_of(text, values);
        return;
    }
    if (!values.is_object()) refuse(text, "its values must be an array or an object.");
    for (const auto& [key, value] : values.items()) {
        std::size_t index = 0;
        const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
        if (error != std::errc() || end != key.data() + key.size())
            refuse(text, fmt::format("\"{}\" is not an index.", key));
        to.elements[index] = number_of(text, value);
    }
}

json read_json(const std::string& text, const std::string& path)
{
    try {
        return json::parse(render::read_file(path, max_expected_bytes));
    } catch (const json::exception& error) {
        refuse(text, fmt::format("{} is not JSON: {}.", path, error.what()));
    }
}

bool is_json(const std::string& path)
{
    return std::filesystem::path(path).extension() == ending::session; // JSON
}

Bytes as_bytes(const std::string& text)
{
    Bytes bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

// The value of one element in bytes; integers may be written in hexadecimal, floats as their bits.
Bytes element_of(const std::string& text, const NumberType& type)
{
    Bytes bytes(type.bytes);
    if (text.starts_with("0x") || text.starts_with("0X")) {
        std::uint64_t bits = 0;
        const auto [end, error] =
            std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
        const bool fits = type.bytes == 8 || bits >> (8 * type.bytes) == 0;
        if (error == std::errc() && end == text.data() + text.size() && fits) {
            std::memcpy(bytes.data(), &bits, type.bytes);
            return bytes;
        }
    }
    try {
        type.parse(text, bytes.data());
    } catch (const ValueProblem& problem) {
        refuse(text, fmt::format("it {} for {}.", problem.text, type.name));
    }
    return bytes;
}

// Elements of unknown type are words of four bytes, or bytes.
const NumberType& type_of(const ResultMemory& memory)
{
    if (memory.type != nullptr) return *memory.type;
    return *number_type(memory.bytes.size() % 4 == 0 ? "u32" : "u8");
}

} // namespace

Differences differences(const std::vector<ResultMemory>& one,
                        const std::vector<ResultMemory>& other, double tolerance)
{
    Differences found;
    for (std::size_t m = 0; m < one.size(); ++m) {
        const ResultMemory& a = one[m];
        const auto b = std::ranges::find(other, a.id, &ResultMemory::id);
        if (b == other.end()) continue;
        const NumberType& type = type_of(b->type != nullptr ? *b : a);
        const std::size_t count = std::min(a.bytes.size(), b->bytes.size()) / type.bytes;
        const auto text = [&](const ResultMemory& memory, std::size_t i) {
            return type.text(memory.bytes.data() + i * type.bytes);
        };
        for (std::size_t i = 0; i < count; ++i) {
            if (i < b->known.size() && !b->known[i]) continue;
            ++found.compared;
            if (equal(a, *b, type, i, tolerance)) continue;
            ++found.different;
            if (found.first.size() < Differences::max_kept)
                found.first.push_back(
                    {m, i, static_cast<int>(type.bytes), text(a, i), text(*b, i)});
        }
    }
    return found;
}

std::vector<ResultMemory> with_expected(const std::vector<ResultMemory>& memory,
                                        const Expected& expected)
{
    std::vector<ResultMemory> all;
    for (const auto& [id, values] : expected) {
        ResultMemory wanted = find_memory(memory, id);
        if (values.type != nullptr) wanted.type = values.type;
        if (values.bytes.size() > wanted.bytes.size())
            refuse(id, fmt::format("it has {} bytes, but {} has {}.", values.bytes.size(),
                                   wanted.title, wanted.bytes.size()));
        std::ranges::copy(values.bytes, wanted.bytes.begin());
        const NumberType& type = type_of(wanted);
        wanted.known.assign(wanted.bytes.size() / type.bytes, false);
        for (std::size_t i = 0; (i + 1) * type.bytes <= values.bytes.size(); ++i)
            wanted.known[i] = true;
        for (const auto& [index, text] : values.elements) {
            if (index >= wanted.bytes.size() / type.bytes)
                refuse(id, fmt::format("it has elements 0 to {}.",
                                       wanted.bytes.size() / type.bytes - 1));
            const Bytes bytes = element_of(text, type);
            wanted.known[index] = true;
            std::ranges::copy(bytes, wanted.bytes.begin() +
                                         static_cast<std::ptrdiff_t>(index * type.bytes));
        }
        all.push_back(std::move(wanted));
    }
    return all;
}

void add_expected(const std::string& text, const std::vector<ResultMemory>& memory,
                  Expected& expected)
{
    const std::size_t equals = text.find('=');
    if (equals == text.npos) {
        if (!is_json(text)) refuse(text, "it has no \"=\".");
        const json all = read_json(text, text);
        if (!all.is_object()) refuse(text, "it must be an object with a key per result.");
        for (const auto& [name, values] : all.items())
            add_json(text, values, expected[find_memory(memory, name).id]);
        return;
    }
    std::string name = text.substr(0, equals);
    const std::string value = text.substr(equals + 1);
    if (name.ends_with(']')) {
        const std::size_t open = name.find('[');
        std::size_t index = 0;
        const char* const begin = name.data() + open + 1;
        const char* const end = name.data() + name.size() - 1;
        if (open == name.npos || std::from_chars(begin, end, index).ptr != end || begin == end)
            refuse(text, "it has no index.");
        name.resize(open);
        expected[find_memory(memory, name).id].elements[index] = value;
        return;
    }
    const ResultMemory& of = find_memory(memory, name);
    ExpectedMemory& to = expected[of.id];
    if (is_json(value)) {
        add_json(text, read_json(text, value), to);
    } else if (const std::size_t bracket = value.find('[');
               bracket != value.npos && value.find(':') != value.npos &&
               number_type(value.substr(0, bracket)) != nullptr) {
        const Value list = parse_value("--expect", value, {});
        to.type = list.type;
        to.bytes = list.bytes;
    } else if (std::error_code none; std::filesystem::is_regular_file(value, none)) {
        to.bytes = as_bytes(render::read_file(value, max_expected_bytes));
    } else if (value.find_first_not_of("0123456789+-.eExXabcdefABCDEFinINF") == value.npos) {
        to.elements[0] = value; // a result of one element
    } else {
        throw Error(ExitStatus::no_such_thing, fmt::format("There is no file {}.", value),
                    "Write --expect as NAME[INDEX]=VALUE, NAME=TYPE[]:1,2,3, NAME=FILE or "
                    "FILE.json.");
    }
}

} // namespace lanescope::app

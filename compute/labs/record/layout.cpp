// A value that fits on a line is written on one; else its entries stand below it, indented.
#include "compute/labs/record/layout.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compute/error.h"

namespace lanescope::labs {
namespace {

constexpr std::size_t max_line_length = 100;

std::string on_one_line(const nlohmann::ordered_json& json)
{
    if (!json.is_structured()) return json.dump();
    std::string text(1, json.is_object() ? '{' : '[');
    for (const auto& [key, value] : json.items()) {
        if (text.size() > 1) text += ", ";
        if (json.is_object()) text += nlohmann::ordered_json(key).dump() + ": ";
        text += on_one_line(value);
    }
    return text + (json.is_object() ? '}' : ']');
}

void write(std::string& text, const nlohmann::ordered_json& json, std::size_t depth,
           std::size_t used)
{
    const std::string line = on_one_line(json);
    if (!json.is_structured() || json.empty() ||
        (depth > 0 && used + line.size() < max_line_length)) {
        text += line;
        return;
    }
    text += json.is_object() ? "{\n" : "[\n";
    const std::string indent(2 * (depth + 1), ' ');
    bool first = true;
    for (const auto& [key, value] : json.items()) {
        if (!first) text += ",\n";
        first = false;
        const std::string name = json.is_object() ? nlohmann::ordered_json(key).dump() + ": " : "";
        text += indent + name;
        write(text, value, depth + 1, indent.size() + name.size());
    }
    text += '\n' + std::string(2 * depth, ' ') + (json.is_object() ? '}' : ']');
}

} // namespace

std::string with_entry(std::string_view record, const std::string& pointer, std::string_view value)
{
    using Json = nlohmann::ordered_json;
    try {
        Json json = Json::parse(record, nullptr, true, true);
        const Json entry = Json::parse(value);
        const Json::json_pointer place(pointer);
        if (!entry.is_null()) {
            json[place] = entry;
        } else if (Json& parent = json.at(place.parent_pointer()); parent.is_array()) {
            parent.erase(std::stoul(place.back()));
        } else {
            parent.erase(place.back());
        }
        return laid_out(json);
    } catch (const Json::exception& problem) {
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} of the record cannot be set to {}: {}.", pointer, value,
                                problem.what()),
                    "Look at lab.json itself.");
    }
}

std::string laid_out(const nlohmann::ordered_json& json)
{
    std::string text;
    write(text, json, 0, 0);
    return text + '\n';
}

} // namespace lanescope::labs

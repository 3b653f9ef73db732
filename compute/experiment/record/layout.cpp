// A value that fits on one line is written on one; otherwise its entries follow on indented lines.
#include "compute/experiment/record/layout.h"

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compute/error.h"
#include "compute/json_walk.h"
#include "compute/text.h"

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

// Returns the container of the pointer's last key, and that key. Creates missing objects on the
// way, but does not extend lists: a pointer could name an element far past the end.
std::pair<nlohmann::ordered_json*, std::string>
parent_of(nlohmann::ordered_json& json, const nlohmann::ordered_json::json_pointer& place)
{
    using Json = nlohmann::ordered_json;
    std::vector<std::string> keys;
    for (Json::json_pointer rest = place; !rest.empty(); rest.pop_back())
        keys.push_back(rest.back());
    if (keys.empty() || keys.size() > 64) return {nullptr, {}};
    Json* at = &json;
    for (std::size_t i = keys.size() - 1; i > 0; --i) {
        if (at->is_array()) {
            at = &at->at(Json::json_pointer("/" + keys[i]));
        } else {
            if (!at->is_object() && !at->is_null()) return {nullptr, {}};
            at = &(*at)[keys[i]];
        }
    }
    if (!at->is_structured() && !at->is_null()) return {nullptr, {}};
    return {at, keys.front()};
}

} // namespace

nlohmann::ordered_json record_json(std::string_view text)
{
    using Json = nlohmann::ordered_json;
    constexpr int max_depth = 64; // values are copied and written recursively
    struct TooDeep {};
    try {
        walk_json(
            text,
            [](int depth, const std::string*, bool) {
                if (depth > max_depth) throw TooDeep();
            },
            true);
        return Json::parse(text, nullptr, false, true);
    } catch (const TooDeep&) {
        return Json(Json::value_t::discarded);
    }
}

std::string with_entry(std::string_view record, const std::string& pointer, std::string_view value)
{
    using Json = nlohmann::ordered_json;
    const auto refuse = [&](const std::string& problem) {
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} of the record cannot be set to {}: {}.",
                                shortened(pointer, 100), shortened(value, 100), problem),
                    "Check lab.json.");
    };
    constexpr std::size_t longest = 1000; // length of a pointer
    if (pointer.size() > longest) refuse("there is no such entry");
    Json json = record_json(record);
    const Json entry = record_json(value);
    if (json.is_discarded() || entry.is_discarded()) refuse("it is not JSON");
    try {
        const Json::json_pointer place(pointer);
        const auto [parent, last] = parent_of(json, place);
        if (!parent) refuse("there is no such entry");
        if (!entry.is_null()) {
            if (parent->is_array() && last == std::to_string(parent->size()))
                parent->push_back(entry);
            else if (parent->is_array())
                parent->at(Json::json_pointer("/" + last)) = entry;
            else
                (*parent)[last] = entry;
        } else if (parent->is_array()) {
            (void)parent->at(Json::json_pointer("/" + last)); // throws if the element is missing
            parent->erase(std::stoul(last));
        } else {
            parent->erase(last);
        }
        return laid_out(json);
    } catch (const Json::exception& problem) {
        refuse(problem.what());
    }
    return {};
}

std::string laid_out(const nlohmann::ordered_json& json)
{
    std::string text;
    write(text, json, 0, 0);
    return text + '\n';
}

} // namespace lanescope::labs

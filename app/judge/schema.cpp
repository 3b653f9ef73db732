// A recursive walk of schema and document.
#include "app/judge/schema.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>
#include <stdexcept>
#include <string_view>

#include "assets/assets.h"
#include "compute/text.h"

namespace lanescope::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array known_keywords{
    "$schema", "$id",     "$defs",   "$ref",       "title",    "description",
    "type",    "enum",    "const",   "properties", "required", "additionalProperties",
    "items",   "minimum", "maximum", "minItems",   "pattern"};

bool is_whole(const Json& value)
{
    return value.is_number_integer() ||
           (value.is_number_float() && std::floor(value.get<double>()) == value.get<double>());
}

bool has_type(const Json& value, const std::string& type)
{
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "null") return value.is_null();
    if (type == "number") return value.is_number();
    if (type == "integer") return is_whole(value);
    throw std::logic_error("unknown type in the schema: " + type);
}

class SchemaWalk {
public:
    explicit SchemaWalk(const Json& root) : root_(root) {}

    std::string problem(const Json& schema, const Json& value, const std::string& at) const
    {
        if (schema.is_boolean())
            return schema.get<bool>() ? "" : problem_at(at, "it is not allowed");
        for (const auto& [keyword, ignored] : schema.items())
            if (std::ranges::find(known_keywords, keyword) == known_keywords.end())
                throw std::logic_error("unknown keyword in the schema: " + keyword);
        for (const auto part : {&SchemaWalk::reference, &SchemaWalk::kind, &SchemaWalk::limits,
                                &SchemaWalk::members, &SchemaWalk::elements})
            if (std::string found = (this->*part)(schema, value, at); !found.empty()) return found;
        return {};
    }

private:
    static std::string problem_at(const std::string& at, const std::string& reason)
    {
        return fmt::format("at {}, {}", at.empty() ? "/" : at, reason);
    }

    std::string reference(const Json& schema, const Json& value, const std::string& at) const
    {
        const auto found = schema.find("$ref");
        if (found == schema.end()) return {};
        const std::string pointer = found->get<std::string>().substr(1);
        return problem(root_.at(Json::json_pointer(pointer)), value, at);
    }

    std::string kind(const Json& schema, const Json& value, const std::string& at) const
    {
        if (const auto type = schema.find("type"); type != schema.end()) {
            const Json types = type->is_array() ? *type : Json::array({*type});
            if (std::ranges::none_of(types, [&](const Json& one) { return has_type(value, one); }))
                return problem_at(at, fmt::format("it is not of type {}", types.dump()));
        }
        if (const auto one = schema.find("const"); one != schema.end() && *one != value)
            return problem_at(at, fmt::format("it is not {}", one->dump()));
        if (const auto list = schema.find("enum");
            list != schema.end() && std::ranges::find(*list, value) == list->end())
            return problem_at(at, fmt::format("it is not one of {}", list->dump()));
        return {};
    }

    std::string limits(const Json& schema, const Json& value, const std::string& at) const
    {
        if (value.is_number()) {
            if (const auto low = schema.find("minimum");
                low != schema.end() && value.get<double>() < low->get<double>())
                return problem_at(at, fmt::format("it is less than {}", low->dump()));
            if (const auto high = schema.find("maximum");
                high != schema.end() && value.get<double>() > high->get<double>())
                return problem_at(at, fmt::format("it is more than {}", high->dump()));
        }
        if (const auto pattern = schema.find("pattern");
            pattern != schema.end() && value.is_string() &&
            !std::regex_search(value.get_ref<const std::string&>(),
                               std::regex(pattern->get<std::string>())))
            return problem_at(at, fmt::format("it does not match {}", pattern->dump()));
        return {};
    }

    std::string members(const Json& schema, const Json& value, const std::string& at) const
    {
        if (!value.is_object()) return {};
        static const Json none = Json::object();
        const auto found = schema.find("properties");
        const Json& properties = found == schema.end() ? none : *found;
        if (const auto required = schema.find("required"); required != schema.end())
            for (const Json& key : *required)
                if (!value.contains(key.get<std::string>()))
                    return problem_at(at, fmt::format("{} is missing", key.dump()));
        const auto more = schema.find("additionalProperties");
        for (const auto& [key, member] : value.items()) {
            const std::string inner = at + '/' + shortened(key, 60);
            const auto own = properties.find(key);
            if (own == properties.end() && more == schema.end()) continue;
            const Json& rule = own == properties.end() ? *more : *own;
            if (std::string reason = problem(rule, member, inner); !reason.empty()) return reason;
        }
        return {};
    }

    std::string elements(const Json& schema, const Json& value, const std::string& at) const
    {
        if (!value.is_array()) return {};
        if (const auto min_items = schema.find("minItems");
            min_items != schema.end() && value.size() < min_items->get<std::size_t>())
            return problem_at(at, fmt::format("it has fewer than {} entries", min_items->dump()));
        const auto rule = schema.find("items");
        if (rule == schema.end()) return {};
        for (std::size_t i = 0; i < value.size(); ++i)
            if (std::string reason = problem(*rule, value[i], at + '/' + std::to_string(i));
                !reason.empty())
                return reason;
        return {};
    }

    const Json& root_;
};

} // namespace

std::string schema_problem(const Json& schema, const Json& document)
{
    return SchemaWalk(schema).problem(schema, document, "");
}

const Json& judge_schema()
{
    static const Json schema = Json::parse(assets::find("assets/manual/judge.schema.json").value());
    return schema;
}

} // namespace lanescope::app

// Builds values from the parser's events; the iterator that feeds it counts lines.
#include "app/document/session/json_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "compute/error.h"

namespace lanescope::app {
namespace {

using nlohmann::json;

constexpr const char* cure = "Correct the text there, or save the session again.";
constexpr std::size_t max_nesting = 100;
constexpr std::size_t max_json_values = 1'000'000;

[[noreturn]] void refuse_at(const std::string& name, int line, const std::string& problem)
{
    throw Error(ExitStatus::bad_usage, fmt::format("{}, line {}: {}", name, line, problem), cure);
}

// Iterates over a text; `line` is that of the last non-blank character passed.
struct Walk {
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    const char* at;
    int* here; // line counter
    int* line;

    reference operator*() const { return *at; }
    Walk& operator++()
    {
        if (*at == '\n') ++*here;
        if (!std::strchr(" \t\r\n", *at) || *at == '\0') *line = *here;
        ++at;
        return *this;
    }
    bool operator==(const Walk& other) const { return at == other.at; }
    bool operator!=(const Walk& other) const { return at != other.at; }
};

// Builds values from parser events. Every handler returns whether to continue, or throws.
class Builder {
public:
    Builder(const std::string& name, JsonValue& root, const int& line)
        : name_(name), root_(root), line_(line)
    {
    }

    bool null() { return add({}); }
    bool boolean(bool value)
    {
        return add({.kind = JsonValue::Kind::boolean, .natural = value ? 1u : 0u});
    }
    bool number_integer(std::int64_t value)
    {
        return add({.kind = JsonValue::Kind::negative,
                    .negative = value,
                    .real = static_cast<double>(value)});
    }
    bool number_unsigned(std::uint64_t value)
    {
        return add({.kind = JsonValue::Kind::natural,
                    .natural = value,
                    .real = static_cast<double>(value)});
    }
    bool number_float(double value, const std::string&)
    {
        return add({.kind = JsonValue::Kind::real, .real = value});
    }
    bool string(std::string& value)
    {
        return add({.kind = JsonValue::Kind::text, .text = std::move(value)});
    }
    bool binary(json::binary_t&) { return false; }
    bool start_object(std::size_t) { return open(JsonValue::Kind::object); }
    bool start_array(std::size_t) { return open(JsonValue::Kind::list); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool key(std::string& value)
    {
        key_ = std::move(value);
        key_line_ = line_;
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const json::exception& error)
    {
        constexpr int number_overflow = 406;
        refuse_at(name_, line_,
                  error.id == number_overflow ? "A number is too large." : "This is not JSON.");
    }

private:
    bool add(JsonValue value)
    {
        if (++values_ > max_json_values)
            refuse_at(name_, line_, fmt::format("There are more than {} values.", max_json_values));
        const bool member = !open_.empty() && open_.back()->kind == JsonValue::Kind::object;
        value.line = member ? key_line_ : line_;
        if (open_.empty())
            root_ = std::move(value);
        else
            open_.back()->members.emplace_back(std::exchange(key_, {}), std::move(value));
        return true;
    }
    bool open(JsonValue::Kind kind)
    {
        if (open_.size() == max_nesting) refuse_at(name_, line_, "Brackets are nested too deeply.");
        JsonValue* const outer = open_.empty() ? nullptr : open_.back();
        add({.kind = kind});
        open_.push_back(outer ? &outer->members.back().second : &root_);
        return true;
    }
    bool close()
    {
        open_.pop_back();
        return true;
    }

    const std::string& name_;
    JsonValue& root_;
    const int& line_;
    std::vector<JsonValue*> open_;
    std::string key_;
    int key_line_ = 1;
    std::size_t values_ = 0;
};

bool is_integer(const JsonValue& value)
{
    using enum JsonValue::Kind;
    return value.kind == negative || (value.kind == natural && value.natural <= INT64_MAX);
}

bool is_number(const JsonValue& value)
{
    using enum JsonValue::Kind;
    return value.kind == natural || value.kind == negative || value.kind == real;
}

} // namespace

const JsonValue* JsonValue::find(std::string_view key) const
{
    const auto found = std::ranges::find(
        members, key, [](const auto& one) -> std::string_view { return one.first; });
    return found == members.end() ? nullptr : &found->second;
}

JsonText::JsonText(std::string name, std::string_view text) : name_(std::move(name))
{
    if (text.size() > max_bytes)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} is larger than the limit of {} MB.", name_, max_bytes >> 20),
                    "Choose a smaller file.");
    int here = 1;
    int line = 1;
    Builder builder(name_, root_, line);
    json::sax_parse(Walk{text.data(), &here, &line}, Walk{text.data() + text.size(), &here, &line},
                    &builder);
}

void JsonText::refuse(int line, const std::string& problem) const
{
    refuse_at(name_, line, problem);
}

JsonObject::JsonObject(const JsonText& text) : JsonObject(text, text.root(), "") {}

JsonObject::JsonObject(const JsonText& text, const JsonValue& value, const std::string& name)
    : text_(&text), value_(&value)
{
    if (value.kind == JsonValue::Kind::object) return;
    text.refuse(value.line, name.empty()
                                ? "Expected an object in braces."
                                : fmt::format("\"{}\" must be an object in braces.", name));
}

const JsonValue* JsonObject::find(const std::string& key)
{
    known_.insert(key);
    return value_->find(key);
}

void JsonObject::refuse(const std::string& key, const std::string& problem) const
{
    const JsonValue* value = value_->find(key);
    text_->refuse(value ? value->line : value_->line, problem);
}

void JsonObject::read(const std::string& key, std::string& out)
{
    const JsonValue* value = find(key);
    if (!value) return;
    if (value->kind != JsonValue::Kind::text)
        refuse(key, fmt::format("\"{}\" must be a string.", key));
    out = value->text;
}

void JsonObject::read(const std::string& key, bool& out)
{
    const JsonValue* value = find(key);
    if (!value) return;
    if (value->kind != JsonValue::Kind::boolean)
        refuse(key, fmt::format("\"{}\" must be true or false.", key));
    out = value->natural != 0;
}

void JsonObject::read(const std::string& key, std::int64_t& out, std::int64_t min, std::int64_t max)
{
    const JsonValue* value = find(key);
    if (!value) return;
    const std::int64_t number = value->kind == JsonValue::Kind::negative
                                    ? value->negative
                                    : static_cast<std::int64_t>(value->natural);
    if (!is_integer(*value) || number < min || number > max)
        refuse(key, fmt::format("\"{}\" must be a whole number from {} to {}.", key, min, max));
    out = number;
}

void JsonObject::read(const std::string& key, std::uint64_t& out)
{
    const JsonValue* value = find(key);
    if (!value) return;
    if (value->kind != JsonValue::Kind::natural)
        refuse(key, fmt::format("\"{}\" must be a whole number from 0 to {}.", key, UINT64_MAX));
    out = value->natural;
}

void JsonObject::read(const std::string& key, double& out, double min, double max)
{
    const JsonValue* value = find(key);
    if (!value) return;
    if (!is_number(*value) || !(value->real >= min && value->real <= max))
        refuse(key, fmt::format("\"{}\" must be a number from {} to {}.", key, min, max));
    out = value->real;
}

void JsonObject::read(const std::string& key, float& out, float min, float max)
{
    double value = static_cast<double>(out);
    read(key, value, min, max);
    out = static_cast<float>(value);
}

void JsonObject::read(const std::string& key, std::string& out,
                      const std::vector<std::string>& allowed)
{
    std::string text = out;
    read(key, text);
    if (has(key) && std::ranges::find(allowed, text) == allowed.end())
        refuse(key, fmt::format("\"{}\" is \"{}\", but must be one of {}.", key, text,
                                fmt::join(allowed, ", ")));
    out = text;
}

void JsonObject::read(const std::string& key, std::map<std::string, std::string>& out,
                      const CheckOne& check)
{
    const JsonValue* value = find(key);
    if (!value) return;
    if (value->kind != JsonValue::Kind::object)
        refuse(key, fmt::format("\"{}\" must be an object.", key));
    for (const auto& [name, one] : value->members) {
        if (one.kind == JsonValue::Kind::text)
            out[name] = one.text;
        else if (one.kind == JsonValue::Kind::natural)
            out[name] = std::to_string(one.natural);
        else if (is_number(one))
            out[name] = fmt::format("{}", one.real);
        else if (one.kind == JsonValue::Kind::boolean)
            out[name] = one.natural != 0 ? "on" : "off";
        else
            text_->refuse(one.line, fmt::format("\"{}\" must be a string or a number.", name));
        try {
            check(name, out[name]);
        } catch (const Error& error) {
            text_->refuse(one.line, error.what());
        }
    }
}

void JsonObject::read_object(const std::string& key, const std::function<void(JsonObject&)>& reader)
{
    const JsonValue* value = find(key);
    if (!value) return;
    JsonObject inner(*text_, *value, key);
    reader(inner);
    inner.finish();
}

void JsonObject::read_each(const std::string& key, const std::function<void(JsonObject&)>& reader)
{
    const JsonValue* value = find(key);
    if (!value) return;
    if (value->kind != JsonValue::Kind::list)
        refuse(key, fmt::format("\"{}\" must be a list.", key));
    for (const auto& [name, one] : value->members) {
        JsonObject inner(*text_, one, key);
        reader(inner);
        inner.finish();
    }
}

void JsonObject::finish() const
{
    std::set<std::string_view> seen;
    for (const auto& [key, value] : value_->members) {
        if (!known_.contains(key))
            text_->refuse(value.line, fmt::format("Unknown key \"{}\".", key));
        if (!seen.insert(key).second)
            text_->refuse(value.line, fmt::format("Duplicate key \"{}\".", key));
    }
}

} // namespace lanescope::app

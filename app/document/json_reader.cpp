// See json_reader.h. The lines come from a scan of the text beside the parser, which keeps none.
#include "app/document/json_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compute/error.h"

namespace lanescope::app {
namespace {

using nlohmann::json;

int line_at(std::string_view text, std::size_t offset)
{
    return 1 + static_cast<int>(std::ranges::count(text.substr(0, offset), '\n'));
}

// How many brackets are open at once, at the most.
int depth(std::string_view text)
{
    int now = 0;
    int most = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted && c == '\\') ++i;
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (c == '[' || c == '{') most = std::max(most, ++now);
        if (c == ']' || c == '}') --now;
    }
    return most;
}

bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// The line on which each value of a correct JSON text starts (of a member: its key), by JSON
// pointer.
class LineScan {
public:
    explicit LineScan(std::string_view text) : text_(text) {}

    std::unordered_map<std::string, int> run()
    {
        value("");
        return std::move(lines_);
    }

private:
    void space()
    {
        for (; at_ < text_.size() && is_space(text_[at_]); ++at_) line_ += text_[at_] == '\n';
    }

    std::string string()
    {
        const std::size_t begin = at_++;
        bool escaped = false;
        for (; text_[at_] != '"'; ++at_) {
            if (text_[at_] != '\\') continue;
            escaped = true;
            ++at_;
        }
        ++at_;
        if (!escaped) return std::string(text_.substr(begin + 1, at_ - begin - 2));
        return json::parse(text_.substr(begin, at_ - begin)).get<std::string>();
    }

    void value(const std::string& pointer)
    {
        space();
        lines_.try_emplace(pointer, line_);
        if (text_[at_] == '{') {
            members(pointer, '}');
        } else if (text_[at_] == '[') {
            members(pointer, ']');
        } else if (text_[at_] == '"') {
            string();
        } else {
            at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
        }
    }

    void members(const std::string& pointer, char end)
    {
        ++at_;
        for (int index = 0;; ++index) {
            space();
            if (text_[at_] == ',') {
                ++at_;
                space();
            }
            if (text_[at_] == end) break;
            std::string inner = pointer + '/' + std::to_string(index);
            if (end == '}') {
                const int line = line_;
                inner = pointer + '/' + string();
                lines_.try_emplace(inner, line);
                space();
                ++at_; // the colon
            }
            value(inner);
        }
        ++at_;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int line_ = 1;
    std::unordered_map<std::string, int> lines_;
};

} // namespace

JsonText::JsonText(std::string name, std::string_view text) : name_(std::move(name))
{
    constexpr int deepest = 100; // everything below works its way down by recursion
    if (depth(text) > deepest)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}, line 1 or later: Too many brackets inside each other.", name_),
                    "Correct the text, or save the session again.");
    try {
        root_ = json::parse(text);
    } catch (const json::out_of_range&) {
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}, line 1 or later: A number is too large.", name_),
                    "Correct it, or save the session again.");
    } catch (const json::parse_error& error) {
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}, line {}: This is not JSON.", name_, line_at(text, error.byte)),
                    "Correct the text there, or save the session again.");
    }
    lines_ = LineScan(text).run();
}

void JsonText::refuse(const std::string& pointer, const std::string& problem) const
{
    const auto found = lines_.find(pointer);
    throw Error(
        ExitStatus::bad_usage,
        fmt::format("{}, line {}: {}", name_, found == lines_.end() ? 1 : found->second, problem),
        "Correct the text there, or save the session again.");
}

JsonObject::JsonObject(const JsonText& text) : JsonObject(text, "") {}

JsonObject::JsonObject(const JsonText& text, std::string pointer)
    : text_(&text), pointer_(std::move(pointer)),
      value_(&text.root().at(json::json_pointer(pointer_)))
{
    if (value_->is_object()) return;
    const std::string key = pointer_.substr(pointer_.rfind('/') + 1);
    text.refuse(pointer_, pointer_.empty()
                              ? "An object in braces was expected."
                              : fmt::format("\"{}\" must be an object in braces.", key));
}

const json* JsonObject::find(const std::string& key)
{
    known_.insert(key);
    const auto found = value_->find(key);
    return found == value_->end() ? nullptr : &*found;
}

void JsonObject::refuse(const std::string& key, const std::string& problem) const
{
    text_->refuse(pointer_ + '/' + key, problem);
}

void JsonObject::read(const std::string& key, std::string& out)
{
    const json* value = find(key);
    if (!value) return;
    if (!value->is_string()) refuse(key, fmt::format("\"{}\" must be a text.", key));
    out = value->get<std::string>();
}

void JsonObject::read(const std::string& key, bool& out)
{
    const json* value = find(key);
    if (!value) return;
    if (!value->is_boolean()) refuse(key, fmt::format("\"{}\" must be true or false.", key));
    out = value->get<bool>();
}

void JsonObject::read(const std::string& key, std::int64_t& out, std::int64_t min, std::int64_t max)
{
    const json* value = find(key);
    if (!value) return;
    const bool fits = value->is_number_integer() &&
                      (!value->is_number_unsigned() || value->get<std::uint64_t>() <= INT64_MAX);
    if (!fits || value->get<std::int64_t>() < min || value->get<std::int64_t>() > max)
        refuse(key, fmt::format("\"{}\" must be a whole number from {} to {}.", key, min, max));
    out = value->get<std::int64_t>();
}

void JsonObject::read(const std::string& key, double& out, double min, double max)
{
    const json* value = find(key);
    if (!value) return;
    if (!value->is_number() || !(value->get<double>() >= min && value->get<double>() <= max))
        refuse(key, fmt::format("\"{}\" must be a number from {} to {}.", key, min, max));
    out = value->get<double>();
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
    if (find(key) && std::ranges::find(allowed, text) == allowed.end())
        refuse(key, fmt::format("\"{}\" is \"{}\", but must be one of {}.", key, text,
                                fmt::join(allowed, ", ")));
    out = text;
}

void JsonObject::read(const std::string& key, std::map<std::string, std::string>& out)
{
    const json* value = find(key);
    if (!value) return;
    if (!value->is_object()) refuse(key, fmt::format("\"{}\" must be an object.", key));
    for (const auto& [name, one] : value->items()) {
        if (one.is_string())
            out[name] = one.get<std::string>();
        else if (one.is_number())
            out[name] = one.dump();
        else if (one.is_boolean())
            out[name] = one.get<bool>() ? "on" : "off";
        else
            refuse(key + '/' + name, fmt::format("\"{}\" must be a text or a number.", name));
    }
}

void JsonObject::read_object(const std::string& key, const std::function<void(JsonObject&)>& reader)
{
    if (!find(key)) return;
    JsonObject inner(*text_, pointer_ + '/' + key);
    reader(inner);
    inner.finish();
}

void JsonObject::read_each(const std::string& key, const std::function<void(JsonObject&)>& reader)
{
    const json* value = find(key);
    if (!value) return;
    if (!value->is_array()) refuse(key, fmt::format("\"{}\" must be a list.", key));
    for (std::size_t i = 0; i < value->size(); ++i) {
        JsonObject inner(*text_, fmt::format("{}/{}/{}", pointer_, key, i));
        reader(inner);
        inner.finish();
    }
}

void JsonObject::finish() const
{
    for (const auto& [key, value] : value_->items())
        if (!known_.contains(key)) refuse(key, fmt::format("\"{}\" is not known here.", key));
}

} // namespace lanescope::app

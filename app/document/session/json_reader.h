// Reads JSON edited by people: errors name the entry that is unknown, missing or of the wrong type,
// with its line. The parser is nlohmann's; its events are stored as values of a fixed size that
// know their line.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanescope::app {

struct JsonValue {
    enum class Kind { null, boolean, natural, negative, real, text, list, object };
    Kind kind = Kind::null;
    int line = 1;              // line where it starts; for a member, the line of its key
    std::uint64_t natural = 0; // also 0 or 1 for booleans
    std::int64_t negative = 0;
    double real = 0; // value of any number
    std::string text{};
    std::vector<std::pair<std::string, JsonValue>> members{}; // names are empty in arrays

    const JsonValue* find(std::string_view key) const; // null if there is no such member
};

// A parsed text of up to 64 MB and a million values.
class JsonText {
public:
    // `name` is used in messages, for example the file's. Throws Error (bad_usage) with the line of
    // a syntax error.
    JsonText(std::string name, std::string_view text);

    const JsonValue& root() const { return root_; }
    // Throws Error (bad_usage): "name, line 7: problem".
    [[noreturn]] void refuse(int line, const std::string& problem) const;

    static constexpr std::size_t max_bytes = std::size_t{64} << 20;

private:
    std::string name_;
    JsonValue root_;
};

// One object of the text. Every valid key is read once; finish() reports the rest.
class JsonObject {
public:
    explicit JsonObject(const JsonText& text); // the whole text
    // `name` is used in messages.
    JsonObject(const JsonText& text, const JsonValue& value, const std::string& name);

    bool has(const std::string& key) const { return value_->find(key) != nullptr; }
    // Each leaves `out` unchanged if the key is missing.
    void read(const std::string& key, std::string& out);
    void read(const std::string& key, bool& out);
    void read(const std::string& key, std::int64_t& out, std::int64_t min, std::int64_t max);
    void read(const std::string& key, std::uint64_t& out);
    void read(const std::string& key, float& out, float min, float max);
    void read(const std::string& key, double& out, double min, double max);
    // A string that must be one of `allowed`.
    void read(const std::string& key, std::string& out, const std::vector<std::string>& allowed);
    // Strings or numbers by name; errors thrown by `check` get the line.
    using CheckOne = std::function<void(const std::string& name, const std::string& text)>;
    void read(const std::string& key, std::map<std::string, std::string>& out,
              const CheckOne& check);
    void read_object(const std::string& key, const std::function<void(JsonObject&)>& reader);
    void read_each(const std::string& key, const std::function<void(JsonObject&)>& reader);

    // Reports the line of the key, or of the object if the key is missing.
    [[noreturn]] void refuse(const std::string& key, const std::string& problem) const;
    void finish() const;

private:
    const JsonValue* find(const std::string& key);

    const JsonText* text_;
    const JsonValue* value_;
    std::set<std::string> known_;
};

} // namespace lanescope::app

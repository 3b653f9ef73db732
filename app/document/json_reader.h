// Reads JSON that people edit: whatever is unknown, missing or of the wrong kind is named with its
// line.
#pragma once

#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace lanescope::app {

// A parsed text with the line of every value, by JSON pointer ("/parameters/size").
class JsonText {
public:
    // `name` is how messages call the text, such as its file. Throws Error (bad_usage) with the
    // line of a syntax error.
    JsonText(std::string name, std::string_view text);

    const nlohmann::json& root() const { return root_; }
    // Throws Error (bad_usage): "name, line 7: problem".
    [[noreturn]] void refuse(const std::string& pointer, const std::string& problem) const;

private:
    std::string name_;
    nlohmann::json root_;
    std::unordered_map<std::string, int> lines_;
};

// One object of the text. Every key that may be there is asked for once; finish() names what is
// left over.
class JsonObject {
public:
    explicit JsonObject(const JsonText& text); // the whole text
    JsonObject(const JsonText& text, std::string pointer);

    bool has(const std::string& key) const { return value_->contains(key); }
    // Each leaves `out` as it is when the key is not there.
    void read(const std::string& key, std::string& out);
    void read(const std::string& key, bool& out);
    void read(const std::string& key, std::int64_t& out, std::int64_t min, std::int64_t max);
    void read(const std::string& key, float& out, float min, float max);
    void read(const std::string& key, double& out, double min, double max);
    // A text that must be one of `allowed`.
    void read(const std::string& key, std::string& out, const std::vector<std::string>& allowed);
    // Texts or numbers by name.
    void read(const std::string& key, std::map<std::string, std::string>& out);
    void read_object(const std::string& key, const std::function<void(JsonObject&)>& reader);
    void read_each(const std::string& key, const std::function<void(JsonObject&)>& reader);

    [[noreturn]] void refuse(const std::string& key, const std::string& problem) const;
    void finish() const;

private:
    const nlohmann::json* find(const std::string& key);

    const JsonText* text_;
    std::string pointer_;
    const nlohmann::json* value_;
    std::set<std::string> known_;
};

} // namespace lanescope::app

// One description for reading and writing: a record lists each field once, with its key and
// constraints, and a visitor reads it from JSON or writes it. A new field is one line.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::app {

class Fields {
public:
    using Describe = std::function<void(Fields&)>;
    using Names = std::vector<std::string>;

    virtual ~Fields() = default;

    // Reading leaves a value unchanged if its key is missing, and throws Error (bad_usage) with the
    // line of an invalid one.
    virtual void field(const std::string& key, std::string& value) = 0;
    virtual void field(const std::string& key, bool& value) = 0;
    virtual void field(const std::string& key, std::int64_t& value, std::int64_t min,
                       std::int64_t max) = 0;
    virtual void field(const std::string& key, std::uint64_t& value) = 0;
    virtual void field(const std::string& key, float& value, float min, float max) = 0;
    virtual void field(const std::string& key, double& value, double min, double max) = 0;
    virtual void field(const std::string& key, std::string& value, const Names& allowed) = 0;
    // A map by name; when reading, errors thrown by `check` get the line.
    using CheckOne = std::function<void(const std::string& name, const std::string& text)>;
    virtual void field(const std::string& key, std::map<std::string, std::string>& values,
                       const CheckOne& check) = 0;
    void field(const std::string& key, int& value, int min, int max);
    // An enum by the names of its values, in order from 0.
    template <class Enum>
    void choice(const std::string& key, Enum& value, const Names& names)
    {
        auto index = static_cast<std::size_t>(value);
        named(key, index, names);
        value = static_cast<Enum>(index);
    }

    virtual void object(const std::string& key, const Describe& describe) = 0;
    // Calls `describe` for each entry of `values`, or for each one read and appended.
    template <class Value, class DescribeValue>
    void list(const std::string& key, std::vector<Value>& values, const DescribeValue& describe)
    {
        each(key, values.size(), [&](std::optional<std::size_t> index, Fields& fields) {
            Value& value = index ? values[*index] : values.emplace_back();
            describe(fields, value);
        });
    }

    // True if an optional field is present: in the text when reading, `now` when writing.
    virtual bool given(const std::string& key, bool now) = 0;
    // When reading only: errors thrown by `check` get the line of `key`.
    virtual void check(const std::string& key, const std::function<void()>& check) = 0;

protected:
    using Entry = std::function<void(std::optional<std::size_t>, Fields&)>;

private:
    virtual void each(const std::string& key, std::size_t count, const Entry& entry) = 0;
    void named(const std::string& key, std::size_t& index, const Names& names);
};

// Reads a whole JSON text. Throws Error (bad_usage) that names the unknown, missing or invalid
// entry with its line; `name` is used in messages.
void read_fields(std::string_view text, const std::string& name, const Fields::Describe& describe);

// The fields as JSON, in the order of their description.
std::string write_fields(const Fields::Describe& describe);

} // namespace lanescope::app

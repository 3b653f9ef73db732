// One description for reading and writing: a record's fields are listed once, each with its key and
// what it may be, and whoever visits the list reads them from JSON or writes them to it. A new
// field is one line.
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

    // Reading leaves a value as it is when its key is not there, and throws Error (bad_usage) with
    // the line of one that does not fit.
    virtual void field(const std::string& key, std::string& value) = 0;
    virtual void field(const std::string& key, bool& value) = 0;
    virtual void field(const std::string& key, std::int64_t& value, std::int64_t min,
                       std::int64_t max) = 0;
    virtual void field(const std::string& key, std::uint64_t& value) = 0;
    virtual void field(const std::string& key, float& value, float min, float max) = 0;
    virtual void field(const std::string& key, double& value, double min, double max) = 0;
    virtual void field(const std::string& key, std::string& value, const Names& allowed) = 0;
    // By name; when reading, what `check` throws about one is told with its line.
    using CheckOne = std::function<void(const std::string& name, const std::string& text)>;
    virtual void field(const std::string& key, std::map<std::string, std::string>& values,
                       const CheckOne& check) = 0;
    void field(const std::string& key, int& value, int min, int max);
    // By the names of its values, in their order from 0.
    template <class Enum>
    void choice(const std::string& key, Enum& value, const Names& names)
    {
        auto index = static_cast<std::size_t>(value);
        named(key, index, names);
        value = static_cast<Enum>(index);
    }

    virtual void object(const std::string& key, const Describe& describe) = 0;
    // `describe` is called with each entry: of `values`, or read and appended to them.
    template <class Value, class DescribeValue>
    void list(const std::string& key, std::vector<Value>& values, const DescribeValue& describe)
    {
        each(key, values.size(), [&](std::optional<std::size_t> index, Fields& fields) {
            Value& value = index ? values[*index] : values.emplace_back();
            describe(fields, value);
        });
    }

    // Whether an optional field is there: in the text, or `now` where it is written.
    virtual bool given(const std::string& key, bool now) = 0;
    // Only when reading: what `check` throws is told with the line of `key`.
    virtual void check(const std::string& key, const std::function<void()>& check) = 0;

protected:
    using Entry = std::function<void(std::optional<std::size_t>, Fields&)>;

private:
    virtual void each(const std::string& key, std::size_t count, const Entry& entry) = 0;
    void named(const std::string& key, std::size_t& index, const Names& names);
};

// Reads a whole text of JSON. Throws Error (bad_usage) that names what is unknown, missing or
// wrong, with its line; `name` is how it calls the text.
void read_fields(std::string_view text, const std::string& name, const Fields::Describe& describe);

// The fields as JSON, in the order of their description.
std::string write_fields(const Fields::Describe& describe);

} // namespace lanescope::app

// The two visitors: one reads through JsonObject, which knows lines; the other builds JSON.
#include "app/document/session/fields.h"

#include <nlohmann/json.hpp>

#include <algorithm>

#include "app/document/session/json_reader.h"
#include "compute/error.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

class Reading final : public Fields {
public:
    explicit Reading(JsonObject& object) : object_(object) {}

    using Fields::field;
    void field(const std::string& key, std::string& value) override { object_.read(key, value); }
    void field(const std::string& key, bool& value) override { object_.read(key, value); }
    void field(const std::string& key, std::int64_t& value, std::int64_t min,
               std::int64_t max) override
    {
        object_.read(key, value, min, max);
    }
    void field(const std::string& key, std::uint64_t& value) override { object_.read(key, value); }
    void field(const std::string& key, float& value, float min, float max) override
    {
        object_.read(key, value, min, max);
    }
    void field(const std::string& key, double& value, double min, double max) override
    {
        object_.read(key, value, min, max);
    }
    void field(const std::string& key, std::string& value, const Names& allowed) override
    {
        object_.read(key, value, allowed);
    }
    void field(const std::string& key, std::map<std::string, std::string>& values,
               const CheckOne& check) override
    {
        object_.read(key, values, check);
    }
    void object(const std::string& key, const Describe& describe) override
    {
        object_.read_object(key, [&](JsonObject& inner) {
            Reading fields(inner);
            describe(fields);
        });
    }
    bool given(const std::string& key, bool) override { return object_.has(key); }
    void check(const std::string& key, const std::function<void()>& check) override
    {
        try {
            check();
        } catch (const Error& error) {
            object_.refuse(key, error.what());
        }
    }

private:
    void each(const std::string& key, std::size_t, const Entry& entry) override
    {
        object_.read_each(key, [&](JsonObject& inner) {
            Reading fields(inner);
            entry({}, fields);
        });
    }

    JsonObject& object_;
};

class FieldWriter final : public Fields {
public:
    explicit FieldWriter(ordered_json& json) : json_(json) {}

    using Fields::field;
    void field(const std::string& key, std::string& value) override { json_[key] = value; }
    void field(const std::string& key, bool& value) override { json_[key] = value; }
    void field(const std::string& key, std::int64_t& value, std::int64_t, std::int64_t) override
    {
        json_[key] = value;
    }
    void field(const std::string& key, std::uint64_t& value) override { json_[key] = value; }
    void field(const std::string& key, float& value, float, float) override { json_[key] = value; }
    void field(const std::string& key, double& value, double, double) override
    {
        json_[key] = value;
    }
    void field(const std::string& key, std::string& value, const Names&) override
    {
        json_[key] = value;
    }
    void field(const std::string& key, std::map<std::string, std::string>& values,
               const CheckOne&) override
    {
        json_[key] = values;
    }
    void object(const std::string& key, const Describe& describe) override
    {
        FieldWriter fields(json_[key] = ordered_json::object());
        describe(fields);
    }
    bool given(const std::string&, bool now) override { return now; }
    void check(const std::string&, const std::function<void()>&) override {}

private:
    void each(const std::string& key, std::size_t count, const Entry& entry) override
    {
        ordered_json& list = json_[key] = ordered_json::array();
        for (std::size_t i = 0; i < count; ++i) {
            FieldWriter fields(list.emplace_back(ordered_json::object()));
            entry(i, fields);
        }
    }

    ordered_json& json_;
};

} // namespace

void Fields::field(const std::string& key, int& value, int min, int max)
{
    std::int64_t wide = value;
    field(key, wide, min, max);
    value = static_cast<int>(wide);
}

void Fields::named(const std::string& key, std::size_t& index, const Names& names)
{
    std::string name = names.at(index);
    field(key, name, names);
    index = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

void read_fields(std::string_view text, const std::string& name, const Fields::Describe& describe)
{
    const JsonText json(name, text);
    JsonObject object(json);
    Reading fields(object);
    describe(fields);
    object.finish();
}

std::string write_fields(const Fields::Describe& describe)
{
    ordered_json json = ordered_json::object();
    FieldWriter fields(json);
    describe(fields);
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

} // namespace lanescope::app

// Limits for untrusted JSON. A parser callback of nlohmann::json takes time that grows with the
// square of the number of small objects; this walk, which builds no values, takes linear time.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace lanescope {

// Calls look(depth, text, is_key) for every value, key and bracket of a JSON text, in order.
// `depth` is the number of open brackets around it, `text` the key or string, or null. Stops at the
// first syntax error, which parsing the text will report. Exceptions of `look` pass through.
template <class Look>
void walk_json(std::string_view text, const Look& look, bool comments = false)
{
    class Walk : public nlohmann::json_sax<nlohmann::json> {
    public:
        explicit Walk(const Look& look) : look_(look) {}
        bool null() override { return value(nullptr); }
        bool boolean(bool) override { return value(nullptr); }
        bool number_integer(number_integer_t) override { return value(nullptr); }
        bool number_unsigned(number_unsigned_t) override { return value(nullptr); }
        bool number_float(number_float_t, const string_t&) override { return value(nullptr); }
        bool string(string_t& text) override { return value(&text); }
        bool binary(binary_t&) override { return value(nullptr); }
        bool key(string_t& text) override
        {
            look_(depth_, &text, true);
            return true;
        }
        bool start_object(std::size_t) override { return open(); }
        bool end_object() override { return close(); }
        bool start_array(std::size_t) override { return open(); }
        bool end_array() override { return close(); }
        bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override
        {
            return false;
        }

    private:
        bool value(const std::string* text)
        {
            look_(depth_, text, false);
            return true;
        }
        bool open()
        {
            look_(depth_++, nullptr, false);
            return true;
        }
        bool close()
        {
            look_(--depth_, nullptr, false);
            return true;
        }

        const Look& look_;
        int depth_ = 0;
    };
    Walk walk(look);
    nlohmann::json::sax_parse(text, &walk, nlohmann::json::input_format_t::json, true, comments);
}

} // namespace lanescope

// Generates malformed sessions and pictures.
#include "tests/support/malformed.h"

#include <nlohmann/json.hpp>

#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <stdexcept>

#include "tests/support/png_bytes.h"

namespace lanescope::test {
namespace {

using nlohmann::ordered_json;

// Line number of a member of the outermost object.
int line_of(const std::string& text, const std::string& key)
{
    const std::size_t at = text.find("\n  \"" + key + "\"");
    if (at == std::string::npos) throw std::logic_error("no " + key + " in the session");
    return 2 +
           static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    const std::size_t at = text.find(from);
    if (at == std::string::npos) throw std::logic_error("no " + from + " in the session");
    return text.replace(at, from.size(), to);
}

class Workshop {
public:
    explicit Workshop(const std::string& good) : good_(good) {}

    void set(const std::string& key, const ordered_json& value)
    {
        ordered_json session = ordered_json::parse(good_);
        session.at(key) = value;
        const std::string text = session.dump(2) + "\n";
        all_.push_back({key + " is " + value.dump(), text, key, line_of(text, key)});
    }
    // Makes a nested value invalid by wrapping it in a list.
    void nest(const std::string& key, const std::string& inner)
    {
        ordered_json session = ordered_json::parse(good_);
        session.at(key).at(inner) = ordered_json::array({session.at(key).at(inner)});
        all_.push_back({inner + " is a list", session.dump(2) + "\n", inner});
    }
    void rename(const std::string& key)
    {
        const std::string text = replaced(good_, "\n  \"" + key + "\"", "\n  \"" + key + "x\"");
        all_.push_back({"unknown key " + key + "x", text, key + "x", line_of(text, key + "x")});
    }
    void cut(std::size_t bytes)
    {
        all_.push_back({"cut after " + std::to_string(bytes), good_.substr(0, bytes)});
    }
    void insert(std::size_t at, const std::string& bytes)
    {
        std::string text = good_;
        all_.push_back({"binary at " + std::to_string(at), text.insert(at, bytes)});
    }
    void text(const std::string& name, const std::string& text, const std::string& key = {})
    {
        all_.push_back({name, text, key});
    }
    std::vector<Malformed> take() { return std::move(all_); }

private:
    std::string good_;
    std::vector<Malformed> all_;
};

} // namespace

std::vector<Malformed> malformed_sessions(const std::string& good)
{
    Workshop shop(good);
    std::mt19937 random(50);
    for (int i = 0; i < 10; ++i) shop.cut(1 + random() % (good.size() - 3));

    shop.set("lab", 7);
    shop.set("variant", ordered_json::object());
    shop.set("device", ordered_json::array());
    shop.set("seed", "seven");
    shop.set("step", true);
    shop.set("view", nullptr);
    shop.set("map_blend", "half");
    shop.set("lecture", "yes");
    shop.set("camera", 1.5);
    shop.set("events", ordered_json::object());

    shop.text("no lab", replaced(good, "\n  \"lab\"", "\n  \"lap\""), "\"lab\"");
    for (const char* key :
         {"seed", "parameters", "image", "step", "events", "zoom", "theme", "panels", "compare"})
        shop.rename(key);

    shop.set("step", 1e300);
    shop.set("step", std::uint64_t{9223372036854775808u});
    shop.set("seed", -1);
    shop.set("map_blend", 1e308);
    shop.set("capture", 1000000);
    shop.set("text", -4);
    shop.set("swipe", 1e9);
    shop.text("an exponent of 400", replaced(good, "\"swipe\": 0.5", "\"swipe\": 1e400"));

    shop.text("a list around it", "[" + good + "]");
    shop.text("one brace too many", good + "}");
    shop.text("a brace missing", good.substr(0, good.rfind('}')));
    shop.set("lab", ordered_json{{"lab", "heat"}});
    shop.nest("parameters", "size");
    shop.text("a hundred thousand brackets",
              "{\"lab\": " + std::string(100000, '[') + std::string(100000, ']') + "}");

    for (const char* bytes : {"\xff", "\x01", "\xc3\x28", "\xed\xa0\x80", "\x1b[2J", "\xfe\xff"})
        shop.insert(random() % good.size(), bytes);
    return shop.take();
}

std::string jpeg()
{
    constexpr int side = 64;
    std::vector<std::uint8_t> pixels;
    for (int i = 0; i < side * side; ++i)
        for (const int value : {i % side * 4, i / side * 4, 128})
            pixels.push_back(static_cast<std::uint8_t>(value));
    std::string bytes;
    const auto add = [](void* to, void* data, int size) {
        static_cast<std::string*>(to)->append(static_cast<const char*>(data),
                                              static_cast<std::size_t>(size));
    };
    stbi_write_jpg_to_func(add, &bytes, side, side, 3, pixels.data(), 90);
    return bytes;
}

std::vector<Malformed> malformed_pictures()
{
    const std::string whole = png_file(2, 2, std::string(14, '\0'));
    const std::string photo = jpeg();
    return {{"zero.png", ""},
            {"zero.jpg", ""},
            {"cut.png", whole.substr(0, whole.size() - 20)},
            {"header_only.png", whole.substr(0, 30)},
            {"cut.jpg", photo.substr(0, photo.size() / 2)},
            {"header_only.jpg", photo.substr(0, 4)},
            {"huge.png", png_file(100000, 100000, "x")},
            {"large_without_rows.png", png_file(16000, 16000, "x")},
            {"no_side.png", png_file(0, 5, "")},
            {"text.png", "This is a letter, not a picture.\n"},
            {"noise.jpg", std::string("\x00\x01\x02\xfe\xff\x80 zzz", 11)}};
}

} // namespace lanescope::test

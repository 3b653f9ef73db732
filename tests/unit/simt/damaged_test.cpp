// Damaged PTX that may still parse: loading gives a module or an error, never a crash.
#include <gtest/gtest.h>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

std::string damaged(std::string text, std::uint32_t& seed)
{
    const auto random = [&](std::size_t below) {
        seed = seed * 1664525u + 1013904223u;
        return static_cast<std::size_t>(seed >> 8) % below;
    };
    const auto word_at = [&](std::size_t from) {
        const std::size_t begin = text.find_first_of("%.,[]{}@!", from);
        const std::size_t end = text.find_first_of(" ,;\n\t]}", begin + 1);
        return begin == std::string::npos || end == std::string::npos
                   ? std::pair<std::size_t, std::size_t>{0, 0}
                   : std::pair{begin, end - begin};
    };
    for (std::size_t changes = 1 + random(3); changes > 0; --changes) {
        const auto [to, to_length] = word_at(random(text.size()));
        const auto [from, from_length] = word_at(random(text.size()));
        const std::string word = text.substr(from, from_length);
        text.replace(to, to_length, word);
    }
    return text;
}

TEST(Damaged, LoadingNeverCrashes)
{
    std::uint32_t seed = 7;
    int loaded = 0;
    int refused = 0;
    for (const char* name : {"flow", "blocks", "calls", "lanes", "atomics", "images"}) {
        const std::string text(
            *assets::find("tests/unit/simt/kernels/" + std::string(name) + ".ptx"));
        const auto device = make_device();
        for (int i = 0; i < 150; ++i) {
            try {
                const auto module = device->load(damaged(text, seed));
                for (const std::string& kernel : module->kernel_names()) module->kernel(kernel);
                ++loaded;
            } catch (const Error&) {
                ++refused;
            }
        }
    }
    EXPECT_GT(loaded, 0);
    EXPECT_GT(refused, 0);
}

} // namespace
} // namespace lanescope::simt

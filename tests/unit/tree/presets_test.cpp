// CMakePresets.json: presets with a common folder would rebuild everything at every switch.
#include <fstream>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

using nlohmann::json;

json read_presets()
{
    std::ifstream file(LANESCOPE_SOURCE_DIR "/CMakePresets.json");
    return json::parse(file);
}

TEST(Presets, HaveSeparateFolders)
{
    std::map<std::string, std::string> presets_of_folders;
    const json presets = read_presets();
    for (const json& preset : presets.at("configurePresets")) {
        ASSERT_TRUE(preset.contains("binaryDir")) << preset.at("name") << " inherits its folder";
        const auto [found, is_new] =
            presets_of_folders.emplace(preset.at("binaryDir"), preset.at("name"));
        EXPECT_TRUE(is_new) << preset.at("name") << " and " << found->second << " share "
                            << found->first;
    }
    EXPECT_GE(presets_of_folders.size(), 4u);
}

TEST(Presets, TestPresetsMatchConfigurePresets)
{
    const json presets = read_presets();
    for (const json& preset : presets.at("testPresets"))
        EXPECT_EQ(preset.at("name"), preset.at("configurePreset"));
}

} // namespace

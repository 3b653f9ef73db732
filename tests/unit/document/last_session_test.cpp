// Files that survive a crash: the newest version of each is kept, even after many writes in a row.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "app/document/last_session.h"

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;

TEST(SessionKeeper, KeepsEditsOfEveryFile)
{
    const fs::path state =
        fs::temp_directory_path() / ("lanescope_keeper_" + std::to_string(getpid()));
    const char* const was = std::getenv("XDG_STATE_HOME");
    const std::string before = was ? was : "";
    setenv("XDG_STATE_HOME", state.c_str(), 1);
    constexpr int files = 20;
    {
        SessionKeeper keeper;
        for (int version = 0; version < 2; ++version)
            for (int i = 0; i < files; ++i) {
                Kept kept;
                kept.session.journal.start = {"heat", "naive", {}, 1, ""};
                kept.session.kernel_file = "/somewhere/" + std::to_string(i) + ".cu";
                kept.session.journal.start.seed = static_cast<std::uint64_t>(version + 1);
                kept.edits_of = kept.session.kernel_file;
                kept.edited = true;
                keeper.keep(std::move(kept));
            }
    }
    int found = 0;
    for (int i = 0; i < files; ++i) {
        const auto kept = kept_edits_of("/somewhere/" + std::to_string(i) + ".cu");
        found += kept && kept->journal.start.seed == 2 ? 1 : 0;
    }
    EXPECT_EQ(found, files);
    if (was)
        setenv("XDG_STATE_HOME", before.c_str(), 1);
    else
        unsetenv("XDG_STATE_HOME");
    fs::remove_all(state);
}

} // namespace
} // namespace lanescope::app

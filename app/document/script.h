// A recorded session script: commands with timestamps, as JSON that the window can write and
// replay: {"lanescope_script": 1, "commands": [{"at": 1.5, "do": ["variant", "shared_tile"]}, …]}.
// An untrusted script may do only what a session may: choose, edit and show. Commands that run
// programs, write files or read other folders need the user's permission.
#pragma once

#include <filesystem>

#include <string>
#include <string_view>
#include <vector>

#include "app/document/commands.h"

namespace lanescope::app {

struct ScriptLine {
    double at = 0; // seconds since the window opened
    Command command;
};

std::string script_to_json(const std::vector<ScriptLine>& lines);
// Throws Error (bad_usage) that names the invalid command.
std::vector<ScriptLine> script_from_json(std::string_view text, const std::string& name);

// Throws Error (bad_usage), with its position in the script, for a command that a session may not
// contain. Resolves the files and labs that the script opens in `folder`, and replaces their names
// by absolute paths.
void require_harmless(std::vector<ScriptLine>& lines, const std::string& name,
                      const std::filesystem::path& folder);

// The commands of a file. Throws Error (bad_usage); also for a command that needs trust, unless the
// script is trusted.
std::vector<ScriptLine> load_script(const std::filesystem::path& file, bool trusted);

class ScriptPlayer {
public:
    explicit ScriptPlayer(std::vector<ScriptLine> lines) : lines_(std::move(lines)) {}
    // Commands due now, in order, up to the first one that opens something; the rest waits until
    // that is ready.
    Commands due(double now);

private:
    std::vector<ScriptLine> lines_;
    std::size_t next_ = 0;
};

class ScriptWriter {
public:
    // An empty name writes nothing.
    explicit ScriptWriter(std::string file) : file_(std::move(file)) {}
    void note(const Command& command, double now);
    void write() const;

private:
    std::string file_;
    std::vector<ScriptLine> lines_;
};

} // namespace lanescope::app

// A script of a session: commands with the time at which they were given, as JSON that the window
// can write while it is used and play again: {"lanescope_script": 1, "commands": [{"at": 1.5, "do":
// ["variant", "shared_tile"]}, …]}. Somebody else's script may do what a session may: it chooses,
// edits and shows. Whatever runs a program, writes files or reads elsewhere needs the user's word.
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
// Throws Error (bad_usage) that names the command that is wrong.
std::vector<ScriptLine> script_from_json(std::string_view text, const std::string& name);

// Throws Error (bad_usage), with the command's position in the script, for one that a session may
// not give. Files and labs that are opened are looked for in `folder`, and named by their whole
// path afterwards.
void require_harmless(std::vector<ScriptLine>& lines, const std::string& name,
                      const std::filesystem::path& folder);

// The commands of a file. Throws Error (bad_usage); also for a command that needs trust, unless the
// script is trusted.
std::vector<ScriptLine> load_script(const std::filesystem::path& file, bool trusted);

class ScriptPlayer {
public:
    explicit ScriptPlayer(std::vector<ScriptLine> lines) : lines_(std::move(lines)) {}
    // What is to be done now, in order, up to the first command that opens something: what follows
    // waits until that is there.
    Commands due(double now);

private:
    std::vector<ScriptLine> lines_;
    std::size_t next_ = 0;
};

class ScriptWriter {
public:
    // An empty name: nothing is written.
    explicit ScriptWriter(std::string file) : file_(std::move(file)) {}
    void note(const Command& command, double now);
    void write() const;

private:
    std::string file_;
    std::vector<ScriptLine> lines_;
};

} // namespace lanescope::app

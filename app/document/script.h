// A script: commands with their times, as JSON that the window can write during use and replay:
// {"lanescope_script": 1, "commands": [{"at": 1.5, "do": ["variant", "shared_tile"]}, …]}.
#pragma once

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

class ScriptPlayer {
public:
    // An empty name plays nothing. Throws Error.
    explicit ScriptPlayer(const std::string& file);
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

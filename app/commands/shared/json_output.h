// --json: standard output is one JSON document and nothing else, whatever a command, a kernel or a
// library prints, and whatever goes wrong.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <span>

#include "compute/error.h"

namespace lanescope::app {

// Whether the arguments ask for JSON: they may be wrong otherwise. Help and version stay text.
bool asks_for_json(std::span<const char* const> arguments);

// While it lives, what is printed to standard output goes to standard error: kernels print on both
// engines where nobody can tell them apart from the document. At its end the document is written.
class JsonOutput {
public:
    JsonOutput();
    ~JsonOutput();
    JsonOutput(const JsonOutput&) = delete;
    JsonOutput& operator=(const JsonOutput&) = delete;
};

// The document of a command; without a JsonOutput it is printed at once.
void print_json(const nlohmann::ordered_json& json);
// {"error", "status"} where the command has printed no document, and there is a JsonOutput.
void print_error_json(const Error& error);
// What JsonOutput does at its end, for a process that must end without it.
void finish_json();

} // namespace lanescope::app

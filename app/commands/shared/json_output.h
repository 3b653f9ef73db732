// --json: standard output is exactly one JSON document, whatever a command, kernel or library
// prints and whatever goes wrong.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <span>

#include "compute/error.h"

namespace lanescope::app {

// True if the arguments contain --json, even if other arguments are wrong. Help and version stay
// text.
bool asks_for_json(std::span<const char* const> arguments);

// RAII: redirects standard output to standard error, because kernels may print on either engine,
// and writes the document on destruction.
class JsonOutput {
public:
    JsonOutput();
    ~JsonOutput();
    JsonOutput(const JsonOutput&) = delete;
    JsonOutput& operator=(const JsonOutput&) = delete;
};

// Sets a command's document; without a JsonOutput prints it at once. If --gpu chose a GPU, the
// document names it as "simulated_gpu".
void print_json(const nlohmann::ordered_json& json);
// Writes {"error", "status"} if the command has printed no document and there is a JsonOutput.
void print_error_json(const Error& error);
// Ends the document as ~JsonOutput does, for a process that must exit without it.
void finish_json();

} // namespace lanescope::app

// The subcommands. Each function adds one to the command line; when it is selected, it stores its
// action in `chosen`, so that nothing runs before the whole line has been parsed.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>

#include "compute/error.h"

namespace lanescope::app {

// "1.0.0"
const char* program_version();

using Subcommand = std::function<ExitStatus()>;

void add_list(CLI::App& program, Subcommand& chosen);
void add_run(CLI::App& program, Subcommand& chosen);
void add_trace(CLI::App& program, Subcommand& chosen);
void add_emulate(CLI::App& program, Subcommand& chosen);
void add_step(CLI::App& program, Subcommand& chosen);
void add_why(CLI::App& program, Subcommand& chosen);
void add_doubt(CLI::App& program, Subcommand& chosen);
void add_program(CLI::App& program, Subcommand& chosen);
void add_shot(CLI::App& program, Subcommand& chosen);
void add_record(CLI::App& program, Subcommand& chosen);
void add_sweep(CLI::App& program, Subcommand& chosen);
void add_bench(CLI::App& program, Subcommand& chosen);
void add_check(CLI::App& program, Subcommand& chosen);
void add_occupancy(CLI::App& program, Subcommand& chosen);
void add_layout(CLI::App& program, Subcommand& chosen);
void add_doctor(CLI::App& program, Subcommand& chosen);
void add_slide(CLI::App& program, Subcommand& chosen);
void add_page(CLI::App& program, Subcommand& chosen);
void add_new_lab(CLI::App& program, Subcommand& chosen);
void add_check_lab(CLI::App& program, Subcommand& chosen);
void add_judge(CLI::App& program, Subcommand& chosen);
void add_serve(CLI::App& program, Subcommand& chosen);

// The window opens without a subcommand, so its options belong to the program itself.
void add_window(CLI::App& program, Subcommand& chosen);

// Adds the window's options and every subcommand, so that the manual can list them.
void add_everything(CLI::App& program, Subcommand& chosen);

} // namespace lanescope::app

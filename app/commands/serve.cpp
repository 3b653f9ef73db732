// Runs each call as a process of its own, so that a command that crashes or is cancelled takes
// nothing with it.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <memory>
#include <stop_token>
#include <string>

#include "app/commands/commands.h"
#include "app/serve/service.h"
#include "compute/process/own_program.h"
#include "compute/process/process.h"
#include "compute/process/streams.h"

namespace lanescope::app {
namespace {

Service::Answer run_command(const std::vector<std::string>& words, std::stop_token stop)
{
    std::vector<std::string> command{own_program()};
    command.insert(command.end(), words.begin(), words.end());
    Process process(command, {.kill_children = true, .separate_stderr = true});
    const std::stop_callback end(stop, [&process] { process.kill(); });
    const int status = process.wait();
    return {status, process.output(), process.errors()};
}

// Splits standard input into lines; a line that is too long is skipped.
void serve_input(Service& service)
{
    std::string line;
    bool too_long = false;
    std::array<char, 65536> part{};
    while (true) {
        const std::ptrdiff_t count = read_some(standard_input, part);
        if (count <= 0) break;
        for (std::ptrdiff_t i = 0; i < count; ++i) {
            const char next = part[static_cast<std::size_t>(i)];
            if (next != '\n') {
                if (line.size() < Service::max_message_bytes)
                    line += next;
                else
                    too_long = true;
                continue;
            }
            if (too_long)
                service.refuse_long_line();
            else
                service.take(line);
            line.clear();
            too_long = false;
        }
    }
    if (!too_long) service.take(line);
}

ExitStatus serve(bool stdio)
{
    if (!stdio)
        throw Error(
            ExitStatus::bad_usage, "serve needs --stdio.",
            "Let a client of the Model Context Protocol start \"lanescope serve --stdio\".");
    Service service(
        run_command,
        [](const std::string& line) {
            fmt::print("{}\n", line);
            std::fflush(stdout);
        },
        program_version());
    serve_input(service);
    return ExitStatus::done;
}

} // namespace

void add_serve(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command = program.add_subcommand(
        "serve", "Let other programs run kernels here: the Model Context Protocol");
    const auto stdio = std::make_shared<bool>(false);
    command->add_flag("--stdio", *stdio,
                      "Read requests from standard input and answer on standard output");
    command->callback([&chosen, stdio] { chosen = [stdio] { return serve(*stdio); }; });
}

} // namespace lanescope::app

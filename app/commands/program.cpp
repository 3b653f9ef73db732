// Every subcommand registers itself in commands/.
#include "app/commands/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/shared/json_output.h"
#include "app/commands/shared/leaked.h"
#include "assets/assets.h"
#include "compute/system_failure.h"
#include "compute/text.h"

namespace lanescope::app {
namespace {

#ifdef __EMSCRIPTEN__
constexpr bool has_shell = false; // a web page only opens the window; its tests use list and run
#else
constexpr bool has_shell = true;
#endif

// "lanescope run --help": how to get help for the command being typed.
std::string help_call(const CLI::App& program)
{
    for (const CLI::App* command : program.get_subcommands())
        return fmt::format("lanescope {} --help", command->get_name());
    return "lanescope --help";
}

std::string sentence(std::string text)
{
    while (!text.empty() && (text.back() == '.' || text.back() == '\n')) text.pop_back();
    return text + '.';
}

ExitStatus tell(const Error& error)
{
    fmt::print(stderr, "lanescope: {}\n", printable(error.what()));
    print_error_json(error);
    return error.status();
}

// `code` is the error of writing to stdout.
ExitStatus report_output_error(std::error_code code, ExitStatus otherwise)
{
    if (code == std::errc::broken_pipe) return otherwise;
    const bool full = code == std::errc::no_space_on_device || code == std::errc::file_too_large;
    const std::string reason = code ? ": " + code.message() : "";
    return tell({ExitStatus::bad_usage, fmt::format("Cannot write the output{}.", reason),
                 full ? "Free some space, or write to another disk."
                      : "Redirect it to a writable file or a terminal."});
}

ExitStatus print_licences()
{
    for (const char* name : {"LICENSE", "NOTICES.txt"})
        fmt::print("{}\n", assets::find(name).value());
    return ExitStatus::done;
}

struct Ended {
    ExitStatus status;
    bool reported; // the cause has already been reported
};

Ended guarded(const std::function<ExitStatus()>& run)
try {
    return {run(), false};
} catch (const Error& error) {
    return {tell(error), true};
} catch (const std::exception& error) {
    const auto* failed = dynamic_cast<const std::system_error*>(&error);
    if (failed && std::ferror(stdout))
        return {report_output_error(failed->code(), ExitStatus::done), true};
    if (const auto refused = system_failure(error)) return {tell(*refused), true};
    return {tell({internal_error, fmt::format("Internal error: {}.", printable(error.what())),
                  "Please report it."}),
            true};
}

} // namespace

namespace {

// Wraps arguments after "--", which belong to the program run by `lanescope program`, in an option
// of ours, so that they are not taken for files.
std::vector<std::string> with_arguments_named(int argc, char** argv)
{
    std::vector<std::string> words(argv, argv + argc);
    if (words.size() < 2 || words[1] != "program") return words;
    const auto end = std::ranges::find(words, "--");
    if (end == words.end()) return words;
    std::vector<std::string> wrapped(words.begin(), end);
    for (auto word = end + 1; word != words.end(); ++word) wrapped.push_back("--args=" + *word);
    return wrapped;
}

struct Command {
    std::string_view name;
    void (*add)(CLI::App& program, Subcommand& chosen);
};

constexpr std::array commands = std::to_array<Command>({
    {"list", add_list},           {"run", add_run},
    {"trace", add_trace},         {"emulate", add_emulate},
    {"step", add_step},           {"why", add_why},
    {"doubt", add_doubt},         {"program", add_program},
    {"shot", add_shot},           {"record", add_record},
    {"sweep", add_sweep},         {"bench", add_bench},
    {"check", add_check},         {"occupancy", add_occupancy},
    {"layout", add_layout},       {"slide", add_slide},
    {"page", add_page},           {"new-lab", add_new_lab},
    {"check-lab", add_check_lab}, {"judge", add_judge},
    {"serve", add_serve},         {"doctor", add_doctor},
});
// The browser build has only the first two commands.
constexpr std::size_t available_commands = has_shell ? commands.size() : 2;

// Adds only the command named by the first word, since building the options of all takes as long as
// a small launch. For any other first word, and for the window, adds all.
void add_commands(CLI::App& program, Subcommand& chosen, std::span<const std::string> words)
{
    const auto known = std::span(commands).first(available_commands);
    const auto named = words.size() < 2 || std::ranges::find(words, "--") != words.end()
                           ? known.end()
                           : std::ranges::find(known, words[1], &Command::name);
    if (named != known.end()) return named->add(program, chosen);
    add_window(program, chosen);
    for (const Command& each : known) each.add(program, chosen);
}

} // namespace

const char* program_version()
{
    return LANESCOPE_VERSION;
}

void add_everything(CLI::App& program, Subcommand& chosen)
{
    add_window(program, chosen);
    for (const Command& each : commands) each.add(program, chosen);
}

ExitStatus run_program(int argc, char** argv)
{
    CLI::App& program = leak_at_exit<CLI::App>(
        "Shows what a CUDA kernel really does: results, timings, and maps of divergence "
        "and memory traffic, on a GPU or without one.",
        "lanescope");
    program.footer("Without a command, the window opens.");
    program.require_subcommand(0, 1);
    program.set_help_all_flag("--help-all", "Show the help for every command");
    program.set_version_flag("--version", std::string("lanescope ") + program_version());
    bool licences = false;
    program.add_flag("--licenses", licences,
                     "Print Lanescope's licence and those of its components");

    Subcommand chosen;
    const std::vector<std::string> words = with_arguments_named(argc, argv);
    add_commands(program, chosen, words);

    try {
        std::vector<const char*> pointers;
        for (const std::string& word : words) pointers.push_back(word.c_str());
        program.parse(static_cast<int>(pointers.size()), pointers.data());
    } catch (const CLI::Success& help) {
        std::ostringstream text;
        program.exit(help, text, text);
        fmt::print("{}", text.str()); // unlike streams, throws if it cannot be written
        return ExitStatus::done;
    } catch (const CLI::ParseError& error) {
        throw Error(ExitStatus::bad_usage, sentence(error.what()),
                    fmt::format("Run \"{}\" for usage.", help_call(program)));
    }
    if (licences) return print_licences();
    return chosen();
}

ExitStatus report_errors(const std::function<ExitStatus()>& run, bool json)
{
    std::optional<JsonOutput> document;
    if (json) document.emplace();
    const auto [status, reported] = guarded(run);
    errno = 0;
    document.reset(); // writes the document
    if (reported || (std::fflush(stdout) == 0 && !std::ferror(stdout))) return status;
    return report_output_error({errno, std::generic_category()}, status);
}

} // namespace lanescope::app

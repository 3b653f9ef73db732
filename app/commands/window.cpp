// `lanescope` without a subcommand: the window.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/shared/options.h"
#include "app/document/last_session.h"
#include "app/document/script.h"
#include "app/document/session/session_file.h"
#include "app/measure/measurements.h"
#include "app/run/editing/own_lab.h"
#include "app/run/frame/open_job.h"
#include "app/window/window.h"
#include "compute/python_source.h"
#include "compute/threads.h"

namespace lanescope::app {
namespace {

struct WindowCommand {
    WindowOptions window;
    CommonOptions common;
    std::string lab;
    std::string variant;
    std::string session;
    std::string file;
    std::string measurements;
    std::string script;
    bool trust_script = false;
};

// Returns the last session, without the user's kernels if they crashed the program last time.
std::optional<Session> last_openable_session(WindowOptions& window)
{
    auto last = last_session();
    if (!FirstRunMarker::found() || !last) return last;
    last = without_own_kernels(*last);
    window.compile_on_request = true;
    window.notice =
        "The program ended during the first run of your kernel. Its text is in the editor, "
        "and runs when you compile it.";
    return last;
}

// Applies the options to the lab named in `start`.
void choose(Start& start, const WindowCommand& options)
{
    const labs::Lab& lab = labs::find(start.lab);
    if (lab.placeholder) return; // the options apply once it is loaded
    start.variant = options.variant.empty() ? lab.opening_variant().id
                                            : labs::find_variant(lab, options.variant).id;
    const auto& assignments = options.common.assignments;
    labs::Values values = values_from(lab, assignments);
    for (const auto& [id, text] : lab.opens.values)
        if (std::ranges::none_of(assignments,
                                 [&](const auto& one) { return one.starts_with(id + "="); }))
            values.set(id, text);
    start.parameters = as_texts(lab, values);
    start.seed = options.common.seed;
    start.image = options.common.image;
}

// Opens a lab with the options applied.
void choose_in(Session& session, const WindowCommand& options)
{
    choose(session.journal.start, options);
    const Start& start = session.journal.start;
    open_on_subject(session.look, labs::find(start.lab), start.variant);
}

Session session_to_open(WindowCommand& options)
{
    if (!options.session.empty()) {
        if (!options.lab.empty()) find_target(options.lab); // opens the lab: the session may use it
        return load_session(options.session, options.common.image);
    }
    const bool plain = options.lab.empty() && options.variant.empty() &&
                       options.common.assignments.empty() && options.common.image.empty();
    if (plain) {
        if (auto painting = unsaved_painting()) {
            options.window.has_unsaved_strokes = true;
            options.window.notice =
                "Recovered your painting: the program ended before it was saved (Ctrl S saves it).";
            if (options.common.device != "auto") painting->device = options.common.device;
            return *painting;
        }
        if (auto last = last_openable_session(options.window)) {
            if (options.common.device != "auto") last->device = options.common.device;
            return *last;
        }
        options.window.first_run = options.file.empty();
    }
    Session session;
    session.device = options.common.device;
    session.journal.start.lab =
        (options.lab.empty() ? labs::all().front() : *find_target(options.lab).lab).place;
    choose_in(session, options);
    return session;
}

// Returns what to open, together with the talk if it is a lecture.
Found to_open(WindowCommand& options)
{
    if (is_kernel_file(options.file) || is_python_source(options.file) ||
        labs::is_lab_folder(options.file)) {
        WindowCommand others = options; // its variant and values are set once the file is read
        others.variant.clear();
        others.common.assignments.clear();
        Found found = find_in_file(options.file, session_to_open(others));
        options.window = others.window;
        choose_in(found.session, options);
        return found;
    }
    const Session session = session_to_open(options);
    if (options.file.empty()) return {Arrival::session, session};
    std::error_code ignored;
    if (!std::filesystem::exists(options.file, ignored))
        // A word without extension and folder is more likely a misspelt command.
        throw Error(options.file.find_first_of("./") == std::string::npos
                        ? ExitStatus::bad_usage
                        : ExitStatus::no_such_thing,
                    fmt::format("{} is neither a command nor a file.", options.file),
                    "\"lanescope --help\" lists the commands.");
    return find_in_file(options.file, session);
}

} // namespace

void add_window(CLI::App& program, Subcommand& chosen)
{
    const auto options = std::make_shared<WindowCommand>();
    program.add_option("--lab", options->lab, "The lab to open (`lanescope list` names them)");
    program.add_option("--variant", options->variant, "The variant to start with");
    program.add_option(
        "file", options->file,
        "Your own kernel or program (.cu, .py, or compiled), a lecture, a session or a picture to "
        "open");
    program.add_option("--session", options->session,
                       "A session: JSON, or a PNG that contains one");
    add_common_options(program, options->common);
    program
        .add_option("--size", options->window.size, "Size of the window in points, WIDTHxHEIGHT")
        ->capture_default_str();
    program.add_option("--report", options->window.report,
                       "Report to this JSON file: time of the first picture, frames per second, "
                       "state (for tests and measurements)");
    program.add_flag("--check", options->window.check,
                     "Also report OpenGL's messages and the resources that the program holds");
    program
        .add_option("--exit-after", options->window.exit_after,
                    "Close the window after this many seconds")
        ->check(number_between(0.1, 1e6));
    CLI::Option* const script = program.add_option(
        "--script", options->script,
        "Play a script: the commands of a session in the window, with their times. Like a session, "
        "it cannot run programs, or read or write files outside its folder");
    program
        .add_flag("--trust-script", options->trust_script,
                  "Trust the script: it may run programs and write files, as you may")
        ->needs(script);
    program.add_option("--write-script", options->window.recorded_script,
                       "Record what is done in the window as a script");
    program.add_option(
        "--measurements", options->measurements,
        "Show times measured on another machine, from a file written by `bench --record`");
    chosen = [options] {
        if (!options->script.empty()) // fail before anything else is done
            options->window.script = load_script(options->script, options->trust_script);
        Found found = to_open(*options);
        Session& session = found.session;
        simulate_gpu_of(session);
        if (!options->measurements.empty()) {
            show_measurements(options->measurements);
            session.look.panels.bottom = std::max(session.look.panels.bottom, 15.0F);
            session.look.panels.bottom_tab = tabs::variants;
        }
        // The bars need the embedded times; reading them takes as long as a frame.
        const auto carried = start_in_background(embedded_measurements);
        run_window(options->window, found);
        return ExitStatus::done;
    };
}

} // namespace lanescope::app

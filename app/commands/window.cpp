// `lanescope` without a subcommand: the window.
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/options.h"
#include "app/document/last_session.h"
#include "app/window/window.h"

namespace lanescope::app {
namespace {

struct WindowCommand {
    WindowOptions window;
    CommonOptions common;
    std::string lab;
    std::string variant;
    std::string session;
};

Session session_to_open(const WindowCommand& options)
{
    if (!options.session.empty()) return load_session(options.session);
    const bool plain = options.lab.empty() && options.variant.empty() &&
                       options.common.assignments.empty() && options.common.image.empty();
    if (plain) {
        if (auto last = last_session()) {
            if (options.common.device != "auto") last->device = options.common.device;
            return *last;
        }
    }
    const labs::Lab& lab = options.lab.empty() ? labs::all().front() : labs::find(options.lab);
    const labs::Variant& variant =
        options.variant.empty() ? lab.variants.front() : labs::find_variant(lab, options.variant);
    Session session;
    session.device = options.common.device;
    session.journal.start = {lab.place, variant.id,
                             as_texts(lab, values_from(lab, options.common.assignments)),
                             options.common.seed, options.common.image};
    return session;
}

} // namespace

void add_window(CLI::App& program, Command& chosen)
{
    const auto options = std::make_shared<WindowCommand>();
    program.add_option("--lab", options->lab, "The lab to open (`lanescope list` names them)");
    program.add_option("--variant", options->variant, "The variant to begin with");
    program.add_option("--session", options->session, "A session: JSON, or a PNG that holds one");
    add_common_options(program, options->common);
    program.add_option("--size", options->window.size, "Size of the window, WIDTHxHEIGHT")
        ->capture_default_str();
    program.add_option("--report", options->window.report,
                       "Write what happens to this JSON file: time of the first picture, frames a "
                       "second, state (for tests and measurements)");
    program.add_flag("--check", options->window.check,
                     "Also report what OpenGL complains about and what the program holds");
    program
        .add_option("--exit-after", options->window.exit_after,
                    "Close the window after so many seconds")
        ->check(CLI::Range(0.1, 1e6));
    program
        .add_option("--points", options->window.points,
                    "Lay out as if the screen were so many times as dense (for tests)")
        ->check(CLI::Range(0.5, 4.0));
    program.add_option("--script", options->window.script,
                       "Play a script: the commands of a session in the window, with their times");
    program.add_option("--write-script", options->window.recorded_script,
                       "Write what is done in the window as a script");
    chosen = [options] {
        run_window(options->window, session_to_open(*options));
        return ExitStatus::done;
    };
}

} // namespace lanescope::app

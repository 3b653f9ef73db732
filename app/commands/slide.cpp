// `lanescope slide`: makes slides from sessions, one slide per session. This program draws the
// pictures; the Python module that comes with it writes the slides, because the library for .pptx
// is written in Python.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/shared/options.h"
#include "compute/cuda/compile/toolkit.h"
#include "compute/endings.h"
#include "compute/experiment/lab/lab.h"
#include "compute/process/own_program.h"
#include "compute/process/process.h"
#include "compute/process/search_path.h"
#include "compute/process/temporary_folder.h"
#include "compute/process/walls.h"
#include "compute/text.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;

struct SlideOptions {
    std::vector<std::string> sessions;
    std::string output;
    double video = 0;
};

// Finds the folder of the Python module: next to an installed program, in the package around it in
// a wheel, or in the source tree.
fs::path module_folder()
{
    const fs::path program = cuda::program_folder();
    for (const char* folder :
         {"python", "../..", "../app/packaging/python", "../../app/packaging/python"})
        if (fs::exists(program / folder / "lanescope" / "slides.py")) return program / folder;
    throw Error(ExitStatus::no_such_thing,
                "The Python module that writes slides is not installed beside the program.",
                "Reinstall the Lanescope package.");
}

// Runs the command to its end. Prints its standard error, and drops its standard output.
ExitStatus run_and_forward_errors(const std::vector<std::string>& command, Process::Start start)
{
    start.separate_stderr = true;
    const Finished finished = run_to_end(command, start);
    fmt::print(stderr, "{}", printable(finished.errors));
    return static_cast<ExitStatus>(finished.status);
}

// A Python interpreter that imports nothing from the current folder, the user's site-packages or
// PYTHONPATH (-I), and writes no .pyc files (-B).
class Python {
public:
    explicit Python(const fs::path& module) : module_(module)
    {
        const char* chosen = std::getenv("LANESCOPE_PYTHON");
        const auto found = find_program(chosen ? chosen : "python3");
        const Finished said = found ? run_to_end({found->string(), "-I", "-B", "-c", places},
                                                 {.changes = without_own_variables})
                                    : Finished{127, {}};
        if (said.status != 0)
            throw Error(ExitStatus::device_unavailable,
                        fmt::format("Writing slides needs Python, but {} does not start.",
                                    chosen ? chosen : "python3"),
                        "Install Python 3 (apt install python3).");
        std::istringstream lines(said.output);
        std::getline(lines, program_);
        walls_ = walls_for_program(program_);
        for (std::string path; std::getline(lines, path);) walls_.readable.emplace_back(path);
        walls_.readable.insert(walls_.readable.end(), {module, "/usr/share", "/etc/mime.types"});
    }

    // Runs the module's main() in a sandbox (process/walls.h): Python can access only its own files
    // and these two folders.
    ExitStatus run(const std::vector<std::string>& arguments, const fs::path& folder,
                   const TemporaryFolder& temporary) const
    {
        Walls walls = walls_;
        walls.writable.insert(walls.writable.end(), {folder, temporary.path()});
        std::vector<std::string> command{program_, "-I",           "-B",
                                         "-c",     main_of_module, module_.string()};
        command.insert(command.end(), arguments.begin(), arguments.end());
        std::vector<std::string> changes = without_own_variables;
        changes.push_back("TMPDIR=" + temporary.path().string());
        return run_and_forward_errors(command, {.walls = &walls, .changes = changes});
    }

private:
    // Python code that prints the paths of the interpreter and its modules' folders, one per line.
    static constexpr const char* places =
        "import sys\n"
        "print(sys.executable, sys.prefix + '/pyvenv.cfg', sys.prefix + '/lib',"
        " sys.base_prefix + '/lib', *sys.path, sep='\\n')";
    static constexpr const char* main_of_module = "import sys\n"
                                                  "sys.path.insert(0, sys.argv.pop(1))\n"
                                                  "from lanescope.slides import main\n"
                                                  "sys.exit(main())";
    static inline const std::vector<std::string> without_own_variables{"PYTHON*"};

    fs::path module_;
    std::string program_;
    Walls walls_;
};

// Draws the pictures of a session beside the slides: "talk_1.png", "talk_1.svg".
ExitStatus draw(const SlideOptions& options, const std::string& session, const fs::path& base)
{
    std::vector<std::vector<std::string>> commands;
    std::vector<const char*> endings{ending::png, ending::svg};
    if (fs::path(options.output).extension() == ending::latex) endings.push_back(ending::pdf);
    for (const char* end : endings)
        commands.push_back({"shot", "--session=" + session, "-o", base.string() + end});
    if (options.video > 0)
        commands.push_back({"record", "-o", base.string() + ending::mp4, "--seconds",
                            fmt::format("{}", options.video), "--", session});
    for (std::vector<std::string>& command : commands) {
        command.insert(command.begin(), own_program());
        const ExitStatus status = run_and_forward_errors(command, {});
        if (status != ExitStatus::done) return status;
    }
    return ExitStatus::done;
}

// Writes one row per variant: [lab, variant, the lab's title, the variant's title, its idea].
void write_titles(const fs::path& file)
{
    nlohmann::json rows = nlohmann::json::array();
    for (const labs::Lab* lab : labs::listed())
        for (const labs::Variant& variant : lab->variants)
            rows.push_back({lab->id, variant.id, lab->title, variant.title, variant.idea});
    std::ofstream(file) << rows.dump();
}

void require_sessions(const SlideOptions& options)
{
    for (const std::string& session : options.sessions)
        if (!fs::exists(session))
            throw Error(ExitStatus::no_such_thing, fmt::format("There is no session {}.", session),
                        "Ctrl S in the window saves one; pictures that it saves contain one, too.");
}

ExitStatus slide(const SlideOptions& options)
{
    constexpr std::string_view talks[] = {ending::powerpoint, ending::markdown, ending::latex};
    if (!ending::is_one_of(options.output, talks))
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} is not a supported talk format.", options.output),
                    fmt::format("Choose a name that ends in {}.", ending::listed(talks)));
    require_sessions(options);
    render::require_writable(options.output);

    const fs::path output = fs::absolute(options.output), folder = output.parent_path();
    const Python python(module_folder());
    const TemporaryFolder temporary;
    std::vector<std::string> words{"-o", output.string(), "--check"};
    const ExitStatus able = python.run(words, folder, temporary); // fail before pictures are drawn
    if (able != ExitStatus::done) return able;
    for (std::size_t i = 0; i < options.sessions.size(); ++i) {
        const fs::path base = folder / fmt::format("{}_{}", output.stem().string(), i + 1);
        if (const ExitStatus status = draw(options, options.sessions[i], base);
            status != ExitStatus::done)
            return status;
    }
    const fs::path known = temporary / "titles.json";
    write_titles(known);
    words = {"-o",           output.string(), "--known",
             known.string(), "--slides",      std::to_string(options.sessions.size())};
    if (options.video > 0) words.emplace_back("--video");
    return python.run(words, folder, temporary);
}

} // namespace

void add_slide(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command =
        program.add_subcommand("slide", "Make a talk from sessions, one slide each: picture, title "
                                        "and a description of the variant");
    const auto options = std::make_shared<SlideOptions>();
    command
        ->add_option("sessions", options->sessions, "Sessions: JSON, or pictures that contain one")
        ->required();
    command
        ->add_option("-o,--output", options->output,
                     "The file to write: .pptx, .md for reveal.js, or .tex for Beamer; the last "
                     "two keep their pictures beside the file")
        ->required();
    command->add_option("--video", options->video, "Also add a looping video of this many seconds")
        ->check(number_between(0.1, 3600.0));
    command->callback([&chosen, options] { chosen = [options] { return slide(*options); }; });
}

} // namespace lanescope::app

// `lanescope slide`: a talk made of sessions, one slide each. The bundled Python module writes the
// files, because the .pptx library is for Python.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/commands/commands.h"
#include "compute/cuda/compile/toolkit.h"
#include "compute/endings.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;

struct SlideOptions {
    std::vector<std::string> sessions;
    std::string output;
    double video = 0;
};

// Next to an installed program, around it in a wheel, or in the source tree of a build.
fs::path module_folder()
{
    const fs::path program = cuda::program_folder();
    for (const char* folder : {"python", "../..", "../app/packaging/python"})
        if (fs::exists(program / folder / "lanescope" / "slides.py")) return program / folder;
    throw Error(ExitStatus::no_such_thing,
                "The Python module that writes slides is not installed beside the program.",
                "Install Lanescope's package again.");
}

ExitStatus slide(const SlideOptions& options)
{
    constexpr std::string_view talks[] = {ending::powerpoint, ending::markdown, ending::latex};
    if (!ending::is_one_of(options.output, talks))
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} is not a file of a talk.", options.output),
                    fmt::format("Choose a name that ends in {}.", ending::listed(talks)));
    for (const std::string& session : options.sessions)
        if (!fs::exists(session))
            throw Error(ExitStatus::no_such_thing, fmt::format("There is no session {}.", session),
                        "Ctrl S in the window saves one; a picture made by it holds one, too.");
    render::require_writable(options.output);

    const fs::path folder = module_folder();
    const char* chosen = std::getenv("LANESCOPE_PYTHON");
    const std::string python = chosen ? chosen : "python3";
    setenv("LANESCOPE_PROGRAM", fs::read_symlink("/proc/self/exe").c_str(), 1);
    setenv("PYTHONDONTWRITEBYTECODE", "1", 1); // leaves no files beside the program
    const char* before = std::getenv("PYTHONPATH");
    setenv("PYTHONPATH",
           before ? fmt::format("{}:{}", folder.string(), before).c_str() : folder.c_str(), 1);
    std::vector<std::string> words{python, "-m", "lanescope.slides", "-o", options.output};
    if (options.video > 0) words.insert(words.end(), {"--video", fmt::format("{}", options.video)});
    words.emplace_back("--");
    words.insert(words.end(), options.sessions.begin(), options.sessions.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    throw Error(ExitStatus::device_unavailable,
                fmt::format("Slides are written by Python, and {} does not start: {}.", python,
                            std::strerror(errno)),
                "Install Python 3 (apt install python3).");
}

} // namespace

void add_slide(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command = program.add_subcommand(
        "slide",
        "Make a talk from sessions, one slide each: picture, title and what the variant is about");
    const auto options = std::make_shared<SlideOptions>();
    command->add_option("sessions", options->sessions, "Sessions: JSON, or pictures that hold one")
        ->required();
    command
        ->add_option(
            "-o,--output", options->output,
            "The file to write: .pptx, .md for reveal.js, or .tex for Beamer; the last two "
            "have their pictures beside them")
        ->required();
    command->add_option("--video", options->video, "Also a looping video of this many seconds")
        ->check(CLI::Range(0.1, 3600.0));
    command->callback([&chosen, options] { chosen = [options] { return slide(*options); }; });
}

} // namespace lanescope::app

// `lanescope new-lab`: creates a folder with a small working lab to edit, or with the host program
// of a lab.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "app/commands/commands.h"
#include "app/export/lab_folder.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::app {
namespace {

// The lesson refers to the lab by its folder's name.
LabFiles with_id(LabFiles files, const std::string& id)
{
    std::string& beats = files["beats.txt"];
    const std::string was = "show: blur/";
    const std::string is = "show: " + id + "/";
    for (std::size_t at = beats.find(was); at != std::string::npos;
         at = beats.find(was, at + is.size()))
        beats.replace(at, was.size(), is);
    return files;
}

std::string last_name(const std::filesystem::path& folder)
{
    const auto place = std::filesystem::absolute(folder).lexically_normal();
    return (place.has_filename() ? place : place.parent_path()).filename().string();
}

ExitStatus save_lab(const std::string& folder)
{
    write_lab_folder(with_id(first_lab(), last_name(folder)),
                     std::filesystem::absolute(folder).lexically_normal());
    fmt::print("{0} contains a working lab. Edit its lab.json and its .cu files; then:\n"
               "  lanescope run {0}\n  lanescope check-lab {0}\n  lanescope --lab {0}\n",
               folder);
    return ExitStatus::done;
}

ExitStatus save_program(const std::string& folder, const std::string& lab_name)
{
    const labs::Lab& lab = labs::find(lab_name);
    write_lab_folder(host_program(lab), std::filesystem::absolute(folder).lexically_normal());
    fmt::print("{0} contains the host program of {1}. On Linux, with GLFW:\n"
               "  cmake -S {0} -B {0}/build && cmake --build {0}/build\n"
               "or, in one line:\n"
               "  nvcc -cudart shared {0}/program.cu -o {0}/program -lglfw -lGL\n"
               "Without a GPU:\n"
               "  lanescope program {0}/program.cu\n"
               "Without a display, put xvfb-run in front.\n",
               folder, lab.title);
    return ExitStatus::done;
}

} // namespace

void add_new_lab(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command = program.add_subcommand(
        "new-lab", "Create your own lab: a folder with two kernels, a record and a lesson");
    const auto folder = std::make_shared<std::string>();
    command->add_option("folder", *folder, "The folder to create; its name becomes the lab's name")
        ->required();
    const auto lab = std::make_shared<std::string>();
    command->add_option("--program", *lab,
                        "Save the host program of this lab instead, with its kernels and a "
                        "CMakeLists.txt");
    command->callback([&chosen, folder, lab] {
        chosen = [folder, lab] {
            return lab->empty() ? save_lab(*folder) : save_program(*folder, *lab);
        };
    });
}

} // namespace lanescope::app

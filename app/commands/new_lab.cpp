// `lanescope new-lab`: creates a folder with a small working lab to edit.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "app/commands/commands.h"
#include "app/export/lab_folder.h"

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

} // namespace

void add_new_lab(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command = program.add_subcommand(
        "new-lab", "Create your own lab: a folder with two kernels, a record and a lesson");
    const auto folder = std::make_shared<std::string>();
    command->add_option("folder", *folder, "The folder to create; its name becomes the lab's name")
        ->required();
    command->callback([&chosen, folder] {
        chosen = [folder] {
            const std::filesystem::path place =
                std::filesystem::absolute(*folder).lexically_normal();
            const std::string id =
                (place.has_filename() ? place : place.parent_path()).filename().string();
            write_lab_folder(with_id(first_lab(), id), place);
            fmt::print("{0} contains a working lab. Edit its lab.json and its .cu files; then:\n"
                       "  lanescope run {0}\n  lanescope check-lab {0}\n  lanescope --lab {0}\n",
                       *folder);
            return ExitStatus::done;
        };
    });
}

} // namespace lanescope::app

// The compiler is asked as the lab asks it later, so that each text is compiled once.
#include "app/run/kernel/own_lab.h"

#include <fmt/format.h>

#include "app/run/kernel/own_text.h"
#include "compute/endings.h"
#include "compute/error.h"
#include "compute/labs/files.h"
#include "compute/labs/guess/guess.h"
#include "compute/labs/includes.h"

namespace lanescope::app {
namespace fs = std::filesystem;

bool is_kernel_file(const fs::path& file)
{
    return file.extension() == ending::cuda_source || file.extension() == ending::ptx;
}

std::optional<std::string_view> kernel_file_in(std::string_view target)
{
    for (const std::string_view end_of_name : {ending::cuda_source, ending::ptx})
        for (std::size_t at = target.find(end_of_name); at != std::string_view::npos;
             at = target.find(end_of_name, at + 1)) {
            const std::size_t end = at + end_of_name.size();
            if (end != target.size() && target[end] != '/') continue;
            std::error_code none;
            if (fs::is_regular_file(target.substr(0, end), none)) return target.substr(0, end);
        }
    return std::nullopt;
}

OwnKernels read_kernels(const fs::path& file)
{
    std::error_code none;
    if (!fs::is_regular_file(file, none))
        throw Error(ExitStatus::no_such_thing, fmt::format("There is no file {}.", file.string()),
                    "Check its name.");
    OwnText read = read_own_text(file);
    OwnKernels own = kernels_of_text(file, std::move(read.text));
    if (!read.note.empty()) own.notes.push_back(std::move(read.note));
    return own;
}

OwnKernels read_kernels_or_text(const fs::path& file)
{
    std::error_code none;
    OwnText read;
    if (fs::exists(file, none)) read = read_own_text(file);
    OwnKernels own;
    try {
        own = kernels_of_text(file, read.text);
    } catch (const Error&) { // said where the text is compiled again
        const std::string name = file.filename().string();
        own.texts = {{}, file.stem().string(), {{name, read.text}}};
        own.texts.files["lab.json"] = labs::placeholder_record(name);
        labs::check_texts(own.texts);
    }
    if (!read.note.empty()) own.notes.push_back(std::move(read.note));
    return own;
}

OwnKernels kernels_of_text(const fs::path& file, std::string text)
{
    const std::string name = file.filename().string();
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    OwnKernels own;
    own.texts.id = file.stem().string();
    own.texts.files[name] = text;
    const auto header = [&](const std::string& wanted) -> std::optional<std::string> {
        const fs::path path = folder / wanted;
        std::error_code none;
        if (!fs::is_regular_file(path, none) || fs::is_symlink(path, none)) return std::nullopt;
        std::string found = read_own_text(path).text;
        own.texts.files[wanted] = found;
        return found;
    };
    const fs::path place = fs::path(own.texts.id) / name;
    std::string ptx;
    if (file.extension() == ending::ptx) {
        labs::check_ptx(text, name);
        ptx = std::move(text);
    } else {
        ptx = labs::compiled(labs::with_headers(text, place.string(), header), place)->ptx;
    }
    const std::string_view source =
        file.extension() == ending::ptx ? "" : std::string_view(own.texts.files[name]);
    labs::Guess guess = labs::guess_record(source, ptx, name);
    own.texts.files["lab.json"] = std::move(guess.record);
    own.notes = std::move(guess.notes);
    return own;
}

} // namespace lanescope::app

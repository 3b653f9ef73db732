// Compiles with the same options as the lab does later, so that each source is compiled once.
#include "app/run/editing/own_lab.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/document/session/session_file.h"
#include "app/run/editing/compiling.h"
#include "app/run/editing/own_text.h"
#include "compute/cuda/compile/compile.h"
#include "compute/cuda/compile/toolkit.h"
#include "compute/endings.h"
#include "compute/error.h"
#include "compute/experiment/catalogue/files.h"
#include "compute/experiment/guess/guess.h"
#include "compute/experiment/source/includes.h"
#include "compute/python_source.h"
#include "compute/text.h"

namespace lanescope::app {
namespace fs = std::filesystem;

bool is_kernel_file(const fs::path& file)
{
    return file.extension() == ending::cuda_source || file.extension() == ending::ptx;
}

namespace {

bool is_plain_file(const fs::path& path)
{
    std::error_code none;
    return fs::is_regular_file(path, none) && !fs::is_symlink(path, none);
}

fs::path folder_of(const fs::path& file)
{
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

bool is_below(const fs::path& file, const fs::path& folder)
{
    std::error_code problem, none;
    const fs::path real = fs::canonical(file, problem);
    if (problem) return false;
    const fs::path inside = real.lexically_relative(fs::canonical(folder, none));
    return !inside.empty() && *inside.begin() != "..";
}

// A file beside the kernel, if there is one. Throws for a link that leads out of the folder.
std::optional<std::string> file_beside(const fs::path& folder, const std::string& name)
{
    std::error_code none;
    const fs::path path = folder / name;
    if (!labs::stays_in_folder(name) || !fs::is_regular_file(path, none)) return std::nullopt;
    if (!is_below(path, folder))
        throw Error(
            ExitStatus::bad_usage,
            fmt::format("The kernel may not read {}: it is a link to a file outside the folder.",
                        path.string()),
            "Copy the file into the folder.");
    return read_own_text(path).text;
}

// Reads a header from the user's include folders, so that sessions can contain it. The compiler
// itself reads the toolkit's headers, and files that are too large for a session.
std::optional<std::string> header_from_include_folders(const std::string& name,
                                                       const labs::Texts& texts)
{
    constexpr std::size_t max_bytes = labs::max_text_bytes / 2; // including earlier headers
    std::size_t bytes = 0;
    for (const auto& [file, text] : texts.files) bytes += text.size();
    std::error_code none;
    for (const fs::path& toolkit : cuda::toolkit_includes())
        if (fs::exists(toolkit / name, none)) return {};
    for (const fs::path& folder : header_folders()) {
        const fs::path path = folder / name;
        if (!fs::exists(path, none)) continue;
        if (!is_plain_file(path) || bytes + fs::file_size(path, none) > max_bytes) return {};
        return read_own_text(path).text;
    }
    return {};
}

// A built-in lab, an open one, or a lab folder inside the lecture's folder.
Named lab_of_lecture(std::string_view text, const MayRead& may)
{
    const std::size_t slash = text.rfind('/');
    const std::string id(text.substr(0, slash));
    const auto known = labs::listed();
    const bool listed = std::ranges::any_of(
        known, [&](const labs::Lab* lab) { return lab->id == id || lab->place == id; });
    if (listed || labs::opened_texts(id)) return named_lab(text);
    const fs::path folder = (may.folder.empty() ? fs::path(".") : may.folder) / id;
    if (labs::is_lab_folder(folder) && may.holds(folder)) {
        const labs::Lab& lab = labs::find(folder.string());
        if (slash == std::string_view::npos) return {&lab, nullptr};
        return {&lab, &labs::find_variant(lab, text.substr(slash + 1))};
    }
    if (labs::is_lab_folder(folder) || labs::is_lab_folder(id))
        throw Error(ExitStatus::bad_usage,
                    fmt::format("The lecture may not read {}: it is outside its folder.",
                                shortened(id, 200)),
                    "Copy the lab's folder beside the lecture.");
    return named_lab(text); // its error lists the labs
}

// "dir/saxpy.cu" from "dir/saxpy.cu/variant", whether the file exists or not; empty for a lab.
std::string_view kernel_file_name(std::string_view target)
{
    for (const std::string_view end_of_name : {ending::cuda_source, ending::ptx})
        for (std::size_t at = target.find(end_of_name); at != std::string_view::npos;
             at = target.find(end_of_name, at + 1)) {
            const std::size_t end = at + end_of_name.size();
            if (end == target.size() || target[end] == '/') return target.substr(0, end);
        }
    return {};
}

} // namespace

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

labs::Texts text_alone(const fs::path& file, std::string text)
{
    const std::string name = text_name(file);
    labs::Texts texts{{}, fs::path(name).stem().string(), {{name, std::move(text)}}};
    texts.files[labs::record_file] = labs::placeholder_record(name);
    labs::check_texts(texts);
    return texts;
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
    } catch (const Error&) { // the error is reported when the source is compiled again
        own.texts = text_alone(file, read.text);
    }
    if (!read.note.empty()) own.notes.push_back(std::move(read.note));
    return own;
}

FindNamed labs_and_kernels_in(fs::path folder)
{
    return [may = MayRead{std::move(folder)}](std::string_view text) -> Named {
        const std::string_view name = kernel_file_name(text);
        if (name.empty()) return lab_of_lecture(text, may);
        const fs::path file = (may.folder.empty() ? fs::path(".") : may.folder) / name;
        std::error_code none;
        if (!labs::stays_in_folder(name))
            throw Error(ExitStatus::bad_usage,
                        fmt::format("The lecture may not read {}: it is outside its folder.",
                                    shortened(name, 200)),
                        "Put the kernel beside the lecture and give only its file name.");
        if (fs::exists(file, none) && !may.holds(file))
            throw Error(
                ExitStatus::bad_usage,
                fmt::format(
                    "The lecture may not read {}: it is a link to a file outside its folder.",
                    shortened(name, 200)),
                "Put the kernel itself beside the lecture.");
        const labs::Lab& lab = labs::open_texts(read_kernels(file).texts);
        if (name.size() == text.size()) return {&lab, nullptr};
        return {&lab, &labs::find_variant(lab, text.substr(name.size() + 1))};
    };
}

OwnKernels kernels_of_text(const fs::path& file, std::string text)
{
    if (is_python_source(file)) return {text_alone(file, std::move(text))};
    const std::string name = text_name(file);
    const fs::path folder = folder_of(file);
    OwnKernels own;
    own.texts.id = fs::path(name).stem().string();
    own.texts.files[name] = text;
    const auto header = [&](const std::string& wanted) -> std::optional<std::string> {
        if (wanted.find('/') != std::string::npos) return {}; // one of the compiler's headers
        std::optional<std::string> found = file_beside(folder, wanted);
        if (!found) found = header_from_include_folders(wanted, own.texts);
        if (found) own.texts.files[wanted] = *found;
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

std::string compile_kernel_file(const fs::path& file, const std::string& text,
                                const std::vector<std::string>& more_flags)
{
    const fs::path folder = folder_of(file);
    const std::vector<fs::path> named = header_folders();
    const auto allows = [&](const std::string& name) {
        const fs::path path = folder / name;
        std::error_code none;
        return fs::exists(path, none) &&
               std::ranges::any_of(named, [&](const fs::path& one) { return is_below(path, one); });
    };
    labs::check_includes(
        text, text_name(file),
        {[&](const std::string& name) { return file_beside(folder, name); }, allows});
    // The PTX's line table has an absolute path; messages quote the path as given.
    const fs::path name = fs::absolute(file);
    try {
        return compile_text(text, name, folder, more_flags).ptx;
    } catch (const cuda::CompileError& error) {
        const std::string whole = name.string(), given = file.string();
        std::string log = error.log();
        for (std::size_t at = 0; (at = log.find(whole, at)) != log.npos; at += given.size())
            log.replace(at, whole.size(), given);
        throw cuda::CompileError(file, log);
    }
}

} // namespace lanescope::app

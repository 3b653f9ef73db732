// The program's own PTX is stored next to the source, so that the launch runs exactly the code that
// the program ran; edited text is compiled again.
#include "app/run/program/kept_launches.h"

#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "app/run/editing/compiling.h"
#include "app/run/editing/own_text.h"
#include "compute/endings.h"
#include "compute/error.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/experiment/guess/launch.h"
#include "compute/experiment/lab/lab.h"
#include "compute/experiment/source/includes.h"
#include "compute/python_source.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace fs = std::filesystem;
namespace {

using nlohmann::ordered_json;

std::vector<std::byte> bytes_from_hex(std::string_view digits)
{
    std::vector<std::byte> bytes(digits.size() / 2);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        unsigned value = 0;
        std::from_chars(digits.data() + 2 * i, digits.data() + 2 * i + 2, value, 16);
        bytes[i] = std::byte{static_cast<unsigned char>(value)};
    }
    return bytes;
}

labs::KeptLaunch described(const ProgramLaunch& launch, const std::string& program)
{
    const ordered_json& kept = launch.kept;
    labs::KeptLaunch made{.symbol = launch.symbol,
                          .index = launch.index,
                          .program = program,
                          .grid = launch.grid,
                          .block = launch.block,
                          .cluster = launch.cluster,
                          .shared_bytes = launch.shared_bytes};
    for (const auto& argument : kept.at("arguments"))
        made.arguments.push_back(bytes_from_hex(argument.get<std::string>()));
    made.parameter_names = kept.value("parameter_names", std::vector<std::string>());
    for (const auto& one : kept.at("memory"))
        made.memory.push_back({one.at("address").get<std::uint64_t>(),
                               one.at("bytes").get<std::uint64_t>(), one.value("file", ""),
                               one.value("written", false)});
    for (const auto& one : kept.at("images"))
        made.images.push_back(
            {one.at("handle").get<std::uint64_t>(), one.value("file", ""), one.value("format", ""),
             one.value("width", 0), one.value("height", 0), one.value("surface", false),
             one.value("address", 1), one.value("filter", "point"),
             one.value("normalized_coordinates", false), one.value("normalized_reads", false)});
    for (const auto& one : kept.at("variables"))
        made.variables.push_back({one.value("name", ""), one.value("bytes", std::uint64_t{0}),
                                  one.value("constant", false), one.value("file", "")});
    return made;
}

// The .cu or .py file that the PTX was compiled from: the file of the kernel's first source line
// or, without one, the first file that the PTX names.
std::optional<fs::path> source_of(std::string_view ptx, const std::string& symbol)
{
    constexpr std::string_view blanks = " \t";
    std::map<std::string, fs::path, std::less<>> files; // keyed by number
    std::string first;                                  // file of the kernel's first line
    bool inside = false;
    for (std::size_t begin = 0; begin < ptx.size();) {
        std::size_t end = ptx.find('\n', begin);
        if (end == ptx.npos) end = ptx.size();
        std::string_view line = ptx.substr(begin, end - begin);
        begin = end + 1;
        line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
        if (line.find(".entry") != line.npos)
            inside = line.find(fmt::format(".entry {}(", symbol)) != line.npos;
        const auto number = [&] {
            line.remove_prefix(std::min(line.find_first_of(blanks), line.size()));
            line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
            return std::string(line.substr(0, line.find_first_of(blanks)));
        };
        if (line.starts_with(".loc") && inside && first.empty()) {
            first = number();
        } else if (line.starts_with(".file")) {
            const std::string which = number();
            const std::size_t quote = line.find('"');
            if (quote == line.npos) continue;
            const fs::path path(line.substr(quote + 1, line.find('"', quote + 1) - quote - 1));
            std::error_code none;
            if ((path.extension() == ending::cuda_source || is_python_source(path)) &&
                fs::is_regular_file(path, none))
                files.emplace(which, path);
        }
    }
    if (files.empty()) return {};
    const auto own = files.find(first);
    return own == files.end() ? files.begin()->second : own->second;
}

// A source and the headers beside it that it includes.
std::map<std::string, std::string> with_headers(const fs::path& source)
{
    std::map<std::string, std::string> files;
    const std::string name = text_name(source);
    files[name] = read_own_text(source).text;
    if (is_python_source(source)) return files;
    const auto header = [&](const std::string& wanted) -> std::optional<std::string> {
        std::vector<fs::path> folders = header_folders();
        folders.insert(folders.begin(), source.parent_path());
        for (const fs::path& folder : folders) {
            std::error_code none;
            if (!fs::is_regular_file(folder / wanted, none)) continue;
            return files[wanted] = read_own_text(folder / wanted).text;
        }
        return {};
    };
    labs::with_headers(files[name], name, header);
    labs::check_texts({{}, "program", files});
    return files;
}

// Texts of kernels by name, which is each file's first line.
std::map<std::string, std::string> texts_in(const fs::path& folder)
{
    std::map<std::string, std::string> texts;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
        const std::string text = render::read_file(entry.path());
        const std::size_t end = std::min(text.find('\n'), text.size());
        texts[text.substr(0, end)] = text.substr(std::min(end + 1, text.size()));
    }
    return texts;
}

} // namespace

void make_labs(const fs::path& folder, const std::string& program,
               const std::vector<fs::path>& sources, const fs::path& as_written,
               std::vector<ProgramLaunch>& launches)
{
    const std::map<std::string, std::string> for_stepping = texts_in(as_written);
    std::map<std::string, std::string> texts; // PTX, keyed by file
    std::map<fs::path, std::map<std::string, std::string>>
        sources_with_headers; // file contents by name, for each source
    for (ProgramLaunch& launch : launches) {
        if (!launch.kept.contains("folder")) continue;
        try {
            const std::string text = launch.kept.at("text");
            if (!texts.contains(text)) texts[text] = render::read_file(folder / text);
            const std::string& ptx = texts[text];
            std::optional<fs::path> source = source_of(ptx, launch.symbol);
            if (!source && !sources.empty()) source = sources.front();
            std::map<std::string, std::string> files;
            if (source) {
                auto& known = sources_with_headers[*source];
                try {
                    if (known.empty()) known = with_headers(*source);
                    files = known;
                } catch (const Error&) {
                    source.reset(); // too large, or it includes files that a lab may not read
                }
            }
            const std::string name =
                source ? text_name(*source)
                       : fmt::format("{}{}", fs::path(program).stem().string(), ending::ptx);
            const bool in_cpp = source && !is_python_source(*source);
            const std::string record =
                labs::record_of_launch(in_cpp ? std::string_view(files[name]) : std::string_view(),
                                       ptx, name, described(launch, program));
            files[fs::path(name).replace_extension(ending::ptx).string()] = ptx;
            files[labs::record_file] = record;
            if (const auto text = for_stepping.find(launch.symbol); text != for_stepping.end())
                files[labs::as_written_file(name)] = text->second;
            launch.lab = folder / launch.kept.at("folder").get<std::string>();
            for (const auto& [file, contents] : files) {
                fs::create_directories((launch.lab / file).parent_path());
                render::write_file(launch.lab / file, contents);
            }
            if (source) launch.source = fs::absolute(*source);
        } catch (const std::exception& error) {
            launch.lab.clear();
            launch.not_kept = error.what();
        }
    }
}

} // namespace lanescope::app

// A text may be concatenated from several strings, and formatting may have changed some lines. Each
// piece is therefore placed where most of its lines match, including the lines between them.
#include "compute/runtime/reporting/script_sources.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <unordered_map>
#include <vector>

#include "compute/device/kernel_names.h"
#include "compute/runtime/reporting/script_place.h"

namespace lanescope::runtime {

namespace {

constexpr std::size_t max_source_bytes = std::size_t{4} << 20;

struct CompiledText {
    std::string text;
    std::string script; // script that contains the text
    // Per line of the text: its line in the script, counted from 0; 0: unknown.
    std::vector<int> lines;
};

struct Known {
    std::mutex mutex;
    // Keyed by the compiler's name for the text.
    std::map<std::string, std::vector<CompiledText>, std::less<>> texts;
};
Known& known()
{
    static auto* const all = new Known;
    return *all;
}

// Splits into lines and strips white space.
std::vector<std::string> trimmed_lines(std::string_view text)
{
    std::vector<std::string> lines;
    std::istringstream stream{std::string(text)};
    for (std::string line; std::getline(stream, line);) {
        const std::size_t begin = line.find_first_not_of(" \t\r");
        const std::size_t end = line.find_last_not_of(" \t\r");
        lines.push_back(begin == line.npos ? "" : line.substr(begin, end - begin + 1));
    }
    return lines;
}

// True if the line is distinctive enough to be recognised.
bool is_distinctive(const std::string& line)
{
    constexpr std::size_t shortest = 4;
    return line.size() >= shortest;
}

// Per line of the text, the script's lines that contain it: as a whole line or, at the ends of a
// string and for strings of one line, as part of a line.
std::vector<std::vector<int>> places_of_lines(const std::vector<std::string>& text,
                                              const std::vector<std::string>& script)
{
    std::unordered_map<std::string_view, std::vector<int>> whole;
    for (std::size_t i = 0; i < script.size(); ++i) whole[script[i]].push_back(static_cast<int>(i));
    std::vector<std::vector<int>> places(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!is_distinctive(text[i])) continue;
        if (const auto found = whole.find(text[i]); found != whole.end()) {
            places[i] = found->second;
            continue;
        }
        for (std::size_t line = 0; line < script.size(); ++line)
            if (script[line].find(text[i]) != std::string::npos)
                places[i].push_back(static_cast<int>(line));
    }
    return places;
}

// Places the text's lines in the script, piece by piece. Returns the number of recognised lines.
int place_lines(const std::vector<std::string>& text, const std::vector<std::string>& script,
                std::vector<int>& lines)
{
    const auto places = places_of_lines(text, script);
    lines.assign(text.size(), 0);
    int placed = 0;
    for (;;) {
        std::map<int, int> votes; // keyed by the script's line minus the text's line
        for (std::size_t i = 0; i < text.size(); ++i)
            if (lines[i] == 0)
                for (const int place : places[i]) ++votes[place - static_cast<int>(i)];
        const auto best = std::ranges::max_element(
            votes, [](const auto& a, const auto& b) { return a.second < b.second; });
        if (best == votes.end() || best->second < (placed == 0 ? 1 : 2)) break;
        for (std::size_t i = 0; i < text.size(); ++i) {
            const int place = static_cast<int>(i) + best->first;
            if (lines[i] == 0 && std::ranges::find(places[i], place) != places[i].end()) {
                lines[i] = place + 1;
                ++placed;
            }
        }
    }
    for (std::size_t i = 1; i < text.size(); ++i)
        if (lines[i] == 0 && lines[i - 1] != 0) lines[i] = lines[i - 1] + 1;
    for (std::size_t i = text.size(); i-- > 1;)
        if (lines[i - 1] == 0 && lines[i] > 1) lines[i - 1] = lines[i] - 1;
    return placed;
}

// Number of kernels in the PTX that the text appears to define.
std::size_t kernels_in(const std::string& ptx, const std::string& text)
{
    constexpr std::string_view word = ".entry ";
    std::size_t count = 0;
    for (std::size_t at = ptx.find(word); at != ptx.npos; at = ptx.find(word, at)) {
        at += word.size();
        const std::string symbol = ptx.substr(at, ptx.find_first_of("( \n\t", at) - at);
        if (text.find(device::base_name(symbol)) != text.npos) ++count;
    }
    return count;
}

// Returns the text from which the PTX was compiled; the newest if there are several, and null if it
// has none of the PTX's kernels, as a text that no script contains was not noted.
const CompiledText* text_of(const std::vector<CompiledText>& texts, const std::string& ptx)
{
    const CompiledText* best = nullptr;
    std::size_t best_count = ptx.find(".entry ") == ptx.npos ? 0 : 1;
    for (const CompiledText& each : texts)
        if (const std::size_t count = kernels_in(ptx, each.text); count >= best_count) {
            best = &each;
            best_count = count;
        }
    return best;
}

// Skips blanks and reads a number at `at`, which is moved past it.
int number_at(const std::string& text, std::size_t& at)
{
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
    int number = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
        number = number * 10 + (text[at] - '0');
    return number;
}

// Replaces the paths of known texts by those of their scripts. Returns the texts by file number.
std::map<int, const CompiledText*>
replace_files(std::string& ptx,
              const std::map<std::string, std::vector<CompiledText>, std::less<>>& texts)
{
    std::map<int, const CompiledText*> files;
    constexpr std::string_view word = ".file";
    for (std::size_t at = ptx.find(word); at != ptx.npos; at = ptx.find(word, at)) {
        at += word.size();
        const int number = number_at(ptx, at);
        const std::size_t begin = ptx.find('"', at);
        const std::size_t end = begin == ptx.npos ? begin : ptx.find('"', begin + 1);
        if (end == ptx.npos) break;
        const std::string path = ptx.substr(begin + 1, end - begin - 1);
        const auto is_it = [&](const auto& entry) {
            return path == entry.first || path.ends_with("/" + entry.first);
        };
        const auto found = std::ranges::find_if(texts, is_it);
        if (found == texts.end()) continue;
        const CompiledText* const text = text_of(found->second, ptx);
        if (text == nullptr) continue;
        files[number] = text;
        ptx.replace(begin + 1, path.size(), text->script);
    }
    return files;
}

} // namespace

void note_compiled_text(std::string_view name, std::string_view text)
{
    if (text.size() > max_source_bytes) return;
    const std::vector<std::string> wanted = trimmed_lines(text);
    CompiledText best;
    int max_placed = 0;
    for (const std::string& script : script_files()) {
        std::ifstream file(script, std::ios::binary);
        const std::string source{std::istreambuf_iterator<char>(file), {}};
        if (source.size() > max_source_bytes) continue;
        std::vector<int> lines;
        const int placed = place_lines(wanted, trimmed_lines(source), lines);
        if (placed <= max_placed) continue;
        max_placed = placed;
        best = {std::string(text), script, std::move(lines)};
    }
    // Fewer lines may match by chance.
    if (max_placed == 0 || max_placed * 2 < std::ranges::count_if(wanted, is_distinctive)) return;
    const std::lock_guard lock(known().mutex);
    known().texts[std::string(name)].push_back(std::move(best));
}

std::string with_script_lines(std::string ptx)
{
    const std::lock_guard lock(known().mutex);
    if (known().texts.empty()) return ptx;
    const auto files = replace_files(ptx, known().texts);
    if (files.empty()) return ptx;
    for (const std::string_view word : {".loc", "inlined_at"}) {
        std::string made;
        std::size_t done = 0;
        for (std::size_t at = ptx.find(word); at != ptx.npos; at = ptx.find(word, at)) {
            at += word.size();
            const auto file = files.find(number_at(ptx, at));
            if (file == files.end()) continue;
            while (at < ptx.size() && (ptx[at] == ' ' || ptx[at] == '\t')) ++at;
            const std::size_t begin = at;
            const int line = number_at(ptx, at);
            const std::vector<int>& lines = file->second->lines;
            if (line < 1 || line > static_cast<int>(lines.size())) continue;
            const int placed = lines[static_cast<std::size_t>(line - 1)];
            if (placed == 0) continue;
            made.append(ptx, done, begin - done).append(std::to_string(placed));
            done = at;
        }
        ptx = made.append(ptx, done);
    }
    return ptx;
}

} // namespace lanescope::runtime

// The library preloaded before NVRTC calls this (compilers/nvrtc.cpp).
extern "C" void lanescope_note_compiled_text(const char* name, const char* text)
{
    lanescope::runtime::note_compiled_text(name, text);
}

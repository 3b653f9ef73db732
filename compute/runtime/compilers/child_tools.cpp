// Runs in nvcc and ptxas when a program starts them as processes, which load this library, too.
// When ptxas ends, the PTX that it read is added to the machine code that it wrote; nvcc and
// fatbinary pass that file on unchanged.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>

#include "compute/counting/gpus.h"
#include "compute/runtime/reporting/carried_ptx.h"

namespace lanescope::compilers {

namespace {

namespace fs = std::filesystem;

std::string contents_of(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// This process's arguments.
std::vector<std::string> own_arguments()
{
    const std::string line = contents_of("/proc/self/cmdline");
    std::vector<std::string> words;
    for (std::size_t at = 0; at < line.size();) {
        words.emplace_back(line.c_str() + at);
        at += words.back().size() + 1;
    }
    return words;
}

// ptxas also reads options from files: words and quoted texts, one after another.
void add_words_of(const fs::path& file, std::vector<std::string>& words)
{
    std::string word;
    char quote = '\0';
    for (const char each : contents_of(file) + '\n') {
        if (quote != '\0' || (each != ' ' && each != '\n' && each != '\t')) {
            if (each == quote)
                quote = '\0';
            else if (quote == '\0' && (each == '"' || each == '\''))
                quote = each;
            else
                word += each;
        } else if (!word.empty()) {
            words.push_back(std::move(word));
            word.clear();
        }
    }
}

// Input and output of this ptxas process.
struct Assembly {
    fs::path output = "elf.o"; // the default of ptxas
    std::vector<std::string> texts{};
    fs::file_time_type before{}; // write time of an older output, if there is one
};

Assembly* assembly = nullptr;

// True if words[at] is the option in any spelling. If its value is the next word, moves `at` there.
bool takes_value(const std::vector<std::string>& words, std::size_t& at,
                 std::initializer_list<std::string_view> names, std::string& value)
{
    for (const std::string_view name : names) {
        if (words[at] == name && at + 1 < words.size()) {
            value = words[++at];
            return true;
        }
        if (words[at].starts_with(std::string(name) + '=')) {
            value = words[at].substr(name.size() + 1);
            return true;
        }
    }
    return false;
}

void note_assembly()
{
    std::vector<std::string> words = own_arguments();
    Assembly wanted;
    std::error_code none;
    for (std::size_t i = 1; i < words.size(); ++i) {
        std::string value;
        if (takes_value(words, i, {"-o", "--output-file", "-output-file"}, value)) {
            wanted.output = value;
        } else if (takes_value(words, i, {"-optf", "--options-file", "-options-file"}, value)) {
            add_words_of(value, words);
        } else if (!words[i].starts_with('-') && fs::is_regular_file(words[i], none)) {
            std::string text = contents_of(words[i]);
            while (!text.empty() && text.back() == '\0') text.pop_back();
            if (text.find(".version") != text.npos) wanted.texts.push_back(std::move(text));
        }
    }
    if (fs::exists(wanted.output, none)) wanted.before = fs::last_write_time(wanted.output, none);
    if (!wanted.texts.empty()) assembly = new Assembly(std::move(wanted));
}

// Makes nvcc emit line information, through the variable whose options it appends.
void ask_nvcc_for_lines()
{
    const std::vector<std::string> words = own_arguments();
    const auto is_about_lines = [](std::string_view word) {
        return word == "-G" || word == "--device-debug" || word == "-lineinfo" ||
               word == "--generate-line-info";
    };
    if (std::ranges::any_of(words, is_about_lines)) return;
    const char* const own = std::getenv("NVCC_APPEND_FLAGS");
    if (own != nullptr &&
        (std::strstr(own, "-G") != nullptr || std::strstr(own, "line") != nullptr))
        return;
    setenv("NVCC_APPEND_FLAGS",
           own == nullptr ? "-lineinfo" : (own + std::string(" -lineinfo")).c_str(), 1);
}

// Child processes preload this library only: NVIDIA's tools need no other.
__attribute__((constructor)) void begin()
{
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&begin), &info) != 0 && info.dli_fname != nullptr)
        setenv("LD_PRELOAD", info.dli_fname, 1);
    if (const char* const gpu = std::getenv("LANESCOPE_GPU"); gpu != nullptr && *gpu != '\0')
        counting::choose_gpu(counting::gpu_named(gpu));
    const std::string_view program = program_invocation_short_name;
    if (program == "ptxas") note_assembly();
    if (program == "nvcc") ask_nvcc_for_lines();
}

__attribute__((destructor)) void end()
{
    if (assembly == nullptr) return;
    std::error_code problem;
    const auto written = fs::last_write_time(assembly->output, problem);
    if (problem || written == assembly->before) return;
    const std::string code = contents_of(assembly->output);
    const std::string whole = runtime::with_ptx(code, assembly->texts);
    if (whole.size() == code.size()) return;
    std::ofstream(assembly->output, std::ios::binary) << whole;
}

} // namespace

} // namespace lanescope::compilers

// Parses line by line, since the disassembler's JSON output lacks the PTX lines.
#include "compute/assembled/sass.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace lanescope::assembled {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Removes the first word from the text and returns it.
std::string_view take_word(std::string_view& text)
{
    text = trimmed(text);
    const std::size_t end = std::min(text.find_first_of(blanks), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    return word;
}

// Labels in an instruction: "`(.L_x_4)", or a table's "BRANCH_TARGETS .L_x_1,.L_x_2".
std::vector<std::string_view> labels_in(std::string_view text)
{
    std::vector<std::string_view> labels;
    for (std::size_t at = text.find(".L"); at != text.npos; at = text.find(".L", at)) {
        const std::size_t end = std::min(text.find_first_of("),\"* \t;", at), text.size());
        labels.push_back(text.substr(at, end - at));
        at = end;
    }
    return labels;
}

class Reader {
public:
    void read(std::string_view line)
    {
        line = trimmed(line);
        if (line.starts_with(".target"))
            sass_.architecture = std::string(trimmed(line.substr(7)));
        else if (line.starts_with("//## File"))
            mark(line);
        else if (line.starts_with(".text.") && line.ends_with(':'))
            begin_function(line.substr(6, line.size() - 7));
        else if (line.starts_with('.') && line.ends_with(':'))
            labels_[std::string(line.substr(0, line.size() - 1))] = here();
        else if (line.starts_with("/*") && !sass_.functions.empty())
            instruction(line);
    }
    Sass finish()
    {
        end_function();
        return std::move(sass_);
    }

private:
    int here() const
    {
        return sass_.functions.empty()
                   ? 0
                   : static_cast<int>(sass_.functions.back().instructions.size());
    }

    void mark(std::string_view line)
    {
        constexpr std::string_view before = "\".nv_debug_ptx_txt\", line ";
        const std::size_t at = line.find(before);
        if (at == line.npos) return;
        line.remove_prefix(at + before.size());
        std::from_chars(line.data(), line.data() + line.size(), ptx_line_);
    }

    void begin_function(std::string_view name)
    {
        end_function();
        sass_.functions.push_back({std::string(name), {}});
        ptx_line_ = 0;
    }

    void end_function()
    {
        if (sass_.functions.empty()) return;
        for (const auto& [instruction, label] : named_)
            if (const auto found = labels_.find(label); found != labels_.end())
                sass_.functions.back()
                    .instructions[static_cast<std::size_t>(instruction)]
                    .targets.push_back(found->second);
        labels_.clear();
        named_.clear();
    }

    void instruction(std::string_view line)
    {
        SassInstruction made;
        made.ptx_line = ptx_line_;
        const std::size_t end = line.find("*/");
        if (end == line.npos) return;
        const char* const digits = line.data() + 2;
        if (std::from_chars(digits, line.data() + end, made.offset, 16).ptr != line.data() + end)
            return;
        line.remove_prefix(end + 2);
        for (std::string_view label : labels_in(line)) named_.emplace_back(here(), label);
        line = trimmed(line.substr(0, line.find(';')));
        if (line.empty() || line.starts_with('.')) return; // a data directive
        if (line.starts_with('@')) made.guard = std::string(take_word(line));
        made.opcode = std::string(take_word(line));
        made.operands = std::string(trimmed(line));
        sass_.functions.back().instructions.push_back(std::move(made));
    }

    Sass sass_;
    std::map<std::string, int, std::less<>> labels_; // labels in the current function
    std::vector<std::pair<int, std::string>> named_; // label references, by instruction
    int ptx_line_ = 0;
};

} // namespace

std::string_view SassInstruction::name() const
{
    return std::string_view(opcode).substr(0, opcode.find('.'));
}

bool SassInstruction::has(std::string_view modifier) const
{
    std::string_view rest = opcode;
    while (!rest.empty()) {
        const std::size_t dot = std::min(rest.find('.'), rest.size());
        if (rest.substr(0, dot) == modifier) return true;
        rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
    return false;
}

int SassInstruction::width_bytes() const
{
    for (const auto& [modifier, bytes] : {std::pair{"256", 32}, {"128", 16}, {"64", 8}})
        if (has(modifier)) return bytes;
    for (const char* modifier : {"U8", "S8", "B8", "8"})
        if (has(modifier)) return 1;
    for (const char* modifier : {"U16", "S16", "B16", "16"})
        if (has(modifier)) return 2;
    return 4;
}

const SassFunction* Sass::find(std::string_view name) const
{
    const auto found = std::ranges::find(functions, name, &SassFunction::name);
    return found == functions.end() ? nullptr : &*found;
}

Sass parse_sass(std::string_view text)
{
    Reader reader;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        reader.read(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return reader.finish();
}

} // namespace lanescope::assembled

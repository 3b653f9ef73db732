// The log has "FILE(LINE): error: TEXT", then the line with a caret below the column, or
// "FILE:LINE:COLUMN: error: TEXT" from the host compiler.
#include "app/run/editing/complaints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <regex>

#include "compute/cuda/compile/compile.h"

namespace lanescope::app {
namespace {

struct Wording {
    const char* said; // a regular expression for the whole message
    const char* meant;
};

const Wording wordings[] = {
    {R"re(identifier "(.*)" is undefined)re",
     "$1 is not declared here: is it misspelt, or declared further down?"},
    {R"re(expected a ";")re", "A semicolon is missing before this."},
    {R"re(expected a "\)")re", "A closing parenthesis is missing before this."},
    {R"re(expected a "\}")re", "A closing brace is missing."},
    {R"re(expected a "\]")re", "A closing bracket is missing before this."},
    {R"re(expected an expression)re", "A value is missing here."},
    {R"re(expected an identifier)re", "A name is missing here."},
    {R"re(expected a declaration)re",
     "A declaration is expected here: is there an extra brace above?"},
    {R"re(expected a statement)re", "A statement is missing here."},
    {R"re(this declaration has no storage class or type specifier)re",
     "This is outside any function and is not a declaration: is there an extra brace above?"},
    {R"re(unrecognized token)re", "This character is not valid in CUDA C++."},
    {R"re(missing closing quote)re", "A quote is not closed."},
    {R"re("(.*)" has already been declared in the current scope)re", "$1 is already declared."},
    {R"re(too few arguments in function call)re",
     "The function takes more arguments than it gets."},
    {R"re(too many arguments in function call)re",
     "The function takes fewer arguments than it gets."},
    {R"re(expression must be a modifiable lvalue)re",
     "This cannot be assigned to: it is const, or not a variable."},
    {R"re(expression must have pointer-to-object type.*)re",
     "Only a pointer or an array has elements."},
    {R"re(a value of type "(.*)" cannot be (?:assigned to an entity|used to initialize an entity) of type "(.*)")re",
     "A $1 cannot be converted to a $2."},
    {R"re(no operator "(.*)" matches these operands)re", "$1 cannot be applied to these types."},
    {R"re(calling a __host__ function.*)re",
     "This function exists on the host only, not in kernels."},
    {R"re(type name is not allowed)re", "Expected a value, found a type."},
    {R"re(variable "(.*)" was declared but never referenced)re", "$1 is never used."},
    {R"re(variable "(.*)" was set but never used)re", "$1 is set but never read."},
    {R"re(variable "(.*)" is used before its value is set)re", "$1 is read before it has a value."},
};

std::string sentence(std::string text)
{
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
    if (text.empty()) return text;
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    if (text.back() != '.' && text.back() != '?' && text.back() != '!') text += '.';
    return text;
}

std::vector<std::string> lines_of(std::string_view log)
{
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < log.size();) {
        const std::size_t end = std::min(log.find('\n', at), log.size());
        lines.emplace_back(log.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

// Parses the first line of a message; empty for continuation lines. Lines may be long: a location
// does not exceed a hundred characters.
std::optional<Complaint> parse_first_line(const std::string& line)
{
    static const std::regex place(
        R"(^(.{1,400}?)(?:\((\d{1,8})\)|:(\d{1,8})(?::(\d{1,8}))?): (fatal error|catastrophic error|error|warning)(?: #[\w-]+)?: (.*)$)");
    if (line.size() > 4000) return {};
    std::smatch found;
    if (!std::regex_match(line, found, place)) return {};
    const auto number = [&](std::size_t group) {
        return found[group].matched ? std::stoi(found[group].str()) : 0;
    };
    Complaint complaint;
    complaint.file = std::filesystem::path(found[1].str()).filename().string();
    complaint.line = std::max(number(2), number(3));
    complaint.column = number(4);
    complaint.warning = found[5] == "warning";
    complaint.sentence = in_plain_words(found[6].str());
    complaint.detail = line;
    return complaint;
}

constexpr std::size_t max_detail = 4000;

std::vector<Complaint> messages_in(std::string_view log)
{
    constexpr std::size_t max_messages = 100;
    std::vector<Complaint> all;
    for (const std::string& line : lines_of(log)) {
        if (auto one = parse_first_line(line)) {
            if (all.size() == max_messages) break;
            all.push_back(std::move(*one));
            continue;
        }
        if (all.empty() || line.empty() || line.starts_with("Remark: ") ||
            line.find(" detected in the compilation") < line.size())
            continue;
        Complaint& last = all.back();
        if (last.detail.size() + line.size() < max_detail) last.detail += '\n' + line;
        const std::size_t caret = line.find_first_not_of(" \t");
        if (last.column == 0 && caret != std::string::npos && line.substr(caret) == "^")
            // The compiler indents quoted lines by two blanks.
            last.column = std::max(1, static_cast<int>(caret) - 1);
    }
    return all;
}

// Warnings that may only follow from an error: the compiler drops the statement with the error, and
// with it the use of a variable.
bool may_follow_from_error(const Complaint& one)
{
    constexpr std::string_view unused_markers[] = {"never referenced", "but never used",
                                                   "-Wunused"};
    return one.warning && std::ranges::any_of(unused_markers, [&](std::string_view words) {
               return one.detail.find(words) != std::string::npos;
           });
}

} // namespace

std::string in_plain_words(std::string_view message)
{
    const std::string text(message);
    if (text.size() > 1000) return sentence(text.substr(0, 1000) + "…");
    static const std::regex header(
        R"re((?:could not|cannot) open source file "(.*)".*|(.*): No such file or directory.*)re");
    if (std::smatch found; std::regex_match(text, found, header))
        return cuda::missing_header(found[found[1].matched ? 1 : 2].str());
    for (const Wording& one : wordings) {
        const std::regex said(one.said);
        if (std::regex_match(text, said)) return std::regex_replace(text, said, one.meant);
    }
    return sentence(text);
}

std::vector<Complaint> complaints_in(std::string_view log, const std::string& file)
{
    std::vector<Complaint> all = messages_in(log);
    std::erase_if(all, may_follow_from_error);
    if (std::ranges::none_of(all, [](const Complaint& one) { return !one.warning; }))
        all.push_back({.file = file,
                       .sentence = "The compiler rejects this code.",
                       .detail = std::string(log.substr(0, max_detail))});
    return all;
}

std::vector<Complaint> warnings_in(std::string_view log)
{
    std::vector<Complaint> all = messages_in(log);
    std::erase_if(all, [](const Complaint& one) { return !one.warning; });
    return all;
}

} // namespace lanescope::app

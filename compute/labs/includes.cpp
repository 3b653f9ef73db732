// Directives are found as a preprocessor finds them: lines that end in a backslash are one,
// comments are blanks, "%:" is "#". What is no plain name is refused, so that no macro makes one.
#include "compute/labs/includes.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "compute/error.h"

namespace lanescope::labs {
namespace {

constexpr int deepest = 32;

bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

bool is_name(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

std::string_view take_word(std::string_view& rest)
{
    rest = trimmed(rest);
    std::size_t end = 0;
    while (end < rest.size() && is_name(rest[end])) ++end;
    const std::string_view word = rest.substr(0, end);
    rest = trimmed(rest.substr(end));
    return word;
}

// One line as a preprocessor sees it, and how many lines of the text it is.
struct Line {
    std::string text;
    std::string alone; // if it does not begin within a comment
    std::string_view raw;
    int lines = 1;
};

class Lines {
public:
    explicit Lines(std::string_view text) : text_(text) {}

    bool next(Line& line)
    {
        if (at_ >= text_.size()) return false;
        const std::size_t begin = at_;
        line.text.clear();
        line.alone.clear();
        line.lines = 0;
        const bool within = comment_;
        bool fresh = false; // the comment of `alone`
        bool more = true;
        while (more && at_ < text_.size()) {
            std::size_t end = std::min(text_.find('\n', at_), text_.size());
            std::string_view part = text_.substr(at_, end - at_);
            at_ = std::min(end + 1, text_.size());
            ++line.lines;
            std::string_view shown = part;
            while (!shown.empty() && is_blank(shown.back())) shown.remove_suffix(1);
            more = shown.ends_with('\\');
            if (more) part = shown.substr(0, shown.size() - 1);
            add(part, line.text, comment_);
            if (within) add(part, line.alone, fresh);
        }
        line.raw = text_.substr(begin, at_ - begin);
        return true;
    }

private:
    // Without comments; strings stay, since names stand in them.
    static void add(std::string_view part, std::string& text, bool& comment)
    {
        char quote = 0; // a literal ends with its line
        for (std::size_t i = 0; i < part.size(); ++i) {
            const std::string_view rest = part.substr(i);
            if (comment) {
                if (rest.starts_with("*/")) comment = false, ++i;
                continue;
            }
            if (quote == 0 && rest.starts_with("/*")) {
                comment = true;
                text += ' ';
                ++i;
                continue;
            }
            if (quote == 0 && rest.starts_with("//")) break;
            if (quote != 0 && part[i] == '\\') {
                text += part[i];
                if (i + 1 < part.size()) text += part[++i];
                continue;
            }
            if (quote == 0 &&
                (part[i] == '"' || (part[i] == '\'' && (i == 0 || !is_name(part[i - 1])))))
                quote = part[i];
            else if (part[i] == quote)
                quote = 0;
            text += part[i];
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool comment_ = false;
};

class Flattener {
public:
    Flattener(const FindHeader& find) : find_(find) {}

    std::string flat(std::string_view given, const std::string& name, int depth)
    {
        if (given.find('\0') != std::string_view::npos)
            throw Error(ExitStatus::bad_usage,
                        fmt::format("{} is not text: it has zero bytes.", name),
                        "Name a file of CUDA C++.");
        // A byte order mark is no part of the text, and a compiler takes one only at its beginning.
        if (given.starts_with("\xEF\xBB\xBF")) given.remove_prefix(3);
        // A carriage return alone ends a line for some compilers.
        std::string text(given);
        for (std::size_t i = 0; i < text.size(); ++i)
            if (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) text[i] = '\n';
        if (depth > deepest)
            throw Error(
                ExitStatus::bad_usage,
                fmt::format("{}: headers include each other more than {} deep.", name, deepest),
                "Begin each header with #pragma once.");
        std::string all;
        Line line;
        int number = 1;
        for (Lines lines(text); lines.next(line); number += line.lines) {
            const std::string where = fmt::format("{}, line {}", name, number);
            std::string header;
            // What looks like a comment's inside may be none: a raw string can begin one for us
            // alone.
            included(line.alone, where, header);
            if (const auto own = included(line.text, where, header)) {
                if (!once_.contains(header)) {
                    all += fmt::format("#line 1 \"{}\"\n", header);
                    all += flat(*own, header, depth + 1);
                    all += fmt::format("\n#line {} \"{}\"", number + line.lines, name);
                }
                all += '\n';
                if (once_.contains(header))
                    all.append(static_cast<std::size_t>(line.lines) - 1, '\n');
            } else if (depth > 0 && is_once(line.text)) {
                once_.insert(name);
                all.append(static_cast<std::size_t>(line.lines), '\n');
            } else {
                all += line.raw;
            }
            if ((bytes_ += line.raw.size()) > max_included_bytes)
                throw Error(ExitStatus::bad_usage,
                            fmt::format("{}: with its headers the text has more than {} MB.", name,
                                        max_included_bytes >> 20),
                            "Leave out what the kernels do not need.");
        }
        return all;
    }

private:
    static bool is_once(std::string_view line)
    {
        line = trimmed(line);
        if (!line.starts_with('#')) return false;
        line.remove_prefix(1);
        return take_word(line) == "pragma" && take_word(line) == "once";
    }

    // import "name"; and export import <name>;
    static bool imports(std::string_view line)
    {
        std::string_view word = take_word(line);
        if (word == "export") word = take_word(line);
        return word == "import" && (line.starts_with('"') || line.starts_with('<'));
    }

    // The text of the lab's own file, if the line includes one; throws for what it must not name.
    std::optional<std::string> included(std::string_view line, const std::string& where,
                                        std::string& header)
    {
        for (const char* asks : {"__has_include", "__has_include_next", "__has_embed"})
            for (std::size_t at = line.find(asks); at != std::string_view::npos;
                 at = line.find(asks, at + 1)) {
                std::string_view rest = trimmed(line.substr(at + std::string_view(asks).size()));
                if (!rest.starts_with('(')) continue; // "#ifdef __has_include", or the longer word
                rest.remove_prefix(1);
                named(trimmed(rest), where);
            }
        std::string_view rest = trimmed(line);
        if (imports(rest))
            refuse(where, "imports a module or a header", "Include the header instead.");
        if (rest.starts_with("#"))
            rest.remove_prefix(1);
        else if (rest.starts_with("%:"))
            rest.remove_prefix(2);
        else if (rest.starts_with("\?\?="))
            rest.remove_prefix(3);
        else
            return std::nullopt;
        const std::string_view word = take_word(rest);
        if (word == "define" && (rest.find("__has_include") != std::string_view::npos ||
                                 rest.find("__has_embed") != std::string_view::npos))
            refuse(where, "asks for a file by a macro",
                   "Write __has_include itself where it is needed.");
        if (word == "line" ||
            (!word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0)) {
            // A compiler may print lines of the file that is named.
            if (const std::size_t quote = rest.find('"'); quote != std::string_view::npos)
                named(rest.substr(quote), where);
            return std::nullopt;
        }
        if (word == "pragma") {
            take_word(rest);
            if (take_word(rest) == "dependency") named(rest, where);
            return std::nullopt;
        }
        if (word != "include" && word != "include_next" && word != "import" && word != "embed")
            return std::nullopt;
        header = named(rest, where);
        if (word == "embed")
            refuse(where, "embeds a file",
                   "Write its numbers into the text, or let a buffer be filled from it.");
        return stays_in_folder(header) && header.find('/') == std::string::npos ? find_(header)
                                                                                : std::nullopt;
    }

    // "name" or <name>, which must stay in the folder or among the compiler's headers.
    std::string named(std::string_view operand, const std::string& where)
    {
        const char closes = operand.starts_with('"') ? '"' : operand.starts_with('<') ? '>' : '\0';
        const std::size_t end = closes == '\0' ? std::string_view::npos : operand.find(closes, 1);
        if (end == std::string_view::npos)
            refuse(where, "includes a header that a macro names",
                   "Write the header's name itself, in quotes.");
        const std::string name(operand.substr(1, end - 1));
        const bool plain = std::ranges::none_of(
            name, [](char c) { return c == '\\' || static_cast<unsigned char>(c) < ' '; });
        const bool leaves = name.starts_with('/') || name == ".." || name.starts_with("../") ||
                            name.find("/../") != std::string::npos || name.ends_with("/..") ||
                            !plain;
        if (leaves)
            refuse(where, fmt::format("includes \"{}\", which lies outside of its folder", name),
                   "Put the header beside the kernel and include it by its file name alone.");
        return name;
    }

    [[noreturn]] static void refuse(const std::string& where, const std::string& what,
                                    const std::string& cure)
    {
        throw Error(ExitStatus::bad_usage, fmt::format("{}: the text {}.", where, what), cure);
    }

    const FindHeader& find_;
    std::set<std::string> once_;
    std::size_t bytes_ = 0;
};

} // namespace

std::string with_headers(std::string_view text, const std::string& name, const FindHeader& find)
{
    return Flattener(find).flat(text, name, 0);
}

void check_ptx(std::string_view ptx, const std::string& name)
{
    if (ptx.find(".include") == std::string_view::npos) return;
    int number = 1;
    Line line;
    for (Lines lines(ptx); lines.next(line); number += line.lines) {
        const std::string_view rest = line.text;
        for (std::size_t at = rest.find(".include"); at != std::string_view::npos;
             at = rest.find(".include", at + 1)) {
            const std::size_t end = at + std::string_view(".include").size();
            if (end < rest.size() && is_name(rest[end])) continue;
            throw Error(
                ExitStatus::bad_usage,
                fmt::format("{}, PTX line {}: the text includes another file.", name, number),
                "Put what it holds into the text.");
        }
    }
}

bool stays_in_folder(std::string_view name)
{
    if (name.empty() || name.front() == '/' || name.find('\\') != std::string_view::npos ||
        name.find('\0') != std::string_view::npos)
        return false;
    while (!name.empty()) {
        const std::size_t end = std::min(name.find('/'), name.size());
        const std::string_view part = name.substr(0, end);
        if (part.empty() || part.front() == '.') return false; // ".." and hidden files, too
        name.remove_prefix(std::min(end + 1, name.size()));
    }
    return true;
}

} // namespace lanescope::labs

// Two readers of the same source. Rule must not miss any directive, however a compiler delimits
// literals and comments: it checks the start of each line and the source after each comment as if
// the file began there, and refuses names that it cannot parse. Flattener may miss an #include: the
// compiler then does not find that header.
#include "compute/experiment/source/includes.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "compute/error.h"
#include "compute/experiment/source/names.h"
#include "compute/text.h"

namespace lanescope::labs {
namespace {

constexpr int max_depth = 32;

bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

std::string_view trim_blanks(std::string_view text)
{
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

std::string_view take_word(std::string_view& rest)
{
    rest = trim_blanks(rest);
    std::size_t end = 0;
    while (end < rest.size() && is_name(rest[end])) ++end;
    const std::string_view word = rest.substr(0, end);
    rest = trim_blanks(rest.substr(end));
    return word;
}

// Removes the byte order mark, which compilers accept only at the start of a file. Turns a lone
// carriage return, which ends a line for some compilers, into a newline.
std::string normalised(std::string_view given, const std::string& name)
{
    if (given.find('\0') != std::string_view::npos)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} is not text: it contains NUL bytes.", name),
                    "Choose a CUDA C++ file.");
    if (given.starts_with("\xEF\xBB\xBF")) given.remove_prefix(3);
    std::string text(given);
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) text[i] = '\n';
    return text;
}

[[noreturn]] void refuse(const std::string& where, const std::string& what, const std::string& cure)
{
    throw ForbiddenInclude(ExitStatus::bad_usage, fmt::format("{}: the text {}.", where, what),
                           cure);
}

// Reads source, joining lines that end in a backslash.
class Cursor {
public:
    Cursor(std::string_view text, std::size_t at) : text_(text), at_(at) { skip_splices(); }

    std::size_t at() const { return at_; }
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool at_end() const { return at_ >= text_.size(); }
    char take()
    {
        const char c = peek();
        ++at_;
        skip_splices();
        return c;
    }
    bool take_if(std::string_view wanted)
    {
        Cursor ahead = *this;
        for (const char c : wanted)
            if (ahead.at_end() || ahead.take() != c) return false;
        *this = ahead;
        return true;
    }
    void skip_blanks()
    {
        while (is_blank(peek())) take();
    }
    void skip_blanks_and_comments()
    {
        for (;;) {
            if (is_blank(peek()))
                take();
            else if (!skip_comment())
                return;
        }
    }
    // A comment may span several lines.
    bool skip_comment()
    {
        if (!take_if("/*")) return false;
        while (!at_end() && !take_if("*/")) take();
        return true;
    }
    std::string take_name()
    {
        std::string name;
        while (is_name(peek())) name += take();
        return name;
    }
    // Takes the rest of the line, with blanks instead of comments.
    std::string take_line()
    {
        std::string rest;
        char quote = 0;
        while (!at_end() && peek() != '\n') {
            if (quote == 0 && skip_comment()) {
                rest += ' ';
                continue;
            }
            if (quote == 0 && take_if("//")) break;
            const char c = take();
            rest += c;
            if (quote != 0 && c == '\\' && peek() != '\n')
                rest += take();
            else if (c == quote)
                quote = 0;
            else if (quote == 0 && (c == '"' || c == '\''))
                quote = c;
        }
        return rest;
    }

private:
    void skip_splices()
    {
        while (at_ < text_.size() && text_[at_] == '\\') {
            std::size_t end = at_ + 1;
            while (end < text_.size() && is_blank(text_[end])) ++end;
            if (end >= text_.size() || text_[end] != '\n') return;
            at_ = end + 1;
        }
    }

    std::string_view text_;
    std::size_t at_;
};

// Replaces trigraphs that form directives or continue lines.
std::string without_trigraphs(std::string_view text)
{
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view rest = text.substr(i);
        const bool number_sign = rest.starts_with("\?\?=");
        const bool other = number_sign || rest.starts_with("\?\?/");
        plain += number_sign ? '#' : other ? '\\' : text[i];
        if (other) i += 2;
    }
    return plain;
}

// True if some of the words, pasted together, form the wanted one.
bool is_made_of(std::string_view wanted, const std::set<std::string, std::less<>>& words)
{
    std::vector<bool> reached(wanted.size() + 1);
    reached[0] = true;
    for (std::size_t begin = 0; begin < wanted.size(); ++begin)
        for (std::size_t end = begin + 1; reached[begin] && end <= wanted.size(); ++end)
            if (end - begin < wanted.size() && words.contains(wanted.substr(begin, end - begin)))
                reached[end] = true;
    return reached[wanted.size()];
}

constexpr std::string_view questions[] = {"__has_include", "__has_include_next", "__has_embed"};

// True for __has_include and the like, and for macros of the toolkits' headers that are named after
// them.
bool asks_for_file(std::string_view written)
{
    const std::string name = lower_case(written);
    return name.ends_with("has_include") || name.ends_with("has_include_next") ||
           name.ends_with("has_embed");
}

// True if the name is an absolute path, or has a component that is hidden or "..". On Windows,
// paths have backslashes, and drives a colon.
bool leaves_folder(std::string_view name)
{
    if (name.starts_with('/') || name.find_first_of("\\:") != name.npos) return true;
    while (!name.empty()) {
        const std::size_t end = std::min(name.find('/'), name.size());
        if (name.starts_with('.') && end > 1) return true;
        name.remove_prefix(std::min(end + 1, name.size()));
    }
    return false;
}

// Refuses source that includes files outside its folder.
class Rule {
public:
    explicit Rule(const Includes& includes) : includes_(includes) {}

    void check(std::string_view given, const std::string& name)
    {
        if (!seen_.insert(name).second) return;
        const std::string text = normalised(given, name);
        check_pasted(text, name);
        check_from_each_start(text, name);
        if (text.find("\?\?") != text.npos) check_from_each_start(without_trigraphs(text), name);
    }

private:
    void check_from_each_start(std::string_view text, const std::string& name)
    {
        int line = 1;
        check_directive(text, 0, name, line);
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '\n')
                check_directive(text, i + 1, name, ++line);
            else if (text.substr(i).starts_with("*/"))
                check_directive(text, i + 2, name, line);
        }
    }

    // A comment before a directive needs no skipping: the source after each comment is checked too.
    void check_directive(std::string_view text, std::size_t begin, const std::string& name,
                         int line)
    {
        const auto where = [&] { return fmt::format("{}, line {}", name, line); };
        Cursor at(text, begin);
        // Limits the total: comments and joined lines after many starts would take quadratic time.
        const auto count = [&] {
            if ((read_ += at.at() - begin) > max_directive_bytes)
                refuse(where(), "has comments or joined lines that each span many directives",
                       "End each of them.");
        };
        at.skip_blanks();
        if (!at.take_if("#") && !at.take_if("%:")) {
            if (at.peek() == 'i' || at.peek() == 'e') check_import(at, where());
            return count();
        }
        at.skip_blanks_and_comments();
        const std::string word = at.take_name();
        const std::string operand = at.take_line();
        count();
        check_questions(word, operand, where());
        if (word == "line" ||
            (!word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0)) {
            // A compiler may quote lines of the named file in its messages.
            if (const std::size_t quote = operand.find('"'); quote != std::string::npos)
                named(std::string_view(operand).substr(quote), where());
        } else if (word == "pragma") {
            std::string_view rest = operand;
            take_word(rest);
            if (take_word(rest) == "dependency") named(rest, where());
        } else if (word == "include" || word == "include_next" || word == "import" ||
                   word == "embed") {
            const std::string header = named(trim_blanks(operand), where());
            if (word == "embed")
                refuse(where(), "embeds a file",
                       "Write its numbers into the source, or fill a buffer from it.");
            if (leaves_folder(header)) return; // outside the folder, but allowed
            if (const auto own = includes_.find(header)) check(*own, header);
        }
    }

    // import "name"; and export import <name>;
    static void check_import(Cursor& at, const std::string& where)
    {
        std::string word = at.take_name();
        at.skip_blanks_and_comments();
        if (word == "export") {
            word = at.take_name();
            at.skip_blanks_and_comments();
        }
        if (word == "import" && (at.peek() == '"' || at.peek() == '<'))
            refuse(where, "imports a module or a header", "Include the header instead.");
    }

    void check_questions(const std::string& word, std::string_view operand,
                         const std::string& where) const
    {
        for (std::size_t i = 0; i < operand.size(); ++i) {
            if (!is_name(operand[i]) || (i > 0 && is_name(operand[i - 1]))) continue;
            std::string_view rest = operand.substr(i);
            const std::string name(take_word(rest));
            if (!asks_for_file(name)) continue;
            if (rest.starts_with('(')) // "#ifdef __has_include" has no bracket
                named(trim_blanks(rest.substr(1)), where);
            if (word == "define" && std::ranges::find(questions, name) != std::end(questions))
                refuse(where, "defines a macro that asks for a file",
                       "Write out __has_include where it is needed.");
        }
    }

    // Returns the name in "name" or <name>, which must be in the folder or among the compiler's
    // headers.
    std::string named(std::string_view operand, const std::string& where) const
    {
        const char closes = operand.starts_with('"') ? '"' : operand.starts_with('<') ? '>' : '\0';
        const std::size_t end = closes == '\0' ? std::string_view::npos : operand.find(closes, 1);
        if (end == std::string_view::npos)
            refuse(where, "includes a header whose name comes from a macro",
                   "Write out the header's name in quotes.");
        const std::string name(operand.substr(1, end - 1));
        const bool plain = std::ranges::none_of(
            name, [](char c) { return c == '\\' || static_cast<unsigned char>(c) < ' '; });
        const bool allowed = includes_.allows && plain && includes_.allows(name);
        if ((leaves_folder(name) || !plain) && !allowed)
            refuse(where, fmt::format("includes \"{}\", which is outside its folder", name),
                   includes_.allows
                       ? "Put the header beside the kernel, or name its folder with -I."
                       : "Put the header beside the kernel and include it by its file name only.");
        return name;
    }

    // Refuses tokens that paste to __has_include ("__has_" ## include), also through
    // macros of the toolkits' headers.
    static void check_pasted(std::string_view text, const std::string& name);

    // Returns the first quoted name that leaves the folder.
    static std::string first_outside_folder(std::string_view text)
    {
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] != '"' && text[i] != '<') continue;
            const std::size_t end = text.find(text[i] == '"' ? '"' : '>', i + 1);
            if (end == text.npos) continue;
            const std::string_view file = text.substr(i + 1, end - i - 1);
            if (leaves_folder(file) && file.find_first_of("\n;") == file.npos)
                return std::string(file);
        }
        return {};
    }

    static constexpr std::size_t max_directive_bytes = 4 * max_included_bytes;

    const Includes& includes_;
    std::set<std::string> seen_;
    std::size_t read_ = 0; // total length of the directives, with their comments
};

// One logical line, and the number of physical lines it spans.
struct Line {
    std::string text;
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
        line.lines = 0;
        bool more = true;
        while (more && at_ < text_.size()) {
            std::size_t end = std::min(text_.find('\n', at_), text_.size());
            std::string_view part = text_.substr(at_, end - at_);
            at_ = std::min(end + 1, text_.size());
            ++line.lines;
            std::string_view shown = part;
            while (!shown.empty() && is_blank(shown.back())) shown.remove_suffix(1);
            more = shown.ends_with('\\') && raw_end_.empty();
            if (more) part = shown.substr(0, shown.size() - 1);
            add(part, line.text);
        }
        line.raw = text_.substr(begin, at_ - begin);
        return true;
    }

private:
    // Appends the code without comments and without the contents of raw strings. Other literals
    // stay, because header names look like them.
    void add(std::string_view part, std::string& text)
    {
        char quote = 0; // an unterminated literal ends with its line
        for (std::size_t i = 0; i < part.size(); ++i) {
            const std::string_view rest = part.substr(i);
            if (!raw_end_.empty()) {
                const std::size_t end = rest.find(raw_end_);
                if (end == rest.npos) return;
                i += end + raw_end_.size() - 1;
                raw_end_.clear();
            } else if (comment_) {
                if (rest.starts_with("*/")) comment_ = false, ++i;
            } else if (quote == 0 && rest.starts_with("/*")) {
                comment_ = true;
                text += ' ';
                ++i;
            } else if (quote == 0 && rest.starts_with("//")) {
                return;
            } else if (quote != 0 && part[i] == '\\') {
                text += part[i];
                if (i + 1 < part.size()) text += part[++i];
            } else if (quote == 0 && part[i] == '"' && begins_raw(text, rest)) {
                text += "\"\"";
                i += rest.find('(');
            } else {
                if (quote == 0 && (part[i] == '"' || (part[i] == '\'' && !is_separator(text))))
                    quote = part[i];
                else if (part[i] == quote)
                    quote = 0;
                text += part[i];
            }
        }
    }

    static std::string_view last_word(std::string_view before)
    {
        std::size_t begin = before.size();
        while (begin > 0 && is_name(before[begin - 1])) --begin;
        return before.substr(begin);
    }

    // R"end( … )end", with or without an encoding prefix.
    bool begins_raw(std::string_view before, std::string_view rest)
    {
        constexpr std::string_view prefixes[] = {"R", "LR", "uR", "UR", "u8R"};
        constexpr std::size_t max_delimiter = 16;
        const std::size_t opens = rest.substr(0, max_delimiter + 2).find('(');
        if (opens == rest.npos ||
            std::ranges::find(prefixes, last_word(before)) == std::end(prefixes))
            return false;
        raw_end_ = fmt::format("){}\"", rest.substr(1, opens - 1));
        return true;
    }

    // True if the quote separates the digits of a number; in u'"' it starts a character literal.
    static bool is_separator(std::string_view before)
    {
        const std::string_view word = last_word(before);
        return !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool comment_ = false;
    std::string raw_end_{}; // end of the unfinished raw string; empty: none
};

// The code without its string literals, which macros cannot paste to names.
std::string without_strings(std::string_view code)
{
    std::string rest;
    while (!code.empty()) {
        const bool character = code.starts_with("'\"'") || code.starts_with("'\\\"'");
        if (character) code.remove_prefix(code[1] == '\\' ? 4 : 3);
        if (character || code.empty()) continue;
        if (code.front() == '"') {
            std::size_t end = 1;
            while (end < code.size() && code[end] != '"') end += code[end] == '\\' ? 2 : 1;
            code.remove_prefix(std::min(end + 1, code.size()));
            rest += ' ';
            continue;
        }
        rest += code.front();
        code.remove_prefix(1);
    }
    return rest;
}

void Rule::check_pasted(std::string_view text, const std::string& name)
{
    std::set<std::string, std::less<>> words;
    Lines lines(text);
    for (Line line; lines.next(line);) {
        const std::string code = without_strings(line.text);
        for (std::size_t i = 0; i < code.size();) {
            const std::size_t begin = i;
            while (i < code.size() && is_name(code[i])) ++i;
            if (i > begin && i - begin < 20) words.emplace(code.substr(begin, i - begin));
            if (i == begin) ++i;
        }
    }
    const bool pasted = std::ranges::any_of(
        questions, [&](std::string_view one) { return is_made_of(one, words); });
    if (!pasted) return;
    const std::string file = first_outside_folder(text);
    refuse(name,
           file.empty() ? "could form __has_include by token pasting"
                        : fmt::format("asks for \"{}\" by token pasting", file),
           "Write out __has_include where it is needed.");
}

class Flattener {
public:
    explicit Flattener(const FindHeader& find) : find_(find) {}

    std::string flat(std::string_view given, const std::string& name, int depth)
    {
        const std::string text = normalised(given, name);
        if (depth > max_depth)
            throw Error(
                ExitStatus::bad_usage,
                fmt::format("{}: headers include each other more than {} deep.", name, max_depth),
                "Start each header with #pragma once.");
        std::string all;
        Line line;
        int number = 1;
        for (Lines lines(text); lines.next(line); number += line.lines) {
            std::string header;
            if (const auto own = included(line.text, header)) {
                if (!once_.contains(header)) {
                    all += fmt::format("#line 1 \"{}\"\n", header);
                    all += flat(*own, header, depth + 1);
                    all += fmt::format("\n#line {} \"{}\"", number + line.lines, in_quotes(name));
                }
                all += '\n';
                if (once_.contains(header))
                    all.append(static_cast<std::size_t>(line.lines) - 1, '\n');
            } else if (depth > 0 && is_pragma_once(line.text)) {
                once_.insert(name);
                all.append(static_cast<std::size_t>(line.lines), '\n');
            } else {
                all += line.raw;
            }
            if ((bytes_ += line.raw.size()) > max_included_bytes)
                throw Error(ExitStatus::bad_usage,
                            fmt::format("{}: with its headers the source is larger than {} MB.",
                                        name, max_included_bytes >> 20),
                            "Leave out what the kernels do not need.");
        }
        return all;
    }

private:
    static bool is_pragma_once(std::string_view line)
    {
        line = trim_blanks(line);
        if (!line.starts_with('#')) return false;
        line.remove_prefix(1);
        return take_word(line) == "pragma" && take_word(line) == "once";
    }

    // The source of the lab's own file that the line includes, if any.
    std::optional<std::string> included(std::string_view line, std::string& header) const
    {
        std::string_view rest = trim_blanks(line);
        if (rest.starts_with("#"))
            rest.remove_prefix(1);
        else if (rest.starts_with("%:"))
            rest.remove_prefix(2);
        else
            return std::nullopt;
        const std::string_view word = take_word(rest);
        if (word != "include" && word != "include_next" && word != "import") return std::nullopt;
        const char closes = rest.starts_with('"') ? '"' : rest.starts_with('<') ? '>' : '\0';
        const std::size_t end = closes == '\0' ? rest.npos : rest.find(closes, 1);
        if (end == rest.npos) return std::nullopt;
        header = rest.substr(1, end - 1);
        const bool beside = stays_in_folder(header) && header.find('/') == std::string::npos;
        return beside ? find_(header) : std::nullopt;
    }

    const FindHeader& find_;
    std::set<std::string> once_;
    std::size_t bytes_ = 0;
};

} // namespace

std::string in_quotes(std::string_view name)
{
    std::string text;
    for (const char c : name) {
        if (c == '"' || c == '\\') text += '\\';
        text += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? '?' : c;
    }
    return text;
}

std::string with_headers(std::string_view text, const std::string& name, const FindHeader& find)
{
    check_includes(text, name, {find, {}});
    return Flattener(find).flat(text, name, 0);
}

void check_includes(std::string_view text, const std::string& name, const Includes& includes)
{
    Rule(includes).check(text, name);
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
                "Paste its contents into the text.");
        }
    }
}

bool stays_in_folder(std::string_view name)
{
    if (name.empty() || name.front() == '/' ||
        name.find_first_of(std::string_view("\\:\0", 3)) != std::string_view::npos)
        return false;
    while (!name.empty()) {
        const std::size_t end = std::min(name.find('/'), name.size());
        const std::string_view part = name.substr(0, end);
        if (part.empty() || part.front() == '.') return false; // ".." and hidden files too
        name.remove_prefix(std::min(end + 1, name.size()));
    }
    return true;
}

} // namespace lanescope::labs

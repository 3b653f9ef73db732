// A small reader for each kind of file: C++ and scripts give their literals, JSON its texts,
// kernels their comments; everything else is for people as it stands.
#include "tests/unit/tree/words.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

#include "tests/unit/tree/source_tree.h"

namespace lanescope::tree {
namespace {

bool is_letter(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts)
{
    return std::ranges::any_of(starts, [&](auto start) { return text.starts_with(start); });
}

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> ends)
{
    return std::ranges::any_of(ends, [&](auto end) { return text.ends_with(end); });
}

// White space as one blank each, none around it.
std::string on_one_line(std::string_view text)
{
    std::string line;
    for (const char c : text) {
        if (std::isspace(static_cast<unsigned char>(c)) == 0)
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line;
}

// A name, a key or an expression of a record.
bool is_for_the_program(std::string_view text)
{
    const bool one_word = text.find(' ') == text.npos;
    const bool lower = !text.empty() && std::isupper(static_cast<unsigned char>(text[0])) == 0;
    return (one_word && lower) || text.find(" * ") != text.npos || text.find(" == ") != text.npos;
}

// Three letters in a row at least, outside of {formats} and escapes; and no code.
bool says_something(std::string_view text)
{
    if (starts_with_any(text, {"#include", "#define", "app/", "render/", "compute/", "libs/",
                               "--param=", "$L"}))
        return false;
    if (ends_with_any(text, {".h", ".cpp", ".so", ".cu", ".ptx", ".vert", ".frag"})) return false;
    if (text.find(";\n") != text.npos || text.find("::") != text.npos) return false;
    int run = 0;
    int inside = 0;
    for (const char c : text) {
        inside += (c == '{') - (c == '}' && inside > 0);
        run = is_letter(c) && inside == 0 ? run + 1 : 0;
        if (run == 3) return true;
    }
    return false;
}

class Reader {
public:
    Reader(const SourceFile& file, std::vector<Words>& words) : path_(file.path), words_(words)
    {
        text_ = read(file);
    }

    // "literals", with those joined that only white space is between.
    void cpp()
    {
        while (at_ < text_.size()) {
            if (see("//"))
                skip_line();
            else if (see("/*"))
                skip_past("*/");
            else if (text_[at_] == '#' && first_of_line())
                skip_line();
            else if (text_[at_] == '\'' && !digit_before())
                skip_character();
            else if (see("R\"") && !name_before())
                raw();
            else if (text_[at_] == '"')
                literal();
            else {
                if (std::isspace(static_cast<unsigned char>(text_[at_])) == 0) give();
                step();
            }
        }
        give();
    }

    // "texts" of JSON and of scripts, each by itself.
    void quoted()
    {
        while (at_ < text_.size()) {
            if (text_[at_] == '"') {
                literal();
                if (is_for_the_program(now_)) now_.clear();
                give();
            } else
                step();
        }
    }

    // Comments, of consecutive lines together.
    void comments()
    {
        while (at_ < text_.size()) {
            const int line = line_;
            const std::size_t end = std::min(text_.find('\n', at_), text_.size());
            const std::string all = text_.substr(at_, end - at_);
            if (const auto from = all.find("//"); from != all.npos) {
                if (now_.empty()) begin_ = line;
                now_ += all.substr(from + 2) + ' ';
            } else
                give();
            skip_line();
        }
        give();
    }

    // Every line; empty ones part.
    void prose()
    {
        while (at_ < text_.size()) {
            const std::size_t end = std::min(text_.find('\n', at_), text_.size());
            begin_ = line_;
            now_ = text_.substr(at_, end - at_);
            give();
            skip_line();
        }
    }

private:
    bool see(std::string_view what) const { return text_.compare(at_, what.size(), what) == 0; }
    bool first_of_line() const
    {
        const auto before = text_.find_last_not_of(" \t", at_ == 0 ? 0 : at_ - 1);
        return at_ == 0 || before == text_.npos || text_[before] == '\n';
    }
    bool digit_before() const // 1'000
    {
        return at_ > 0 && std::isxdigit(static_cast<unsigned char>(text_[at_ - 1])) != 0;
    }
    bool name_before() const
    {
        return at_ > 0 && (is_letter(text_[at_ - 1]) || text_[at_ - 1] == '_');
    }
    void step()
    {
        line_ += text_[at_] == '\n';
        ++at_;
    }
    void skip_line()
    {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
        if (at_ < text_.size()) step();
    }
    void skip_past(std::string_view end)
    {
        while (at_ < text_.size() && !see(end)) step();
        at_ = std::min(at_ + end.size(), text_.size());
    }
    void skip_character()
    {
        for (++at_; at_ < text_.size() && text_[at_] != '\'' && text_[at_] != '\n'; ++at_)
            at_ += text_[at_] == '\\';
        at_ = std::min(at_ + 1, text_.size());
    }
    void raw()
    {
        const auto open = text_.find('(', at_);
        const std::string end = ')' + text_.substr(at_ + 2, open - at_ - 2) + '"';
        if (now_.empty()) begin_ = line_;
        const auto close = std::min(text_.find(end, open), text_.size());
        now_ += text_.substr(open + 1, close - open - 1);
        skip_past(end);
    }
    void literal()
    {
        if (now_.empty()) begin_ = line_;
        for (step(); at_ < text_.size() && text_[at_] != '"'; step()) {
            if (text_[at_] != '\\') {
                now_ += text_[at_];
                continue;
            }
            step();
            now_ += text_[at_] == 'n' ? '\n' : text_[at_];
        }
        at_ = std::min(at_ + 1, text_.size());
    }
    void give()
    {
        if (says_something(now_)) words_.push_back({path_, begin_, on_one_line(now_)});
        now_.clear();
    }

    std::string path_;
    std::string text_;
    std::vector<Words>& words_;
    std::size_t at_ = 0;
    int line_ = 1;
    int begin_ = 1;   // of what follows
    std::string now_; // what has been read and not given
};

} // namespace

std::vector<Words> visible_words()
{
    std::vector<Words> words;
    for (const SourceFile& file : all_files()) {
        const std::string& path = file.path;
        if (path == "README.md") {
            Reader(file, words).prose();
            continue;
        }
        if (!starts_with_any(path, {"app/", "render/", "compute/", "assets/"})) continue;
        if (starts_with_any(path, {"compute/ptx/probes/", "compute/cuda/measure/", "app/packaging/",
                                   "app/cmake/", "compute/README", "app/old_glibc"}))
            continue; // PTX that is written, and what only those read who build the program
        Reader reader(file, words);
        if (is_cpp(file))
            reader.cpp();
        else if (ends_with_any(path, {".md", ".lecture", ".txt"}) &&
                 !path.ends_with("CMakeLists.txt"))
            reader.prose();
        else if (path.ends_with(".cu") || path.ends_with("lanes.h"))
            reader.comments();
        else if (path.ends_with("lab.json") || path.ends_with("colour_maps.json") ||
                 path.ends_with(".sh"))
            reader.quoted();
    }
    return words;
}

std::vector<OldWords> old_words()
{
    std::vector<OldWords> words;
    for (const SourceFile& file : all_files()) {
        if (file.path != "tests/unit/tree/old_words.txt") continue;
        std::istringstream lines(read(file));
        for (std::string line; std::getline(lines, line);) {
            const auto bar = line.find(" | ");
            if (line.empty() || line.front() == '#' || bar == line.npos) continue;
            words.push_back({line.substr(0, bar), line.substr(bar + 3)});
        }
    }
    return words;
}

bool has_words(const std::string& words, const std::string& text)
{
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) ==
               std::tolower(static_cast<unsigned char>(b));
    };
    const auto inside = [](char c) { return is_letter(c) || c == '_'; };
    for (auto from = words.begin();; ++from) {
        from = std::search(from, words.end(), text.begin(), text.end(), same);
        if (from == words.end()) return false;
        const auto to = from + static_cast<std::ptrdiff_t>(text.size());
        if ((from == words.begin() || !inside(from[-1])) && (to == words.end() || !inside(*to)))
            return true;
    }
}

} // namespace lanescope::tree

// Extracts texts by kind of file: literals of C++ and scripts, JSON strings, comments, identifiers;
// other files are prose and read line by line.
#include "tests/unit/tree/words.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>

#include "tests/unit/tree/source_tree.h"

namespace lanescope::tree {
namespace {

bool is_letter(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

bool is_name(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts)
{
    return std::ranges::any_of(starts, [&](auto start) { return text.starts_with(start); });
}

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> ends)
{
    return std::ranges::any_of(ends, [&](auto end) { return text.ends_with(end); });
}

// Collapses white space to single blanks and trims the ends.
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

// True for a record's names, keys and expressions: the program uses them, users do not see them.
bool is_internal(std::string_view text)
{
    const bool one_word = text.find(' ') == text.npos;
    const bool lower = !text.empty() && std::isupper(static_cast<unsigned char>(text[0])) == 0;
    return (one_word && lower) || text.find(" * ") != text.npos || text.find(" == ") != text.npos;
}

// True if the text is not code and has three consecutive letters outside {formats} and escapes.
bool is_prose(std::string_view text)
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

    // C++ string literals; adjacent literals are joined.
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

    // Strings of JSON and scripts, one by one.
    void quoted()
    {
        while (at_ < text_.size()) {
            if (text_[at_] == '"') {
                literal();
                if (is_internal(now_)) now_.clear();
                give();
            } else
                step();
        }
    }

    // C++ comments: consecutive full-line comments are joined, trailing ones are separate.
    void cpp_comments()
    {
        int last = -1; // line of the last full-line comment
        while (at_ < text_.size()) {
            if (see("//")) {
                const bool whole = first_of_line();
                if (!whole || line_ != last + 1) give();
                if (now_.empty()) begin_ = line_;
                const std::size_t end = std::min(text_.find('\n', at_), text_.size());
                now_ += text_.substr(at_ + 2, end - at_ - 2) + ' ';
                last = whole ? line_ : -1;
                skip_line();
            } else
                skip_token();
        }
        give();
    }

    // Comments of scripts and CMake files: lines that begin with '#'.
    void script_comments()
    {
        while (at_ < text_.size()) {
            const std::size_t end = std::min(text_.find('\n', at_), text_.size());
            const std::size_t first = text_.find_first_not_of(" \t", at_);
            if (first < end && text_[first] == '#' && text_.compare(first, 2, "#!") != 0) {
                if (now_.empty()) begin_ = line_;
                now_ += text_.substr(first + 1, end - first - 1) + ' ';
            } else
                give();
            skip_line();
        }
        give();
    }

    // Every identifier once, with the line of its first use.
    void identifiers()
    {
        std::set<std::string> seen;
        while (at_ < text_.size()) {
            if (is_letter(text_[at_]) || text_[at_] == '_') {
                const std::size_t begin = at_;
                while (at_ < text_.size() && is_name(text_[at_])) ++at_;
                std::string name = text_.substr(begin, at_ - begin);
                const bool raw_string = at_ < text_.size() && text_[at_] == '"' && name == "R";
                if (raw_string) {
                    at_ = begin;
                    skip_token();
                } else if (seen.insert(name).second)
                    words_.push_back({path_, line_, std::move(name)});
            } else if (see("//"))
                skip_line();
            else
                skip_token();
        }
    }

    // Comments; consecutive lines are joined.
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

    // Paragraphs, separated by empty lines.
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
    // Skips a string, a character, a block comment, a directive's name, or one character of code.
    void skip_token()
    {
        if (see("/*"))
            skip_past("*/");
        else if (text_[at_] == '\'' && !digit_before())
            skip_character();
        else if (see("R\"") && !name_before()) {
            raw();
            now_.clear();
        } else if (text_[at_] == '"') {
            const std::string kept = std::move(now_);
            const int begin = begin_;
            literal();
            now_ = kept;
            begin_ = begin;
        } else
            step();
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
        if (is_prose(now_)) words_.push_back({path_, begin_, on_one_line(now_)});
        now_.clear();
    }

    std::string path_;
    std::string text_;
    std::vector<Words>& words_;
    std::size_t at_ = 0;
    int line_ = 1;
    int begin_ = 1;   // line where the current text starts
    std::string now_; // text read so far
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
            continue; // generated PTX, or texts for those who build the program
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

namespace {

bool is_script(const SourceFile& file)
{
    return ends_with_any(file.path, {".sh", ".py", ".cmake", "CMakeLists.txt"});
}

bool has_cpp_comments(const SourceFile& file)
{
    return is_cpp(file) || ends_with_any(file.path, {".cu", ".def", ".glsl", ".vert", ".frag"});
}

} // namespace

std::vector<Words> comments()
{
    std::vector<Words> words;
    for (const SourceFile& file : all_files()) {
        Reader reader(file, words);
        if (has_cpp_comments(file))
            reader.cpp_comments();
        else if (is_script(file))
            reader.script_comments();
    }
    return words;
}

std::vector<Words> identifiers()
{
    std::vector<Words> words;
    for (const SourceFile& file : all_files())
        if (is_cpp(file) || file.path.ends_with(".def")) Reader(file, words).identifiers();
    return words;
}

std::vector<Words> test_names()
{
    static const std::regex macro(R"(TEST(?:_F|_P)?\(\w+,\s*(\w+)\))");
    std::vector<Words> words;
    for (const SourceFile& file : all_files()) {
        if (!file.path.starts_with("tests/") || !file.path.ends_with(".cpp")) continue;
        const std::string text = read(file);
        for (std::sregex_iterator one(text.begin(), text.end(), macro), end; one != end; ++one) {
            const auto before = text.begin() + one->position();
            const auto line = 1 + std::count(text.begin(), before, '\n');
            words.push_back({file.path, static_cast<int>(line), (*one)[1].str()});
        }
    }
    return words;
}

std::string as_words(const std::string& name)
{
    std::string text;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        const bool upper = std::isupper(static_cast<unsigned char>(c)) != 0;
        if (c == '_' || (upper && i > 0 && name[i - 1] != '_')) text += ' ';
        if (c != '_') text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return on_one_line(text);
}

std::vector<Habit> habits()
{
    std::vector<Habit> all;
    for (const SourceFile& file : all_files()) {
        if (file.path != "tests/unit/tree/habits.txt") continue;
        std::istringstream lines(read(file));
        for (std::string line; std::getline(lines, line);) {
            const auto where = line.find(" | ");
            const auto better = line.rfind(" | ");
            if (line.empty() || line.front() == '#' || where == better) continue;
            all.push_back({line.substr(0, where), line.substr(where + 3, better - where - 3),
                           line.substr(better + 3)});
        }
    }
    return all;
}

bool has_habit(const std::string& words, const Habit& habit)
{
    if (!habit.where.ends_with(" start")) return has_words(words, habit.text);
    // A comment that starts in lower case is a clause about its line and is not checked.
    if (habit.where.starts_with("comment") &&
        std::isupper(static_cast<unsigned char>(words.front())) == 0)
        return false;
    const std::size_t end = habit.text.size();
    return words.size() > end && words[end] == ' ' && has_words(words.substr(0, end), habit.text);
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

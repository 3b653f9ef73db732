// Not a C++ parser: recognises the idioms of tutorials and ignores the rest. Anything that must be
// correct comes from the PTX.
#include "compute/experiment/source/source_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "compute/experiment/source/names.h"
#include "compute/experiment/source/words.h"
#include "compute/read_number.h"
#include "compute/text.h"

namespace lanescope::labs {
namespace {

// Limit, because the source may come from anywhere.
constexpr int max_kernels = 1000;
constexpr int max_launches = 100;
constexpr std::size_t max_value_length = 200; // limit for a constant

std::string without_blanks(std::string_view text)
{
    std::string all;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (std::isspace(static_cast<unsigned char>(text[i])) == 0) {
            all += text[i];
            continue;
        }
        // Words must stay separate.
        std::size_t next = i;
        while (next < text.size() && std::isspace(static_cast<unsigned char>(text[next])) != 0)
            ++next;
        if (!all.empty() && next < text.size() && is_name(all.back()) && is_name(text[next]))
            all += ' ';
        i = next - 1;
    }
    return all;
}

// Position of the bracket that closes the one at `open`; the end of the source if there is none.
std::size_t closed(std::string_view text, std::size_t open)
{
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
        if (text[i] == ')' || text[i] == ']' || text[i] == '}') --depth;
        if (depth == 0) return i;
    }
    return text.size();
}

std::vector<std::string> words_of(std::string_view text)
{
    std::vector<std::string> all;
    for (std::size_t i = 0; i < text.size();) {
        if (!is_name(text[i])) {
            if (std::isspace(static_cast<unsigned char>(text[i])) == 0)
                all.emplace_back(1, text[i]);
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && (is_name(text[end]) || text.substr(end, 2) == "::")) {
            end += text[end] == ':' ? 2 : 1;
        }
        all.emplace_back(text.substr(i, end - i));
        i = end;
    }
    return all;
}

SourceParameter parameter(std::string_view text)
{
    if (const auto standard = text.find('='); standard != std::string_view::npos)
        text = text.substr(0, standard);
    SourceParameter found;
    std::vector<std::string> words = words_of(text);
    std::erase_if(words, [](const std::string& word) {
        return word == "__restrict__" || word == "__restrict" || word == "restrict" ||
               word == "volatile" || word == "struct" || word == "__grid_constant__" || word == "&";
    });
    if (const auto array = std::ranges::find(words, "["); array != words.end()) {
        found.pointer = true;
        words.erase(array, words.end());
    }
    if (!words.empty() && words.back() != "*") {
        found.name = words.back();
        words.pop_back();
    }
    const auto star = std::ranges::find(words, "*");
    found.pointer |= star != words.end();
    const auto before = std::find(words.begin(), star, "const");
    found.is_const = before != star;
    words.erase(star, words.end());
    std::erase(words, "const");
    for (const std::string& word : words) found.type += (found.type.empty() ? "" : " ") + word;
    return found;
}

std::string_view next_word(std::string_view text, std::size_t& at)
{
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
    const std::size_t begin = at;
    while (at < text.size() && is_name(text[at])) ++at;
    return text.substr(begin, at - begin);
}

// Calls `visit` with the position after each occurrence of the word.
template <class Visit>
void for_each_word(std::string_view text, std::string_view word, Visit&& visit)
{
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + word.size())) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_name(text[at - 1])) && (end == text.size() || !is_name(text[end])))
            visit(end);
    }
}

// "#define N 1024", "const int n = 4 * N;", "constexpr float dt = 0.1f;"
void find_constants(std::string_view text, SourceText& source)
{
    std::vector<std::pair<std::string, std::string>> definitions;
    for_each_word(text, "define", [&](std::size_t at) {
        const std::string_view name = next_word(text, at);
        const std::string_view rest = text.substr(std::min(at, text.size()), max_value_length);
        const std::string_view value = trimmed(rest.substr(0, rest.find('\n')));
        if (!name.empty() && !value.empty()) definitions.emplace_back(name, value);
    });
    for (const char* word : {"const", "constexpr"})
        for_each_word(text, word, [&](std::size_t at) {
            constexpr int max_words = 6;
            std::string_view name;
            for (int i = 0; i < max_words; ++i) {
                const std::string_view next = next_word(text, at);
                if (next.empty()) break;
                name = next;
            }
            std::size_t equals = at;
            next_word(text, equals);
            if (name.empty() || equals >= text.size() || text[equals] != '=') return;
            const std::string_view rest = text.substr(equals + 1, max_value_length);
            const std::size_t end = rest.find_first_of(";,)");
            if (end != std::string_view::npos) definitions.emplace_back(name, rest.substr(0, end));
        });
    // Definitions may refer to later ones.
    for (int round = 0; round < 3; ++round)
        for (const auto& [name, value] : definitions)
            if (const auto number = constant(value, source.constants))
                source.constants[name] = *number;
}

// Position of the angle bracket that closes the one at `open`.
std::size_t closed_angle(std::string_view text, std::size_t open)
{
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        depth += text[i] == '<';
        depth -= text[i] == '>';
        if (depth == 0) return i;
    }
    return text.size();
}

void find_kernels(std::string_view text, SourceText& source)
{
    constexpr std::string_view word = "__global__";
    int seen = 0;
    for (std::size_t at = text.find(word); at != std::string_view::npos && seen < max_kernels;
         at = text.find(word, at + word.size()), ++seen) {
        std::size_t open = at + word.size();
        // __launch_bounds__(256) and __cluster_dims__ also have brackets.
        std::string name;
        while (true) {
            open = text.find_first_of("({;", open);
            if (open == std::string_view::npos || text[open] != '(') break;
            std::size_t end = open;
            while (end > 0 && std::isspace(static_cast<unsigned char>(text[end - 1])) != 0) --end;
            std::size_t begin = end;
            while (begin > 0 && is_name(text[begin - 1])) --begin;
            name = text.substr(begin, end - begin);
            if (!name.starts_with("__")) break;
            open = closed(text, open) + 1;
            name.clear();
        }
        if (name.empty()) continue;
        const std::size_t close = closed(text, open);
        const std::size_t body = text.find_first_not_of(" \t\r\n", close + 1);
        if (body == std::string_view::npos || text[body] != '{')
            continue; // a declaration or instantiation
        SourceKernel kernel{.name = name};
        kernel.line = 1 + static_cast<int>(std::count(text.begin(), text.begin() + at, '\n'));
        for (const std::string_view one : split(text.substr(open + 1, close - open - 1)))
            if (one != "void") kernel.parameters.push_back(parameter(one));
        kernel.body = without_blanks(text.substr(body, closed(text, body) - body));
        // A preceding "template <…>", with only declarators in between.
        const std::size_t before = text.substr(0, at).find_last_of(";}");
        const std::size_t from = before == std::string_view::npos ? 0 : before + 1;
        const std::size_t head = text.substr(0, at).rfind("template");
        if (head != std::string_view::npos && head >= from) {
            const std::size_t angle = text.find('<', head);
            if (angle < at) {
                kernel.is_template = true;
                kernel.template_head =
                    std::string(text.substr(angle + 1, closed_angle(text, angle) - angle - 1));
            }
        }
        if (!source.find(kernel.name)) source.kernels.push_back(std::move(kernel));
    }
}

// Initial value of a variable: "16, 16" for "dim3 block(16, 16);", "256" for "int threads = 256;".
std::string_view declared(std::string_view text, std::string_view variable)
{
    std::string_view found;
    for_each_word(text, variable, [&](std::size_t at) {
        next_word(text, at); // skips blanks
        if (!found.empty() || at >= text.size()) return;
        if (text[at] == '(' || text[at] == '{')
            found = text.substr(at + 1, closed(text, at) - at - 1);
        else if (text[at] == '=' && text.substr(at, 2) != "==")
            found =
                text.substr(at + 1, std::min(text.find_first_of(";,", at), text.size()) - at - 1);
    });
    return found;
}

// "int n = 1 << 20, threads = 256;" in host functions, excluding loop counters.
std::map<std::string, double> host_numbers(std::string_view text, SourceText& source)
{
    std::map<std::string, double> known = source.constants;
    for (int round = 0; round < 2; ++round)
        for (const char* type : {"int", "unsigned", "size_t", "long", "float", "double", "auto",
                                 "uint32_t", "int32_t", "uint"})
            for_each_word(text, type, [&](std::size_t at) {
                const std::size_t word = at - std::string_view(type).size();
                const std::string_view before = trimmed(text.substr(0, word));
                if (before.empty() || (before.back() != ';' && before.back() != '{' &&
                                       before.back() != '}' && !is_name(before.back())))
                    return;
                const std::size_t end = text.find(';', at);
                if (end == std::string_view::npos || end - at > max_value_length) return;
                for (const std::string_view one : split(text.substr(at, end - at))) {
                    const std::size_t equals = one.find('=');
                    if (equals == std::string_view::npos) continue;
                    const std::string_view name = trimmed(one.substr(0, equals));
                    if (name.empty() || !std::ranges::all_of(name, is_name)) continue;
                    source.sums.try_emplace(std::string(name), trimmed(one.substr(equals + 1)));
                    if (const auto number = constant(one.substr(equals + 1), known))
                        known.try_emplace(std::string(name), *number);
                }
            });
    return known;
}

// Extents per axis of "dim3(8, 8)", of a variable declared like that, or of a number. The source
// that contains them is stored in `words`.
std::vector<double> extents_of(std::string_view shape, std::string_view text,
                               const std::map<std::string, double>& names, std::string& words)
{
    std::string_view list = shape;
    if (shape.starts_with("dim3")) {
        const auto open = shape.find_first_of("({");
        if (open == std::string_view::npos) return {};
        list = shape.substr(open + 1, closed(shape, open) - open - 1);
    } else if (std::ranges::all_of(shape, is_name)) {
        const std::string_view from = declared(text, shape);
        if (!from.empty()) list = from;
        if (const auto open = list.find("dim3"); open == 0)
            return extents_of(list, text, names, words);
    }
    words = list;
    std::vector<double> all;
    for (const std::string_view one : split(list)) {
        const auto number = constant(one, names);
        if (!number) return {};
        all.push_back(*number);
    }
    return all;
}

// "for (int k = 0; …": if several loops use the name, they must have the same initial value.
void find_counters(std::string_view text, SourceText& source)
{
    std::set<std::string> unlike;
    for_each_word(text, "for", [&](std::size_t at) {
        const std::size_t open = text.find_first_not_of(" \t\r\n", at);
        if (open == std::string_view::npos || text[open] != '(') return;
        const std::string_view begin =
            text.substr(open + 1, text.substr(open, max_value_length).find(';') - 1);
        const std::size_t equals = begin.find('=');
        if (equals == std::string_view::npos) return;
        const std::vector<std::string> words = words_of(begin.substr(0, equals));
        const auto first = constant(begin.substr(equals + 1), source.numbers);
        if (words.empty()) return;
        const auto [known, is_new] = source.counters.try_emplace(words.back(), first.value_or(0));
        if (!first || (!is_new && known->second != *first)) unlike.insert(words.back());
    });
    for (const std::string& name : unlike) source.counters.erase(name);
}

// Variable allocated by "&d_x" or "(void**)&d_x".
std::string allocated_name(std::string_view argument)
{
    const std::string_view name = trimmed(argument.substr(argument.find_last_of("&)") + 1));
    return std::ranges::all_of(name, is_name) ? std::string(name) : std::string();
}

void find_allocations(std::string_view text, SourceText& source)
{
    std::set<std::string> several;
    const auto add = [&](const std::string& name, std::string bytes) {
        const auto [known, is_new] = source.allocations.try_emplace(name, bytes);
        if (!is_new && known->second != bytes) several.insert(name);
    };
    const auto arguments = [&](std::size_t at) {
        const bool call = at < text.size() && text[at] == '(';
        return call ? split(text.substr(at + 1, closed(text, at) - at - 1))
                    : std::vector<std::string_view>{};
    };
    for (const char* call : {"cudaMalloc", "cudaMallocManaged", "cudaMallocAsync"})
        for_each_word(text, call, [&](std::size_t at) {
            const auto given = arguments(at);
            if (given.size() >= 2) add(allocated_name(given[0]), std::string(given[1]));
        });
    for_each_word(text, "cudaMallocPitch", [&](std::size_t at) {
        const auto given = arguments(at);
        if (given.size() != 4) return;
        const std::string pitch = allocated_name(given[1]);
        add(allocated_name(given[0]), pitch + "*(" + std::string(given[3]) + ")");
        source.pitches[pitch] = given[2];
    });
    for (const std::string& name : several) source.allocations.erase(name);
    source.allocations.erase("");
}

void find_launches(std::string_view text, SourceText& source)
{
    const std::map<std::string, double>& names = source.numbers;
    int seen = 0;
    for (std::size_t at = text.find("<<<"); at != std::string_view::npos && seen < max_launches;
         at = text.find("<<<", at + 3), ++seen) {
        SourceLaunch launch;
        std::size_t begin = at;
        if (begin > 0 && text[begin - 1] == '>') begin = text.substr(0, begin).rfind('<');
        if (begin == std::string_view::npos) continue;
        std::size_t name = begin;
        while (name > 0 && is_name(text[name - 1])) --name;
        launch.kernel = std::string(text.substr(name, begin - name));
        const std::size_t end = text.find(">>>", at);
        if (end == std::string_view::npos) continue;
        const auto shape = split(text.substr(at + 3, end - at - 3));
        if (shape.size() < 2) continue;
        std::string words;
        launch.block = extents_of(shape[1], text, names, words);
        launch.grid = extents_of(shape[0], text, names, words);
        launch.over = words;
        launch.divides = words.find('/') != std::string::npos &&
                         words.find_first_of("+?") == std::string::npos &&
                         words.find("ceil") == std::string::npos;
        const std::size_t open = text.find('(', end);
        if (open != std::string_view::npos && trimmed(text.substr(end + 3, open - end - 3)).empty())
            for (const std::string_view one :
                 split(text.substr(open + 1, closed(text, open) - open - 1))) {
                launch.arguments.push_back(constant(one, names));
                launch.words.emplace_back(one);
            }
        source.launches.push_back(std::move(launch));
    }
}

// "struct Particle { float x, y; int hits[4]; };"; member functions are skipped.
void find_structures(std::string_view text, SourceText& source)
{
    constexpr std::size_t max_structures = 200;
    for_each_word(text, "struct", [&](std::size_t at) {
        if (source.structures.size() == max_structures) return;
        std::size_t open = at;
        SourceStructure one{.name = std::string(next_word(text, open)), .fields = {}};
        open = text.find_first_of("{;()", open);
        if (open == std::string_view::npos || text[open] != '{') return;
        const std::size_t close = closed(text, open);
        if (one.name.empty() && close < text.size()) { // typedef struct { … } Name;
            std::size_t after = close + 1;
            one.name = std::string(next_word(text, after));
        }
        if (one.name == "__align__" || one.name.empty() || source.find_structure(one.name)) return;
        std::string_view rest = text.substr(open + 1, close - open - 1);
        while (!(rest = trimmed(rest)).empty()) {
            const std::size_t end = rest.find_first_of(";{");
            if (end == std::string_view::npos) break;
            const std::string_view line = trimmed(rest.substr(0, end));
            if (rest[end] == '{') { // body of a member function
                rest.remove_prefix(std::min(closed(rest, end) + 1, rest.size()));
                continue;
            }
            rest.remove_prefix(end + 1);
            if (line.find('(') != std::string_view::npos || line.starts_with("static")) continue;
            std::string type;
            for (const std::string_view part : split(line)) {
                std::string_view head = part.substr(0, part.find_first_of("[="));
                SourceParameter declaration = parameter(head);
                if (declaration.pointer) return; // pointers are not supported
                if (type.empty()) type = declaration.type;
                SourceField field{.type = type,
                                  .name = declaration.name.empty() ? declaration.type
                                                                   : declaration.name};
                for (std::size_t bracket = part.find('['); bracket != std::string_view::npos;
                     bracket = part.find('[', bracket + 1)) {
                    const auto count =
                        constant(part.substr(bracket + 1, closed(part, bracket) - bracket - 1),
                                 source.constants);
                    if (!count || *count < 1 || *count > 4096) return;
                    field.count *= static_cast<int>(*count);
                }
                one.fields.push_back(std::move(field));
            }
        }
        if (!one.fields.empty()) source.structures.push_back(std::move(one));
    });
}

class Reader {
public:
    Reader(std::string_view text, const std::map<std::string, double>& names)
        : text_(trimmed(text)), names_(names)
    {
    }
    std::optional<double> whole()
    {
        const auto number = shift();
        skip();
        return at_ == text_.size() ? number : std::nullopt;
    }

private:
    struct Number {
        double value = 0;
        bool real = false;
    };
    void skip()
    {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
            ++at_;
    }
    bool take(std::string_view token)
    {
        skip();
        if (!text_.substr(at_).starts_with(token)) return false;
        at_ += token.size();
        return true;
    }
    std::optional<double> shift()
    {
        auto left = sum();
        while (left && take("<<")) {
            const auto right = sum();
            if (!right) return std::nullopt;
            left->value =
                std::ldexp(left->value, static_cast<int>(std::clamp(right->value, 0.0, 62.0)));
        }
        if (!left) return std::nullopt;
        return left->value;
    }
    std::optional<Number> sum()
    {
        auto left = product();
        while (left) {
            const bool plus = take("+");
            if (!plus && !take("-")) break;
            const auto right = product();
            if (!right) return std::nullopt;
            left = Number{plus ? left->value + right->value : left->value - right->value,
                          left->real || right->real};
        }
        return left;
    }
    std::optional<Number> product()
    {
        auto left = one();
        while (left) {
            skip();
            const char c = at_ < text_.size() ? text_[at_] : '\0';
            if (c != '*' && c != '/' && c != '%') break;
            ++at_;
            const auto right = one();
            if (!right || (c != '*' && right->value == 0)) return std::nullopt;
            const bool real = left->real || right->real;
            const double value = c == '*'   ? left->value * right->value
                                 : c == '%' ? std::fmod(left->value, right->value)
                                            : left->value / right->value;
            left = Number{real ? value : std::trunc(value), real};
        }
        return left;
    }
    std::optional<Number> one()
    {
        constexpr int max_depth = 50;
        skip();
        if (++depth_ > max_depth || at_ == text_.size()) return std::nullopt;
        std::optional<Number> found;
        const char c = text_[at_];
        if (take("-")) {
            found = one();
            if (found) found->value = -found->value;
        } else if (take("(")) {
            const auto inner = shift();
            if (inner && take(")")) found = Number{*inner, *inner != std::floor(*inner)};
        } else if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') {
            found = literal();
        } else if (is_name(c)) {
            std::size_t end = at_;
            while (end < text_.size() && is_name(text_[end])) ++end;
            const std::string_view word = text_.substr(at_, end - at_);
            const auto known = names_.find(std::string(word));
            at_ = end;
            if (word == "sizeof" && take("(")) {
                const std::size_t close = std::min(text_.find(')', at_), text_.size());
                const auto bytes = guessing::bytes_of(trimmed(text_.substr(at_, close - at_)));
                at_ = close;
                if (bytes && take(")")) found = Number{static_cast<double>(*bytes)};
            } else if (known != names_.end())
                found = Number{known->second, known->second != std::floor(known->second)};
        }
        --depth_;
        return found;
    }
    std::optional<Number> literal()
    {
        double value = 0;
        std::size_t end = at_;
        bool real = false;
        if (text_.substr(at_).starts_with("0x") || text_.substr(at_).starts_with("0X")) {
            std::uint64_t bits = 0;
            const auto result =
                std::from_chars(text_.data() + at_ + 2, text_.data() + text_.size(), bits, 16);
            end = static_cast<std::size_t>(result.ptr - text_.data());
            value = static_cast<double>(bits);
        } else {
            const auto result = read_number(text_.data() + at_, text_.data() + text_.size(), value);
            if (result.ec != std::errc{}) return std::nullopt;
            end = static_cast<std::size_t>(result.ptr - text_.data());
            real = text_.substr(at_, end - at_).find_first_of(".eE") != std::string_view::npos;
        }
        while (end < text_.size() &&
               std::string_view("uUlLfF").find(text_[end]) != std::string_view::npos) {
            real |= text_[end] == 'f' || text_[end] == 'F';
            ++end;
        }
        if (end < text_.size() && is_name(text_[end])) return std::nullopt;
        at_ = end;
        return Number{value, real};
    }

    std::string_view text_;
    const std::map<std::string, double>& names_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

} // namespace

std::vector<std::string_view> split(std::string_view text, char mark)
{
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size()) {
            const char c = text[i];
            if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
            if (c == ')' || c == '>' || c == ']' || c == '}') --depth;
            if (c != mark || depth != 0) continue;
        }
        parts.push_back(trimmed(text.substr(begin, i - begin)));
        begin = i + 1;
    }
    if (parts.size() == 1 && parts.front().empty()) parts.clear();
    return parts;
}

std::string without_comments(std::string_view text)
{
    std::string all(text);
    enum { code, line, block, literal } state = code;
    char quote = '"';
    for (std::size_t i = 0; i < all.size(); ++i) {
        const char c = all[i];
        const char next = i + 1 < all.size() ? all[i + 1] : '\0';
        const auto blank = [&](std::size_t k) {
            if (k < all.size() && all[k] != '\n') all[k] = ' ';
        };
        switch (state) {
        case code:
            if (c == '/' && next == '/')
                state = line, blank(i);
            else if (c == '/' && next == '*')
                state = block, blank(i), blank(++i);
            else if (c == '"' || (c == '\'' && (i == 0 || !is_name(all[i - 1]))))
                state = literal, quote = c;
            break;
        case line:
            if (c == '\n')
                state = code;
            else
                blank(i);
            break;
        case block:
            if (c == '*' && next == '/')
                state = code, blank(i), blank(++i);
            else
                blank(i);
            break;
        case literal:
            if (c == '\\')
                blank(i), blank(++i);
            else if (c == quote || c == '\n')
                state = code;
            else
                blank(i);
            break;
        }
    }
    return all;
}

std::optional<double> constant(std::string_view expression,
                               const std::map<std::string, double>& names)
{
    return Reader(expression, names).whole();
}

bool has_word(std::string_view text, std::string_view name)
{
    for (std::size_t at = text.find(name); at != std::string_view::npos;
         at = text.find(name, at + 1)) {
        const bool begins = at == 0 || !is_name(text[at - 1]);
        const std::size_t end = at + name.size();
        if (begins && (end == text.size() || !is_name(text[end]))) return true;
    }
    return false;
}

const SourceKernel* SourceText::find(std::string_view kernel) const
{
    const auto found = std::ranges::find(kernels, kernel, &SourceKernel::name);
    return found == kernels.end() ? nullptr : &*found;
}

const SourceStructure* SourceText::find_structure(std::string_view name) const
{
    const auto found = std::ranges::find(structures, name, &SourceStructure::name);
    return found == structures.end() ? nullptr : &*found;
}

SourceText read_source(std::string_view text)
{
    const std::string code = without_comments(text);
    SourceText source;
    find_constants(code, source);
    find_kernels(code, source);
    source.numbers = host_numbers(code, source);
    find_counters(code, source);
    find_allocations(code, source);
    find_launches(code, source);
    find_structures(code, source);
    for_each_word(code, "__constant__", [&](std::size_t at) {
        const std::size_t open = code.find_first_of("[;=(", at);
        if (open == std::string::npos || code[open] != '[') return;
        const std::vector<std::string> words =
            words_of(std::string_view(code).substr(at, open - at));
        std::string type;
        for (std::size_t i = 0; i + 1 < words.size(); ++i)
            type += (type.empty() ? "" : " ") + words[i];
        if (!words.empty()) source.arrays[words.back()] = type;
    });
    return source;
}

} // namespace lanescope::labs

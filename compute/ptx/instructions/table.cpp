// table.def is looked up by opcode; the modifiers of a form are read when the first instruction of
// that form is met, as a text has few of them.
#include "compute/ptx/instructions/table.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "compute/ptx/instructions/words.h"
#include "compute/text.h"

namespace lanescope::ptx {
namespace {

struct List {
    std::string_view name;
    std::string_view words;
};
constexpr List lists[] = {
#define LIST(name, words) {name, words},
#include "compute/ptx/instructions/table.def"
};

constexpr std::string_view named_words[] = {
#define WORD(id, text) text,
#include "compute/ptx/instructions/table.def"
};
static_assert(std::size(named_words) == static_cast<std::size_t>(Word::count));
static_assert(static_cast<std::size_t>(Word::count) <= 256);

constexpr std::array words_by_text = [] {
    std::array<std::uint8_t, std::size(named_words)> all{};
    std::iota(all.begin(), all.end(), std::uint8_t{0});
    std::ranges::sort(all, {}, [](std::uint8_t word) { return named_words[word]; });
    return all;
}();

constexpr Form described(Form form)
{
    if (form.operands == "*") {
        form.most = 64;
        form.destinations = 1;
        return form;
    }
    bool sources = false;
    for (const char c : form.operands) {
        if (c == ':') {
            sources = true;
            continue;
        }
        if (c == '?') {
            --form.fewest;
            continue;
        }
        if (c == 'a' && form.address < 0) form.address = form.most;
        if (c == 'L') form.label = form.most;
        form.destinations += sources ? 0 : 1;
        ++form.fewest;
        ++form.most;
    }
    return form;
}

constexpr Form lines[] = {
#define FORM(op, name, operands, modifiers, unit, effect)                                          \
    described({Op::op, name, operands, modifiers, Unit::unit, Effect::effect, {}}),
#define REFUSED(op, name, operands, reason)                                                        \
    described({Op::op, name, operands, "*", Unit::refused, Effect::none, reason}),
#include "compute/ptx/instructions/table.def"
};

// One of the names of a form.
struct Name {
    std::uint16_t form = 0;
    std::uint16_t begin = 0;
    std::uint16_t bytes = 0;

    constexpr std::string_view text() const { return lines[form].name.substr(begin, bytes); }
    constexpr std::string_view opcode() const { return text().substr(0, text().find('.')); }
    constexpr auto words() const { return std::ranges::count(text(), '.'); } // behind the opcode
};

constexpr std::size_t name_count = [] {
    std::size_t count = 0;
    for (const Form& form : lines)
        count += 1 + static_cast<std::size_t>(std::ranges::count(form.name, '|'));
    return count;
}();

// By opcode, those of more words first.
constexpr std::array names = [] {
    std::array<Name, name_count> all{};
    std::size_t count = 0;
    for (std::size_t form = 0; form < std::size(lines); ++form) {
        const std::string_view text = lines[form].name;
        for (std::size_t begin = 0; begin <= text.size();) {
            const std::size_t end = std::min(text.find('|', begin), text.size());
            all[count++] = {static_cast<std::uint16_t>(form), static_cast<std::uint16_t>(begin),
                            static_cast<std::uint16_t>(end - begin)};
            begin = end + 1;
        }
    }
    std::ranges::sort(all, {}, [](const Name& name) {
        return std::tuple(name.opcode(), -name.words(), name.form, name.begin);
    });
    return all;
}();

// How many words a name has, where it fits the instruction.
std::optional<std::size_t> fit(const Name& name, std::span<const std::string_view> words)
{
    std::string_view rest = name.text().substr(name.opcode().size());
    std::size_t count = 0;
    while (!rest.empty()) {
        rest.remove_prefix(1); // the dot
        const std::string_view word = rest.substr(0, rest.find('.'));
        if (count == words.size() || words[count] != word) return std::nullopt;
        ++count;
        rest.remove_prefix(word.size());
    }
    return count;
}

struct Meaning {
    std::string_view text;
    std::optional<Word> word;
    Type type = Type::none;
    Space space = Space::none;
    std::uint8_t elements = 0;
    bool runs = true;
};

Space space_of(std::string_view word)
{
    const std::string_view name = word.substr(0, word.find("::"));
    if (name == "global") return Space::global;
    if (name == "shared") return Space::shared;
    if (name == "local") return Space::local;
    if (name == "const") return Space::constant;
    return name == "param" ? Space::param : Space::none;
}

// `word` as a group has it.
Meaning meaning_of(std::string_view word)
{
    Meaning meaning{.text = word, .word = {}, .runs = word[0] != '!'};
    if (!meaning.runs) meaning.text = word = word.substr(1);
    const auto* named = std::ranges::lower_bound(words_by_text, word, {},
                                                 [](std::uint8_t one) { return named_words[one]; });
    if (named != words_by_text.end() && named_words[*named] == word)
        meaning.word = static_cast<Word>(*named);
    meaning.space = space_of(word);
    if (const auto type = type_of(word)) meaning.type = *type;
    if (word == "u16x2") meaning.type = Type::u16; // the type names the half
    if (word == "s16x2") meaning.type = Type::s16;
    if (word.size() == 2 && word[0] == 'v')
        meaning.elements = static_cast<std::uint8_t>(word[1] - '0');
    return meaning;
}

struct Group {
    std::vector<Meaning> words;
    bool optional = false;
};
using Groups = std::vector<Group>;

std::string_view words_of_list(std::string_view name)
{
    return std::ranges::find(lists, name, &List::name)->words;
}

Groups read_groups(const Form& form)
{
    Groups groups;
    if (form.modifiers == "*") return groups;
    for (std::string_view text : parts(form.modifiers, ' ')) {
        Group& group = groups.emplace_back();
        group.optional = text.ends_with('?');
        if (group.optional) text.remove_suffix(1);
        for (const std::string_view part : parts(text, '|'))
            if (part[0] != '$')
                group.words.push_back(meaning_of(part));
            else
                for (const std::string_view word : parts(words_of_list(part.substr(1)), '|'))
                    group.words.push_back(meaning_of(word));
    }
    return groups;
}

const Groups& groups_of(const Form& form)
{
    struct Read {
        std::once_flag once;
        Groups groups;
    };
    static std::array<Read, std::size(lines)> all;
    Read& read = all[static_cast<std::size_t>(&form - lines)];
    std::call_once(read.once, [&] { read.groups = read_groups(form); });
    return read.groups;
}

const Meaning* find(const Group& group, std::string_view word)
{
    const auto found = std::ranges::find(group.words, word, &Meaning::text);
    return found == group.words.end() ? nullptr : &*found;
}

void add(const Meaning& meaning, Modifiers& modifiers)
{
    if (meaning.word) modifiers.add(*meaning.word);
    if (meaning.type != Type::none) modifiers.add(meaning.type);
    if (meaning.space != Space::none) modifiers.space = meaning.space;
    if (meaning.elements != 0) modifiers.elements = meaning.elements;
    if (!meaning.runs) modifiers.not_run = meaning.text;
}

// What is wrong with the words behind a form's name; empty when nothing is.
std::string read_modifiers(const Form& form, std::span<const std::string_view> words,
                           Modifiers& modifiers)
{
    const Groups& groups = groups_of(form);
    std::uint32_t filled = 0;
    if (form.unit != Unit::refused)
        for (const std::string_view word : words) {
            const Meaning* meaning = nullptr;
            std::size_t at = 0;
            for (; at < groups.size(); ++at)
                if ((filled >> at & 1u) == 0 && (meaning = find(groups[at], word)) != nullptr)
                    break;
            if (meaning == nullptr) return fmt::format("cannot have .{}", word);
            filled |= 1u << at;
            add(*meaning, modifiers);
        }
    for (std::size_t at = 0; at < groups.size(); ++at) {
        if (groups[at].optional || (filled >> at & 1u) != 0) continue;
        std::string wanted;
        for (const Meaning& word : groups[at].words)
            wanted += fmt::format("{}.{}", wanted.empty() ? "" : ", ", word.text);
        return fmt::format("lacks one of {}", wanted);
    }
    return {};
}

constexpr std::string_view device_launch =
    "dynamic parallelism by the device runtime before CUDA 12 is not supported";
constexpr Refused functions[] = {
    {"cudaGetParameterBuffer", device_launch},
    {"cudaLaunchDevice", device_launch},
    {"cudaDeviceSynchronize", device_launch},
    {"__cudaCDP",
     "this function of the device runtime is not supported; launches, streams, events, "
     "copies and fills are"},
    {"cudaStream", device_launch},
    {"cudaEvent", device_launch},
    {"cudaGraph", device_launch},
};
constexpr Refused directives[] = {
    {"reqnctapercluster", "clusters of several blocks are not supported"},
};

} // namespace

std::span<const Form> forms()
{
    return lines;
}

std::string written_out(const Form& form)
{
    std::string text;
    for (std::size_t at = 0; at < form.modifiers.size();) {
        if (form.modifiers[at] != '$') {
            text += form.modifiers[at++];
            continue;
        }
        const std::size_t end =
            std::min(form.modifiers.find_first_of(" |?", at), form.modifiers.size());
        text += words_of_list(form.modifiers.substr(at + 1, end - at - 1));
        at = end;
    }
    return text;
}

const Form& form_of(Op op)
{
    return lines[op >= Op::pack ? static_cast<std::size_t>(Op::mov) : static_cast<std::size_t>(op)];
}

Reading read_words(std::string_view opcode, std::span<const std::string_view> words)
{
    Reading reading;
    for (const auto* name = std::ranges::lower_bound(names, opcode, {}, &Name::opcode);
         name != names.end() && name->opcode() == opcode; ++name) {
        const auto taken = fit(*name, words);
        if (!taken) continue;
        const Form& form = lines[name->form];
        reading.problem = read_modifiers(form, words.subspan(*taken), reading.modifiers);
        if (!reading.problem.empty()) return reading;
        // Barriers in memory release and acquire, for their block, unless they say otherwise.
        if (form.unit == Unit::barrier_object && !reading.modifiers.has(Word::relaxed))
            for (const Word word : {Word::release, Word::acquire, Word::cta})
                reading.modifiers.add(word);
        reading.form = &form;
        return reading;
    }
    reading.problem = "is not known";
    return reading;
}

std::span<const Refused> refused_functions()
{
    return functions;
}

std::span<const Refused> refused_directives()
{
    return directives;
}

std::string_view reason_of_function(std::string_view name)
{
    for (const Refused& function : functions)
        if (name.starts_with(function.name)) return function.reason;
    return {};
}

} // namespace lanescope::ptx

// Looks up table.def by opcode. Its modifier lists are processed at compile time: each word has a
// number, and a form has groups of them.
#include "compute/ptx/instructions/table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "compute/ptx/instructions/types.h"

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
        form.max_operands = 64;
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
            --form.min_operands;
            continue;
        }
        if (c == 'a' && form.address < 0) form.address = form.max_operands;
        if (c == 'L') form.label = form.max_operands;
        form.destinations += sources ? 0 : 1;
        ++form.min_operands;
        ++form.max_operands;
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

// One of a form's names.
struct Name {
    std::uint16_t form = 0;
    std::uint16_t begin = 0;
    std::uint16_t bytes = 0;
    std::uint16_t opcode_bytes = 0;

    constexpr std::string_view text() const { return lines[form].name.substr(begin, bytes); }
    constexpr std::string_view opcode() const { return text().substr(0, opcode_bytes); }
    // number of words after the opcode
    constexpr auto words() const { return std::ranges::count(text(), '.'); }
};

constexpr std::size_t name_count = [] {
    std::size_t count = 0;
    for (const Form& form : lines)
        count += 1 + static_cast<std::size_t>(std::ranges::count(form.name, '|'));
    return count;
}();

// Sorted by opcode; names with more words come first.
constexpr std::array names = [] {
    std::array<Name, name_count> all{};
    std::size_t count = 0;
    for (std::size_t form = 0; form < std::size(lines); ++form) {
        const std::string_view text = lines[form].name;
        for (std::size_t begin = 0; begin <= text.size();) {
            const std::size_t end = std::min(text.find('|', begin), text.size());
            const std::size_t opcode = std::min(text.find('.', begin), end) - begin;
            all[count++] = {static_cast<std::uint16_t>(form), static_cast<std::uint16_t>(begin),
                            static_cast<std::uint16_t>(end - begin),
                            static_cast<std::uint16_t>(opcode)};
            begin = end + 1;
        }
    }
    std::ranges::sort(all, {}, [](const Name& name) {
        return std::tuple(name.opcode(), -name.words(), name.form, name.begin);
    });
    return all;
}();

// Compile-time hash table that finds the first entry of a sorted table with a given text.
template <const auto& sorted, auto text>
class Finder {
public:
    // Null if there is none.
    static const auto* find(std::string_view wanted)
    {
        for (std::size_t slot = slot_of(wanted); slots[slot] != 0; slot = (slot + 1) % slots.size())
            if (const auto& entry = sorted[slots[slot] - 1u]; (entry.*text)() == wanted)
                return &entry;
        return static_cast<decltype(&sorted[0])>(nullptr);
    }

private:
    static constexpr std::size_t slot_of(std::string_view of)
    {
        std::uint32_t hash = 2166136261; // FNV hash
        for (const char c : of) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
        return (hash ^ hash >> 16) % slot_count;
    }
    static constexpr std::size_t slot_count = std::bit_ceil(2 * std::size(sorted));
    // Indices into `sorted`, plus 1.
    static constexpr std::array slots = [] {
        std::array<std::uint16_t, slot_count> all{};
        for (std::size_t i = 0; i < std::size(sorted); ++i) {
            if (i > 0 && (sorted[i - 1].*text)() == (sorted[i].*text)()) continue;
            std::size_t slot = slot_of((sorted[i].*text)());
            while (all[slot] != 0) slot = (slot + 1) % slot_count;
            all[slot] = static_cast<std::uint16_t>(i + 1);
        }
        return all;
    }();
};

// Number of words of the name that the instruction has; nullopt if the name doesn't match.
std::optional<std::size_t> fit(const Name& name, std::span<const std::string_view> words)
{
    std::string_view rest = name.text().substr(name.opcode().size());
    std::size_t count = 0;
    while (!rest.empty()) {
        rest.remove_prefix(1); // skip the dot
        const std::string_view word = rest.substr(0, rest.find('.'));
        if (count == words.size() || words[count] != word) return std::nullopt;
        ++count;
        rest.remove_prefix(word.size());
    }
    return count;
}

// Removes and returns the part of `text` up to the separator, which is also removed.
constexpr std::string_view take_part(std::string_view& text, char separator)
{
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    return part;
}

constexpr std::string_view words_of_list(std::string_view name)
{
    return std::ranges::find(lists, name, &List::name)->words;
}

// Calls begin(optional) for each modifier group of a form, and use(word) for each of its words.
template <class Begin, class Use>
constexpr void for_groups(const Form& form, const Begin& begin, const Use& use)
{
    std::string_view groups = form.modifiers == "*" ? "" : form.modifiers;
    while (!groups.empty()) {
        std::string_view group = take_part(groups, ' ');
        const bool optional = group.ends_with('?');
        if (optional) group.remove_suffix(1);
        begin(optional);
        while (!group.empty()) {
            std::string_view words = take_part(group, '|');
            if (words[0] == '$') words = words_of_list(words.substr(1));
            while (!words.empty()) use(take_part(words, '|'));
        }
    }
}

// True if the word is supported: in table.def, unsupported words start with '!'.
constexpr bool runs(std::string_view word)
{
    return word[0] != '!';
}
constexpr std::string_view unmarked(std::string_view word)
{
    return runs(word) ? word : word.substr(1);
}

constexpr std::array counts = [] {
    std::size_t groups = 0, words = 0;
    for (const Form& form : lines)
        for_groups(
            form, [&](bool) { ++groups; }, [&](std::string_view) { ++words; });
    return std::array{groups, words};
}();
constexpr std::size_t group_count = counts[0], word_count = counts[1];

// All words of all groups, sorted, and the number of distinct ones.
struct SortedWords {
    std::array<std::string_view, word_count> words{};
    std::size_t distinct_count = 0;
};
constexpr SortedWords sorted = [] {
    SortedWords all;
    std::size_t count = 0;
    for (const Form& form : lines)
        for_groups(
            form, [](bool) {}, [&](std::string_view word) { all.words[count++] = unmarked(word); });
    std::ranges::sort(all.words);
    all.distinct_count = word_count - std::ranges::unique(all.words).size();
    return all;
}();

constexpr std::size_t letter_count = [] {
    std::size_t count = 0;
    for (std::size_t i = 0; i < sorted.distinct_count; ++i) count += sorted.words[i].size();
    return count;
}();
constexpr std::array letters = [] {
    std::array<char, letter_count> all{};
    std::size_t count = 0;
    for (std::size_t i = 0; i < sorted.distinct_count; ++i)
        for (const char letter : sorted.words[i]) all[count++] = letter;
    return all;
}();

struct Meaning {
    std::uint16_t begin = 0; // index of the word's first character in `letters`
    std::uint8_t bytes = 0;
    bool named = false;
    Word word{}; // id of a named modifier
    Type type = Type::none;
    Space space = Space::none;
    std::uint8_t elements = 0;
    std::array<std::uint16_t, 3> shape{};

    constexpr std::string_view text() const { return {letters.data() + begin, bytes}; }
};

// The numbers of "m64n8k16"; zeros if the word is not a matrix shape.
constexpr std::array<std::uint16_t, 3> shape_of(std::string_view word)
{
    constexpr std::string_view letters_of_shape = "mnk";
    std::array<std::uint16_t, 3> shape{};
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (word.empty() || word[0] != letters_of_shape[i]) return {};
        word.remove_prefix(1);
        std::uint16_t value = 0;
        while (!word.empty() && word[0] >= '0' && word[0] <= '9') {
            value = static_cast<std::uint16_t>(value * 10 + (word[0] - '0'));
            word.remove_prefix(1);
        }
        if (value == 0) return {};
        shape[i] = value;
    }
    return word.empty() ? shape : std::array<std::uint16_t, 3>{};
}

constexpr Space space_of(std::string_view word)
{
    const std::string_view name = word.substr(0, word.find("::"));
    if (name == "global") return Space::global;
    if (name == "shared") return Space::shared;
    if (name == "local") return Space::local;
    if (name == "const") return Space::constant;
    return name == "param" ? Space::param : Space::none;
}

constexpr Meaning meaning_of(std::string_view word)
{
    Meaning meaning{.bytes = static_cast<std::uint8_t>(word.size())};
    const auto* named = std::ranges::lower_bound(words_by_text, word, {},
                                                 [](std::uint8_t one) { return named_words[one]; });
    meaning.named = named != words_by_text.end() && named_words[*named] == word;
    if (meaning.named) meaning.word = static_cast<Word>(*named);
    meaning.space = space_of(word);
    meaning.type = type_named(word);
    if (word == "u16x2") meaning.type = Type::u16; // the type of one half
    if (word == "s16x2") meaning.type = Type::s16;
    if (word.size() == 2 && word[0] == 'v')
        meaning.elements = static_cast<std::uint8_t>(word[1] - '0');
    meaning.shape = shape_of(word);
    return meaning;
}

// Sorted by text.
constexpr std::array meanings = [] {
    std::array<Meaning, sorted.distinct_count> all{};
    std::size_t begin = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = meaning_of(sorted.words[i]);
        all[i].begin = static_cast<std::uint16_t>(begin);
        begin += all[i].bytes;
    }
    return all;
}();

struct InGroup {
    std::uint16_t number : 15 = 0; // index of its meaning
    std::uint16_t runs : 1 = 0;
};
struct Group {
    std::uint16_t begin = 0, end = 0; // range in the table's `words`
    bool optional = false;
};
struct Table {
    std::array<InGroup, word_count> words{};
    std::array<Group, group_count> groups{};
    std::array<std::uint16_t, std::size(lines) + 1> first_group{}; // index of a form's first group
};
constexpr Table table = [] {
    Table made;
    std::uint16_t words = 0, groups = 0;
    for (std::size_t form = 0; form < std::size(lines); ++form) {
        for_groups(
            lines[form],
            [&](bool optional) {
                made.groups[groups++] = {words, words, optional};
            },
            [&](std::string_view word) {
                const auto* found =
                    std::ranges::lower_bound(meanings, unmarked(word), {}, &Meaning::text);
                made.words[words++] = {static_cast<std::uint16_t>(found - meanings.begin()),
                                       runs(word)};
                made.groups[groups - 1u].end = words;
            });
        made.first_group[form + 1] = groups;
    }
    return made;
}();

std::span<const Group> groups_of(const Form& form)
{
    const std::uint16_t* const at = &table.first_group[static_cast<std::size_t>(&form - lines)];
    return std::span(table.groups).subspan(at[0], static_cast<std::size_t>(at[1] - at[0]));
}

std::span<const InGroup> words_of(const Group& group)
{
    return std::span(table.words)
        .subspan(group.begin, static_cast<std::size_t>(group.end - group.begin));
}

void add(InGroup word, Modifiers& modifiers)
{
    const Meaning& meaning = meanings[word.number];
    if (meaning.named) modifiers.add(meaning.word);
    if (meaning.type != Type::none) modifiers.add(meaning.type);
    if (meaning.space != Space::none) modifiers.space = meaning.space;
    if (meaning.elements != 0) modifiers.elements = meaning.elements;
    if (meaning.shape[0] != 0) modifiers.shape = meaning.shape;
    if (word.runs == 0) modifiers.not_run = meaning.text();
}

// Returns an error message for the modifiers after a form's name; empty if they are valid.
std::string read_modifiers(const Form& form, std::span<const std::string_view> words,
                           Modifiers& modifiers)
{
    const std::span<const Group> groups = groups_of(form);
    std::uint32_t filled = 0;
    if (form.unit != Unit::refused)
        for (const std::string_view word : words) {
            const Meaning* const meaning = Finder<meanings, &Meaning::text>::find(word);
            const std::ptrdiff_t number = meaning == nullptr ? -1 : meaning - meanings.data();
            const InGroup* found = nullptr;
            for (std::size_t at = 0; found == nullptr && at < groups.size(); ++at) {
                if ((filled >> at & 1u) != 0) continue;
                const auto group_words = words_of(groups[at]);
                const auto same = std::ranges::find(
                    group_words, number, [](InGroup one) -> std::ptrdiff_t { return one.number; });
                if (same == group_words.end()) continue;
                found = &*same;
                filled |= 1u << at;
            }
            if (found == nullptr) return fmt::format("cannot have .{}", word);
            add(*found, modifiers);
        }
    for (std::size_t at = 0; at < groups.size(); ++at) {
        if (groups[at].optional || (filled >> at & 1u) != 0) continue;
        std::string wanted;
        for (const InGroup word : words_of(groups[at]))
            wanted +=
                fmt::format("{}.{}", wanted.empty() ? "" : ", ", meanings[word.number].text());
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
    {"blocksareclusters", "grids whose size is given in clusters are not supported"},
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
    const Name* name = Finder<names, &Name::opcode>::find(opcode);
    for (; name != nullptr && name != names.end() && name->opcode() == opcode; ++name) {
        const auto taken = fit(*name, words);
        if (!taken) continue;
        const Form& form = lines[name->form];
        reading.problem = read_modifiers(form, words.subspan(*taken), reading.modifiers);
        if (!reading.problem.empty()) return reading;
        // mbarrier operations default to acquire or release semantics at block scope.
        if (form.unit == Unit::barrier_object && !reading.modifiers.has(Word::relaxed))
            for (const Word word : {Word::release, Word::acquire, Word::cta})
                if (word != Word::cta || !reading.modifiers.has(Word::cluster))
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

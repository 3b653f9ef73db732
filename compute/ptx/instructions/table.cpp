// table.def is read once: words become numbers, groups of words become sets of them.
#include "compute/ptx/instructions/table.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <deque>
#include <optional>
#include <unordered_map>
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

constexpr Form lines[] = {
#define FORM(op, name, operands, modifiers, unit, effect)                                          \
    {Op::op, name, operands, modifiers, Unit::unit, Effect::effect, {}},
#define REFUSED(op, name, operands, reason)                                                        \
    {Op::op, name, operands, "*", Unit::refused, Effect::none, reason},
#include "compute/ptx/instructions/table.def"
};

// `$name` replaced by the words of that list.
std::string written_out(std::string_view modifiers)
{
    std::string text;
    for (std::size_t at = 0; at < modifiers.size();) {
        if (modifiers[at] != '$') {
            text += modifiers[at++];
            continue;
        }
        const std::size_t end = std::min(modifiers.find_first_of(" |?", at), modifiers.size());
        const std::string_view name = modifiers.substr(at + 1, end - at - 1);
        text += std::ranges::find(lists, name, &List::name)->words;
        at = end;
    }
    return text;
}

constexpr std::size_t most_words = 320;
using WordSet = std::bitset<most_words>;

struct Meaning {
    std::string_view text;
    std::optional<Word> word;
    Type type = Type::none;
    Space space = Space::none;
    std::uint8_t elements = 0;
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

Meaning meaning_of(std::string_view word)
{
    Meaning meaning{.text = word, .word = {}};
    const auto* named = std::ranges::find(named_words, word);
    if (named != std::end(named_words))
        meaning.word = static_cast<Word>(named - std::begin(named_words));
    meaning.space = space_of(word);
    if (const auto type = type_of(word)) meaning.type = *type;
    if (word == "u16x2") meaning.type = Type::u16; // the type names the half
    if (word == "s16x2") meaning.type = Type::s16;
    if (word.size() == 2 && word[0] == 'v')
        meaning.elements = static_cast<std::uint8_t>(word[1] - '0');
    return meaning;
}

class Table {
public:
    static const Table& instance()
    {
        static const Table table;
        return table;
    }

    std::span<const Form> forms() const { return forms_; }
    Reading read(std::string_view opcode, std::span<const std::string_view> words) const;

private:
    struct Group {
        WordSet words;
        WordSet not_run;
        bool optional = false;
        std::string_view text;
    };
    struct Name {
        std::vector<std::string_view> words; // behind the opcode
        std::size_t form = 0;
    };

    Table();
    void describe_operands(Form& form) const;
    void read_groups(const Form& form);
    std::size_t number(std::string_view word);
    const Name* name_of(std::string_view opcode, std::span<const std::string_view> words) const;

    std::vector<Form> forms_;
    std::deque<std::string> texts_; // of modifiers written out
    std::vector<std::vector<Group>> groups_;
    std::unordered_map<std::string_view, std::vector<Name>> names_; // by opcode, longest first
    std::unordered_map<std::string_view, std::size_t> numbers_;
    std::vector<Meaning> meanings_; // by number
};

Table::Table() : forms_(std::begin(lines), std::end(lines))
{
    for (std::size_t i = 0; i < forms_.size(); ++i) {
        Form& form = forms_[i];
        describe_operands(form);
        form.modifiers = texts_.emplace_back(written_out(form.modifiers));
        read_groups(form);
        for (std::string_view name : parts(form.name, '|')) {
            std::vector<std::string_view> words = parts(name, '.');
            const std::string_view opcode = words.front();
            words.erase(words.begin());
            names_[opcode].push_back({std::move(words), i});
        }
    }
    for (auto& [opcode, names] : names_)
        std::ranges::stable_sort(names, std::ranges::greater{},
                                 [](const Name& name) { return name.words.size(); });
}

void Table::describe_operands(Form& form) const
{
    if (form.operands == "*") {
        form.most = 64;
        form.destinations = 1;
        return;
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
}

std::size_t Table::number(std::string_view word)
{
    const auto [found, fresh] = numbers_.try_emplace(word, meanings_.size());
    if (fresh) meanings_.push_back(meaning_of(word));
    return found->second;
}

void Table::read_groups(const Form& form)
{
    std::vector<Group>& groups = groups_.emplace_back();
    if (form.modifiers == "*") return;
    for (std::string_view text : parts(form.modifiers, ' ')) {
        Group group;
        group.optional = text.ends_with('?');
        if (group.optional) text.remove_suffix(1);
        group.text = text;
        for (std::string_view word : parts(text, '|')) {
            const bool runs = word[0] != '!';
            if (!runs) word.remove_prefix(1);
            const std::size_t index = number(word);
            group.words.set(index);
            group.not_run.set(index, !runs);
        }
        groups.push_back(group);
    }
}

const Table::Name* Table::name_of(std::string_view opcode,
                                  std::span<const std::string_view> words) const
{
    const auto names = names_.find(opcode);
    if (names == names_.end()) return nullptr;
    for (const Name& name : names->second)
        if (name.words.size() <= words.size() &&
            std::ranges::equal(name.words, words.first(name.words.size())))
            return &name;
    return nullptr;
}

Reading Table::read(std::string_view opcode, std::span<const std::string_view> words) const
{
    Reading reading;
    const Name* name = name_of(opcode, words);
    if (name == nullptr) {
        reading.problem = "is not known";
        return reading;
    }
    const Form& form = forms_[name->form];
    const std::vector<Group>& groups = groups_[name->form];
    std::uint32_t filled = 0;
    if (form.unit != Unit::refused)
        for (std::string_view word : words.subspan(name->words.size())) {
            const auto number = numbers_.find(word);
            std::size_t at = groups.size();
            if (number != numbers_.end())
                for (at = 0; at < groups.size(); ++at)
                    if ((filled >> at & 1u) == 0 && groups[at].words.test(number->second)) break;
            if (at == groups.size()) {
                reading.problem = fmt::format("cannot have .{}", word);
                return reading;
            }
            filled |= 1u << at;
            const Meaning& meaning = meanings_[number->second];
            Modifiers& modifiers = reading.modifiers;
            if (meaning.word) modifiers.add(*meaning.word);
            if (meaning.type != Type::none) modifiers.add(meaning.type);
            if (meaning.space != Space::none) modifiers.space = meaning.space;
            if (meaning.elements != 0) modifiers.elements = meaning.elements;
            if (groups[at].not_run.test(number->second)) modifiers.not_run = meaning.text;
        }
    for (std::size_t at = 0; at < groups.size(); ++at) {
        if (groups[at].optional || (filled >> at & 1u) != 0) continue;
        std::string wanted;
        for (std::string_view word : parts(groups[at].text, '|')) {
            if (word[0] == '!') word.remove_prefix(1);
            wanted += fmt::format("{}.{}", wanted.empty() ? "" : ", ", word);
        }
        reading.problem = fmt::format("lacks one of {}", wanted);
        return reading;
    }
    // Barriers in memory release and acquire, for their block, unless they say otherwise.
    if (form.unit == Unit::barrier_object && !reading.modifiers.has(Word::relaxed))
        for (const Word word : {Word::release, Word::acquire, Word::cta})
            reading.modifiers.add(word);
    reading.form = &form;
    return reading;
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
    return Table::instance().forms();
}

const Form& form_of(Op op)
{
    const std::size_t index =
        op >= Op::pack ? static_cast<std::size_t>(Op::mov) : static_cast<std::size_t>(op);
    return Table::instance().forms()[index];
}

Reading read_words(std::string_view opcode, std::span<const std::string_view> words)
{
    return Table::instance().read(opcode, words);
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

// DWARF 2 in PTX as written by nvcc and NVRTC, with labels in place of addresses: a section is a
// list of bytes, some of which start a reference to a label. A register's number encodes its name:
// %f3 is 0x256633.
#include "compute/ptx/debug/dwarf.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace lanescope::ptx {
namespace {

// Limits for untrusted texts; anything beyond them is ignored.
constexpr std::size_t max_entries = 200'000;
constexpr std::size_t max_name_bytes = 4096;
constexpr std::size_t max_all_names_bytes = std::size_t{64} << 20;
constexpr std::size_t max_places = 1000;          // per variable
constexpr std::size_t max_all_places = 1'000'000; // total of all variables
constexpr std::size_t max_shown_extents = 8;      // dimensions shown in the name of an array type
constexpr std::uint64_t max_type_bytes = std::uint64_t{1} << 40;

struct Reference {
    std::string label;
    std::uint64_t addend = 0;
};

struct Section {
    std::vector<std::uint8_t> bytes;
    std::map<std::size_t, Reference> references; // keyed by offset
};

bool is_word(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.' ||
           c == '%' || c == '@';
}

// ".section .debug_info { .b8 1,2 .b64 label .b32 .debug_loc+131 … }"
Section read_section(std::string_view text, std::string_view name)
{
    Section section;
    std::size_t at = 0;
    for (;;) {
        at = text.find(name, at);
        if (at == std::string_view::npos) return section;
        const std::size_t line = text.rfind('\n', at);
        const std::string_view before =
            text.substr(line == std::string_view::npos ? 0 : line,
                        at - (line == std::string_view::npos ? 0 : line));
        const std::size_t after = text.find_first_not_of(" \t\r\n", at + name.size());
        if (before.find(".section") != std::string_view::npos && after != std::string_view::npos &&
            text[after] == '{') {
            at = after + 1;
            break;
        }
        at += name.size();
    }
    int width = 1;
    while (at < text.size() && text[at] != '}') {
        if (text[at] == '/' && at + 1 < text.size() && text[at + 1] == '/') {
            at = std::min(text.find('\n', at), text.size());
            continue;
        }
        if (!is_word(text[at]) && text[at] != '-') {
            ++at;
            continue;
        }
        const std::size_t begin = at++;
        while (at < text.size() && is_word(text[at])) ++at;
        const std::string_view word = text.substr(begin, at - begin);
        if (word == ".b8" || word == ".b16" || word == ".b32" || word == ".b64") {
            width = word == ".b8" ? 1 : word == ".b16" ? 2 : word == ".b32" ? 4 : 8;
            continue;
        }
        if (at < text.size() && text[at] == ':') continue; // a label within the section
        std::uint64_t value = 0;
        const bool negative = word.front() == '-';
        const std::string_view digits = negative ? word.substr(1) : word;
        const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
        const std::string_view plain = hexadecimal ? digits.substr(2) : digits;
        const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value,
                                                  hexadecimal ? 16 : 10);
        if (error != std::errc() || end != plain.data() + plain.size()) {
            Reference reference{std::string(word), 0};
            if (at < text.size() && text[at] == '+') {
                std::uint64_t addend = 0;
                const auto [stop, wrong] =
                    std::from_chars(text.data() + at + 1, text.data() + text.size(), addend);
                if (wrong == std::errc()) {
                    reference.addend = addend;
                    at = static_cast<std::size_t>(stop - text.data());
                }
            }
            section.references[section.bytes.size()] = std::move(reference);
            value = 0;
        } else if (negative) {
            value = 0 - value;
        }
        for (int i = 0; i < width; ++i)
            section.bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
    }
    return section;
}

// Reads the primitive forms of DWARF. Reads past the end return zero and set a flag.
struct Reader {
    const Section& section;
    std::uint64_t at = 0;

    bool done() const { return at >= section.bytes.size(); }
    std::uint64_t fixed(int bytes)
    {
        std::uint64_t value = 0;
        for (int i = 0; i < bytes; ++i, ++at)
            if (at < section.bytes.size()) value |= std::uint64_t{section.bytes[at]} << 8 * i;
        return value;
    }
    std::uint64_t unsigned_number()
    {
        std::uint64_t value = 0;
        for (int shift = 0; !done(); shift += 7) {
            const std::uint8_t byte = section.bytes[at++];
            if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
            if ((byte & 0x80u) == 0) break;
        }
        return value;
    }
    std::int64_t signed_number()
    {
        std::uint64_t value = 0;
        int shift = 0;
        std::uint8_t byte = 0;
        while (!done()) {
            byte = section.bytes[at++];
            if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
            shift += 7;
            if ((byte & 0x80u) == 0) break;
        }
        if (shift < 64 && (byte & 0x40u) != 0) value |= ~std::uint64_t{0} << shift;
        return static_cast<std::int64_t>(value);
    }
    // Reads a string, of which at most max_name_bytes are kept.
    std::string string()
    {
        std::string text;
        for (; !done() && section.bytes[at] != 0; ++at)
            if (text.size() < max_name_bytes) text += static_cast<char>(section.bytes[at]);
        ++at;
        return text;
    }
    const Reference* reference() const
    {
        const auto found = section.references.find(at);
        return found == section.references.end() ? nullptr : &found->second;
    }
};

// The constants of the DWARF standard that are used here.
enum Tag : std::uint64_t {
    array_type = 0x01,
    formal_parameter = 0x05,
    lexical_block = 0x0b,
    member = 0x0d,
    pointer_type = 0x0f,
    reference_type = 0x10,
    structure_type = 0x13,
    type_definition = 0x16,
    union_type = 0x17,
    subrange = 0x21,
    base_type = 0x24,
    const_type = 0x26,
    subprogram = 0x2e,
    variable = 0x34,
    volatile_type = 0x35,
    restrict_type = 0x37,
    enumeration = 0x04,
    class_type = 0x02,
    rvalue_reference = 0x42
};
enum Attribute : std::uint64_t {
    at_location = 0x02,
    at_name = 0x03,
    at_byte_size = 0x0b,
    at_low_pc = 0x11,
    at_high_pc = 0x12,
    at_count = 0x37,
    at_upper_bound = 0x2f,
    at_member_location = 0x38,
    at_decl_line = 0x3b,
    at_encoding = 0x3e,
    at_type = 0x49,
    at_linkage_name = 0x2007,
    at_linkage = 0x6e,
    at_specification = 0x47,
    at_abstract_origin = 0x31
};

struct Value {
    std::uint64_t number = 0;
    std::string text{};
    std::optional<Reference> label{};
    std::vector<std::uint8_t> block{};
    std::map<std::size_t, Reference> block_labels{};
    bool is_block = false;
};

struct Entry {
    std::uint64_t tag = 0;
    std::size_t offset = 0;
    int parent = -1;
    std::map<std::uint64_t, Value> attributes;

    const Value* find(std::uint64_t attribute) const
    {
        const auto found = attributes.find(attribute);
        return found == attributes.end() ? nullptr : &found->second;
    }
    std::uint64_t number(std::uint64_t attribute, std::uint64_t otherwise = 0) const
    {
        const Value* value = find(attribute);
        return value == nullptr ? otherwise : value->number;
    }
    std::string text(std::uint64_t attribute) const
    {
        const Value* value = find(attribute);
        return value == nullptr ? std::string() : value->text;
    }
};

struct Abbreviation {
    std::uint64_t tag = 0;
    bool has_children = false;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> attributes; // attribute, form
};

std::map<std::uint64_t, Abbreviation> read_abbreviations(const Section& section)
{
    std::map<std::uint64_t, Abbreviation> all;
    Reader in{section};
    while (!in.done()) {
        const std::uint64_t code = in.unsigned_number();
        if (code == 0) break;
        Abbreviation& made = all[code];
        made.tag = in.unsigned_number();
        made.has_children = in.fixed(1) != 0;
        while (!in.done()) {
            const std::uint64_t attribute = in.unsigned_number();
            const std::uint64_t form = in.unsigned_number();
            if (attribute == 0 && form == 0) break;
            made.attributes.emplace_back(attribute, form);
        }
    }
    return all;
}

// Returns false for an unknown form, after which nothing can be read.
bool read_value(Reader& in, std::uint64_t form, Value& value, const Section& strings)
{
    const auto block = [&](std::uint64_t bytes) {
        value.is_block = true;
        const std::size_t begin = in.at;
        for (std::uint64_t i = 0; i < bytes && !in.done(); ++i) {
            if (const Reference* reference = in.reference())
                value.block_labels[in.at - begin] = *reference;
            value.block.push_back(static_cast<std::uint8_t>(in.fixed(1)));
        }
    };
    if (const Reference* reference = in.reference()) value.label = *reference;
    switch (form) {
    case 0x01: value.number = in.fixed(8); return true; // address
    case 0x03: block(in.fixed(2)); return true;
    case 0x04: block(in.fixed(4)); return true;
    case 0x05: value.number = in.fixed(2); return true;
    case 0x06: value.number = in.fixed(4); return true;
    case 0x07: value.number = in.fixed(8); return true;
    case 0x08: value.text = in.string(); return true;
    case 0x09: block(in.unsigned_number()); return true;
    case 0x0a: block(in.fixed(1)); return true;
    case 0x0b:
    case 0x0c:
    case 0x11: value.number = in.fixed(1); return true;
    case 0x0d: value.number = static_cast<std::uint64_t>(in.signed_number()); return true;
    case 0x0e: {
        const std::uint64_t offset = in.fixed(4) + (value.label ? value.label->addend : 0);
        Reader text{strings, offset};
        value.text = text.string();
        return true;
    }
    case 0x0f:
    case 0x15: value.number = in.unsigned_number(); return true;
    case 0x10:
    case 0x13:
    case 0x17: value.number = in.fixed(4); return true;
    case 0x12: value.number = in.fixed(2); return true;
    case 0x14:
    case 0x20: value.number = in.fixed(8); return true;
    case 0x18: block(in.unsigned_number()); return true; // a DWARF expression
    case 0x19: value.number = 1; return true;            // a flag whose presence means true
    default: return false;
    }
}

std::string register_name(std::uint64_t number)
{
    std::string name;
    for (; number != 0; number >>= 8) name.insert(name.begin(), static_cast<char>(number & 0xff));
    return name;
}

class DwarfUnit {
public:
    explicit DwarfUnit(const Module& module) : module_(module)
    {
        const std::string_view text = module.text;
        info_ = read_section(text, ".debug_info");
        strings_ = read_section(text, ".debug_str");
        locations_ = read_section(text, ".debug_loc");
        abbreviations_ = read_abbreviations(read_section(text, ".debug_abbrev"));
        read_entries();
        children_.resize(entries_.size());
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            by_offset_[entries_[i].offset] = i;
            if (entries_[i].parent >= 0)
                children_[static_cast<std::size_t>(entries_[i].parent)].push_back(i);
        }
        for (const Function& function : module.functions)
            for (const auto& [label, instruction] : function.labels)
                functions_.try_emplace(label, &function);
    }

    DebugInfo take()
    {
        DebugInfo info;
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            const Entry& entry = entries_[i];
            if (entry.tag == variable && entry.parent == 0) {
                SourceVariable made = variable_of(entry, nullptr);
                made.scope_end = std::numeric_limits<int>::max();
                if (!made.places.empty()) info.globals.push_back(std::move(made));
            }
            if (entry.tag != subprogram) continue;
            const Value* low = entry.find(at_low_pc);
            if (low == nullptr || !low->label) continue;
            const Function* function = function_with(low->label->label);
            if (function == nullptr) continue;
            DebugFunction made;
            made.name = function->name;
            made.readable = entry.text(at_name);
            collect(i, *function, 0, label(*function, *low, 0),
                    label(*function, entry.find(at_high_pc) ? *entry.find(at_high_pc) : Value{},
                          static_cast<int>(function->instructions.size())),
                    made);
            info.functions.push_back(std::move(made));
        }
        return info;
    }

private:
    void read_entries()
    {
        Reader in{info_};
        while (!in.done()) {
            const std::size_t begin = in.at;
            const std::uint64_t length = in.fixed(4);
            const std::size_t end = in.at + length;
            const std::uint64_t version = in.fixed(2);
            if (version < 2 || version > 4) return;
            in.fixed(4); // offset into .debug_abbrev: it holds a single table
            in.fixed(1); // address size
            std::vector<int> parents{-1};
            std::size_t names_bytes = 0;
            while (!in.done() && in.at < end) {
                const std::size_t offset = in.at - begin;
                const std::uint64_t code = in.unsigned_number();
                if (code == 0) {
                    if (parents.size() > 1) parents.pop_back();
                    continue;
                }
                const auto found = abbreviations_.find(code);
                if (found == abbreviations_.end()) return;
                Entry entry{found->second.tag, offset, parents.back(), {}};
                for (const auto& [attribute, form] : found->second.attributes) {
                    Value& value = entry.attributes[attribute];
                    if (!read_value(in, form, value, strings_)) return;
                    names_bytes += value.text.size();
                }
                if (entries_.size() == max_entries || names_bytes > max_all_names_bytes) return;
                entries_.push_back(std::move(entry));
                if (found->second.has_children)
                    parents.push_back(static_cast<int>(entries_.size()) - 1);
            }
            in.at = end;
            break; // nvcc writes a single compilation unit
        }
    }

    const Function* function_with(const std::string& label) const
    {
        const auto found = functions_.find(label);
        return found == functions_.end() ? nullptr : found->second;
    }

    static int label(const Function& function, const Value& value, int otherwise)
    {
        if (!value.label) return otherwise;
        const auto found = function.labels.find(value.label->label);
        return found == function.labels.end() ? otherwise : found->second;
    }

    const Entry* referred(const Entry& entry, std::uint64_t attribute) const
    {
        const Value* value = entry.find(attribute);
        if (value == nullptr) return nullptr;
        const auto found = by_offset_.find(value->number);
        return found == by_offset_.end() ? nullptr : &entries_[found->second];
    }

    void collect(std::size_t parent, const Function& function, int depth, int begin, int end,
                 DebugFunction& to)
    {
        for (const std::size_t i : children_[parent]) {
            const Entry& entry = entries_[i];
            constexpr int max_depth =
                100; // limits recursion: blocks nest as deeply as in the source
            if (entry.tag == lexical_block && depth < max_depth) {
                const Value* low = entry.find(at_low_pc);
                const Value* high = entry.find(at_high_pc);
                collect(i, function, depth + 1, low ? label(function, *low, begin) : begin,
                        high ? label(function, *high, end) : end, to);
            }
            if (entry.tag != variable && entry.tag != formal_parameter) continue;
            SourceVariable made = variable_of(entry, &function);
            made.depth = depth;
            made.scope_begin = begin;
            made.scope_end = end;
            for (PlacedVariable& place : made.places)
                if (place.end < 0) place = {begin, end, place.place};
            to.variables.push_back(std::move(made));
        }
    }

    SourceVariable variable_of(const Entry& entry, const Function* function)
    {
        SourceVariable made;
        made.name = entry.text(at_name);
        made.line = static_cast<int>(entry.number(at_decl_line));
        made.is_parameter = entry.tag == formal_parameter;
        made.type = type_of(referred(entry, at_type), 0);
        const Value* location = entry.find(at_location);
        if (location == nullptr) return made;
        if (location->is_block) {
            if (const VariablePlace place = place_of(location->block, location->block_labels);
                place.kind != VariablePlace::Kind::none)
                made.places.push_back({0, -1, place});
            return made;
        }
        if (function == nullptr) return made;
        Reader in{locations_, location->label ? location->label->addend : location->number};
        while (!in.done()) {
            const Reference* from = in.reference();
            const std::optional<Reference> begin = from ? std::optional(*from) : std::nullopt;
            in.fixed(8);
            from = in.reference();
            const std::optional<Reference> end = from ? std::optional(*from) : std::nullopt;
            in.fixed(8);
            if (!begin && !end) break;
            const std::uint64_t bytes = in.fixed(2);
            Value value;
            const std::size_t start = in.at;
            for (std::uint64_t i = 0; i < bytes && !in.done(); ++i) {
                if (const Reference* reference = in.reference())
                    value.block_labels[in.at - start] = *reference;
                value.block.push_back(static_cast<std::uint8_t>(in.fixed(1)));
            }
            const auto at = [&](const std::optional<Reference>& reference, int otherwise) {
                if (!reference) return otherwise;
                const auto found = function->labels.find(reference->label);
                return found == function->labels.end() ? otherwise : found->second;
            };
            PlacedVariable placed{at(begin, 0),
                                  at(end, static_cast<int>(function->instructions.size())),
                                  place_of(value.block, value.block_labels)};
            if (placed.place.kind != VariablePlace::Kind::none) made.places.push_back(placed);
            if (++places_ > max_all_places || made.places.size() == max_places) break;
        }
        return made;
    }

    // DW_OP_regx NUMBER, or DW_OP_addr LABEL [DW_OP_plus_uconst OFFSET].
    static VariablePlace place_of(const std::vector<std::uint8_t>& bytes,
                                  const std::map<std::size_t, Reference>& labels)
    {
        const Section section{bytes, labels};
        Reader in{section};
        VariablePlace place;
        while (!in.done()) {
            const std::uint64_t op = in.fixed(1);
            if (op == 0x90) {
                place.kind = VariablePlace::Kind::reg;
                place.name = register_name(in.unsigned_number());
            } else if (op == 0x03) {
                const Reference* reference = in.reference();
                if (reference == nullptr) return {};
                place.kind = VariablePlace::Kind::memory;
                place.name = reference->label;
                place.offset = static_cast<std::int64_t>(reference->addend);
                in.fixed(8);
            } else if (op == 0x23) {
                place.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(place.offset) +
                                                         in.unsigned_number());
            } else {
                return {};
            }
        }
        return place;
    }

    std::shared_ptr<const SourceType> type_of(const Entry* entry, int nesting)
    {
        if (entry == nullptr || nesting > 12) return nullptr;
        if (const auto known = types_.find(entry->offset); known != types_.end())
            return known->second;
        auto made = std::make_shared<SourceType>();
        made->name = entry->text(at_name);
        made->bytes = std::min(entry->number(at_byte_size), max_type_bytes);
        switch (entry->tag) {
        case base_type: read_base(*entry, *made); break;
        case type_definition:
        case const_type:
        case volatile_type:
        case restrict_type:
            if (!read_alias(*entry, nesting, *made)) return nullptr;
            break;
        case enumeration:
            made->kind = SourceType::Kind::integer;
            made->is_signed = true;
            if (made->bytes == 0) made->bytes = 4;
            break;
        case pointer_type:
        case reference_type:
        case rvalue_reference:
            made->kind = SourceType::Kind::pointer;
            made->bytes = 8;
            made->element = inner_type(*entry, nesting);
            made->name = (made->element ? made->element->name : "void") +
                         (entry->tag == pointer_type ? " *" : " &");
            break;
        case array_type: read_array(*entry, nesting, *made); break;
        case structure_type:
        case class_type:
        case union_type:
            made->kind = SourceType::Kind::record;
            // Stored before its members are read, since these may refer to it.
            types_[entry->offset] = made;
            read_members(*entry, nesting, *made);
            break;
        default: return nullptr;
        }
        types_[entry->offset] = made;
        return made;
    }

    std::shared_ptr<const SourceType> inner_type(const Entry& entry, int nesting)
    {
        return type_of(referred(entry, at_type), nesting + 1);
    }

    static void read_base(const Entry& entry, SourceType& made)
    {
        using Kind = SourceType::Kind;
        const std::uint64_t encoding = entry.number(at_encoding);
        made.kind = encoding == 4                    ? Kind::real
                    : encoding == 2                  ? Kind::boolean
                    : encoding == 6 || encoding == 8 ? Kind::character
                                                     : Kind::integer;
        made.is_signed = encoding == 5 || encoding == 6;
    }

    // Returns false if the type that it stands for is unknown.
    bool read_alias(const Entry& entry, int nesting, SourceType& made)
    {
        const auto of = inner_type(entry, nesting);
        if (of == nullptr) return false;
        const std::string name = made.name;
        made = *of;
        if (entry.tag == type_definition && !name.empty()) made.name = name;
        return true;
    }

    void read_array(const Entry& entry, int nesting, SourceType& made)
    {
        made.kind = SourceType::Kind::array;
        made.element = inner_type(entry, nesting);
        std::uint64_t count = 1;
        std::string extents;
        for (const std::size_t i : children_[by_offset_.at(entry.offset)]) {
            const Entry& child = entries_[i];
            if (child.tag != subrange) continue;
            std::uint64_t extent = 0;
            if (child.find(at_upper_bound)) extent = child.number(at_upper_bound) + 1;
            if (child.find(at_count)) extent = child.number(at_count);
            made.extents.push_back(extent);
            count = product(count, extent);
            if (made.extents.size() <= max_shown_extents)
                extents += extent != 0 ? fmt::format("[{}]", extent) : "[]";
        }
        if (!made.element) return;
        made.bytes = product(count, made.element->bytes);
        made.name = made.element->name + " " + extents;
    }

    void read_members(const Entry& entry, int nesting, SourceType& made)
    {
        for (const std::size_t i : children_[by_offset_.at(entry.offset)]) {
            const Entry& child = entries_[i];
            if (child.tag != member) continue;
            SourceType::Member one;
            one.name = child.text(at_name);
            one.type = inner_type(child, nesting);
            if (const Value* location = child.find(at_member_location)) {
                one.offset = location->number;
                if (location->is_block && location->block.size() > 1) {
                    const Section section{location->block, {}};
                    Reader in{section, 1};
                    one.offset = in.unsigned_number();
                }
            }
            if (one.type) made.members.push_back(std::move(one));
        }
    }

    // Returns 0 if the product exceeds max_type_bytes.
    static std::uint64_t product(std::uint64_t a, std::uint64_t b)
    {
        return a != 0 && b > max_type_bytes / a ? 0 : a * b;
    }

    const Module& module_;
    Section info_, strings_, locations_;
    std::map<std::uint64_t, Abbreviation> abbreviations_;
    std::vector<Entry> entries_;
    std::vector<std::vector<std::size_t>> children_;
    std::map<std::string_view, const Function*> functions_; // keyed by label
    std::size_t places_ = 0;
    std::map<std::size_t, std::size_t> by_offset_;
    std::map<std::size_t, std::shared_ptr<const SourceType>> types_;
};

} // namespace

const VariablePlace* SourceVariable::place_at(int instruction) const
{
    for (const PlacedVariable& place : places)
        if (instruction >= place.begin && (place.end < 0 || instruction < place.end))
            return &place.place;
    return nullptr;
}

const DebugFunction* DebugInfo::find(std::string_view function) const
{
    const auto found = std::ranges::find(functions, function, &DebugFunction::name);
    return found == functions.end() ? nullptr : &*found;
}

bool is_debug_text(std::string_view ptx)
{
    const std::size_t target = ptx.find("\n.target");
    if (target == std::string_view::npos) return false;
    const std::string_view line = ptx.substr(target + 1, ptx.find('\n', target + 1) - target);
    return line.find("debug") != std::string_view::npos;
}

DebugInfo read_debug_info(const Module& module)
{
    return DwarfUnit(module).take();
}

} // namespace lanescope::ptx

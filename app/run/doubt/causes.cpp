// Looks for patterns in the nodes of a slice.
#include "app/run/doubt/causes.h"

#include <set>

#include <fmt/format.h>

#include "app/run/doubt/line_walk.h"
#include "compute/ptx/instructions/table.h"

namespace lanescope::app {
namespace {

using ptx::Op;
using ptx::Type;
using ptx::Word;
using simt::Slice;
using simt::SliceNode;
using Kind = SliceNode::Kind;

const ptx::Instruction* instruction(const SliceNode& of)
{
    if (of.function == nullptr || of.pc >= of.function->code.size()) return nullptr;
    const auto source = of.function->code[of.pc].source;
    if (source >= of.function->source->instructions.size()) return nullptr;
    return &of.function->source->instructions[source];
}

// Names of the 64-bit parameters that an address was computed from.
std::set<std::string> pointers_of(const Slice& slice, const SliceNode& access)
{
    std::set<std::string> names;
    std::set<int> seen;
    std::vector<int> open = access.addresses;
    while (!open.empty() && seen.size() < 1000) {
        const int next = open.back();
        open.pop_back();
        if (!seen.insert(next).second) continue;
        const SliceNode& from = node(slice, next);
        if (from.kind == Kind::parameter && from.bytes == 8) names.insert(from.name);
        open.insert(open.end(), from.sources.begin(), from.sources.end());
    }
    return names;
}

bool mentions(const std::vector<std::string>& source, std::string_view word)
{
    for (const std::string& line : source)
        if (line.find(word) < line.find("//")) return true;
    return false;
}

bool is_real(Type type)
{
    return type == Type::f32 || type == Type::f64;
}

bool is_integer(Type type)
{
    return type >= Type::u8 && type <= Type::s64;
}

bool is_approximate(const ptx::Instruction& in)
{
    return in.has(Word::approx) || in.has(Word::full);
}

} // namespace

std::vector<DoubtCause> aliasing_causes(const Slice& slice, const std::vector<std::string>& source)
{
    std::vector<DoubtCause> causes;
    const bool restricted = mentions(source, "__restrict");
    for (const SliceNode& load : slice.nodes) {
        if (load.kind != Kind::copy || load.row == simt::no_row || load.address == 0 ||
            load.sources.size() != 1)
            continue;
        const SliceNode& store = node(slice, load.sources[0]);
        if (store.kind != Kind::copy || store.row != simt::no_row) continue;
        const ptx::Instruction* const in = instruction(load);
        const ptx::Instruction* const by = instruction(store);
        if (in == nullptr || by == nullptr) continue;
        const std::set<std::string> read = pointers_of(slice, load);
        const std::set<std::string> written = pointers_of(slice, store);
        const bool pointers_differ = read.size() == 1 && written.size() == 1 && read != written;
        const Type loaded = in->modifiers.type();
        const Type stored = by->modifiers.type();
        const bool types_differ =
            (is_real(loaded) && is_integer(stored)) || (is_integer(loaded) && is_real(stored));
        DoubtCause cause;
        cause.line = load.at.line;
        cause.ptx_line = load.at.ptx_line;
        if (pointers_differ && restricted) {
            cause.kind = "restrict";
            cause.sentence = fmt::format(
                "It reads through {} what line {} stored through {}: the buffers overlap, which "
                "__restrict__ rules out.",
                *read.begin(), store.at.line, *written.begin());
        } else if (types_differ) {
            cause.kind = "type_aliasing";
            cause.sentence = fmt::format(
                "It reads as {} what line {} stored as {}. C++ leaves that undefined; "
                "use __float_as_int() or memcpy().",
                is_real(loaded) ? "a floating-point number" : "an integer", store.at.line,
                is_real(stored) ? "a floating-point number" : "an integer");
        } else {
            continue;
        }
        causes.push_back(std::move(cause));
        if (causes.size() >= 4) break;
    }
    return causes;
}

std::optional<DoubtCause> approximation_cause(const SliceNode& one, const SliceNode& other,
                                              const std::string& one_name,
                                              const std::string& other_name)
{
    const ptx::Instruction* const a = instruction(one);
    const ptx::Instruction* const b = instruction(other);
    if (a == nullptr || b == nullptr) return {};
    DoubtCause cause;
    cause.ptx_line = one.at.ptx_line;
    cause.culprit = DoubtCulprit::rounding;
    if (is_approximate(*a) != is_approximate(*b)) {
        const bool first = is_approximate(*a);
        cause.kind = "approximation";
        cause.sentence =
            fmt::format("{} computes it with \"{}\", whose error PTX only bounds.",
                        first ? one_name : other_name, first ? one.at.ptx : other.at.ptx);
        return cause;
    }
    if (is_real(a->modifiers.type()) && a->has(Word::ftz) != b->has(Word::ftz)) {
        cause.kind = "flushing";
        cause.sentence = fmt::format("{} flushes subnormal numbers to zero (.ftz), {} does not.",
                                     a->has(Word::ftz) ? one_name : other_name,
                                     a->has(Word::ftz) ? other_name : one_name);
        return cause;
    }
    return {};
}

std::vector<DoubtCause> undefined_in_ptx(const Slice& slice)
{
    std::vector<DoubtCause> causes;
    std::set<int> lines;
    for (const SliceNode& each : slice.nodes) {
        const ptx::Instruction* const in = instruction(each);
        if (each.kind != Kind::operation || in == nullptr) continue;
        DoubtCause cause;
        cause.line = each.at.line;
        cause.ptx_line = each.at.ptx_line;
        const bool divides = in->op == Op::div || in->op == Op::rem;
        if (divides && is_integer(in->modifiers.type()) && each.sources.size() > 1 &&
            node(slice, each.sources[1]).bits == 0) {
            cause.kind = "zero_division";
            cause.sentence = "It divides an integer by zero.";
            cause.culprit = DoubtCulprit::open;
        } else if (is_approximate(*in)) {
            cause.kind = "approximation";
            cause.sentence = fmt::format("PTX only bounds the error of \"{}\".", each.at.ptx);
            cause.culprit = DoubtCulprit::rounding;
        } else {
            continue;
        }
        if (lines.insert(each.at.ptx_line).second) causes.push_back(std::move(cause));
        if (causes.size() >= 4) break;
    }
    return causes;
}

} // namespace lanescope::app

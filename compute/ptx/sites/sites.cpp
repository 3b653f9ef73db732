// Text order: functions in module order, then instructions in function order.
#include "compute/ptx/sites/sites.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "compute/error.h"
#include "compute/ptx/instructions/table.h"
#include "compute/ptx/text/lines.h"
#include "compute/ptx/text/parse_error.h"

namespace lanescope::ptx {
namespace {

// Maps a space whose accesses are sites to its trace::Space; returns none for any other space.
trace::Space space_of(Space space)
{
    switch (space) {
    case Space::global: return trace::Space::global;
    case Space::shared: return trace::Space::shared;
    case Space::local: return trace::Space::local;
    case Space::constant: return trace::Space::constant;
    case Space::none: return trace::Space::generic;
    default: return trace::Space::none;
    }
}

// The text on one line, with single spaces.
std::string one_line(std::string_view text)
{
    std::string line;
    for (char c : text) {
        const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!blank)
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    return line;
}

// tex, tld4, suld and sust: the width is that of a lane's registers.
std::optional<SiteKind> image_kind(const Instruction& instruction)
{
    const bool texture = instruction.op == Op::tex || instruction.op == Op::tld4;
    const bool stores = instruction.op == Op::sust;
    if (!texture && !stores && instruction.op != Op::suld) return std::nullopt;
    return SiteKind{stores ? trace::Op::store : trace::Op::load,
                    texture ? trace::Space::texture : trace::Space::surface,
                    instruction.modifiers.elements * size_bytes(instruction.modifiers.type())};
}

int index_of_function(const Module& module, std::string_view name)
{
    const Function* found = module.find_function(name);
    if (found == nullptr || found->is_declaration) return -1;
    return static_cast<int>(found - module.functions.data());
}

void require_understood(const Function& function, std::string_view kernel)
{
    if (!function.refusal) return;
    const std::string in =
        function.name == kernel
            ? fmt::format("in kernel '{}'", kernel)
            : fmt::format("in '{}', which kernel '{}' reaches", function.name, kernel);
    throw ParseError(function.refusal->line, fmt::format("{}, {}", function.refusal->what, in));
}

// Functions that a kernel can reach by calls and, optionally, by device-side launches.
class Reach {
public:
    Reach(const Module& module, std::string_view kernel, bool launches)
        : module_(module), kernel_(kernel), launches_(launches), seen_(module.functions.size())
    {
    }

    std::vector<int> from(int first)
    {
        for (visit(first); !waiting_.empty();) {
            const Function& function = module_.functions[waiting_.back()];
            waiting_.pop_back();
            require_understood(function, kernel_);
            for (const Instruction& instruction : function.instructions) follow(instruction);
        }
        std::vector<int> reachable;
        for (std::size_t i = 0; i < seen_.size(); ++i)
            if (seen_[i]) reachable.push_back(static_cast<int>(i));
        return reachable;
    }

private:
    void visit(int index)
    {
        if (index < 0 || seen_[index]) return;
        seen_[index] = true;
        waiting_.push_back(index);
    }

    void follow(const Instruction& instruction)
    {
        if (launches_ && instruction.op == Op::mov && instruction.operands.size() == 2 &&
            instruction.operands[1].kind == Operand::Kind::symbol) {
            const int taken = index_of_function(module_, instruction.operands[1].symbol);
            if (taken >= 0 && module_.functions[taken].is_kernel) visit(taken);
        }
        if (instruction.op != Op::call) return;
        const Operand& callee = instruction.operands[1];
        if (callee.kind == Operand::Kind::symbol)
            return visit(index_of_function(module_, callee.symbol));
        if (std::exchange(any_function_, true)) return;
        for (std::size_t i = 0; i < module_.functions.size(); ++i)
            if (!module_.functions[i].is_kernel && !module_.functions[i].is_declaration)
                visit(static_cast<int>(i));
    }

    const Module& module_;
    std::string_view kernel_;
    bool launches_;
    bool any_function_ = false;
    std::vector<bool> seen_;
    std::vector<int> waiting_;
};

std::vector<int> reached(const Module& module, std::string_view kernel, bool launches)
{
    const int first = index_of_function(module, kernel);
    if (first < 0 || !module.functions[first].is_kernel) {
        std::string names;
        for (const std::string& name : module.kernel_names())
            names += (names.empty() ? "" : ", ") + name;
        throw Error(ExitStatus::no_such_thing, fmt::format("There is no kernel '{}'.", kernel),
                    fmt::format("The PTX holds: {}.", names.empty() ? "none" : names));
    }
    return Reach(module, kernel, launches).from(first);
}

} // namespace

namespace {

// Bulk copies; the width is the unit of their sizes.
std::optional<SiteKind> bulk_kind(const Instruction& instruction)
{
    constexpr int unit_bytes = 16;
    switch (instruction.op) {
    case Op::bulk_load: return SiteKind{trace::Op::load, trace::Space::global, unit_bytes};
    case Op::bulk_store: return SiteKind{trace::Op::store, trace::Space::global, unit_bytes};
    case Op::bulk_reduce: return SiteKind{trace::Op::reduction, trace::Space::global, unit_bytes};
    case Op::tensor_copy:
        return SiteKind{instruction.has(Word::bulk_group) ? trace::Op::store : trace::Op::load,
                        trace::Space::global, unit_bytes};
    case Op::tensor_reduce: return SiteKind{trace::Op::reduction, trace::Space::global, unit_bytes};
    default: return std::nullopt;
    }
}

} // namespace

int matrix_rows(const Instruction& instruction)
{
    const int matrices = instruction.has(Word::x4) ? 4 : instruction.has(Word::x2) ? 2 : 1;
    return matrices * (instruction.has(Word::m16n16) ? 16 : 8);
}

std::optional<SiteKind> site_kind(const Instruction& instruction)
{
    const Modifiers& modifiers = instruction.modifiers;
    SiteKind kind;
    if (const auto image = image_kind(instruction)) return image;
    if (const auto bulk = bulk_kind(instruction)) return bulk;
    switch (form_of(instruction.op).effect) {
    case Effect::branches:
        if (instruction.op == Op::bra && !instruction.guard) return std::nullopt;
        return SiteKind{trace::Op::branch};
    case Effect::copies:
        return SiteKind{trace::Op::load, trace::Space::global,
                        static_cast<int>(instruction.operands[2].bits)};
    case Effect::reads: kind.op = trace::Op::load; break;
    case Effect::writes: kind.op = trace::Op::store; break;
    case Effect::updates: kind.op = trace::Op::atomic; break;
    case Effect::reduces: kind.op = trace::Op::reduction; break;
    default: return std::nullopt;
    }
    kind.space = space_of(modifiers.space);
    kind.width_bytes = form_of(instruction.op).unit == Unit::matrix
                           ? matrix_row_bytes
                           : modifiers.elements * size_bytes(modifiers.type());
    if (kind.space == trace::Space::none || kind.width_bytes == 0) return std::nullopt;
    return kind;
}

std::vector<int> reachable_functions(const Module& module, std::string_view kernel)
{
    return reached(module, kernel, false);
}

bool launches_from_device(const Function& function)
{
    return std::ranges::any_of(function.instructions, [](const Instruction& instruction) {
        return instruction.op == Op::call &&
               instruction.operands[1].symbol == "__cudaCDP2LaunchDeviceV2";
    });
}

bool launches_from_device(const Module& module)
{
    return module.find_function("__cudaCDP2LaunchDeviceV2") != nullptr;
}

std::vector<int> functions_and_launched_kernels(const Module& module, std::string_view kernel)
{
    return reached(module, kernel, launches_from_device(module));
}

SiteList sites_of(const Module& module, std::string_view kernel)
{
    SiteList list;
    for (int index : functions_and_launched_kernels(module, kernel)) {
        const Function& function = module.functions[index];
        for (std::size_t i = 0; i < function.instructions.size(); ++i) {
            const Instruction& instruction = function.instructions[i];
            const auto kind = site_kind(instruction);
            if (!kind) continue;
            const SourceLine source = source_line(module, instruction);
            trace::Site site;
            site.function = function.name;
            site.file = source.file;
            site.line = source.line;
            site.ptx_line = instruction.ptx_line;
            site.ptx = one_line(
                std::string_view(module.text)
                    .substr(instruction.text_begin, instruction.text_end - instruction.text_begin));
            site.space = kind->space;
            site.op = kind->op;
            site.width_bytes = kind->width_bytes;
            list.sites.push_back(std::move(site));
            list.places.push_back({index, static_cast<int>(i)});
        }
    }
    return list;
}

int SiteList::find(SitePlace place) const
{
    const auto before = [](const SitePlace& a, const SitePlace& b) {
        return std::tie(a.function, a.instruction) < std::tie(b.function, b.instruction);
    };
    const auto found = std::lower_bound(places.begin(), places.end(), place, before);
    return found != places.end() && *found == place ? static_cast<int>(found - places.begin()) : -1;
}

} // namespace lanescope::ptx

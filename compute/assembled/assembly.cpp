// A SASS access that is wider than the access at its PTX line moves neighbouring bytes as well.
// Neighbours are sites in the same basic block with the same base register and a different offset,
// for which the SASS has no separate access. If a PTX line has one access but two in the SASS, the
// second one is assigned to a neighbour.
#include "compute/assembled/assembly.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "compute/ptx/control_flow/cfg.h"
#include "compute/ptx/instructions/table.h"

namespace lanescope::assembled {
namespace {

using trace::AssembledAs;
using trace::AssembledSite;

// True if the SASS instruction may implement an access of the site's kind.
bool is_access(const SassInstruction& sass, const trace::Site& site)
{
    const auto one_of = [&](std::initializer_list<std::string_view> names) {
        return std::ranges::find(names, sass.name()) != names.end();
    };
    if (sass.guard == "@!PT") return false; // padding that never executes
    switch (site.space) {
    case trace::Space::texture:
        return one_of({"TEX", "TLD", "TLD4", "TXD", "TEXS", "TLDS", "TLD4S"});
    case trace::Space::surface: return one_of({"SULD", "SUST", "SUATOM", "SURED"});
    case trace::Space::local: return one_of({site.op == trace::Op::load ? "LDL" : "STL"});
    default: break;
    }
    switch (site.op) {
    case trace::Op::load: return one_of({"LD", "LDG", "LDS", "LDSM", "LDGSTS", "LDC", "LDU"});
    case trace::Op::store: return one_of({"ST", "STG", "STS", "STSM"});
    case trace::Op::atomic:
    case trace::Op::reduction:
        return one_of({"ATOM", "ATOMG", "ATOMS", "RED", "REDG", "REDS", "ATOMCAS"});
    case trace::Op::branch: return one_of({"BRA", "BRX", "JMP", "JMX"});
    }
    return false;
}

bool is_atomic(const trace::Site& site)
{
    return site.op == trace::Op::atomic || site.op == trace::Op::reduction;
}

// A PTX address: a base and an offset.
struct Address {
    int reg = -1;       // base register, after following copies and additions of constants
    std::string symbol; // base variable; empty if the base is a register
    std::int64_t offset = 0;

    bool has_same_base_as(const Address& other) const
    {
        return reg == other.reg && symbol == other.symbol;
    }
};

// Splits an instruction's address into its registers and offset: "R4" and 8 for "R5, [R4+0x8]".
// Empty if it has no address.
std::optional<std::pair<std::string, std::int64_t>> sass_address(const SassInstruction& sass)
{
    const std::string_view text = sass.operands;
    const std::size_t end = text.rfind(']');
    const std::size_t begin = text.rfind('[', end);
    if (end == text.npos || begin == text.npos) return {};
    std::string_view base = text.substr(begin + 1, end - begin - 1);
    const std::size_t number = base.rfind("0x");
    if (number == base.npos) return {{std::string(base), 0}};
    std::int64_t offset = 0;
    std::from_chars(base.data() + number + 2, base.data() + base.size(), offset, 16);
    base = base.substr(0, number);
    if (base.ends_with('-')) {
        offset = -offset;
        base.remove_suffix(1);
    }
    if (base.ends_with('+')) base.remove_suffix(1);
    return {{std::string(base), offset}};
}

// Registers that are written once, resolved to another register plus a constant.
class Registers {
public:
    explicit Registers(const ptx::Function& function)
        : function_(function), writes_(function.registers.size()),
          writer_(function.registers.size(), -1)
    {
        for (std::size_t i = 0; i < function.instructions.size(); ++i) {
            const ptx::Instruction& in = function.instructions[i];
            const int destinations = ptx::form_of(in.op).destinations;
            for (int d = 0; d < destinations && d < static_cast<int>(in.operands.size()); ++d)
                written(in.operands[static_cast<std::size_t>(d)], static_cast<int>(i));
        }
    }

    Address resolve(const ptx::Operand& operand) const
    {
        if (operand.reg < 0) return {-1, operand.symbol, operand.offset};
        Address address{operand.reg, {}, operand.offset};
        for (int depth = 0; depth < 16; ++depth) {
            const auto reg = static_cast<std::size_t>(address.reg);
            if (writes_[reg] != 1 || writer_[reg] < 0) break;
            const ptx::Instruction& in =
                function_.instructions[static_cast<std::size_t>(writer_[reg])];
            if (in.guard || in.operands.size() < 2) break;
            const ptx::Operand& from = in.operands[1];
            std::int64_t plus = 0;
            if (in.op == ptx::Op::add) {
                if (in.operands.size() < 3 || in.operands[2].kind != ptx::Operand::Kind::immediate)
                    break;
                plus = static_cast<std::int64_t>(in.operands[2].bits);
            } else if (in.op != ptx::Op::mov && in.op != ptx::Op::cvta) {
                break;
            }
            if (from.kind == ptx::Operand::Kind::symbol) {
                address.symbol = from.symbol;
                address.offset += plus + from.offset;
                address.reg = -1;
                break;
            }
            if (from.kind != ptx::Operand::Kind::reg) break;
            address.reg = from.reg;
            address.offset += plus;
        }
        return address;
    }

    // True if the register has the same value at both instructions, with only straight-line code
    // between them.
    bool is_kept(int reg, int from, int to) const
    {
        if (reg < 0 || writes_[static_cast<std::size_t>(reg)] <= 1) return true;
        for (int i = std::min(from, to); i < std::max(from, to); ++i) {
            const ptx::Instruction& in = function_.instructions[static_cast<std::size_t>(i)];
            const int destinations = ptx::form_of(in.op).destinations;
            for (int d = 0; d < destinations && d < static_cast<int>(in.operands.size()); ++d)
                if (writes(in.operands[static_cast<std::size_t>(d)], reg)) return false;
        }
        return true;
    }

private:
    void written(const ptx::Operand& operand, int by)
    {
        for (const ptx::Operand& element : operand.elements) written(element, by);
        if (operand.reg < 0) return;
        ++writes_[static_cast<std::size_t>(operand.reg)];
        writer_[static_cast<std::size_t>(operand.reg)] = by;
    }
    static bool writes(const ptx::Operand& operand, int reg)
    {
        return operand.reg == reg ||
               std::ranges::any_of(operand.elements,
                                   [&](const ptx::Operand& each) { return writes(each, reg); });
    }

    const ptx::Function& function_;
    std::vector<int> writes_;
    std::vector<int> writer_;
};

// Analysis of one PTX function.
struct Body {
    explicit Body(const ptx::Module& module, const ptx::Function& function)
        : flow(ptx::control_flow(module, function)), registers(function)
    {
    }
    ptx::ControlFlow flow;
    Registers registers;
};

class Matcher {
public:
    Matcher(const ptx::Module& module, const ptx::SiteList& list, const SassFunction& kernel,
            const Sass& sass)
        : module_(module), list_(list), sites_(list.sites.size()), sass_(list.sites.size())
    {
        for (std::size_t i = 0; i < list.sites.size(); ++i)
            by_line_[list.sites[i].ptx_line].push_back(static_cast<int>(i));
        look(kernel);
        for (int index : ptx::functions_and_launched_kernels(module, kernel.name))
            if (const SassFunction* function =
                    sass.find(module.functions[static_cast<std::size_t>(index)].name);
                function != nullptr && function != &kernel)
                look(*function);
    }

    std::vector<AssembledSite> match()
    {
        for (std::size_t i = 0; i < sites_.size(); ++i) share(i);
        for (std::size_t i = 0; i < sites_.size(); ++i) plain(i);
        for (std::size_t i = 0; i < sites_.size(); ++i) widen(i);
        return std::move(sites_);
    }

private:
    struct Found {
        const SassFunction* function;
        int index;
        const SassInstruction& instruction() const
        {
            return function->instructions[static_cast<std::size_t>(index)];
        }
    };

    void look(const SassFunction& function)
    {
        for (std::size_t i = 0; i < function.instructions.size(); ++i) {
            const SassInstruction& in = function.instructions[i];
            const auto sites = by_line_.find(in.ptx_line);
            if (sites == by_line_.end()) continue;
            for (int site : sites->second) {
                const auto index = static_cast<std::size_t>(site);
                if (is_access(in, list_.sites[index]))
                    sass_[index].push_back({&function, static_cast<int>(i)});
                else if (in.has("REDUX") || in.has("UREDUX") || in.has("UFLO") || in.has("FLO") ||
                         in.has("CREDUX"))
                    leaders_.insert(site);
            }
        }
    }

    void plain(std::size_t i)
    {
        const trace::Site& site = list_.sites[i];
        AssembledSite& made = sites_[i];
        made.width_bytes = site.width_bytes;
        made.copies = static_cast<int>(sass_[i].size());
        const ptx::SitePlace& place = list_.places[i];
        const bool guarded = module_.functions[static_cast<std::size_t>(place.function)]
                                 .instructions[static_cast<std::size_t>(place.instruction)]
                                 .guard.has_value();
        for (const Found& each : sass_[i]) {
            const SassInstruction& in = each.instruction();
            made.predicated |= !in.guard.empty() && !guarded;
            std::string text = in.guard.empty() ? in.opcode : in.guard + " " + in.opcode;
            if (!in.operands.empty()) text += " " + in.operands;
            made.sass.push_back(std::move(text));
        }
        if (site.op == trace::Op::branch) {
            if (sass_[i].empty()) {
                made.as = AssembledAs::removed;
                made.predicated = true;
            }
            return;
        }
        if (sass_[i].empty()) {
            made.as = AssembledAs::removed;
        } else if (is_atomic(site)) {
            const auto has = [&](std::string_view modifier) {
                return std::ranges::any_of(
                    sass_[i], [&](const Found& each) { return each.instruction().has(modifier); });
            };
            if (has("POPC"))
                made.as = AssembledAs::summed;
            else if (leaders_.contains(static_cast<int>(i)) && made.predicated)
                made.as = AssembledAs::aggregated;
        }
    }

    // Width shared by all of the site's instructions; empty if they differ.
    std::optional<int> sass_width(std::size_t i) const
    {
        std::optional<int> width;
        for (const Found& each : sass_[i]) {
            const int bytes = each.instruction().width_bytes();
            if (width && *width != bytes) return {};
            width = bytes;
        }
        return width;
    }

    // ldmatrix and cp.async have fixed widths and are never widened.
    bool may_be_widened(std::size_t i) const
    {
        const trace::Op op = list_.sites[i].op;
        return (op == trace::Op::load || op == trace::Op::store) && !sass_[i].empty() &&
               ptx::form_of(instruction(list_.places[i]).op).unit == ptx::Unit::memory;
    }

    // Words that are not adjacent may be loaded by separate instructions, all with the PTX line of
    // one of the words: assigns these instructions to the sites whose words they load.
    void share(std::size_t i)
    {
        if (!may_be_widened(i) || sass_[i].size() < 2 ||
            sass_width(i) != list_.sites[i].width_bytes)
            return;
        std::map<std::int64_t, Found> all;
        const auto own = sass_address(sass_[i].front().instruction());
        for (const Found& each : sass_[i]) {
            const auto address = sass_address(each.instruction());
            if (!own || !address || address->first != own->first) return;
            all.emplace(address->second, each);
        }
        if (all.size() < sass_[i].size()) return;
        const std::map<std::int64_t, int> parts = with_neighbours(i);
        const std::int64_t at = address_of(i).offset;
        for (const auto& [site_address, found] : all) {
            const auto part_of = [&](std::int64_t offset) {
                return parts.find(at + offset - site_address);
            };
            if (!std::ranges::all_of(
                    all, [&](const auto& each) { return part_of(each.first) != parts.end(); }))
                continue;
            for (const auto& [offset, each] : all)
                sass_[static_cast<std::size_t>(part_of(offset)->second)] = {each};
            return;
        }
    }

    void widen(std::size_t i)
    {
        const trace::Site& site = list_.sites[i];
        if (!may_be_widened(i)) return;
        const std::optional<int> width = sass_width(i);
        if (!width || *width == site.width_bytes) return;
        AssembledSite& made = sites_[i];
        if (*width < site.width_bytes) {
            const int pieces = site.width_bytes / *width;
            made.as = made.copies % pieces == 0 ? AssembledAs::split : AssembledAs::narrowed;
            made.width_bytes = *width;
            return;
        }
        if (site.width_bytes < 4 && *width == 4) return; // 16-bit values use a whole register
        merge(i, *width);
    }

    // The site and its neighbours, by offset.
    std::map<std::int64_t, int> with_neighbours(std::size_t i)
    {
        const trace::Site& site = list_.sites[i];
        const ptx::SitePlace& place = list_.places[i];
        Body& body = body_of(place.function);
        const Address address = address_of(i);
        std::map<std::int64_t, int> parts{{address.offset, static_cast<int>(i)}};
        for (std::size_t k = 0; k < sites_.size(); ++k) {
            const trace::Site& other = list_.sites[k];
            const ptx::SitePlace& there = list_.places[k];
            if (k == i || !sass_[k].empty() || sites_[k].as == AssembledAs::part ||
                other.op != site.op || other.space != site.space ||
                there.function != place.function ||
                body.flow.block_of[static_cast<std::size_t>(there.instruction)] !=
                    body.flow.block_of[static_cast<std::size_t>(place.instruction)])
                continue;
            const Address near = address_of(k);
            if (!near.has_same_base_as(address) ||
                !body.registers.is_kept(address.reg, place.instruction, there.instruction))
                continue;
            parts.emplace(near.offset, static_cast<int>(k));
        }
        return parts;
    }

    // Chooses the window of `width` bytes around the site that covers the most neighbours
    // without a separate instruction.
    void merge(std::size_t i, int width)
    {
        const trace::Site& site = list_.sites[i];
        const Address address = address_of(i);
        const std::map<std::int64_t, int> parts = with_neighbours(i);
        const auto filled = [&](std::int64_t begin) {
            int bytes = 0;
            for (const auto& [offset, part] : parts)
                if (offset >= begin && offset < begin + width)
                    bytes += list_.sites[static_cast<std::size_t>(part)].width_bytes;
            return bytes;
        };
        std::int64_t best = address.offset;
        for (std::int64_t begin = address.offset + site.width_bytes - width;
             begin <= address.offset; begin += site.width_bytes) {
            const int better = filled(begin) - filled(best);
            const bool aligned = begin % width == 0 && best % width != 0;
            if (better > 0 || (better == 0 && aligned)) best = begin;
        }
        AssembledSite& made = sites_[i];
        made.as = AssembledAs::merged;
        made.width_bytes = width;
        made.offset = static_cast<int>(best - address.offset);
        for (const auto& [offset, part] : parts) {
            if (offset < best || offset >= best + width) continue;
            made.members.push_back(part);
            if (part == static_cast<int>(i)) continue;
            AssembledSite& member = sites_[static_cast<std::size_t>(part)];
            member.as = AssembledAs::part;
            member.leader = static_cast<int>(i);
            member.width_bytes = width;
            member.offset = static_cast<int>(best - offset);
        }
    }

    const ptx::Instruction& instruction(const ptx::SitePlace& place) const
    {
        return module_.functions[static_cast<std::size_t>(place.function)]
            .instructions[static_cast<std::size_t>(place.instruction)];
    }

    Address address_of(std::size_t i)
    {
        const ptx::Instruction& in = instruction(list_.places[i]);
        const int operand = ptx::form_of(in.op).address;
        if (operand < 0) return {};
        return body_of(list_.places[i].function)
            .registers.resolve(in.operands[static_cast<std::size_t>(operand)]);
    }

    Body& body_of(int function)
    {
        const auto found = bodies_.find(function);
        if (found != bodies_.end()) return found->second;
        return bodies_
            .emplace(function, Body(module_, module_.functions[static_cast<std::size_t>(function)]))
            .first->second;
    }

    const ptx::Module& module_;
    const ptx::SiteList& list_;
    std::vector<AssembledSite> sites_;
    std::vector<std::vector<Found>> sass_; // indexed by site
    std::map<int, std::vector<int>> by_line_;
    std::set<int> leaders_; // atomics for which one lane is elected
    std::map<int, Body> bodies_;
};

} // namespace

trace::Assembled assembled_sites(const ptx::Module& module, const ptx::SiteList& sites,
                                 std::string_view kernel, const Sass& sass)
{
    trace::Assembled assembled{.architecture = sass.architecture, .sites = {}};
    if (const SassFunction* function = sass.find(kernel))
        assembled.sites = Matcher(module, sites, *function, sass).match();
    return assembled;
}

} // namespace lanescope::assembled

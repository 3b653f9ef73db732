// Probes are text inserted at instructions; the original kernel text is unchanged.
#include "compute/ptx/probes/rewrite.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "compute/error.h"
#include "compute/ptx/control_flow/cfg.h"
#include "compute/ptx/instructions/table.h"
#include "compute/ptx/probes/probe_counters.h"
#include "compute/ptx/probes/probe_maps.h"
#include "compute/ptx/probes/probe_template.h"
#include "compute/ptx/probes/probe_text.h"
#include "compute/ptx/sites/sites.h"

namespace lanescope::ptx {
namespace {

// Name as written in the source. Unique names carry a suffix: "@2" etc. or, for module variables
// declared in a function, "@" and the function's name.
std::string as_written(std::string_view unique)
{
    std::string name;
    for (std::size_t i = 0; i < unique.size(); ++i) {
        if (unique[i] != '@') {
            name += unique[i];
            continue;
        }
        while (i + 1 < unique.size() && unique[i + 1] != '@' && unique[i + 1] != '.') ++i;
    }
    return name;
}

// Rewrites one function.
class FunctionRewriter {
public:
    FunctionRewriter(const Module& module, int function, const SiteList& sites,
                     const Probed& probed, bool calls_may_exit)
        : module_(module), function_(module.functions[function]), index_(function),
          sites_(sites), maps_{probed.options.footprint && !probed.options.footprint_of_surface,
                               probed.options.footprint_element_bytes, probed.options.touches,
                               probed.launches},
          surface_(probed.options.footprint && probed.options.footprint_of_surface),
          request_site_(probed.options.request_site), warp_scope_(probed.options.warp_scope),
          records_(probed.records), copies_(probed.copies), calls_may_exit_(calls_may_exit)
    {
    }

    // Texts to insert, each with the offset in Module::text where it goes, in order.
    std::vector<std::pair<std::size_t, std::string>> run()
    {
        insert(function_.body_begin,
               function_prologue(records_, copies_) +
                   (maps_.launches ? launch_prologue(function_.is_kernel) : ""));
        const ControlFlow flow = control_flow(module_, function_);
        for (const Block& block : flow.blocks) {
            count_block(block);
            lanes_known_ = true;
            fields_width_ = 0;
            for (int i = block.begin; i < block.end; ++i) instruction(i);
            end_rows();
        }
        insert(function_.body_end, flush_text(maps_.launches));
        std::ranges::stable_sort(insertions_, {}, &std::pair<std::size_t, std::string>::first);
        return std::move(insertions_);
    }

private:
    void insert(std::size_t offset, std::string text)
    {
        insertions_.emplace_back(offset, "\n" + std::move(text));
    }

    // After a call, insert after the loads of its results: PTX requires those directly after the
    // call.
    void count_block(const Block& block)
    {
        const std::string text = block_probe(block.end - block.begin);
        const bool after_call =
            block.begin > 0 && effect_of(function_.instructions[block.begin - 1]) == Effect::calls;
        int loads = 0;
        while (after_call && block.begin + loads < block.end &&
               is_result_load(function_.instructions[block.begin + loads]))
            ++loads;
        if (loads > 0)
            insert(function_.instructions[block.begin + loads - 1].text_end, text);
        else
            insert(function_.instructions[block.begin].text_begin, text);
    }

    static Effect effect_of(const Instruction& instruction)
    {
        return form_of(instruction.op).effect;
    }

    static bool is_result_load(const Instruction& instruction)
    {
        return effect_of(instruction) == Effect::reads &&
               instruction.modifiers.space == Space::param;
    }

    // At a synchronisation more lanes may continue together than arrived together. The assembler
    // assumes that a mask of active lanes is the same in all of them: with an older mask they would
    // diverge after a barrier, and reach the next one separately.
    void instruction(int i)
    {
        probe_instruction(i);
        if (effect_of(function_.instructions[i]) != Effect::synchronises) return;
        end_rows();
        lanes_known_ = false;
    }

    void probe_instruction(int i)
    {
        const Instruction& instruction = function_.instructions[i];
        if (returns(instruction)) {
            end_rows();
            return insert(instruction.text_begin,
                          under_guard(instruction, flush_text(maps_.launches)));
        }
        if (effect_of(instruction) == Effect::calls && calls_may_exit_) {
            end_rows();
            return insert(instruction.text_begin, flush_text(maps_.launches));
        }
        const int site = sites_.find({index_, i});
        if (site >= 0) {
            const SiteKind kind = *site_kind(instruction);
            if (kind.op == trace::Op::branch)
                insert(instruction.text_begin,
                       branch_probe(site, branch_target(instruction), lanes_known_));
            else if (trace::is_modelled(kind.space))
                insert(
                    instruction.text_begin,
                    under_guard(instruction, request_probe(site,
                                                           kind.space != trace::Space::local &&
                                                               trace::covers(warp_scope_, kind.op),
                                                           same_lanes(instruction))));
            else if (auto probe = memory(site, kind, instruction))
                access(instruction, std::move(*probe));
        }
        if (surface_ && instruction.op == Op::sust) note_surface(instruction);
        if (function_.is_kernel && effect_of(instruction) == Effect::branches)
            exit_at_branch(instruction);
    }

    // True if this instruction's probe has the same lanes as the previous probe. A guard changes
    // the lanes, so the next probe determines them again.
    bool same_lanes(const Instruction& instruction)
    {
        if (!instruction.guard && lanes_known_) return true;
        fields_width_ = 0;
        if (instruction.guard) end_rows();
        lanes_known_ = !instruction.guard;
        return false;
    }

    void access(const Instruction& instruction, MemoryProbe probe)
    {
        const bool splits_lanes = probe.kind.space == trace::Space::generic || probe.matrix_rows ||
                                  may_read_nothing(instruction);
        probe.lanes_known = same_lanes(instruction) && !splits_lanes;
        if (splits_lanes) {
            end_rows();
            lanes_known_ = false;
            fields_width_ = 0;
        } else if (probe.kind.space == trace::Space::global) {
            probe.fields_known = probe.kind.width_bytes == fields_width_;
            fields_width_ = instruction.guard ? 0 : probe.kind.width_bytes;
        }
        if (!splits_lanes && !instruction.guard && probe.counts_for_warp)
            rows_[probe.kind.space].emplace_back(instruction.text_begin, std::move(probe));
        else
            insert(instruction.text_begin,
                   under_guard(instruction,
                               for_address_lanes(instruction, memory_probe(probe, maps_))));
    }

    // Emits the probes of the current rows, one row per memory; called when the known lanes change.
    void end_rows()
    {
        for (auto& [space, row] : rows_) {
            for (std::size_t i = 0; i < row.size(); ++i) {
                auto& [offset, probe] = row[i];
                probe.row = static_cast<int>(row.size());
                probe.in_row = row.size() == 1      ? InRow::alone
                               : i == 0             ? InRow::first
                               : i + 1 < row.size() ? InRow::between
                                                    : InRow::last;
                insert(offset, memory_probe(probe, maps_));
            }
            row.clear();
        }
    }

    // A branch to the kernel's return exits here instead. If lanes met at the return to
    // add up their counters, lanes that return early would wait for others, which may in
    // turn wait for them at a barrier.
    void exit_at_branch(const Instruction& instruction)
    {
        const std::vector<int> targets = branch_targets(function_, instruction);
        const int count = static_cast<int>(function_.instructions.size());
        std::string leaving;
        for (std::size_t i = 0; i < targets.size(); ++i) {
            const bool at_end = targets[i] == count;
            if (!at_end && !is_plain_return(function_.instructions[targets[i]])) continue;
            if (std::find(targets.begin(), targets.begin() + i, targets[i]) != targets.begin() + i)
                continue;
            const std::string text =
                (at_end ? "" : block_probe(1)) + flush_text(maps_.launches) + "ret;\n";
            leaving += instruction.op == Op::bra ? under_guard(instruction, text)
                                                 : when_entry(instruction, i, text);
        }
        insert(instruction.text_begin, leaving);
    }

    static bool returns(const Instruction& instruction)
    {
        return instruction.op == Op::ret || instruction.op == Op::exit;
    }

    static bool is_plain_return(const Instruction& instruction)
    {
        return !instruction.guard && returns(instruction);
    }

    // Runs `text` only in lanes whose branch target is the one that first appears at index `entry`
    // of the branch table.
    std::string when_entry(const Instruction& instruction, std::size_t entry,
                           std::string_view text) const
    {
        const std::string chosen =
            fmt::format("{}setp.eq.u32 &p, &target, {};\n", branch_target(instruction), entry);
        return scoped(chosen + guarded(text, "&p", false));
    }

    std::string register_name(int reg) const { return as_written(function_.registers[reg].name); }

    std::string under_guard(const Instruction& instruction, std::string text) const
    {
        if (!instruction.guard) return text;
        return guarded(text, register_name(instruction.guard->reg), instruction.guard->negated);
    }

    // cp.async with a fourth operand: the number of bytes that a lane reads, or a predicate that
    // makes it read none. A cache policy, if any, is the last operand.
    static bool may_read_nothing(const Instruction& instruction)
    {
        const std::size_t policies = instruction.has(Word::cache_hint) ? 1 : 0;
        return instruction.op == Op::cp_async && instruction.operands.size() > 3 + policies;
    }

    // Sets &p in lanes that read from global memory.
    std::string lanes_that_read(const Instruction& instruction) const
    {
        const Operand& extra = instruction.operands[3];
        if (extra.reg < 0) return fmt::format("setp.ne.u32 &p, {}, 0;\n", extra.bits);
        const std::string name = register_name(extra.reg);
        return function_.registers[extra.reg].type == Type::pred
                   ? fmt::format("not.pred &p, {};\n", name)
                   : fmt::format("setp.ne.u32 &p, {}, 0;\n", name);
    }

    // In ldmatrix and stmatrix some lanes may have no row. The whole warp must reconverge after the
    // probe, as these instructions require. In cp.async, lanes that read nothing make no request.
    std::string for_address_lanes(const Instruction& instruction, std::string text) const
    {
        if (may_read_nothing(instruction))
            return scoped(lanes_that_read(instruction) + guarded(text, "&p", false));
        if (form_of(instruction.op).unit != Unit::matrix) return text;
        const std::string pointing = fmt::format(
            "mov.u32 &lane, %laneid;\nsetp.lt.u32 &p, &lane, {};\n", matrix_rows(instruction));
        return scoped(pointing + guarded(text, "&p", false) + "bar.warp.sync -1;\n");
    }

    // In a branch table, lanes go the same way if their entries are the same label; entry -1 stands
    // for falling through.
    std::string branch_target(const Instruction& instruction) const
    {
        const auto guard = [&](std::string_view taken, std::string_view otherwise) {
            std::string predicate = register_name(instruction.guard->reg);
            if (instruction.guard->negated) std::swap(taken, otherwise);
            return fmt::format("selp.b32 &target, {}, {}, {};\n", taken, otherwise, predicate);
        };
        if (instruction.op == Op::bra) return guard("1", "0");
        const Operand& index = instruction.operands[0];
        std::string text = fmt::format("mov.b32 &target, {};\n", index.kind == Operand::Kind::reg
                                                                     ? register_name(index.reg)
                                                                     : std::to_string(index.bits));
        const std::vector<int> targets = branch_targets(function_, instruction);
        for (std::size_t i = 0; i < targets.size(); ++i) {
            const auto first =
                std::find(targets.begin(), targets.end(), targets[i]) - targets.begin();
            if (first != static_cast<std::ptrdiff_t>(i))
                text += fmt::format(
                    "setp.eq.u32 &p, &target, {};\nselp.b32 &target, {}, &target, &p;\n", i, first);
        }
        return instruction.guard ? text + guard("&target", "-1") : text;
    }

    std::optional<MemoryProbe> memory(int site, SiteKind kind, const Instruction& instruction) const
    {
        const Form& form = form_of(instruction.op);
        if (form.unit == Unit::bulk_copy) return std::nullopt;
        const int source = form.effect == Effect::copies ? 1 : form.address;
        const Operand& operand = instruction.operands[source];
        MemoryProbe probe{.site = site,
                          .kind = kind,
                          .address = {},
                          .records_request = site == request_site_,
                          .matrix_rows = form.unit == Unit::matrix,
                          .counts_for_warp = kind.space != trace::Space::constant &&
                                             trace::covers(warp_scope_, kind.op)};
        if (kind.space == trace::Space::generic)
            probe.shared_record = static_cast<int>(sites_.sites.size()) + site;
        if (operand.reg >= 0) {
            const Register& base = function_.registers[operand.reg];
            const std::string name = register_name(operand.reg);
            probe.address = size_bytes(base.type) == 8
                                ? fmt::format("mov.b64 &address, {};\n", name)
                                : fmt::format("cvt.u64.u32 &address, {};\n", name);
        } else if (!operand.symbol.empty()) {
            if (kind.space == trace::Space::generic) {
                const auto space = space_of(operand.symbol);
                if (!space) return std::nullopt;
                probe.kind.space = *space;
            }
            probe.address = fmt::format("mov.u64 &address, {};\n", as_written(operand.symbol));
        } else {
            probe.address = fmt::format("mov.u64 &address, {};\n", operand.bits);
        }
        if (operand.offset != 0)
            probe.address += fmt::format("add.s64 &address, &address, {};\n", operand.offset);
        return probe;
    }

    // Only stores to two-dimensional surfaces leave a footprint, because the picture of
    // a footprint has two dimensions.
    void note_surface(const Instruction& instruction)
    {
        const Operand& place = instruction.operands[0];
        std::vector<const Operand*> coordinates;
        for (const Operand& element : place.elements) {
            if (element.kind == Operand::Kind::vector)
                for (const Operand& inner : element.elements) coordinates.push_back(&inner);
            else
                coordinates.push_back(&element);
        }
        if (!instruction.has(Word::d2) || coordinates.size() < 2 || place.reg < 0) return;
        const Operand& value = instruction.operands[1];
        const auto values =
            value.kind == Operand::Kind::vector ? static_cast<int>(value.elements.size()) : 1;
        const auto text = [&](const Operand& operand) {
            return operand.kind == Operand::Kind::reg
                       ? register_name(operand.reg)
                       : std::to_string(static_cast<std::int64_t>(operand.bits));
        };
        insert(
            instruction.text_begin,
            under_guard(instruction,
                        surface_probe(register_name(place.reg), text(*coordinates[0]),
                                      text(*coordinates[1]),
                                      values * size_bytes(instruction.modifiers.type()), maps_)));
    }

    // The variable's space, if its accesses are counted.
    std::optional<trace::Space> space_of(std::string_view symbol) const
    {
        for (const auto* variables : {&function_.variables, &module_.variables})
            for (const Variable& variable : *variables) {
                if (variable.name != symbol) continue;
                if (variable.space == Space::global) return trace::Space::global;
                if (variable.space == Space::shared) return trace::Space::shared;
            }
        return std::nullopt;
    }

    const Module& module_;
    const Function& function_;
    int index_;
    const SiteList& sites_;
    ProbeMaps maps_;
    bool surface_;
    int request_site_;
    trace::Scope warp_scope_;
    int records_;
    int copies_;
    bool calls_may_exit_;
    bool lanes_known_ = false; // the previous probe computed the lanes of the next one
    int fields_width_ = 0;     // width for which each lane's field is already computed
    std::map<trace::Space, std::vector<std::pair<std::size_t, MemoryProbe>>> rows_;
    std::vector<std::pair<std::size_t, std::string>> insertions_;
};

void require_activemask(const Module& module, std::string_view kernel)
{
    const int version = 10 * module.version_major + module.version_minor;
    const std::string digits = module.target.starts_with("sm_") ? module.target.substr(3) : "0";
    const int architecture = std::atoi(digits.c_str());
    if (version < 62 || architecture < 70)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("Kernel '{}' cannot be probed: its PTX is version {}.{} for {}.",
                                kernel, module.version_major, module.version_minor, module.target),
                    "Probes need PTX 6.2 for sm_70 or newer; compile the kernel for compute_75.");
    if (module.text.find("lsprobe_") != std::string::npos)
        throw Error(
            ExitStatus::bad_usage,
            fmt::format("Kernel '{}' cannot be probed: its PTX holds probes already.", kernel),
            "Probe the PTX that the compiler wrote.");
}

// A caller's sums are lost if a function that it calls ends the thread.
bool may_exit(const Module& module, const std::vector<int>& functions)
{
    return std::ranges::any_of(functions, [&](int index) {
        const Function& function = module.functions[index];
        return !function.is_kernel &&
               std::ranges::find(function.instructions, Op::exit, &Instruction::op) !=
                   function.instructions.end();
    });
}

bool has_generic(const std::vector<trace::Site>& sites)
{
    return std::ranges::find(sites, trace::Space::generic, &trace::Site::space) != sites.end();
}

// Many copies for short lists, to reduce contention between blocks; few for long ones, to keep the
// buffer below some megabytes.
int copies_for(int records)
{
    constexpr std::size_t max_bytes = std::size_t{4} << 20;
    const std::size_t set = static_cast<std::size_t>(std::max(records, 1)) * site_record_bytes();
    return static_cast<int>(std::bit_floor(std::clamp<std::size_t>(max_bytes / set, 1, 64)));
}

} // namespace

Probed probe(const Module& module, const ProbeOptions& options)
{
    SiteList sites = sites_of(module, options.kernel);
    require_activemask(module, options.kernel);
    const std::vector<int> functions = functions_and_launched_kernels(module, options.kernel);
    const bool calls_may_exit = may_exit(module, functions);
    Probed probed;
    probed.options = options;
    probed.records = static_cast<int>(sites.sites.size()) * (has_generic(sites.sites) ? 2 : 1);
    probed.copies = copies_for(probed.records);
    probed.launches = std::ranges::any_of(
        functions, [&](int index) { return launches_from_device(module.functions[index]); });

    const std::string_view text = module.text;
    std::size_t copied = 0;
    const auto copy_to = [&](std::size_t end) {
        probed.text += text.substr(copied, end - copied);
        copied = end;
    };
    bool setup_written = false;
    for (std::size_t index = 0; index < module.functions.size(); ++index) {
        const Function& function = module.functions[index];
        copy_to(function.text_begin);
        if (!std::exchange(setup_written, true)) probed.text += setup_text();
        const bool reached = std::ranges::binary_search(functions, static_cast<int>(index));
        if (function.is_kernel && !reached) {
            copied = function.text_end;
        } else if (reached) {
            FunctionRewriter rewriter(module, static_cast<int>(index), sites, probed,
                                      calls_may_exit);
            for (auto& [offset, insertion] : rewriter.run()) {
                copy_to(offset);
                probed.text += insertion;
            }
        }
    }
    copy_to(text.size());
    probed.sites = std::move(sites.sites);
    return probed;
}

} // namespace lanescope::ptx

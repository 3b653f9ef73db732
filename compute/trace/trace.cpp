// Sums of counts over sites, by space and operation.
#include "compute/trace/trace.h"

#include "compute/trace/ratios.h"

namespace lanescope::trace {
namespace {

// A site's counts minus `part`. A space's requests are the executions that reached it.
Counts without(Counts counts, const Counts& part)
{
    counts -= part;
    counts.executions = counts.requests;
    return counts;
}

Totals sum(const Trace& trace, const std::vector<Counts>& counts)
{
    Totals totals;
    for (std::size_t i = 0; i < trace.sites.size() && i < counts.size(); ++i) {
        const Site& site = trace.sites[i];
        if (site.op == Op::branch) {
            totals.branches += counts[i].executions;
            totals.divergent_branches += counts[i].divergent;
            continue;
        }
        if (site.space == Space::constant) continue; // has no sum: see the counts of its site
        if (is_modelled(site.space)) {
            const bool load = site.op == Op::load;
            (site.space == Space::texture   ? totals.texture_load
             : site.space == Space::surface ? (load ? totals.surface_load : totals.surface_store)
                                            : (load ? totals.local_load : totals.local_store)) +=
                counts[i];
            continue;
        }
        const auto add = [&](const Counts& some, bool is_shared) {
            if (site.op == Op::load)
                (is_shared ? totals.shared_load : totals.global_load) += some;
            else if (site.op == Op::store)
                (is_shared ? totals.shared_store : totals.global_store) += some;
            else
                (is_shared ? totals.shared_atomic : totals.global_atomic) += some;
        };
        if (site.space != Space::generic) {
            add(counts[i], site.space == Space::shared);
            continue;
        }
        const std::size_t part = trace.sites.size() + i;
        Counts shared = part < counts.size() ? counts[part] : Counts{};
        shared.executions = shared.requests;
        add(shared, true);
        // The remaining lanes may all have accessed local memory, which makes no request.
        const Counts rest = without(counts[i], shared);
        if (rest.requests != 0) add(rest, false);
    }
    totals.warp_instructions = trace.warp_instructions;
    totals.thread_instructions = trace.thread_instructions;
    totals.device_launches = trace.device_launches;
    return totals;
}

} // namespace

std::string_view name(Space space)
{
    switch (space) {
    case Space::global: return "global";
    case Space::shared: return "shared";
    case Space::local: return "local";
    case Space::constant: return "constant";
    case Space::texture: return "texture";
    case Space::surface: return "surface";
    case Space::generic: return "generic";
    default: return "none";
    }
}

std::string_view name(Scope scope)
{
    switch (scope) {
    case Scope::loads: return "loads";
    case Scope::stores: return "stores";
    case Scope::atomics: return "atomics";
    case Scope::all: break;
    }
    return "all";
}

std::string_view name(Op op)
{
    switch (op) {
    case Op::load: return "load";
    case Op::store: return "store";
    case Op::atomic: return "atomic";
    case Op::reduction: return "reduction";
    default: return "branch";
    }
}

double Counts::excess() const
{
    const auto sectors_moved = sectors_over_ideal(*this);
    return sectors_moved ? *sectors_moved : wavefronts_over_ideal(*this).value_or(1);
}

Counts& Counts::operator+=(const Counts& other)
{
    for (const CountRow& row : count_rows) this->*row.field += other.*row.field;
    return *this;
}

Counts& Counts::operator-=(const Counts& part)
{
    for (const CountRow& row : count_rows) this->*row.field -= part.*row.field;
    return *this;
}

WarpCounts& WarpCounts::operator+=(const WarpCounts& other)
{
    for (const WarpCountRow& row : warp_count_rows) this->*row.field += other.*row.field;
    return *this;
}

void Trace::ask_assembler(std::string_view ptx, std::string_view kernel_name)
{
    assembled = assembler ? assembler(ptx, kernel_name) : nullptr;
}

Totals Trace::totals() const
{
    return sum(*this, counts);
}

Totals Trace::assembled_totals() const
{
    return sum(*this, assembled_counts);
}

} // namespace lanescope::trace

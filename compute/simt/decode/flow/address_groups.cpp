// Unrolled loops read `[%r1]`, `[%r1+4]`, `[%r1+8]` …: cached properties of the first access's
// addresses serve the others, as long as the register is not written and the active lanes don't
// change.
#include "compute/simt/decode/flow/address_groups.h"

#include <algorithm>
#include <vector>

namespace lanescope::simt {

namespace {

constexpr std::uint32_t max_groups = 64; // limit per function: each takes a few hundred bytes

struct Held {
    RowRef row = no_row;
    ptx::Space space = ptx::Space::none;
    std::uint8_t width = 0;
    std::uint32_t group = no_index;
    std::uint32_t batch = no_index; // the batch that the next load joins
};

std::vector<bool> block_starts(const Function& function)
{
    std::vector<bool> starts(function.code.size() + 1);
    const auto mark = [&](int pc) {
        if (pc >= 0) starts[static_cast<std::size_t>(pc)] = true;
    };
    for (const Branch& branch : function.branches) {
        mark(branch.target);
        mark(branch.reconvergence);
        for (int target : branch.table) mark(target);
    }
    for (const Call& call : function.calls) mark(call.return_to);
    return starts;
}

bool is_arithmetic(const Instruction& in)
{
    return in.run != nullptr;
}

// Adds the load at `pc` to its group's open batch, or opens one.
void add_to_batch(Function& function, std::size_t pc, Held& held)
{
    Access& access = function.accesses[function.code[pc].extra];
    if (held.batch != no_index) {
        const std::int64_t distance = access.offset - function.batches[held.batch].offsets.front();
        if (distance % access.width_bytes != 0) return;
        access.batch = held.batch | joins;
    } else {
        held.batch = access.batch = static_cast<std::uint32_t>(function.batches.size());
        function.batches.emplace_back();
    }
    LoadBatch& batch = function.batches[held.batch];
    batch.loads.push_back(static_cast<std::uint32_t>(pc));
    batch.offsets.push_back(access.offset);
}

// Drops batches of a single load.
void finish_batches(Function& function, std::uint32_t& batches)
{
    for (LoadBatch& batch : function.batches) {
        if (batch.loads.size() == 1) {
            function.accesses[function.code[batch.loads.front()].extra].batch = no_index;
            continue;
        }
        batch.number = batches++;
        std::ranges::sort(batch.offsets);
        const auto again = std::ranges::unique(batch.offsets);
        batch.offsets.erase(again.begin(), again.end());
    }
}

} // namespace

void group_addresses(Function& function, std::uint32_t& batches)
{
    const std::vector<bool> starts = block_starts(function);
    std::vector<Held> held;
    const auto written = [&](RowRef row) {
        std::erase_if(held, [&](const Held& h) { return h.row == row; });
    };
    for (std::size_t pc = 0; pc < function.code.size(); ++pc) {
        const Instruction& in = function.code[pc];
        if (starts[pc]) held.clear();
        const bool loads = in.kind == HandlerKind::load;
        const bool stores = in.kind == HandlerKind::store;
        if (is_arithmetic(in)) {
            written(in.d);
            if (in.kind == HandlerKind::wide) {
                const WideOperands& more = function.wide[in.extra];
                for (RowRef row : {more.d2, more.d3, more.d4}) written(row);
            }
            continue;
        }
        if (!loads && !stores) {
            held.clear(); // lanes may leave, wait or exchange data: start over
            continue;
        }
        Access& access = function.accesses[in.extra];
        const bool direct =
            access.space == ptx::Space::shared || access.space == ptx::Space::global;
        const bool by_register =
            access.kind == AddressKind::row64 || access.kind == AddressKind::row32;
        if (!in.guarded && direct && by_register) {
            auto known = std::ranges::find_if(held, [&](const Held& h) {
                return h.row == access.address && h.space == access.space &&
                       h.width == access.width_bytes;
            });
            if (known != held.end()) {
                access.group = known->group | joins;
            } else if (function.address_groups < max_groups) {
                access.group = function.address_groups++;
                held.push_back({access.address, access.space, access.width_bytes, access.group});
                known = held.end() - 1;
            }
            if (loads && known != held.end() && !access.synchronising)
                add_to_batch(function, pc, *known);
        }
        // The warp's own store initialises memory that later loads may read, so it ends the batch.
        if (stores)
            for (Held& h : held)
                if (h.space == access.space || access.space == ptx::Space::none) h.batch = no_index;
        if (loads)
            for (RowRef row : access.values)
                if (row != no_row) written(row);
    }
    finish_batches(function, batches);
}

} // namespace lanescope::simt

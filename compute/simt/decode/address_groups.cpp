// Unrolled loops read `[%r1]`, `[%r1+4]`, `[%r1+8]` …: what is known of the addresses of the first
// serves the others, as long as nothing has written the register and no lane has come or gone.
#include "compute/simt/decode/address_groups.h"

#include <algorithm>
#include <vector>

#include "compute/simt/operations/handlers.h"

namespace lanescope::simt {

namespace {

// Set in Access::group of all but the first access.
constexpr std::uint32_t joins_group = 0x80000000u;
constexpr std::uint32_t most_groups = 64; // of a function: a few hundred bytes each

struct Held {
    RowRef row = no_row;
    ptx::Space space = ptx::Space::none;
    std::uint8_t width = 0;
    std::uint32_t group = no_index;
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

} // namespace

void group_addresses(Function& function)
{
    const std::vector<bool> starts = block_starts(function);
    std::vector<Held> held;
    const auto written = [&](RowRef row) {
        std::erase_if(held, [&](const Held& h) { return h.row == row; });
    };
    for (std::size_t pc = 0; pc < function.code.size(); ++pc) {
        const Instruction& in = function.code[pc];
        if (starts[pc]) held.clear();
        const bool loads = in.handler == load_handlers();
        const bool stores = in.handler == store_handlers();
        if (is_arithmetic(in)) {
            written(in.d);
            if (in.handler == wide_handlers() || in.handler == wide_carry_handlers()) {
                const WideOperands& more = function.wide[in.extra];
                for (RowRef row : {more.d2, more.d3, more.d4}) written(row);
            }
            continue;
        }
        if (!loads && !stores) {
            held.clear(); // lanes may leave, wait or exchange: whatever it is, start anew
            continue;
        }
        Access& access = function.accesses[in.extra];
        const bool direct =
            access.space == ptx::Space::shared || access.space == ptx::Space::global;
        const bool by_register =
            access.kind == AddressKind::row64 || access.kind == AddressKind::row32;
        if (!in.guarded && direct && by_register) {
            const auto known = std::ranges::find_if(held, [&](const Held& h) {
                return h.row == access.address && h.space == access.space &&
                       h.width == access.width_bytes;
            });
            if (known != held.end()) {
                access.group = known->group | joins_group;
            } else if (function.address_groups < most_groups) {
                access.group = function.address_groups++;
                held.push_back({access.address, access.space, access.width_bytes, access.group});
            }
        }
        if (loads)
            for (RowRef row : access.values)
                if (row != no_row) written(row);
    }
}

} // namespace lanescope::simt

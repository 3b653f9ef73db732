// mbarrier: barrier objects in shared memory. The encoding of an object's 64 bits is private to
// this machine, as on the GPU: programs only pass these bits back.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "compute/simt/operations/handlers.h"
#include "compute/simt/operations/memory/addressing.h"
#include "compute/simt/operations/memory/async_copy.h"
#include "compute/simt/operations/memory/bulk_transfers.h"

namespace lanescope::simt {

namespace {

// Function::operands: values[0] indexes the access; rows[0] d (state or predicate), rows[1] count
// (arrivals or bytes), state or parity; values[1] the default count.
constexpr int out_row = 0, value_row = 1;

constexpr std::int64_t max_pending = (1 << 20) - 1; // limit for arrivals and pending bytes

struct Object {
    std::int64_t expected = 0; // arrivals per phase
    std::int64_t pending = 0;  // arrivals still missing in this phase
    std::int64_t bytes = 0;    // bytes in flight; negative if they arrive before they are expected
    bool alive = false;
    bool odd = false; // parity of the current phase

    static Object unpack(std::uint64_t bits)
    {
        Object object;
        object.expected = static_cast<std::int64_t>(bits & 0xfffff);
        object.pending = static_cast<std::int64_t>(bits >> 20 & 0xfffff);
        object.bytes = static_cast<std::int64_t>(bits << 2) >> 42;
        object.alive = (bits >> 62 & 1) != 0;
        object.odd = bits >> 63 != 0;
        return object;
    }
    std::uint64_t pack() const
    {
        return static_cast<std::uint64_t>(expected) | static_cast<std::uint64_t>(pending) << 20 |
               (static_cast<std::uint64_t>(bytes) & 0x3fffff) << 40 | std::uint64_t{alive} << 62 |
               std::uint64_t{odd} << 63;
    }
    void complete_phase()
    {
        if (pending != 0 || bytes != 0) return;
        odd = !odd;
        pending = expected;
    }
};

void count_down(Executor& x, const Instruction& in, int lane, std::uint64_t address, Object& object,
                std::int64_t arrivals)
{
    if (arrivals < 1 || arrivals > object.pending)
        x.fault(in, "barrier", lane, address,
                fmt::format("arrives {} times at an mbarrier that waits for {} more", arrivals,
                            object.pending));
    object.pending -= arrivals;
}

// The bytes that the mbarrier's current phase expects and has received.
ObjectBytes& bytes_of(Block& block, std::uint64_t object)
{
    std::vector<ObjectBytes>& all = block.bulk.objects;
    const auto found = std::ranges::find(all, object, &ObjectBytes::object);
    if (found != all.end()) return *found;
    all.push_back({static_cast<std::uint32_t>(object), 0, 0});
    return all.back();
}

void forget_bytes(Block& block, std::uint64_t object)
{
    std::erase_if(block.bulk.objects, [&](const ObjectBytes& one) { return one.object == object; });
}

void check_bytes(Executor& x, const Instruction& in, int lane, std::uint64_t address,
                 const Object& object)
{
    if (object.bytes > max_pending || object.bytes < -max_pending)
        x.fault(in, "barrier", lane, address,
                fmt::format("brings an mbarrier's tx-count to {}, which is outside ±{}",
                            object.bytes, max_pending));
}

// Executes one lane. Returns d: the state or, if d is a predicate, whether the phase is
// complete.
template <BarrierObject kind>
std::uint64_t act(Executor& x, const Instruction& in, int lane, std::uint64_t address,
                  std::uint64_t& bits, std::uint64_t value, std::int64_t expected_bytes)
{
    Object object = Object::unpack(bits);
    const std::uint64_t before = bits;
    if constexpr (kind == BarrierObject::init) {
        if (value < 1 || value > max_pending)
            x.fault(in, "barrier", lane, address,
                    fmt::format("initialises an mbarrier for {} arrivals; 1 to {} are allowed",
                                value, max_pending));
        bits = Object{static_cast<std::int64_t>(value), static_cast<std::int64_t>(value), 0, true,
                      false}
                   .pack();
        forget_bytes(*x.block, address);
        return 0;
    }
    if (!object.alive)
        x.fault(in, "barrier", lane, address,
                "uses an mbarrier that mbarrier.init has not initialised");
    switch (kind) {
    case BarrierObject::invalidate: object.alive = false; break;
    case BarrierObject::arrive:
    case BarrierObject::arrive_drop:
        object.bytes += expected_bytes;
        if (expected_bytes != 0)
            bytes_of(*x.block, address).expected += static_cast<std::uint64_t>(expected_bytes);
        count_down(x, in, lane, address, object, static_cast<std::int64_t>(value));
        if (kind == BarrierObject::arrive_drop) object.expected -= static_cast<std::int64_t>(value);
        object.complete_phase();
        break;
    case BarrierObject::expect_bytes:
        object.bytes += static_cast<std::int64_t>(value);
        bytes_of(*x.block, address).expected += value;
        break;
    case BarrierObject::complete_bytes:
        object.bytes -= static_cast<std::int64_t>(value);
        bytes_of(*x.block, address).arrived += value;
        object.complete_phase();
        break;
    case BarrierObject::wait: return Object::unpack(value).odd != object.odd;
    case BarrierObject::wait_parity: return ((value & 1) != 0) != object.odd;
    default: break;
    }
    check_bytes(x, in, lane, address, object);
    if (object.odd != Object::unpack(before).odd) forget_bytes(*x.block, address);
    bits = object.pack();
    return before;
}

// A wait that finds its phase incomplete. Returns true if copies complete the phase now.
template <BarrierObject kind>
bool wait_for_copies(Executor& x, const Instruction& in, int lane, std::uint64_t address,
                     std::uint64_t& bits, std::uint64_t value)
{
    const auto object = static_cast<std::uint32_t>(address);
    if (perform_object_copies(x, object) && act<kind>(x, in, lane, address, bits, value, 0) != 0)
        return true;
    ObjectWait& wait = x.warp->object_wait;
    const std::uint32_t tries = wait.instruction == &in && wait.object == object ? wait.tries : 0;
    wait = {.function = x.function,
            .instruction = &in,
            .object = object,
            .lane = static_cast<std::uint8_t>(lane),
            .odd = Object::unpack(bits).odd,
            .tries = tries};
    return false;
}

template <BarrierObject kind>
Flow use(Executor& x, const Instruction& in, std::uint32_t mask)
{
    constexpr bool waits = kind == BarrierObject::wait || kind == BarrierObject::wait_parity;
    constexpr bool arrives = kind == BarrierObject::arrive || kind == BarrierObject::arrive_drop ||
                             kind == BarrierObject::complete_bytes;
    const Operands& operands = x.function->operands[in.extra];
    const Access& access = x.function->accesses[static_cast<std::size_t>(operands.values[0])];
    Addresses at;
    form_addresses(x, access, mask, at);
    x.warp->slice_spins += waits;
    std::uint32_t passed = 0;
    for_each_space(
        x, in, access, at, mask, [&](ptx::Space space, const Addresses& lanes, std::uint32_t some) {
            const int first = lowest_lane(some);
            if (space != ptx::Space::shared)
                x.fault(in, "bad_address", first, lanes.lane[first] + window(space),
                        "uses an mbarrier that is not in shared memory");
            const Reach found = reach(x, in, access, space, lanes, some);
            if (!x.observers.empty()) observe(x, in, access, space, lanes, some, found);
            for (std::uint32_t rest = some; rest != 0; rest &= rest - 1) {
                const int lane = lowest_lane(rest);
                auto& bits = *reinterpret_cast<std::uint64_t*>(found.base + found.offsets[lane]);
                const RowRef given = operands.rows[value_row];
                std::uint64_t value = static_cast<std::uint64_t>(operands.values[1]);
                if (given != no_row && kind == BarrierObject::wait)
                    value = x.row<const std::uint64_t>(given)[lane];
                else if (given != no_row)
                    value = x.row<const std::uint32_t>(given)[lane];
                std::int64_t bytes = 0;
                if (operands.inverted) { // arrive.expect_tx: the operand counts bytes
                    bytes = static_cast<std::int64_t>(value);
                    value = 1;
                }
                const bool odd = Object::unpack(bits).odd;
                std::uint64_t result = act<kind>(x, in, lane, lanes.lane[lane], bits, value, bytes);
                if constexpr (waits)
                    if (result == 0)
                        result = wait_for_copies<kind>(x, in, lane, lanes.lane[lane], bits, value);
                if constexpr (arrives) {
                    const bool completes = Object::unpack(bits).odd != odd;
                    for (Observer* observer : x.observers) {
                        observer->object_arrives(x, lanes.lane[lane], 1u << lane);
                        if (completes) observer->object_completes(x, lanes.lane[lane]);
                    }
                }
                if (waits && result != 0)
                    for (Observer* observer : x.observers)
                        observer->object_passes(x, lanes.lane[lane], 1u << lane);
                if constexpr (waits)
                    passed |= static_cast<std::uint32_t>(result) << lane;
                else if (operands.rows[out_row] != no_row)
                    x.row<std::uint64_t>(operands.rows[out_row])[lane] = result;
            }
        });
    if constexpr (waits) {
        auto& predicate = *x.row<std::uint32_t>(operands.rows[out_row]);
        predicate = (predicate & ~mask) | passed;
        if (passed == mask) {
            x.warp->object_wait = {};
            return Flow::next;
        }
        // Like a GPU, suspends lanes that wait.
        x.warp->object_wait.parked = true;
        x.path().pc = x.pc_of(in) + 1;
        return Flow::reload;
    }
    return Flow::next;
}

// rows[0] d, rows[1] the state.
Flow pending(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const Operands& operands = x.function->operands[in.extra];
    for (; mask != 0; mask &= mask - 1) {
        const int lane = lowest_lane(mask);
        const std::uint64_t state = x.row<const std::uint64_t>(operands.rows[value_row])[lane];
        x.row<std::uint32_t>(operands.rows[out_row])[lane] =
            static_cast<std::uint32_t>(Object::unpack(state).pending);
    }
    return Flow::next;
}

// cp.async.mbarrier.arrive: copies complete when they are waited for, so this completes those of
// its lanes and arrives at once. Without .noinc the arrival adds to the expected count.
Flow arrive_after_copies(Executor& x, const Instruction& in, std::uint32_t mask)
{
    finish_copies(x, mask);
    const bool counts = x.function->operands[in.extra].values[2] != 0;
    return counts ? use<BarrierObject::arrive>(x, in, mask) : Flow::next;
}

} // namespace

bool is_initialised_object(const Block& block, std::uint32_t object)
{
    std::uint64_t bits = 0;
    std::memcpy(&bits, block.shared.data() + object, sizeof bits);
    return Object::unpack(bits).alive;
}

void complete_copy(Executor& x, const BulkCopy& copy)
{
    auto& bits = *reinterpret_cast<std::uint64_t*>(x.block->shared.data() + copy.object);
    Object object = Object::unpack(bits);
    if (!object.alive)
        x.fault(*copy.instruction, "barrier", copy.lane, shared_window + copy.object,
                fmt::format("starts a bulk copy that completes on the mbarrier at {:#x}, which "
                            "the kernel has invalidated or overwritten before the copy has ended",
                            copy.object));
    const bool odd = object.odd;
    object.bytes -= static_cast<std::int64_t>(copy.bytes);
    check_bytes(x, *copy.instruction, copy.lane, copy.object, object);
    bytes_of(*x.block, copy.object).arrived += copy.bytes;
    object.complete_phase();
    bits = object.pack();
    if (object.odd == odd) return;
    forget_bytes(*x.block, copy.object);
    for (Observer* observer : x.observers) observer->object_completes(x, copy.object);
}

PhaseState phase_of(const Block& block, std::uint32_t at)
{
    std::uint64_t bits = 0;
    std::memcpy(&bits, block.shared.data() + at, sizeof bits);
    const Object object = Object::unpack(bits);
    PhaseState state;
    state.odd = object.odd;
    state.expected = object.expected;
    state.pending = object.pending;
    const auto found = std::ranges::find(block.bulk.objects, at, &ObjectBytes::object);
    if (found == block.bulk.objects.end()) return state;
    state.bytes_expected = found->expected;
    state.bytes_arrived = found->arrived;
    return state;
}

Handlers barrier_object_handlers(BarrierObject kind)
{
    switch (kind) {
    case BarrierObject::init: return same<use<BarrierObject::init>>();
    case BarrierObject::invalidate: return same<use<BarrierObject::invalidate>>();
    case BarrierObject::arrive: return same<use<BarrierObject::arrive>>();
    case BarrierObject::arrive_drop: return same<use<BarrierObject::arrive_drop>>();
    case BarrierObject::expect_bytes: return same<use<BarrierObject::expect_bytes>>();
    case BarrierObject::complete_bytes: return same<use<BarrierObject::complete_bytes>>();
    case BarrierObject::wait: return same<use<BarrierObject::wait>>();
    case BarrierObject::wait_parity: return same<use<BarrierObject::wait_parity>>();
    case BarrierObject::pending: return same<pending>();
    default: return same<arrive_after_copies>();
    }
}

} // namespace lanescope::simt

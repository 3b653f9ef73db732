// The way into native code and out of it again: what it calls catches what handlers throw, and the
// exception goes on from here.
#include "compute/simt/native/native.h"

#include "compute/simt/machine/executor.h"
#include "compute/simt/machine/options.h"
#include "compute/simt/native/emit.h"
#include "compute/simt/native/plan.h"
#include "compute/simt/operations/addressing.h"

namespace lanescope::simt::native {

namespace {

// Exceptions stop here: native code has no tables by which they could pass.
template <bool Observed>
std::uint32_t run_handler(Activation* activation, const Instruction* in, std::uint32_t mask)
{
    Executor& x = *activation->executor;
    try {
        const Flow flow = in->handler[Observed ? 1 : 0](x, *in, mask);
        if constexpr (Observed)
            if (x.follow_from_here) {
                x.follow_from_here = false;
                if (flow == Flow::next) x.path().pc = x.pc_of(*in) + 1;
                return static_cast<std::uint32_t>(Leave::blocked);
            }
        return static_cast<std::uint32_t>(flow);
    } catch (...) {
        *activation->fault = std::current_exception();
        return static_cast<std::uint32_t>(Leave::fault);
    }
}
static_assert(static_cast<int>(Flow::next) == static_cast<int>(Leave::next) &&
              static_cast<int>(Flow::jump) == static_cast<int>(Leave::jump) &&
              static_cast<int>(Flow::reload) == static_cast<int>(Leave::blocked));

std::uint32_t tell_of_branch(Activation* activation, const Instruction* in)
{
    Executor& x = *activation->executor;
    try {
        for (Observer* observer : x.observers) observer->branch(x, *in, activation->active, false);
        return static_cast<std::uint32_t>(Leave::next);
    } catch (...) {
        *activation->fault = std::current_exception();
        return static_cast<std::uint32_t>(Leave::fault);
    }
}

// Where the lanes of the load's group are, into its slot. False where that is not known, or not in
// words beside each other.
bool fill_slot(Executor& x, Activation& activation, const LoadRegion::Load& load)
{
    const Access& access = x.function->accesses[load.instruction->extra];
    AddressGroup& group = x.groups[access.group & ~joins];
    if (access.batch != no_index) {
        begin_batch(x, access, full_mask);
        if (!in_batch(x, group)) return false;
    } else {
        GroupReach found;
        if (!reach_group(x, access, full_mask, found)) return false;
        group.base = found.base;
        group.allocation = found.allocation;
    }
    LoadSlot& slot = activation.slots[load.slot];
    auto& one_word = activation.one_word[load.slot];
    if (!group.at.strided) ensure_octets(group, x.launch.addresses);
    for (std::size_t i = 0; i < slot.at.size(); ++i) {
        const Octet kind = group.at.strided ? Octet::neighbours : group.octets[i];
        if (kind == Octet::scattered) return false;
        one_word[i] = kind == Octet::same ? 1 : 0;
        slot.at[i] = reinterpret_cast<const std::byte*>(
            reinterpret_cast<std::uintptr_t>(group.base) + group.at.lane[8 * i] - group.offset);
    }
    return true;
}

void observe_loads(Executor& x, const LoadRegion& region, std::uint64_t steps)
{
    // Nothing keeps the region from being run to its end: a batch may be told of at once, to who
    // knows batches.
    const bool by_batch = x.observers.size() == 1;
    for (const LoadRegion::Load& load :
         x.whole_batches || by_batch ? region.told_by_batch : region.loads) {
        const Access& access = x.function->accesses[load.instruction->extra];
        AddressGroup& group = x.groups[access.group & ~joins];
        x.slice_steps = steps + load.steps;
        if (access.batch != no_index && (x.whole_batches || (load.whole_batch && by_batch))) {
            if (load.leads) observe_batch(x, access, full_mask);
            continue;
        }
        const std::uint64_t shift = static_cast<std::uint64_t>(access.offset) - group.offset;
        observe_group(x, *load.instruction, access, full_mask,
                      {&group, shift, group.base, group.allocation});
    }
}

template <bool Observed>
std::uint32_t look_at_loads(Activation* activation, const LoadRegion* region, std::uint64_t steps)
{
    constexpr auto usual = static_cast<std::uint32_t>(Leave::next);
    constexpr auto otherwise = static_cast<std::uint32_t>(Leave::jump);
    Executor& x = *activation->executor;
    try {
        // Whoever follows values wants to begin at the load that brings them.
        if (Observed && x.follower != nullptr) return otherwise;
        bool fine = true;
        for (std::uint32_t slot : region->relied) fine = fine && activation->valid[slot];
        for (const LoadRegion::Load& load : region->leaders) {
            fine = fine && fill_slot(x, *activation, load);
            activation->valid[load.slot] = fine;
        }
        if (!fine) return otherwise;
        if constexpr (Observed) observe_loads(x, *region, steps);
        return usual;
    } catch (...) {
        *activation->fault = std::current_exception();
        return static_cast<std::uint32_t>(Leave::fault);
    }
}

void set_lanes(Activation& activation, std::uint32_t active)
{
    for (int lane = 0; lane < warp_lanes; ++lane)
        activation.lanes[lane] = (active >> lane & 1u) != 0 ? ~0u : 0u;
}

} // namespace

bool is_possible()
{
#if defined(LANESCOPE_NATIVE)
    return best_isa() != Isa::baseline;
#elif defined(__wasm__)
    return true;
#else
    return false;
#endif
}

std::string why_not()
{
#if defined(LANESCOPE_NATIVE)
    if (!is_possible()) return "This processor lacks AVX2: the interpreter runs all kernels.";
    if (usual_native_code() == NativeCode::never)
        return "It is disabled (--interpret, LANESCOPE_NATIVE): the interpreter runs all "
               "kernels.";
    constexpr std::array<std::byte, 1> anything{};
    if (CodeMemory(anything).data() == nullptr)
        return "The system does not let memory be made executable: the interpreter runs all "
               "kernels.";
    return {};
#elif defined(__wasm__)
    return usual_native_code() == NativeCode::never
               ? "It is disabled (--interpret): the interpreter runs all kernels."
               : "";
#else
    return "This program was built without it (Xbyak, x86-64): the interpreter runs all kernels.";
#endif
}

FunctionCode::FunctionCode(std::span<const std::byte> bytes, std::vector<std::uint32_t> entry,
                           std::vector<std::unique_ptr<LoadRegion>> regions)
    : memory_(bytes), entry_(std::move(entry)), regions_(std::move(regions))
{
}

Enter FunctionCode::enter() const
{
    return reinterpret_cast<Enter>(reinterpret_cast<std::uintptr_t>(memory_.data()));
}

ProgramCode::ProgramCode(const Program& program) : slots_(program.functions.size() * 4) {}

const FunctionCode* ProgramCode::make(const Program& program, const Function& function,
                                      bool observed, bool masked, Slot& slot)
{
    // Whoever comes while another one is at it goes on without.
    const std::unique_lock lock(making_, std::try_to_lock);
    if (!lock.owns_lock()) return nullptr;
    if (slot.given_up.load(std::memory_order_relaxed)) return nullptr;
    if (const FunctionCode* made = slot.code.load(std::memory_order_acquire)) return made;
    const Helpers helpers{observed ? run_handler<true> : run_handler<false>, tell_of_branch,
                          observed ? look_at_loads<true> : look_at_loads<false>};
    Plan plan = make_plan(program, function);
    Code code = emit(plan, {observed, masked}, helpers);
    if (!code.bytes.empty()) {
        auto made = std::make_unique<FunctionCode>(code.bytes, std::move(code.entry),
                                                   std::move(plan.regions));
        if (made->usable()) {
            slot.owned = std::move(made);
            slot.code.store(slot.owned.get(), std::memory_order_release);
            return slot.owned.get();
        }
    }
    slot.given_up.store(true, std::memory_order_relaxed);
    return nullptr;
}

Leave run(Executor& x, const FunctionCode& code, const void* entry, std::uint64_t slice,
          std::uint64_t& steps)
{
    Path& path = x.path();
    Activation activation;
    std::exception_ptr fault;
    const auto base = [&](RowBase which) {
        return reinterpret_cast<std::byte*>(x.base[static_cast<std::size_t>(which)] +
                                            static_cast<std::uintptr_t>(which));
    };
    activation.executor = &x;
    activation.frame = base(RowBase::frame);
    activation.constants = base(RowBase::constants);
    activation.specials = base(RowBase::specials);
    activation.steps = steps;
    activation.slice = slice;
    activation.slice_steps = &x.slice_steps;
    activation.fault = &fault;
    activation.active = path.mask;
    activation.reconvergence = path.reconvergence;
    if (path.mask != full_mask) set_lanes(activation, path.mask);
    const auto leave = static_cast<Leave>(code.enter()(&activation, entry));
    if (leave == Leave::fault) std::rethrow_exception(fault);
    steps = activation.steps;
    if (leave == Leave::slice_over) x.path().pc = activation.pc;
    return leave;
}

} // namespace lanescope::simt::native

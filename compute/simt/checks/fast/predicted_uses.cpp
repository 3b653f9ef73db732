// If two parameters may point into one buffer, their uses are combined.
#include "compute/simt/checks/fast/predicted_uses.h"

#include <algorithm>
#include <cstring>

#include "compute/ptx/uses/uses.h"
#include "compute/simt/checks/fast/word_owners.h"
#include "compute/simt/machine/state/launch_state.h"

namespace lanescope::simt {

namespace {

constexpr Address max_access_bytes = 32;

struct Use {
    const Allocation* buffer = nullptr;
    bool read = false, written = false, updated = false, narrow = false;
};

BufferUse judge(const Use& use, int mistakes)
{
    if (use.updated) return BufferUse::any;
    if (!use.written) return BufferUse::read;
    if (!use.read && mistakes == 0) return BufferUse::written_once;
    return use.narrow ? BufferUse::any : BufferUse::owned;
}

} // namespace

KernelUses::KernelUses(const ptx::Module& module, const ptx::Function& kernel)
{
    const ptx::KernelUse uses = ptx::kernel_use(module, kernel);
    for (std::size_t i = 0; i < uses.parameters.size(); ++i)
        if (const ptx::ParameterUse& use = uses.parameters[i]; use.is_address())
            pointers_.push_back({i, use.read, use.written, use.updated, use.element_bytes});
}

PredictedUses::PredictedUses(const LaunchState& launch)
{
    const Program& program = launch.program;
    const int mistakes = program.uses == nullptr ? 2 : program.uses->mistakes();
    const bool numbered = launch.grid.count() <= WordOwners::max_thread / launch.threads();
    // The prediction is based on the kernel's own text.
    if (mistakes > 1 || !launch.options.checks.races || !numbered || program.functions.size() != 1)
        return;
    std::vector<Use> all;
    for (const KernelUses::Pointer& pointer : program.uses->pointers()) {
        Address address = 0;
        std::memcpy(&address,
                    launch.parameters.data() + program.parameter_offsets[pointer.parameter],
                    sizeof address);
        const Allocation* const buffer = launch.memory.find(address);
        // Owners are recorded per word, which requires aligned accesses.
        if (buffer == nullptr || buffer->begin % max_access_bytes != 0) continue;
        auto found = std::ranges::find(all, buffer, &Use::buffer);
        if (found == all.end()) found = all.insert(found, Use{buffer});
        found->read |= pointer.read;
        found->written |= pointer.written;
        found->updated |= pointer.updated;
        found->narrow |= pointer.element_bytes < WordOwners::word_bytes;
    }
    for (const Use& use : all)
        if (const BufferUse judged = judge(use, mistakes); judged != BufferUse::any)
            buffers_.push_back({use.buffer, judged,
                                !launch.options.checks.uninitialised ||
                                    launch.memory.is_written_whole(*use.buffer)});
}

} // namespace lanescope::simt

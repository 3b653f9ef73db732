// One pass over 32 addresses. Lanes are mostly in order, so each is compared with the run of the
// previous lane.
#include "compute/simt/operations/lanes/lane_pattern.h"

#include <bit>

namespace lanescope::simt {

namespace {

// Merges adjacent runs.
class RunBuilder {
public:
    explicit RunBuilder(ByteRuns& runs) : runs_(runs) { runs.count = 0; }
    void add(std::uint64_t address, std::uint64_t bytes)
    {
        if (address == run_.end && run_.end != 0) {
            run_.end += bytes;
            return;
        }
        if (address >= run_.begin && address + bytes <= run_.end) return;
        if (run_.end != 0) finish();
        run_ = {address, address + bytes};
    }
    void finish() { runs_.run[static_cast<std::size_t>(runs_.count++)] = run_; }

private:
    ByteRuns& runs_;
    ByteRun run_{0, 0};
};

} // namespace

void find_runs(const std::uint64_t* lanes, std::uint32_t mask, std::uint32_t width, ByteRuns& found)
{
    RunBuilder runs(found);
    for (; mask != 0; mask &= mask - 1) runs.add(lanes[std::countr_zero(mask)], width);
    runs.finish();
}

void ensure_octets(AddressGroup& group, const AddressFunctions& functions)
{
    if (group.octets_known) return;
    functions.find_octets(group.at, group.octets);
    group.octets_known = true;
}

void ensure_runs(AddressGroup& group, const AddressFunctions& functions)
{
    if (group.runs_known) return;
    group.runs_known = true;
    if (group.at.contiguous) {
        group.runs.count = 1;
        group.runs.run[0] = {group.at.low, group.at.high};
        return;
    }
    if (group.mask != full_mask || group.width != 4) {
        find_runs(group.at.lane.data(), group.mask, group.width, group.runs);
        return;
    }
    ensure_octets(group, functions);
    RunBuilder runs(group.runs);
    for (std::size_t octet = 0; octet < 4; ++octet) {
        const std::uint64_t* lanes = group.at.lane.data() + 8 * octet;
        if (group.octets[octet] == Octet::scattered)
            for (int i = 0; i < 8; ++i) runs.add(lanes[i], 4);
        else
            runs.add(lanes[0], group.octets[octet] == Octet::same ? 4 : 32);
    }
    runs.finish();
}

} // namespace lanescope::simt

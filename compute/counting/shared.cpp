// Wavefronts of shared memory: which lanes go together, and how often the busiest bank must be asked.
#include "compute/counting/counting.h"
#include "compute/counting/lanes.h"

namespace lanescope::counting {

namespace {

// The distinct words that were asked of each bank so far.
class Banks {
public:
    // Words that come in ascending order need not be looked for: only the last one can come again.
    void add(std::uint64_t word)
    {
        const int bank = static_cast<int>(word % banks);
        const int count = counts_[bank];
        ascending_ = ascending_ && word >= last_word_;
        if (ascending_) {
            const bool again = word == last_word_ && any_;
            last_word_ = word;
            any_ = true;
            if (again) return;
        } else {
            for (int i = 0; i < count; ++i)
                if (words_[bank][i] == word) return;
        }
        words_[bank][count] = word;
        counts_[bank] = count + 1;
        busiest_ = std::max(busiest_, count + 1);
    }
    int busiest() const { return busiest_; }

private:
    std::array<int, banks> counts_{};
    std::array<std::array<std::uint64_t, 32>, banks> words_; // the first counts_[bank] of each are set
    std::uint64_t last_word_ = 0;
    bool any_ = false;
    bool ascending_ = true;
    int busiest_ = 0;
};

// Wavefronts of the lanes of `active`, which are served together.
std::uint32_t group_wavefronts(Addresses addresses, std::uint32_t active, int width_bytes)
{
    Banks asked;
    for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
        const std::uint64_t address = addresses[std::countr_zero(rest)];
        const std::uint64_t last = (address + width_bytes - 1) / bank_bytes;
        for (std::uint64_t word = address / bank_bytes; word <= last; ++word) asked.add(word);
    }
    return static_cast<std::uint32_t>(asked.busiest());
}

// Whether lanes n and n ^ distance, where both are active, are at the same address.
bool pairs_agree(Addresses addresses, std::uint32_t active, int distance)
{
    for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const int partner = lane ^ distance;
        if ((active >> partner & 1) != 0 && addresses[lane] != addresses[partner]) return false;
    }
    return true;
}

// Lanes that are served together: 32 lanes of up to 4 bytes, 16 of 8, 8 of 16.
int lanes_per_group(int width_bytes) { return width_bytes <= bank_bytes ? 32 : 32 * bank_bytes / width_bytes; }

template <class Cost>
SharedCost sum_groups(std::uint32_t active, int lanes, Cost cost)
{
    SharedCost sum;
    const std::uint32_t group = lanes == 32 ? all_lanes : (1u << lanes) - 1;
    for (int first = 0; first < 32; first += lanes) {
        const std::uint32_t members = active & (group << first);
        if (members == 0) continue;
        sum.wavefronts += cost(members);
        ++sum.ideal_wavefronts;
    }
    return sum;
}

SharedCost access(Addresses addresses, std::uint32_t active, int width_bytes, int lanes)
{
    return sum_groups(active, lanes, [&](std::uint32_t members) {
        return group_wavefronts(addresses, members, width_bytes);
    });
}

// Unit stride from a word on needs as many wavefronts as there are groups.
bool is_conflict_free_stride(Addresses addresses, std::uint32_t active, int width_bytes)
{
    return active == all_lanes && width_bytes >= bank_bytes && addresses[0] % bank_bytes == 0 &&
           has_stride(addresses, static_cast<std::uint64_t>(width_bytes));
}

} // namespace

SharedCost shared_load(Addresses addresses, std::uint32_t active, int width_bytes)
{
    if (active == 0) return {};
    int lanes = lanes_per_group(width_bytes);
    if (is_conflict_free_stride(addresses, active, width_bytes)) {
        const auto groups = static_cast<std::uint32_t>(32 / lanes);
        return {groups, groups};
    }
    if (lanes < 32 && (pairs_agree(addresses, active, 1) || pairs_agree(addresses, active, 2))) lanes *= 2;
    if (active == all_lanes && has_stride(addresses, 0) && addresses[0] % width_bytes == 0) {
        const auto groups = static_cast<std::uint32_t>(32 / lanes);
        return {groups, groups};
    }
    return access(addresses, active, width_bytes, lanes);
}

SharedCost shared_store(Addresses addresses, std::uint32_t active, int width_bytes)
{
    if (active == 0) return {};
    const int lanes = lanes_per_group(width_bytes);
    if (is_conflict_free_stride(addresses, active, width_bytes)) {
        const auto groups = static_cast<std::uint32_t>(32 / lanes);
        return {groups, groups};
    }
    return access(addresses, active, width_bytes, lanes);
}

// Lanes that meet in a bank go one after the other, also at one address.
SharedCost shared_atomic(Addresses addresses, std::uint32_t active, int width_bytes)
{
    return sum_groups(active, lanes_per_group(width_bytes), [&](std::uint32_t members) {
        std::array<std::uint32_t, banks> lanes{};
        std::uint32_t busiest = 0;
        for (std::uint32_t rest = members; rest != 0; rest &= rest - 1) {
            const std::uint64_t bank = addresses[std::countr_zero(rest)] / bank_bytes % banks;
            busiest = std::max(busiest, ++lanes[bank]);
        }
        return busiest;
    });
}

} // namespace lanescope::counting

// Records one core's accesses to global memory, as input for the cache model.
#pragma once

#include <cstdint>
#include <vector>

#include "compute/caches/recording.h"
#include "compute/simt/machine/state/observer.h"

namespace lanescope::simt {

class AccessRecorder {
public:
    // Blocks are written directly into `recording`; each runs on one core.
    AccessRecorder(caches::Recording& recording, std::size_t warps_per_block)
        : recording_(recording), warps_(warps_per_block)
    {
    }
    void access(const Executor& executor, const AccessEvent& event);
    void bulk(const Executor& executor, const BulkCopy& copy);
    void barrier_opens(const Executor& executor);
    void block_ends(const Executor& executor);

    // Accesses between begin_group() and end_group() are also stored as the group with this number;
    // next_of_group() precedes each access, with its index and the address of its first lane.
    // again() records the whole group once more, after the lanes of each access have all moved by
    // one distance: whole lines, or any distance if all lanes are at one address.
    // first_address(index) is the current address of an access's first lane.
    void begin_group(std::uint32_t number);
    void next_of_group(std::size_t index, std::uint64_t first_address);
    void end_group() { group_ = nullptr; }
    template <class FirstAddress>
    void again(const Executor& executor, std::uint32_t number, const FirstAddress& first_address)
    {
        const Group& group = groups_[number];
        if (group.words.empty() || recording_.overflows()) return;
        std::vector<caches::Word>& words = words_of(executor, group.words.size());
        const caches::Word* word = group.words.data();
        for (const Group::Access& access : group.accesses) {
            const std::uint64_t now = first_address(access.index);
            const std::uint64_t moved = now - access.first_address;
            const bool by_lines = moved % (std::uint64_t{1} << line_shift) == 0;
            for (const caches::Word* end = word + access.words; word != end; ++word)
                words.push_back(by_lines
                                    ? word->moved(static_cast<std::int64_t>(moved) >> line_shift)
                                    : one_sector(word->site(), now));
        }
    }

private:
    static constexpr int line_shift = 7;
    static caches::Word one_sector(std::uint32_t site, std::uint64_t address)
    {
        const auto sector = address / (std::uint64_t{1} << line_shift) * caches::line_sectors;
        return {site, address >> line_shift, caches::Sectors{1} << (address / 32 - sector)};
    }

    void bulk_range(const Executor& executor, const Instruction& in, Address begin, Address end);

    // The accesses of a block that has not ended, per warp.
    struct Running {
        std::uint64_t block = none;
        bool since_barrier = false; // any access since the last barrier
        std::uint64_t counted = 0;  // words that are not yet in Recording::words
        std::vector<std::vector<caches::Word>> warps;
    };
    struct Group {
        struct Access {
            std::size_t index;
            std::uint64_t first_address;
            std::size_t words; // 0 for accesses to shared memory
        };
        std::vector<Access> accesses;
        std::vector<caches::Word> words; // the words of all accesses, one after another
    };
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    // Several blocks may take turns when they wait for one another; usually there is one.
    Running& running(std::uint64_t block);
    // The vector for the running warp's next `more` words.
    std::vector<caches::Word>& words_of(const Executor& executor, std::size_t more);

    caches::Recording& recording_;
    std::size_t warps_;
    std::vector<Running> blocks_;
    std::size_t last_ = 0; // index in blocks_ of the block that ran last
    std::vector<Group> groups_;
    Group* group_ = nullptr; // the group being recorded
};

} // namespace lanescope::simt

// Tracks which thread touches each word of a buffer that threads are not expected to
// share. While every written word belongs to a single thread, there are no races,
// regardless of barriers and warps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "compute/simt/machine/memory/memory.h"

namespace lanescope::simt {

class WordOwners {
public:
    static constexpr std::uint64_t word_bytes = 4;
    // The highest thread number; numbers start at 1.
    static constexpr std::uint64_t max_thread = (std::uint64_t{1} << 31) - 2;

    // For a buffer of `bytes` bytes.
    explicit WordOwners(std::size_t bytes);

    // Records an access. Returns false if another thread has written to the word
    // or, if `writes`, has touched it.
    bool touch(std::uint64_t word, std::uint32_t thread, bool writes)
    {
        std::uint32_t& state = states_[word];
        const std::uint32_t mine = thread << 1;
        if (state == 0 || (state | written) == (mine | written)) {
            state |= mine | (writes ? written : 0);
            return true;
        }
        if (writes || (state & written) != 0) return false;
        state = several;
        return true;
    }
    // Same for 32 consecutive threads, each with `each` (1, 2 or 4) consecutive words.
    bool touch_row(std::uint64_t word, std::uint64_t each, std::uint32_t first_thread, bool writes);
    // Same for a read of the word by several threads.
    bool read_by_several(std::uint64_t word)
    {
        if ((states_[word] & written) != 0) return false;
        states_[word] = several;
        return true;
    }

    bool is_touched(std::uint64_t word) const { return states_[word] != 0; }
    bool is_written(std::uint64_t word) const { return (states_[word] & written) != 0; }

private:
    // A word's state: its thread times two, plus `written` if that thread has written to it.
    static constexpr std::uint32_t written = 1;
    static constexpr std::uint32_t several = 0xfffffffeu; // read by several threads

    std::unique_ptr<std::uint32_t[], FreedMemory> states_;
};

} // namespace lanescope::simt

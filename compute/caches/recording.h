// The global memory accesses of one launch, per warp and in order, as input for the cache model:
// one word per line of a request, and a marker at each block-wide barrier.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "compute/caches/hierarchy.h"
#include "compute/dim3.h"
#include "compute/trace/trace.h"

namespace lanescope::caches {

// One line of a request: its sectors, the site, and whether the request continues with another
// line.
class Word {
public:
    static constexpr int site_bits = 17;
    static constexpr std::uint32_t max_sites = std::uint32_t{1} << site_bits;

    Word(std::uint32_t site, Line line, Sectors sectors)
        : bits_(sectors | (line & line_mask) << line_sectors |
                std::uint64_t{site} << (line_sectors + line_bits))
    {
    }
    // Marks that all warps of the block have reached a barrier.
    static Word barrier() { return Word(~std::uint64_t{0}); }

    bool is_barrier() const { return bits_ == ~std::uint64_t{0}; }
    Sectors sectors() const { return static_cast<Sectors>(bits_) & all_sectors; }
    Line line() const { return bits_ >> line_sectors & line_mask; }
    std::uint32_t site() const
    {
        return static_cast<std::uint32_t>(bits_ >> (line_sectors + line_bits)) & (max_sites - 1);
    }
    friend bool operator==(const Word&, const Word&) = default;
    bool continues() const { return (bits_ >> 63) != 0; }
    // The same sectors of the line `lines` further on.
    Word moved(std::int64_t lines) const
    {
        return Word(bits_ + (static_cast<std::uint64_t>(lines) << line_sectors));
    }
    void continue_request() { bits_ |= std::uint64_t{1} << 63; }

private:
    static constexpr int line_bits = 42; // addresses of 49 bits
    static constexpr std::uint64_t line_mask = (std::uint64_t{1} << line_bits) - 1;
    explicit Word(std::uint64_t bits) : bits_(bits) {}
    std::uint64_t bits_;
};

struct RecordedBlock {
    std::vector<std::uint32_t> ends; // per warp: one past its last word
    std::vector<Word> words;         // the warps one after another
};

struct Recording {
    std::string kernel;
    Dim3 grid{0, 0, 0}, block{0, 0, 0};
    bool from_device = false; // requested by a kernel
    int registers_per_thread = 0;
    int shared_bytes_per_block = 0;
    // As in the trace of this launch without device-side launches.
    std::vector<trace::Site> sites;
    std::vector<trace::Counts> counts; // as in the trace; set when the launch has ended
    std::vector<Access> uses;          // by site
    std::vector<RecordedBlock> blocks; // x fastest
    std::atomic<std::uint64_t> words{0};
    std::uint64_t max_words = ~std::uint64_t{0};

    std::size_t warps_per_block() const
    {
        return static_cast<std::size_t>((block.count() + 31) / 32);
    }
    // True if the launch made more accesses than can be recorded.
    bool overflows() const { return words.load(std::memory_order_relaxed) > max_words; }
    // Discards the previous recording, for a launch that runs again. Throws Error if
    // there are too many sites or blocks.
    void begin(const Dim3& launch_grid, const Dim3& launch_block,
               std::vector<trace::Site> launch_sites);
};

// Launches in the order in which they ran, including device-side launches.
class Recordings : public std::deque<Recording> {
public:
    static constexpr std::uint64_t default_max_words = std::uint64_t{1} << 27; // 1 GiB

    explicit Recordings(std::uint64_t max_words = default_max_words) : max_words_(max_words) {}
    std::uint64_t max_words() const { return max_words_; } // of all launches together

    // Adds an empty recording for one more launch.
    Recording& add();
    // True if the launches made more accesses than can be recorded.
    bool overflow() const;

private:
    std::uint64_t max_words_;
};

// How each site uses the caches. Sites of other memory spaces and branches are
// listed as loads, but never recorded.
std::vector<Access> uses_of(const std::vector<trace::Site>& sites);

} // namespace lanescope::caches

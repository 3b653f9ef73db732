// Sectors by the level of a GPU's memory that served them: results of the cache model
// (compute/caches) for one step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::trace {

// Loads are served by one of three levels; an atomic's operand comes from L2 or memory. All stores
// and atomics write to L2.
struct Served {
    std::uint64_t l1 = 0;
    std::uint64_t l2 = 0;
    std::uint64_t dram = 0;
    std::uint64_t written = 0;

    std::uint64_t read() const { return l1 + l2 + dram; }
    Served& operator+=(const Served& other)
    {
        l1 += other.l1;
        l2 += other.l2;
        dram += other.dram;
        written += other.written;
        return *this;
    }
    friend bool operator==(const Served&, const Served&) = default;
};

struct ServedBy {
    std::string gpu;           // "H100"
    bool warm = false;         // the caches are as the same step left them; else they are empty
    std::vector<Served> sites; // parallel to Trace::sites
    std::vector<Served> warps; // parallel to Trace::warps; empty if they are not known
    std::string unavailable;   // why there is no result, as a sentence; else empty

    Served sum() const
    {
        Served all;
        for (const Served& site : sites) all += site;
        return all;
    }
};

} // namespace lanescope::trace

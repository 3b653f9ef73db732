// The L1 caches of the multiprocessors and the L2 cache that they share. Every access to global
// memory returns the level that served each of its sectors.
//
// L1 writes through, and the L2 cache writes back. A load allocates its line in both and fills the
// missing sectors. A store allocates its line in L1, too, and its sectors go to L2, which does not
// read them from memory. Atomics are executed in L2. An L2 cache of two partitions keeps a line in
// the partition that its address belongs to and, once a multiprocessor of the other partition has
// read it, also there. assets/manual/caches.md has the measurements behind these rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compute/caches/sectored_cache.h"
#include "compute/trace/served.h"

namespace lanescope::caches {

// How an instruction uses the caches.
enum class Access : std::uint8_t {
    load,
    load_at_l2, // bypasses L1: ld.global.cg, volatile and atomic loads, cp.async.cg
    store,
    atomic,
};

// Every launch sets its own L1 size.
struct Sizes {
    int multiprocessors = 1;
    std::size_t l2_bytes = 0;
    int l2_partitions = 1;
};

using trace::Served;

// Sums over launches, in sectors.
struct Traffic {
    std::uint64_t l1_loads = 0, l1_load_hits = 0;
    std::uint64_t l1_stores = 0, l1_store_hits = 0; // a store hits if L1 has its line
    std::uint64_t l2_reads = 0, l2_writes = 0;      // requested by the multiprocessors
    // Both partitions together, as hardware counters count them.
    std::uint64_t l2_read_lookups = 0, l2_read_hits = 0;
    std::uint64_t l2_write_lookups = 0, l2_write_hits = 0;
    std::uint64_t dram_reads = 0, dram_writes = 0;

    Traffic& operator+=(const Traffic& other);
    std::uint64_t l2_lookups() const { return l2_read_lookups + l2_write_lookups; }
    std::uint64_t l2_hits() const { return l2_read_hits + l2_write_hits; }
    friend bool operator==(const Traffic&, const Traffic&) = default;
};

class Hierarchy {
public:
    explicit Hierarchy(const Sizes& sizes);

    // The part of an access to sectors of one line that L1 leaves to L2.
    struct Request {
        Line line = 0;
        Sectors sectors = 0; // none: L1 served the access alone
        Access how = Access::load;
        std::uint8_t partition = 0; // the one near the multiprocessor
    };
    // Adds the sectors served by L1, or written, to `served`.
    Request access_l1(int multiprocessor, Access how, Line line, Sectors sectors, Served& served);
    // Adds the sectors served by L2 and memory to `served`.
    void access_l2(const Request& request, Served& served);
    // access_l1() followed by access_l2().
    Served access(int multiprocessor, Access how, Line line, Sectors sectors);
    // Prefetches the line's set, for an access that follows soon.
    void prefetch_l1(int multiprocessor, Line line) const
    {
        l1_[static_cast<std::size_t>(multiprocessor)].prefetch(line);
    }
    void prefetch_l2(const Request& request) const
    {
        for (const SectoredCache& partition : l2_) partition.prefetch(request.line);
    }
    // Starts a launch with this much L1 per multiprocessor: L1 is emptied, L2 keeps its lines.
    void begin_launch(std::size_t l1_bytes);
    const Traffic& traffic() const { return traffic_; }
    void forget_traffic() { traffic_ = {}; }

private:
    std::size_t home_of(Line line) const;
    // Finds or allocates the line in one partition of L2; an evicted line's dirty sectors are
    // written to memory.
    CachedLine& use_l2(std::size_t partition, Line line);
    // Reads the sectors; returns those that came from memory.
    Sectors read_l2(std::size_t partition, const Request& request);
    void write_l2(const Request& request);

    std::vector<SectoredCache> l1_; // per multiprocessor
    std::vector<SectoredCache> l2_; // per partition
    Traffic traffic_;
};

} // namespace lanescope::caches

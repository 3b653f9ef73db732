// Lookups in a partition of L2 are counted as the GPU's counters do: a sector whose home is the
// other partition is looked up in both unless the nearer one has it, and a store in both.
#include "compute/caches/hierarchy.h"

namespace lanescope::caches {

Hierarchy::Hierarchy(const Sizes& sizes)
{
    l1_.assign(static_cast<std::size_t>(sizes.multiprocessors), SectoredCache(sizes.l1_bytes));
    const auto partitions = static_cast<std::size_t>(sizes.l2_partitions);
    l2_.assign(partitions, SectoredCache(sizes.l2_bytes / partitions));
}

void Hierarchy::begin_launch()
{
    for (SectoredCache& cache : l1_) cache.clear();
    traffic_ = {};
}

// The hash is not published. Half of the lines belong to either partition, whatever their distance.
std::size_t Hierarchy::home_of(Line line) const
{
    if (l2_.size() == 1) return 0;
    return static_cast<std::size_t>(line * 0xd6e8feb86659fd93u >> 40) % l2_.size();
}

CachedLine& Hierarchy::use_l2(std::size_t partition, Line line)
{
    const SectoredCache::Found found = l2_[partition].use(line);
    traffic_.dram_writes += count(found.evicted.dirty());
    return found.line;
}

Sectors Hierarchy::read_l2(std::size_t partition, Line line, Sectors sectors)
{
    CachedLine& near = use_l2(partition, line);
    Sectors missing = sectors & ~near.valid();
    near.fill(sectors);
    traffic_.l2_read_lookups += count(sectors);
    traffic_.l2_read_hits += count(sectors & ~missing);
    const std::size_t home = home_of(line);
    if (missing != 0 && home != partition) {
        CachedLine& far = use_l2(home, line);
        traffic_.l2_read_lookups += count(missing);
        traffic_.l2_read_hits += count(missing & far.valid());
        const Sectors wanted = missing;
        missing &= ~far.valid();
        far.fill(wanted);
    }
    traffic_.l2_reads += count(sectors);
    traffic_.dram_reads += count(missing);
    return missing;
}

void Hierarchy::write_l2(std::size_t partition, Line line, Sectors sectors)
{
    const std::size_t home = home_of(line);
    use_l2(home, line).write(sectors);
    const std::uint64_t lookups = count(sectors) * (home == partition ? 1 : 2);
    traffic_.l2_write_lookups += lookups;
    traffic_.l2_write_hits += lookups;
    traffic_.l2_writes += count(sectors);
}

Served Hierarchy::access(int multiprocessor, Access how, Line line, Sectors sectors)
{
    Served served;
    const std::size_t partition = partition_of(multiprocessor);
    SectoredCache& l1 = l1_[static_cast<std::size_t>(multiprocessor)];
    Sectors wanted = sectors; // from L2
    switch (how) {
    case Access::load: {
        CachedLine& cached = l1.use(line).line;
        wanted &= ~cached.valid();
        cached.fill(sectors);
        served.l1 = count(sectors & ~wanted);
        break;
    }
    case Access::store: {
        const SectoredCache::Found found = l1.use(line);
        found.line.fill(sectors);
        traffic_.l1_stores += count(sectors);
        traffic_.l1_store_hits += found.hit ? count(sectors) : 0;
        write_l2(partition, line, sectors);
        served.written = count(sectors);
        return served;
    }
    case Access::atomic: served.written = count(sectors); break;
    case Access::load_at_l2: break;
    }
    if (how != Access::atomic) {
        traffic_.l1_loads += count(sectors);
        traffic_.l1_load_hits += served.l1;
    }
    if (wanted == 0) return served;
    // Atomics are executed at home.
    const std::size_t where = how == Access::atomic ? home_of(line) : partition;
    served.dram = count(read_l2(where, line, wanted));
    served.l2 = count(wanted) - served.dram;
    if (how == Access::atomic) {
        use_l2(where, line).write(sectors);
        traffic_.l2_writes += count(sectors);
    }
    return served;
}

} // namespace lanescope::caches

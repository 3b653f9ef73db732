// Lookups in a partition of L2 are counted as the GPU's counters do: a sector whose home is the
// other partition is looked up in both unless the nearer one has it, and a store in both.
#include "compute/caches/hierarchy.h"

namespace lanescope::caches {

Traffic& Traffic::operator+=(const Traffic& other)
{
    for (const auto field :
         {&Traffic::l1_loads, &Traffic::l1_load_hits, &Traffic::l1_stores, &Traffic::l1_store_hits,
          &Traffic::l2_reads, &Traffic::l2_writes, &Traffic::l2_read_lookups,
          &Traffic::l2_read_hits, &Traffic::l2_write_lookups, &Traffic::l2_write_hits,
          &Traffic::dram_reads, &Traffic::dram_writes})
        this->*field += other.*field;
    return *this;
}

Hierarchy::Hierarchy(const Sizes& sizes)
{
    l1_.assign(static_cast<std::size_t>(sizes.multiprocessors), SectoredCache(0));
    const auto partitions = static_cast<std::size_t>(sizes.l2_partitions);
    l2_.assign(partitions, SectoredCache(sizes.l2_bytes / partitions));
}

void Hierarchy::begin_launch(std::size_t l1_bytes)
{
    for (SectoredCache& cache : l1_) cache = SectoredCache(l1_bytes);
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

Sectors Hierarchy::read_l2(std::size_t partition, const Request& request)
{
    CachedLine& near = use_l2(partition, request.line);
    Sectors missing = request.sectors & ~near.valid();
    near.fill(request.sectors);
    traffic_.l2_read_lookups += count(request.sectors);
    traffic_.l2_read_hits += count(request.sectors & ~missing);
    const std::size_t home = home_of(request.line);
    if (missing != 0 && home != partition) {
        CachedLine& far = use_l2(home, request.line);
        const Sectors wanted = missing;
        missing &= ~far.valid();
        far.fill(wanted);
        traffic_.l2_read_lookups += count(wanted);
        traffic_.l2_read_hits += count(wanted & ~missing);
    }
    traffic_.l2_reads += count(request.sectors);
    traffic_.dram_reads += count(missing);
    return missing;
}

void Hierarchy::write_l2(const Request& request)
{
    const std::size_t home = home_of(request.line);
    use_l2(home, request.line).write(request.sectors);
    const std::uint64_t sectors = count(request.sectors);
    const std::uint64_t lookups = home == request.partition ? sectors : 2 * sectors;
    traffic_.l2_write_lookups += lookups;
    traffic_.l2_write_hits += lookups;
    traffic_.l2_writes += sectors;
}

Hierarchy::Request Hierarchy::access_l1(int multiprocessor, Access how, Line line, Sectors sectors,
                                        Served& served)
{
    const auto index = static_cast<std::size_t>(multiprocessor);
    SectoredCache& l1 = l1_[index];
    Request request{line, sectors, how, static_cast<std::uint8_t>(index % l2_.size())};
    switch (how) {
    case Access::load: {
        CachedLine& cached = l1.use(line).line;
        const Sectors hit = sectors & cached.valid();
        cached.fill(sectors);
        request.sectors &= ~hit;
        served.l1 += count(hit);
        traffic_.l1_load_hits += count(hit);
        break;
    }
    case Access::store: {
        const SectoredCache::Found found = l1.use(line);
        found.line.fill(sectors);
        traffic_.l1_stores += count(sectors);
        traffic_.l1_store_hits += found.hit ? count(sectors) : 0;
        served.written += count(sectors);
        return request;
    }
    case Access::atomic: served.written += count(sectors); return request;
    case Access::load_at_l2: break;
    }
    traffic_.l1_loads += count(sectors);
    return request;
}

void Hierarchy::access_l2(const Request& request, Served& served)
{
    if (request.how == Access::store) return write_l2(request);
    // Atomics are executed in the home partition.
    const bool atomic = request.how == Access::atomic;
    const std::size_t where = atomic ? home_of(request.line) : request.partition;
    const std::uint64_t from_memory = count(read_l2(where, request));
    served.dram += from_memory;
    served.l2 += count(request.sectors) - from_memory;
    if (!atomic) return;
    use_l2(where, request.line).write(request.sectors);
    traffic_.l2_writes += count(request.sectors);
}

Served Hierarchy::access(int multiprocessor, Access how, Line line, Sectors sectors)
{
    Served served;
    const Request request = access_l1(multiprocessor, how, line, sectors, served);
    if (request.sectors != 0) access_l2(request, served);
    return served;
}

} // namespace lanescope::caches

// Finds copies and fills whose size is a count of elements where the call takes bytes:
// cudaMemcpy(to, from, n, …) for n floats fills a quarter of the allocation.
#pragma once

#include "compute/runtime/machine.h"
#include "compute/trace/trace.h"

namespace lanescope::runtime {

// Notes that a call has written `bytes` bytes from the start of the allocation, if they are such a
// part of it.
void note_written_part(Memory& memory, std::uint64_t bytes, const char* call, const CallSite& site);
// Reports those calls if the launch has read bytes past them, and nothing has ever written any of
// these. Call before memory that the launch wrote is marked as written.
void find_counts_as_bytes(Machine& machine, const trace::Trace& trace, const LaunchRecord& record);
// The same for a copy that reads the bytes [begin, end).
void find_counts_as_bytes(Machine& machine, Memory& memory, const trace::Touched::Range& read,
                          const std::string& reader);

// Notes a fill of bytes [begin, end) with this byte, which may be meant for whole elements
// (launches/fills.h).
void note_fill(Memory& memory, std::uint64_t begin, std::uint64_t end, unsigned value,
               const char* call, const CallSite& site);

// Notes what a launch did to a result in this memory, or that a copy or fill used it.
void note_result(Memory& memory, const trace::Touched& touched);
void note_result_used(Memory& memory);
// Notes that a call has copied `bytes` bytes from `begin` on to the host.
void note_result_copied(Memory& memory, std::uint64_t begin, std::uint64_t bytes, const char* call,
                        const CallSite& site);
// Reports a result of which such a part was copied to the host and nothing read the rest. Call
// before the memory is freed.
void find_result_copied_in_part(Machine& machine, const Memory& memory);

} // namespace lanescope::runtime

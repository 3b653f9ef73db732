// How ptxas lowered each site of a kernel to SASS: the information needed to count an access as the
// GPU executes it instead of as the PTX states it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::trace {

enum class AssembledAs : std::uint8_t {
    itself,     // one access of the same width per PTX access
    merged,     // also moves the bytes of the neighbouring accesses in `members`
    part,       // its bytes are moved by the access of `leader`
    split,      // several narrower accesses
    narrowed,   // only some of its bytes are moved
    aggregated, // one lane executes the atomic for all lanes at one address
    summed,     // one atomic instruction handles all lanes that share an address (ATOMS.POPC.INC)
    removed,    // the SASS has no instruction for it
};

// "itself", "merged", …
std::string_view name(AssembledAs as);

struct AssembledSite {
    AssembledAs as = AssembledAs::itself;
    int width_bytes = 0;             // width of the access that moves the site's bytes; 0: branch
    int offset = 0;                  // start of that access relative to the lane's address
    int leader = -1;                 // part: the site that moves its bytes
    std::vector<int> members{};      // merged: all its sites, by address
    int copies = 0;                  // number of SASS instructions: above 1 for unrolled loops
    bool predicated = false;         // a predicate replaces the PTX branch
    std::vector<std::string> sass{}; // those instructions, as disassembled
};

struct Assembled {
    std::string architecture;         // "sm_90"
    std::vector<AssembledSite> sites; // parallel to Trace::sites
    std::string reason{};             // why there is no information, as a sentence; else empty
};

// Returns the lowering of a kernel in a PTX text; null until it is known.
using Assembler =
    std::function<std::shared_ptr<const Assembled>(std::string_view ptx, std::string_view kernel)>;

} // namespace lanescope::trace

// How the assembler made the GPU's instructions of a kernel's sites: what a launch needs to count
// an access as the GPU executes it instead of as the PTX has it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::trace {

enum class AssembledAs : std::uint8_t {
    itself,     // one access of the same width for each access of the PTX
    merged,     // the access moves the bytes of its neighbours, too: `members`
    part,       // its bytes are moved by the access of `leader`
    split,      // into narrower ones, one after the other
    narrowed,   // only some of its bytes are moved
    aggregated, // an atomic at one address, by one lane for all
    summed,     // an atomic that takes all lanes of an address at once (ATOMS.POPC.INC)
    removed,    // the GPU executes nothing for it
};

// "itself", "merged", …
std::string_view name(AssembledAs as);

struct AssembledSite {
    AssembledAs as = AssembledAs::itself;
    int width_bytes = 0;             // of the access that moves the site's bytes; 0 for branches
    int offset = 0;                  // where that begins, from the lane's address at the site
    int leader = -1;                 // of a part: the site that moves its bytes
    std::vector<int> members{};      // of a merged access: all its sites, in order of addresses
    int copies = 0;                  // instructions in the SASS: above 1 where loops are unrolled
    bool predicated = false;         // executed under a guard that the PTX has as a branch
    std::vector<std::string> sass{}; // these instructions, as the disassembler prints them
};

struct Assembled {
    std::string architecture;         // "sm_90"
    std::vector<AssembledSite> sites; // as Trace::sites
    std::string reason{};             // why there are none, where nothing is known: a sentence
};

// Gives the account of any kernel of a PTX text; null while it is not known yet.
using Assembler =
    std::function<std::shared_ptr<const Assembled>(std::string_view ptx, std::string_view kernel)>;

} // namespace lanescope::trace

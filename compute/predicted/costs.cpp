// Sources: [M] chains of dependent instructions in one warp, measured on an H200, less the
// arithmetic of the address; [G] throughput per compute capability in NVIDIA's CUDA C++ programming
// guide; [F] chosen so that the launches of assets/manual/time.md fit.
#include "compute/predicted/costs.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "compute/predicted/names.h"

namespace lanescope::predicted {

using assembled::SassInstruction;

namespace {

namespace cycles {
constexpr double arithmetic = 4.4;      // [M] FFMA, IMAD
constexpr double wide_product = 5;      // [M]
constexpr double predicate = 8;         // [F] ISETP
constexpr double fp64 = 8.3;            // [M] DFMA
constexpr double special = 17;          // [M] MUFU, POPC
constexpr double wide_conversion = 27;  // [M] twice through the pipe
constexpr double tensor = 18;           // [F]
constexpr double uniform = 11;          // [F]
constexpr double vote = 12;             // [F]
constexpr double special_register = 25; // [F]
constexpr double constant = 32;         // [M] LDC
constexpr double shared = 26;           // [M] 24 to 26
constexpr double shuffle = 24;          // [F]
constexpr double match = 72;            // [F]
constexpr double shared_atomic = 62;    // [M]
constexpr double l1 = 33;               // [M]
constexpr double l2 = 300;              // [M] 280 to 287 in one warp; [F]
constexpr double dram = 700;            // [F]
constexpr double atomic = 330;          // [M]
constexpr double texture = 90;          // [F]
constexpr double per_line = 2;          // [F] of a request over several lines
constexpr double branch = 14;           // [F] a jump
constexpr double meeting = 4;           // [F] BSYNC
constexpr double barrier = 16;          // [M] 15 to 17
constexpr double barrier_per_warp = 2;  // [M] 29 for 8 warps, 77 for 32
constexpr double fence = 390;           // [M]
} // namespace cycles

// Probability that at least one of `count` lines is missed, if each is missed with the same
// probability.
double any_of(double probability, double count)
{
    return 1 - std::pow(1 - probability, count);
}

double global_latency(const SassInstruction& in, const Access& access)
{
    const double lines = access.lines();
    const bool moved = access.served.read() != 0;
    const double far = moved ? any_of(access.from_dram(), lines) * (cycles::dram - cycles::l2) : 0;
    if (is_one_of(in.name(), {"ATOMG", "ATOM"}))
        return cycles::atomic + far + 2 * (access.sectors() - 1);
    const double missed = moved ? any_of(1 - access.from_l1(), lines) : 0;
    return cycles::l1 + missed * (cycles::l2 - cycles::l1) + far + (lines - 1) * cycles::per_line;
}

bool is_shared(const SassInstruction& in, const Access& access)
{
    return is_one_of(in.name(), {"LDS", "LDSM"}) || access.site.space == trace::Space::shared;
}

} // namespace

Pipe pipe_of(const SassInstruction& in)
{
    const std::string_view name = in.name();
    if (is_one_of(name, {"DFMA", "DADD", "DMUL", "DSETP", "DMNMX"})) return Pipe::fp64;
    if (is_one_of(name,
                  {"MUFU", "I2F", "F2I", "F2F", "FRND", "POPC", "FLO", "BREV", "I2I", "MATCH"}))
        return Pipe::special;
    if (is_one_of(name, {"HMMA", "IMMA", "DMMA"})) return Pipe::tensor;
    if (is_one_of(name, {"IADD3",  "LOP3", "ISETP", "SHF",   "LEA",      "VIADD",     "SEL",
                         "MOV",    "PRMT", "IABS",  "FSETP", "FMNMX",    "FSEL",      "PLOP3",
                         "VIMNMX", "P2R",  "R2P",   "FCHK",  "BMSK",     "SGXT",      "I2FP",
                         "VOTE",   "F2FP", "IMNMX", "LOP",   "VABSDIFF", "VABSDIFF4", "VIADDMNMX"}))
        return Pipe::alu;
    for (const char* start : {"FFMA", "FADD", "FMUL", "IMAD", "HFMA2", "HADD2", "HMUL2"})
        if (name.starts_with(start)) return Pipe::fma;
    if (is_memory(in) || is_one_of(name, {"SHFL", "LDC", "REDUX", "S2R", "BAR"}))
        return Pipe::memory;
    return Pipe::none;
}

double pipe_cycles(const SassInstruction& in)
{
    switch (pipe_of(in)) { // [G] lanes per cycle: FP32 128, integer 64, FP64 64, special 16
    case Pipe::fma: return in.name() == "IMAD" ? 2 : 1;
    case Pipe::alu:
    case Pipe::fp64: return 2;
    case Pipe::special:
        if (in.name() == "MATCH") return 256; // [F] histogram/aggregated
        return in.has("F64") ? 16 : 8;
    case Pipe::tensor: return in.has("16816") ? 16 : 8; // [F] half of the product of mma.sync
    case Pipe::memory: return 2;
    case Pipe::none: break;
    }
    return 0;
}

Latency latency_of(const SassInstruction& in, const Access* access)
{
    const std::string_view name = in.name();
    if (name == "ATOMS") {
        const double waves = access != nullptr ? access->wavefronts() : 1;
        return {cycles::shared_atomic + 2 * (waves - 1), Wait::shared};
    }
    if (is_one_of(name, {"LDS", "LDSM", "LDG", "LD", "LDL", "ATOMG", "ATOM", "LDGSTS"})) {
        if (access == nullptr)
            return {name.starts_with("LDS") ? cycles::shared : cycles::l1, Wait::shared};
        if (is_shared(in, *access))
            return {cycles::shared + access->wavefronts() - 1, Wait::shared};
        return {global_latency(in, *access), Wait::global};
    }
    if (is_one_of(name, {"TEX", "TLD", "TLD4", "SULD"})) return {cycles::texture, Wait::global};
    if (name == "SHFL") return {cycles::shuffle, Wait::shared};
    if (name == "MATCH") return {cycles::match, Wait::shared};
    if (name == "LDC") return {cycles::constant, Wait::shared};
    if (is_one_of(name, {"S2R", "CS2R", "S2UR", "VOTEU", "REDUX"}))
        return {cycles::special_register, Wait::shared};
    switch (pipe_of(in)) {
    case Pipe::fp64: return {cycles::fp64, Wait::arithmetic};
    case Pipe::special:
        return {in.has("F64") ? cycles::wide_conversion : cycles::special, Wait::shared};
    case Pipe::tensor: return {cycles::tensor, Wait::arithmetic};
    default: break;
    }
    if (name == "R2UR" || name.starts_with('U')) return {cycles::uniform, Wait::arithmetic};
    if (name == "VOTE") return {cycles::vote, Wait::arithmetic};
    if (name.ends_with("SETP") || is_one_of(name, {"PLOP3", "FCHK"}))
        return {cycles::predicate, Wait::arithmetic};
    if (name == "IMAD" && in.has("WIDE")) return {cycles::wide_product, Wait::arithmetic};
    return {cycles::arithmetic, Wait::arithmetic};
}

double gap_after(const SassInstruction& in, int warps_per_block)
{
    const std::string_view name = in.name();
    if (name == "BAR") return cycles::barrier + cycles::barrier_per_warp * warps_per_block;
    if (is_one_of(name, {"BRA", "BRX", "RET", "CALL", "EXIT"})) return cycles::branch;
    if (is_one_of(name, {"BSYNC", "WARPSYNC"})) return cycles::meeting;
    if (name == "MEMBAR") return cycles::fence;
    return 1;
}

double data_cycles(const SassInstruction& in, const Access* access)
{
    const std::string_view name = in.name();
    if (is_one_of(name, {"SHFL", "MATCH"})) return 1;              // [G] 32 lanes per cycle
    if (is_one_of(name, {"TEX", "TLD", "TLD4", "SULD"})) return 8; // [G] 4 texels per cycle
    if (access == nullptr || !is_memory(in)) return 0;
    if (is_one_of(name, {"LDS", "LDSM", "STS", "STSM", "ATOMS"})) return access->wavefronts();
    if (is_one_of(name, {"LDL", "STL"})) {
        const trace::Counts& counts = access->counts;
        if (counts.requests == 0) return 0;
        const double sectors =
            static_cast<double>(counts.modelled_sectors) / static_cast<double>(counts.requests);
        return sectors > 4 ? sectors : sectors / 4; // a line per cycle
    }
    if (name == "SUST") return 0;
    // A line per cycle, and 128 bytes; a store over several lines takes two cycles for each [F].
    const bool scattered = is_one_of(name, {"STG", "ST"}) && access->lines() > 1.5;
    return std::max({1.0, access->lines() * (scattered ? 2 : 1), access->sectors() / 4});
}

} // namespace lanescope::predicted

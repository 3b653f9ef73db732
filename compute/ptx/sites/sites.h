// Defines which instructions of a kernel are sites, and their order: the list that the lockstep
// machine, the probes and every view share.
//
// Sites are taken from the kernel, the kernels that it launches from the device, and all device
// functions that these can reach, in text order:
// - ld, ldu, st, atom and red on global, shared, local, constant or generic addresses (not .param,
//   not *.async);
// - tex, tld4, suld and sust;
// - cp.async.ca/cg with a size, a load from global memory (its write to shared memory is not
//   counted);
// - bulk copies (cp.async.bulk, cp.reduce.async.bulk) from or to global memory, which only the
//   lockstep machine counts;
// - ldmatrix and stmatrix: each lane that points to a matrix row moves its 16 bytes;
// - branches with a choice: bra with a guard, and brx.idx. A guarded ret or exit is not a site.
// A call through a pointer can reach every device function of the module.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compute/ptx/text/module.h"
#include "compute/trace/trace.h"

namespace lanescope::ptx {

// Location of a site: indices into Module::functions and Function::instructions.
struct SitePlace {
    int function = 0;
    int instruction = 0;

    friend bool operator==(const SitePlace&, const SitePlace&) = default;
};

struct SiteList {
    std::vector<trace::Site> sites;
    std::vector<SitePlace> places; // parallel to sites, ascending

    // Index of the site at an instruction; -1 if it is not a site.
    int find(SitePlace place) const;
};

// Classification of an instruction; `op` and `space` as written, width 0 for branches.
struct SiteKind {
    trace::Op op = trace::Op::load;
    trace::Space space = trace::Space::none;
    int width_bytes = 0;
};

// Number of rows of an ldmatrix or stmatrix; lanes 0 to rows - 1 each point to one of them.
constexpr int matrix_row_bytes = 16;
int matrix_rows(const Instruction& instruction);

// nullopt if the instruction is not a site.
std::optional<SiteKind> site_kind(const Instruction& instruction);

// Indices into Module::functions of the kernel and the defined functions that it can reach,
// ascending. Throws Error (no_such_thing) that lists the kernels if the name is unknown, and
// ParseError if one of the functions could not be parsed.
std::vector<int> reachable_functions(const Module& module, std::string_view kernel);

// Same, for the kernel and all kernels that it can launch from the device, directly or indirectly.
// Every kernel whose address is taken in a reachable function counts as launched.
std::vector<int> functions_and_launched_kernels(const Module& module, std::string_view kernel);

// True if the function, or any function of the module, makes device-side launches: the text must
// then be linked with the device runtime.
bool launches_from_device(const Function& function);
bool launches_from_device(const Module& module);

SiteList sites_of(const Module& module, std::string_view kernel);

} // namespace lanescope::ptx

// Tables for words.h, from the PTX ISA manual 8.x and 9.0.
#include "compute/ptx/instructions/words.h"

#include <algorithm>
#include <array>
#include <utility>

#include "compute/ptx/instructions/types.h"

namespace lanescope::ptx {
namespace {

constexpr std::array vector_registers{"tid",       "ntid",       "ctaid",         "nctaid",
                                      "clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid"};
constexpr std::array scalar_registers{"laneid",
                                      "warpid",
                                      "nwarpid",
                                      "smid",
                                      "nsmid",
                                      "gridid",
                                      "is_explicit_cluster",
                                      "cluster_ctarank",
                                      "cluster_nctarank",
                                      "lanemask_eq",
                                      "lanemask_le",
                                      "lanemask_lt",
                                      "lanemask_ge",
                                      "lanemask_gt",
                                      "clock",
                                      "clock_hi",
                                      "clock64",
                                      "globaltimer",
                                      "globaltimer_lo",
                                      "globaltimer_hi",
                                      "total_smem_size",
                                      "aggr_smem_size",
                                      "dynamic_smem_size",
                                      "reserved_smem_offset_begin",
                                      "reserved_smem_offset_end",
                                      "reserved_smem_offset_cap",
                                      "reserved_smem_offset_0",
                                      "reserved_smem_offset_1",
                                      "current_graph_exec"};

// True for names such as "envreg12", with the prefix "envreg" and the limit 32.
bool is_numbered(std::string_view name, std::string_view prefix, int limit)
{
    if (!name.starts_with(prefix)) return false;
    name.remove_prefix(prefix.size());
    if (name.empty() || name.size() > 2) return false;
    int value = 0;
    for (char c : name) {
        if (c < '0' || c > '9') return false;
        value = value * 10 + (c - '0');
    }
    return value < limit;
}

} // namespace

std::optional<Type> type_of(std::string_view word)
{
    const Type type = type_named(word);
    return type == Type::none ? std::nullopt : std::optional(type);
}

std::string_view name(Type type)
{
    return type_rows[static_cast<std::size_t>(type)].name;
}

int size_bytes(Type type)
{
    return type_rows[static_cast<std::size_t>(type)].bytes;
}

std::string_view why_unsupported(std::string_view word)
{
    if (word == "shared::cluster") return "it copies only to shared memory of the block itself";
    if (word == "u32") return "only 64-bit addresses are supported";
    if (word.ends_with("x4"))
        return "the PTX manual does not say which random bits round each of the four values";
    return "this modifier is not supported";
}

bool is_special_register(std::string_view name)
{
    if (const std::size_t dot = name.find('.'); dot != std::string_view::npos) {
        const std::string_view axis = name.substr(dot + 1);
        if (axis != "x" && axis != "y" && axis != "z" && axis != "w") return false;
        return std::ranges::find(vector_registers, name.substr(0, dot)) != vector_registers.end();
    }
    return std::ranges::find(scalar_registers, name) != scalar_registers.end() ||
           is_numbered(name, "envreg", 32) || is_numbered(name, "pm", 8);
}

} // namespace lanescope::ptx

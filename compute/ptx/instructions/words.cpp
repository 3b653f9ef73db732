// Tables behind words.h, from the PTX ISA manual 8.x and 9.0.
#include "compute/ptx/instructions/words.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lanescope::ptx {
namespace {

struct TypeRow {
    std::string_view name;
    Type type;
    int bytes;
};

constexpr std::array type_rows{
    TypeRow{"none", Type::none, 0},
    TypeRow{"pred", Type::pred, 1},
    TypeRow{"b8", Type::b8, 1},
    TypeRow{"b16", Type::b16, 2},
    TypeRow{"b32", Type::b32, 4},
    TypeRow{"b64", Type::b64, 8},
    TypeRow{"b128", Type::b128, 16},
    TypeRow{"u8", Type::u8, 1},
    TypeRow{"u16", Type::u16, 2},
    TypeRow{"u32", Type::u32, 4},
    TypeRow{"u64", Type::u64, 8},
    TypeRow{"s8", Type::s8, 1},
    TypeRow{"s16", Type::s16, 2},
    TypeRow{"s32", Type::s32, 4},
    TypeRow{"s64", Type::s64, 8},
    TypeRow{"f16", Type::f16, 2},
    TypeRow{"bf16", Type::bf16, 2},
    TypeRow{"f16x2", Type::f16x2, 4},
    TypeRow{"bf16x2", Type::bf16x2, 4},
    TypeRow{"f32", Type::f32, 4},
    TypeRow{"f64", Type::f64, 8},
    TypeRow{"texref", Type::texref, 8},
    TypeRow{"samplerref", Type::samplerref, 8},
    TypeRow{"surfref", Type::surfref, 8},
};

// Sorted by name, for a binary search.
constexpr std::array opcodes{
    Opcode{"abs", 2, 2},
    Opcode{"activemask", 1, 1},
    Opcode{"add", 3, 3},
    Opcode{"addc", 3, 3},
    Opcode{"alloca", 2, 3},
    Opcode{"and", 3, 3},
    Opcode{"applypriority", 2, 2, 0},
    Opcode{"atom", 3, 5, 1},
    Opcode{"bar", 1, 4},
    Opcode{"barrier", 0, 4},
    Opcode{"bfe", 4, 4},
    Opcode{"bfi", 5, 5},
    Opcode{"bfind", 2, 2},
    Opcode{"bmsk", 3, 3},
    Opcode{"bra", 1, 1},
    Opcode{"brev", 2, 2},
    Opcode{"brkpt", 0, 0},
    Opcode{"brx", 2, 2},
    Opcode{"call", 3, 4},
    Opcode{"clusterlaunchcontrol", 1, 4},
    Opcode{"clz", 2, 2},
    Opcode{"cnot", 2, 2},
    Opcode{"copysign", 3, 3},
    Opcode{"cos", 2, 2},
    Opcode{"cp", 0, 8},
    Opcode{"createpolicy", 2, 4},
    Opcode{"cvt", 2, 4},
    Opcode{"cvta", 2, 2},
    Opcode{"discard", 2, 2, 0},
    Opcode{"div", 3, 3},
    Opcode{"dp2a", 4, 4},
    Opcode{"dp4a", 4, 4},
    Opcode{"elect", 2, 2},
    Opcode{"ex2", 2, 2},
    Opcode{"exit", 0, 0},
    Opcode{"fence", 0, 2},
    Opcode{"fma", 4, 4},
    Opcode{"fns", 4, 4},
    Opcode{"getctarank", 2, 2},
    Opcode{"griddepcontrol", 0, 0},
    Opcode{"isspacep", 2, 2},
    Opcode{"istypep", 2, 2},
    Opcode{"ld", 2, 3, 1},
    Opcode{"ldmatrix", 2, 2, 1},
    Opcode{"ldu", 2, 2, 1},
    Opcode{"lg2", 2, 2},
    Opcode{"lop3", 5, 6},
    Opcode{"mad", 4, 4},
    Opcode{"mad24", 4, 4},
    Opcode{"madc", 4, 4},
    Opcode{"mapa", 3, 3},
    Opcode{"match", 3, 3},
    Opcode{"max", 3, 4},
    Opcode{"mbarrier", 1, 5},
    Opcode{"membar", 0, 0},
    Opcode{"min", 3, 4},
    Opcode{"mma", 4, 8},
    Opcode{"mov", 2, 2},
    Opcode{"movmatrix", 2, 2},
    Opcode{"mul", 3, 3},
    Opcode{"mul24", 3, 3},
    Opcode{"multimem", 2, 3},
    Opcode{"nanosleep", 1, 1},
    Opcode{"neg", 2, 2},
    Opcode{"not", 2, 2},
    Opcode{"or", 3, 3},
    Opcode{"pmevent", 1, 1},
    Opcode{"popc", 2, 2},
    Opcode{"prefetch", 1, 1, 0},
    Opcode{"prefetchu", 1, 1, 0},
    Opcode{"prmt", 4, 4},
    Opcode{"rcp", 2, 2},
    Opcode{"red", 2, 3, 0},
    Opcode{"redux", 3, 3},
    Opcode{"rem", 3, 3},
    Opcode{"ret", 0, 0},
    Opcode{"rsqrt", 2, 2},
    Opcode{"sad", 4, 4},
    Opcode{"selp", 4, 4},
    Opcode{"set", 3, 4},
    Opcode{"setmaxnreg", 1, 1},
    Opcode{"setp", 3, 4},
    Opcode{"shf", 4, 4},
    Opcode{"shfl", 4, 5},
    Opcode{"shl", 3, 3},
    Opcode{"shr", 3, 3},
    Opcode{"sin", 2, 2},
    Opcode{"slct", 4, 4},
    Opcode{"sqrt", 2, 2},
    Opcode{"st", 2, 3, 0},
    Opcode{"stackrestore", 1, 1},
    Opcode{"stacksave", 1, 1},
    Opcode{"stmatrix", 2, 2, 0},
    Opcode{"sub", 3, 3},
    Opcode{"subc", 3, 3},
    Opcode{"suld", 2, 2, 1},
    Opcode{"suq", 2, 2, 1},
    Opcode{"sured", 2, 2, 0},
    Opcode{"sust", 2, 2, 0},
    Opcode{"szext", 3, 3},
    Opcode{"tanh", 2, 2},
    Opcode{"tensormap", 2, 3},
    Opcode{"testp", 2, 2},
    Opcode{"tex", 2, 5, 1},
    Opcode{"tld4", 2, 5, 1},
    Opcode{"trap", 0, 0},
    Opcode{"txq", 2, 3, 1},
    Opcode{"vabsdiff", 3, 4},
    Opcode{"vabsdiff2", 4, 4},
    Opcode{"vabsdiff4", 4, 4},
    Opcode{"vadd", 3, 4},
    Opcode{"vadd2", 4, 4},
    Opcode{"vadd4", 4, 4},
    Opcode{"vavrg2", 4, 4},
    Opcode{"vavrg4", 4, 4},
    Opcode{"vmad", 4, 4},
    Opcode{"vmax", 3, 4},
    Opcode{"vmax2", 4, 4},
    Opcode{"vmax4", 4, 4},
    Opcode{"vmin", 3, 4},
    Opcode{"vmin2", 4, 4},
    Opcode{"vmin4", 4, 4},
    Opcode{"vote", 2, 3},
    Opcode{"vset", 3, 4},
    Opcode{"vset2", 4, 4},
    Opcode{"vset4", 4, 4},
    Opcode{"vshl", 3, 4},
    Opcode{"vshr", 3, 4},
    Opcode{"vsub", 3, 4},
    Opcode{"vsub2", 4, 4},
    Opcode{"vsub4", 4, 4},
    Opcode{"wgmma", 0, 10},
    Opcode{"wmma", 3, 5},
    Opcode{"xor", 3, 3},
};

constexpr bool by_name(const Opcode& a, const Opcode& b)
{
    return a.name < b.name;
}
static_assert(std::is_sorted(opcodes.begin(), opcodes.end(), by_name));

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

// "envreg12" with the prefix "envreg" and the limit 32 is numbered.
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
    for (const TypeRow& row : type_rows)
        if (row.name == word && row.type != Type::none) return row.type;
    return std::nullopt;
}

std::string_view name(Type type)
{
    return type_rows[static_cast<std::size_t>(type)].name;
}

int size_bytes(Type type)
{
    return type_rows[static_cast<std::size_t>(type)].bytes;
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

const Opcode* find_opcode(std::string_view name)
{
    const auto found = std::lower_bound(opcodes.begin(), opcodes.end(), Opcode{name}, by_name);
    return found != opcodes.end() && found->name == name ? &*found : nullptr;
}

} // namespace lanescope::ptx

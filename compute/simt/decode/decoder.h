// Structure of the decoder: one ProgramDecoder per kernel, one FunctionDecoder per function.
// Internal header of decode*.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "compute/ptx/control_flow/cfg.h"
#include "compute/ptx/instructions/table.h"
#include "compute/ptx/sites/sites.h"
#include "compute/simt/decode/decode.h"
#include "compute/simt/decode/flow/early_uses.h"
#include "compute/simt/operations/handlers.h"
#include "compute/simt/operations/memory/atomic_operations.h"

namespace lanescope::simt {

class Liveness;

// State shared by all functions of a program during decoding.
struct ProgramDecoder {
    const ptx::Module& module;
    const Symbols& symbols;
    Program& program;
    ptx::SiteList sites{};
    std::map<std::string, std::uint32_t> shared{}; // offsets of .shared variables
    // Distinct atomic operations on global memory: kind, bytes, and whether it is a signed minimum
    // or maximum.
    std::set<std::tuple<AtomicKind, int, bool>> global_reductions{};

    // Rows with the same value in every lane; equal constants share a row.
    RowRef constant32(std::uint32_t value);
    RowRef constant64(std::uint64_t value);
    RowRef constant128(std::uint64_t low);
    RowRef constant_predicate(bool value);
    RowRef launch_row(const LaunchRow& row);

    // `lane_bytes` 0 means a predicate.
    RowRef constant(int lane_bytes, std::uint64_t value);
    std::map<std::pair<int, std::uint64_t>, RowRef> constants{};
};

struct FunctionDecoder {
    ProgramDecoder& shared;
    const ptx::Function& source;
    int module_index;
    Function& function;
    std::map<std::string, ParamSlot> params{}; // parameters, results and .param variables
    std::map<std::string, std::uint32_t> locals{};
    std::vector<int> uses{};      // number of occurrences of each register
    std::vector<bool> labelled{}; // per PTX instruction and one past the end: a label stands there
    std::vector<int> pc_of{};     // maps PTX instructions to pcs, including one past the end
    ptx::ControlFlow flow{};
    EarlyUses early_uses{};

    void decode();

    // Throws LaunchError: "… at line … is not supported by the lockstep machine".
    [[noreturn]] void refuse(const ptx::Instruction& in, std::string_view why = {}) const;

    // decode_operands.cpp
    [[noreturn]] void refuse_symbol(const ptx::Instruction& in, const std::string& symbol) const;
    RowRef register_row(int reg) const;
    int register_bytes(int reg) const; // per lane; 0 for predicates
    ParamSlot register_slot(int reg) const;
    RowRef scratch() const;
    // Row of a source operand as the given type; immediates become constants.
    RowRef source_row(const ptx::Instruction& in, const ptx::Operand& operand, ptx::Type type);
    // Row of a destination operand; for `_`, a row that is never read.
    RowRef destination_row(const ptx::Instruction& in, const ptx::Operand& operand, ptx::Type type);
    RowRef symbol_row(const ptx::Instruction& in, const ptx::Operand& operand, int lane_bytes);
    std::uint64_t immediate_bits(const ptx::Operand& operand, ptx::Type type) const;

    // Decodes one instruction according to its unit in the instruction table. Returns false if it
    // is not supported.
    bool decode_by_unit(const ptx::Instruction& in, Instruction& out, int index);
    bool arithmetic(const ptx::Instruction& in, Instruction& out);
    bool lookup_with_predicate(const ptx::Instruction& in, Instruction& out);
    bool conversion(const ptx::Instruction& in, Instruction& out);
    bool move(const ptx::Instruction& in, Instruction& out);
    bool moves_address(const ptx::Instruction& in, Instruction& out);
    bool memory(const ptx::Instruction& in, Instruction& out);
    bool control(const ptx::Instruction& in, Instruction& out, int index);
    bool cross_lane(const ptx::Instruction& in, Instruction& out);
    bool barrier(const ptx::Instruction& in, Instruction& out);
    bool cluster_barrier(const ptx::Instruction& in, Instruction& out);
    bool conversion_of_address(const ptx::Instruction& in, Instruction& out);
    bool fence(const ptx::Instruction& in, Instruction& out);
    bool atomic(const ptx::Instruction& in, Instruction& out);
    bool async_copy(const ptx::Instruction& in, Instruction& out);
    bool clocks(const ptx::Instruction& in, Instruction& out);
    bool query(const ptx::Instruction& in, Instruction& out);

    bool image(const ptx::Instruction& in, Instruction& out);
    void image_level(const ptx::Instruction& in, bool floats, ImageAccess& access);
    void image_place(const ptx::Instruction& in, const ptx::Operand& place, ptx::Type coordinate,
                     ImageAccess& access);

    bool barrier_object(const ptx::Instruction& in, Instruction& out);
    bool video(const ptx::Instruction& in, Instruction& out);
    // decode_bulk.cpp
    bool bulk_copy(const ptx::Instruction& in, Instruction& out);
    // decode_matrices.cpp
    bool matrix(const ptx::Instruction& in, Instruction& out);
    void matrix_product(const ptx::Instruction& in, MatrixWork& work);
    void matrix_transfer(const ptx::Instruction& in, MatrixWork& work);
    int matrix_octets(const ptx::Instruction& in);
    void matrix_rows_transfer(const ptx::Instruction& in, MatrixWork& work);
    void matrix_access(const ptx::Instruction& in, const ptx::Operand& place, bool stores,
                       MatrixWork& work);
    std::vector<RowRef> matrix_rows(const ptx::Instruction& in, const ptx::Operand& operand,
                                    const Fragment& fragment, bool writes);

    // decode_warp_groups.cpp
    bool warp_group(const ptx::Instruction& in, Instruction& out);
    void group_product(const ptx::Instruction& in, GroupProduct& work);
    // True if the immediate operand has the second of its two legal values; false if it is missing.
    bool is_second(const ptx::Instruction& in, std::size_t operand, std::int64_t first,
                   std::int64_t second);
    bool is_suspect(int index) const
    {
        return !early_uses.suspects.empty() && early_uses.suspects[static_cast<std::size_t>(index)];
    }
    void add_look(int index);

    // decode_memory.cpp
    void address(const ptx::Instruction& in, const ptx::Operand& operand, Access& access);
    Access plain_access(const ptx::Instruction& in, bool loads);
    void copy_parameter(const ptx::Instruction& in, const Access& access, int row_bytes,
                        Instruction& out);
    void check_param(const ptx::Instruction& in, const ptx::Operand& place,
                     const Access& access) const;
    // Widens an access to shared memory to that of all blocks of the cluster.
    static void reach_cluster(Access& access);
    void require_block_order() { shared.program.ordered = true; }

    std::uint32_t add_operands(const Operands& operands);

    // Reconvergence point of a branch, as a PTX instruction index; -1: its lanes exit separately.
    int reconvergence_point(int index) const;
    // Reconvergence points of earlier divergence, as in ptx::Function::meetings.
    std::vector<int> outer_points(int index) const;

    // decode_function.cpp
    void lay_out();
    void lay_out_registers();
    std::vector<bool> meetings() const;
    void number(const std::vector<bool>& meets); // fills pc_of
    void decode_all(const std::vector<bool>& meets);
    void resolve_targets();
    [[noreturn]] void refuse_local(const ptx::Variable& variable) const;
    [[noreturn]] void refuse_parameters(const ptx::Variable& variable) const;
    void mark_straight();
    void note_unset(const Liveness& liveness);
    void decode_one(int index);
    static const ptx::Operand* far_address(const ptx::Instruction& in);
    void decode_far(const ptx::Instruction& in, const ptx::Operand& place, Instruction& out,
                    int index);
    void row_operation(const ptx::Instruction& in, Instruction& out, const RowOperation& operation);
    void branch(const ptx::Instruction& in, Instruction& out, int index);
    void call(const ptx::Instruction& in, Instruction& out, int index);
    ParamSlot call_slot(const ptx::Instruction& in, const ptx::Operand& operand,
                        const ptx::Variable* parameter);
    std::uint32_t scratch_row = 0; // offset of rows for discarded results

    // Number of instructions that conversions add where registers are wider than their types: they
    // copy the low halves of the sources, convert the copies, and widen the result.
    int added_instructions(const ptx::Instruction& in) const;
    bool is_wider(const ptx::Operand& operand, ptx::Type type) const;
    void add_conversion(const Instruction& like, ptx::Type to, ptx::Type from, RowRef d, RowRef a);
};

// Element of a matrix whose type an instruction names; f32 for other types.
MatrixElement matrix_element(ptx::Type type);

constexpr int lane_bytes(ptx::Type type)
{
    switch (type) {
    case ptx::Type::b64:
    case ptx::Type::u64:
    case ptx::Type::s64:
    case ptx::Type::f64:
    case ptx::Type::f32x2: return 8;
    case ptx::Type::b128: return 16;
    case ptx::Type::pred: return 0;
    default: return 4;
    }
}

} // namespace lanescope::simt

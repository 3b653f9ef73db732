// Handlers that the decoder chooses from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "compute/simt/machine/state/program.h"
#include "compute/simt/operations/lanes/row_shuffles.h"

namespace lanescope::simt {

template <Handler handler>
constexpr Handlers same(HandlerKind kind = HandlerKind::other)
{
    return {{handler, handler}, kind};
}

// control_flow.cpp
Handlers branch_handlers();       // extra: Function::branches
Handlers table_branch_handlers(); // extra: Function::branches
Handlers reconverge_handlers();
Handlers exit_handlers();
Handlers trap_handlers();
// calls.cpp; extra: Function::calls
Handlers return_handlers();
Handlers call_handlers();
// load_store.cpp; extra: Function::accesses
Handlers load_handlers();
Handlers store_handlers();
Handlers local_address_handlers(); // extra: Function::accesses; d receives the address
Handlers load_param_handlers();    // access to a frame's parameter area
Handlers store_param_handlers();
Handlers nothing_handlers(); // fences, prefetches, nanosleep: no-ops on this machine
Handlers fence_handlers();
Handlers far_offset_handlers(); // extra: Function::accesses; the offset exceeds 32 bits
// barriers.cpp; extra: Function::operands
enum class BarrierKind : std::uint8_t { sync, arrive, red_popc, red_and, red_or };
Handlers barrier_handlers(BarrierKind kind);
// cluster_barrier.cpp; extra: Function::operands
Handlers cluster_barrier_handlers(bool waits);
// cluster_addresses.cpp: mapa, getctarank, and isspacep of shared memory
Handlers cluster_address_handlers(const ptx::Instruction& in);
// cross_lane.cpp; extra: Function::operands
enum class Vote : std::uint8_t { all, any, uniform, ballot };
enum class Redux : std::uint8_t { add, min_s, max_s, min_u, max_u, bit_and, bit_or, bit_xor };
// `members`: with a member mask (.sync); otherwise the active lanes take part.
Handlers vote_handlers(Vote kind, bool members);
Handlers shuffle_handlers(Shuffle kind, bool members);
Handlers match_handlers(bool all, bool wide);
Handlers redux_handlers(Redux kind);
Handlers float_redux_handlers(); // values: is it max, .abs, .NaN
Handlers elect_handlers();
Handlers warp_sync_handlers();
Handlers activemask_handlers();
// queries.cpp; d: the result, a, b, c: the source registers in the table's order
Handlers clock_handlers(bool wide, bool high);
Handlers grid_id_handlers();
Handlers query_handlers(const ptx::Instruction& in);
// stack.cpp: alloca (a: size, b: alignment, or no_row), stacksave and stackrestore
Handlers stack_handlers(ptx::Op op);
// atomics.cpp; extra: Function::accesses
Handlers atomic_handlers();
Handlers vector_atomic_handlers(); // the access before it has the rows of the old values
// async_copy.cpp; extra: Function::operands
Handlers async_copy_handlers();
Handlers async_commit_handlers();
Handlers async_wait_handlers(bool all);
// bulk_copy.cpp; extra: Function::bulk; the wait: Function::operands
Handlers bulk_copy_handlers();
Handlers bulk_fill_handlers();
// tensor_map_fields.cpp; extra: Function::bulk
Handlers map_field_handlers();
Handlers map_copy_handlers();
Handlers tensor_copy_handlers(); // tensor_copy.cpp; extra: Function::bulk
Handlers bulk_commit_handlers();
Handlers bulk_wait_handlers(bool read);
// mbarrier.cpp; extra: Function::operands
enum class BarrierObject : std::uint8_t {
    init,
    invalidate,
    arrive,
    arrive_drop,
    expect_bytes,
    complete_bytes,
    wait,
    wait_parity,
    pending,
    after_copies,
};
Handlers barrier_object_handlers(BarrierObject kind);
// image_operations.cpp; extra: Function::images
enum class ImageQuery : std::uint8_t { width, height, depth, layers, levels };
Handlers texture_handlers(bool float_coordinates);
Handlers surface_handlers(bool load);
Handlers image_query_handlers(ImageQuery query);
// Offset of a lane's access in the bytes of its surface. nullopt: out of bounds and not clamped.
std::optional<std::size_t> surface_access_offset(Executor& x, const ImageAccess& access,
                                                 const ImageData& image, int lane);
// matrix/operations.cpp; extra: Function::operands, whose values[0] indexes Function::matrices
enum class MatrixAction : std::uint8_t {
    multiply,
    load,
    store,
    load_rows,
    store_rows,
    load_octets,
    store_octets,
    transpose
};
Handlers matrix_handlers(MatrixAction action);
// matrix/warp_group.cpp; extra: Function::operands, whose values[0] indexes Function::products or
// is the number of groups that may stay pending or of registers, values[1]: setmaxnreg.inc
enum class GroupAction : std::uint8_t { multiply, fence, commit, wait, look, registers };
Handlers warp_group_handlers(GroupAction action);
// video.cpp; d, a, b, c: registers; extra: Function::video
Handlers video_handlers();
// arithmetic.cpp: guarded arithmetic; wide forms, extra: Function::wide
Handlers arithmetic_handlers();
Handlers wide_handlers();
Handlers wide_carry_handlers();

} // namespace lanescope::simt

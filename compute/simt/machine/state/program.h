// A kernel as the machine runs it: each instruction refers to its handler, and operands are row
// offsets.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compute/ptx/text/module.h"
#include "compute/simt/machine/memory/windows.h"
#include "compute/simt/machine/state/aligned.h"
#include "compute/simt/operations/images/texture.h"
#include "compute/simt/operations/lanes/movers.h"
#include "compute/simt/operations/matrix/layout/fragment.h"
#include "compute/simt/operations/rows/rows.h"
#include "compute/trace/trace.h"

namespace lanescope::simt {

struct Executor;
struct Instruction;
class KernelUses;
namespace native {
class ProgramCode;
}

// A row as a byte offset from one of the bases below. Offsets are multiples of 4, so the low two
// bits hold the base.
using RowRef = std::uint32_t;
enum class RowBase : std::uint32_t { frame = 0, constants = 1, specials = 2, nothing = 3 };
constexpr RowRef no_row = static_cast<RowRef>(RowBase::nothing);
constexpr RowRef row_ref(std::size_t offset, RowBase base)
{
    return static_cast<RowRef>(offset) | static_cast<RowRef>(base);
}

// Effect of a handler on the running path.
enum class Flow : std::uint8_t {
    next,   // continue with the next instruction
    jump,   // the path has a new pc; its lanes and frame are unchanged
    reload, // the path is blocked, split, merged or has ended: choose a path
};
using Handler = Flow (*)(Executor&, const Instruction&, std::uint32_t mask);

constexpr std::uint32_t no_index = 0xffffffffu;

// Classification of handlers for decoding and scheduling. Handler addresses can't serve for this,
// because a linker may fold identical functions.
enum class HandlerKind : std::uint8_t {
    other,
    arithmetic,
    wide,
    branch,
    load,
    store,
    atomic,
    clock,
    warp_sync,
    reconvergence,
    exit
};

struct Handlers {
    std::array<Handler, 2> of{}; // unobserved, observed
    HandlerKind kind = HandlerKind::other;
};

// At most one cache line.
struct Instruction {
    void use(const Handlers& handlers)
    {
        handler = handlers.of;
        kind = handlers.kind;
    }

    RowFunction run = nullptr; // row function of plain arithmetic; `handler` then serves guarded
                               // and wide forms
    RowRef d = no_row, a = no_row, b = no_row, c = no_row;
    std::uint16_t straight = 0; // length of the run of plain, unguarded arithmetic that starts here
    bool guarded = false;
    bool guard_negated = false;
    bool always = false;      // the handler also runs if the guard leaves no lane active (branches)
    std::uint8_t counted = 1; // 0 for instructions that are not in the PTX (reconvergence marks)
    HandlerKind kind = HandlerKind::other; // kind of `handler`
    RowRef guard = no_row;
    std::uint32_t extra = no_index;   // index into the table of its kind in Function; for plain
                                      // arithmetic in a loop: index into Bindings
    std::array<Handler, 2> handler{}; // unobserved, observed
    std::uint32_t source = 0;         // index into ptx::Function::instructions
    std::uint32_t site = no_index;    // index into Trace::sites
};
static_assert(sizeof(Instruction) <= 64);

// Further operands of an arithmetic instruction. Set bits in `inverted` (a, b, c, e) mark predicate
// sources that are !%p.
struct WideOperands {
    RowRef d2 = no_row, d3 = no_row, d4 = no_row, e = no_row;
    std::uint8_t inverted = 0;
};

// Updates memory lane by lane: d receives the old values (null: discarded), b and c are operands.
using AtomicFunction = void (*)(std::byte* base, const std::uint64_t* offsets, std::uint32_t mask,
                                const void* b, const void* c, void* d);

// Address computation of a memory instruction.
enum class AddressKind : std::uint8_t {
    row64,       // a 64-bit register + offset
    row32,       // a 32-bit register + offset
    fixed,       // offset alone; the same for all lanes and launches
    frame_local, // a .local variable: offset from the frame's local memory
    frame_param, // a .param variable of a device function or call: offset in the frame's parameter
                 // area
};

struct Access {
    ptx::Space space = ptx::Space::none; // none: generic
    AddressKind kind = AddressKind::row64;
    std::uint8_t element_bytes = 4;
    std::uint8_t elements = 1;
    std::uint8_t width_bytes = 4; // element_bytes × elements
    bool synchronising =
        false;                // volatile, relaxed, acquire or release: other threads may observe it
    bool block_scope = false; // synchronises only with threads of the same block (.cta)
    bool cluster_scope = false; // synchronises only with threads of the same cluster (.cluster)
    bool in_cluster = false;    // .shared::cluster; `space` is then `none`
    bool read_only = false;     // ld.global.nc: through the cache for data that no thread writes
    RowRef address = no_row;
    std::int64_t offset = 0;
    std::array<RowRef, 8> values{no_row, no_row, no_row, no_row, no_row, no_row, no_row, no_row};
    Mover mover{};
    AtomicFunction atomic = nullptr;          // shared memory
    AtomicFunction atomic_global = nullptr;   // global memory, blocks run in order
    AtomicFunction atomic_parallel = nullptr; // global memory, blocks run on several threads
    std::uint32_t cache = 0;                  // index of the cached allocation in Executor::hits
    std::uint32_t group = no_index; // index in Executor::groups of cached addresses, which accesses
                                    // with related addresses share
    std::uint32_t batch = no_index; // index of the load batch that is checked as a whole
    trace::Op op = trace::Op::load;
};

// Set in Access::group and Access::batch of every member but the first.
constexpr std::uint32_t joins = 0x80000000u;

// Loads through one register with no wait, branch or store to their space in between: if the first
// executes, so do the others, so bounds and checks are evaluated once for all of them.
struct LoadBatch {
    std::vector<std::uint32_t> loads;  // indices into Function::code
    std::vector<std::int64_t> offsets; // distinct Access::offset values, sorted
    std::uint32_t number = 0;          // index in the program
};

struct Branch {
    int target = 0;
    int reconvergence = -1; // pc at which the lanes reconverge; -1: at return or exit
    std::vector<int> outer; // pcs at which earlier divergence reconverges, innermost first
    std::vector<int> table; // brx: target per index
    RowRef index = no_row;
};

// Location of a parameter or result of a device function: in a frame's parameter area (an offset
// per lane), or in a register (.reg in PTX).
struct ParamSlot {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0; // 0 for a predicate in a register
    RowRef row = no_row;     // the register, or the constant that is passed instead
    bool inverted = false;   // the argument is !%p
};

enum class Builtin : std::uint8_t { none, vprintf, assertfail, malloc, free, device_runtime };
// Calls of the device runtime, through which kernels launch kernels
// (operations/calls/device_runtime.h).
enum class DeviceCall : std::uint8_t {
    none,
    parameter_buffer,
    launch,
    last_error,
    peek_error,
    device_number,
    device_count,
    create_handle, // a stream or event
    copy,
    fill,
    nothing, // a no-op, since all work runs in order
};

struct Call {
    int function = -1; // index into Program::functions; -1: indirect
    Builtin builtin = Builtin::none;
    DeviceCall device = DeviceCall::none;
    RowRef target = no_row;           // indirect: row with the functions' addresses
    std::vector<ParamSlot> arguments; // in the caller's parameter area
    std::vector<ParamSlot> results;
    int return_to = 0;
};

// Operands of all other instructions that need more than d, a, b, c; their meaning is up to the
// handler.
struct Operands {
    std::array<RowRef, 8> rows{no_row, no_row, no_row, no_row, no_row, no_row, no_row, no_row};
    std::array<std::int64_t, 4> values{};
    bool inverted = false; // the predicate source is !%p
};

// How a texture instruction specifies the mip level.
enum class LevelChoice : std::uint8_t { first, given, gradients };
// Register format of a result: words as read, or values rounded to f16, one or two per register.
enum class TexelForm : std::uint8_t { words, halves, half_pairs };

// tex, tld4, suld, sust and the size queries.
struct ImageAccess {
    int dimensions = 0; // number of coordinates; 3 for a cube
    int elements = 1;
    int element_bytes = 4; // surfaces only
    SurfaceEdge edge = SurfaceEdge::trap;
    LevelChoice level = LevelChoice::first;
    TexelForm form = TexelForm::words;
    bool cube = false;
    int channel = -1; // tld4: channel to gather
    RowRef handle = no_row;
    RowRef layer = no_row;
    std::array<RowRef, 3> coordinates{no_row, no_row, no_row};
    std::array<RowRef, 6> steps{no_row, no_row, no_row,
                                no_row, no_row, no_row}; // the level, or the gradients
    std::array<RowRef, 4> values{no_row, no_row, no_row, no_row};
    Mover mover{};
};

// mma, wmma, ldmatrix, stmatrix and movmatrix. Fragments map the registers of each lane to matrix
// elements; they are empty for operands that the instruction does not have.
struct MatrixWork {
    MatrixShape shape;
    Fragment first;       // a; for loads and stores: the matrix moved
    Fragment second;      // b
    Fragment accumulator; // c
    Fragment result;      // d
    std::vector<RowRef> d, a, b, c;
    int products = 0;         // floating point: number of products summed in one step
    bool saturate = false;    // integers saturate
    bool conjunction = false; // b1: AND instead of XOR
    bool transposed = false;  // ldmatrix.trans; wmma: column-major in memory
    Access access;            // loads and stores
    RowRef stride = no_row;   // wmma: leading dimension in elements
    int matrices = 1;         // ldmatrix, stmatrix: number of 8×8 matrices
    // ldmatrix and stmatrix of 8-bit elements, in memory 8, 6 or 4 bits; 0: elements have 16 bits.
    int octet_bits = 0;
    bool square = false; // 16 × 16
    // mma.sp: `first` has the stored elements of a; metadata_bits of each row say where they are.
    RowRef metadata = no_row; // no_row: a is not sparse
    int metadata_bits = 0;
    int selector = 0; // selects the lanes that hold the metadata
};

// wgmma.mma_async: d += a × b or d = a × b, for the rows of one warp. Matrix b and, without
// registers, a are in shared memory, at 64-bit descriptors
// (operations/matrix/layout/shared_tile.h).
struct GroupProduct {
    MatrixShape shape;
    MatrixElement a = MatrixElement::f16, b = MatrixElement::f16;
    Fragment first;  // a, if it is in registers
    Fragment result; // d
    std::vector<RowRef> rows_a, rows_d;
    RowRef descriptor_a = no_row, descriptor_b = no_row;
    RowRef adds = no_row; // predicate: d is added
    bool adds_inverted = false;
    bool negates_a = false, negates_b = false;
    bool across_a = false, across_b = false; // M-major, N-major
    bool saturate = false;                   // integers saturate
    // Register that is used by other instructions on every path from a wait to this product that
    // has no wgmma.fence; -1: there is none.
    int unfenced = -1;
};

enum class BulkKind : std::uint8_t {
    load,         // from global to shared memory
    store,        // from shared to global memory
    within,       // from shared to shared memory
    prefetch,     // checked, otherwise a no-op
    store_async,  // from registers to shared memory
    reduce_async, // same, updates the destination
    fill,         // zeros in shared memory, at once
    tensor_load,  // a box of a tensor
    tensor_store,
    tensor_prefetch,
    map_field, // tensormap.replace
    map_copy,  // tensormap.cp_fenceproxy
};

// A field of a tensor map that tensormap.replace writes.
enum class MapField : std::uint8_t {
    address,
    rank,
    box,
    size,
    stride,
    step,
    type,
    interleave,
    swizzle,
    fill,
};

// cp.async.bulk, cp.reduce.async.bulk, st.async, red.async, st.bulk.
struct BulkWork {
    BulkKind kind = BulkKind::load;
    Access to, from, object; // object: the mbarrier that counts the bytes
    Access map;              // address of a tensor map
    std::array<RowRef, 5> coordinates{no_row, no_row, no_row, no_row, no_row};
    int rank = 0;
    MapField field{};
    int dimension = 0;    // of the field
    int reduction = -1;   // AtomicKind of an update of a tensor; -1: none
    RowRef size = no_row; // number of bytes: u32, for st.bulk u64
    RowRef byte_mask = no_row;
    RowRef blocks = no_row; // .multicast::cluster: mask of the blocks that receive the bytes
    AtomicFunction reduce = nullptr; // updates the destination; null: overwrites it
    std::uint8_t element_bytes = 1;  // of an update
    std::uint8_t elements = 1;       // st.async: length of the vector
    std::array<RowRef, 4> values{no_row, no_row, no_row, no_row}; // st.async, red.async
};

// Bytes or halves that a video instruction takes from an operand, or keeps of its result: element i
// is part number[i] of one word or of two.
struct VideoParts {
    int bits = 32; // width of a part
    int count = 1;
    std::array<std::uint8_t, 4> number{};
};

// A video instruction: computes `elements` results, each from one part of each operand, saturates
// them, then adds them to c or merges them into c.
struct VideoWork {
    enum class Then : std::uint8_t { nothing, add, min, max, merge };

    ptx::Op op{};
    int elements = 1;
    VideoParts a, b, d;
    bool a_signed = false, b_signed = false, d_signed = false;
    bool a_negative = false, b_negative = false, c_negative = false;
    bool saturates = false;
    bool clamps = false;   // clamp a shift amount instead of wrapping it
    bool plus_one = false; // vmad
    int scale = 0;         // vmad: right shift in bits
    ptx::Word compare{};   // vset
    Then then = Then::nothing;
};

constexpr std::size_t max_local_bytes = std::size_t{512} << 10; // CUDA's limit per thread
constexpr std::size_t max_frame_bytes = std::size_t{64} << 20;  // per warp, over all its frames
constexpr std::size_t max_param_bytes = std::size_t{1} << 20;   // per thread and function

struct Function {
    std::string name;
    const ptx::Function* source = nullptr;
    std::vector<Instruction> code;
    std::vector<WideOperands> wide;
    std::vector<Access> accesses;
    std::vector<Branch> branches;
    std::vector<Call> calls;
    std::vector<Operands> operands;
    std::vector<ImageAccess> images;
    std::vector<MatrixWork> matrices;
    std::vector<GroupProduct> products;
    std::vector<VideoWork> video;
    std::vector<BulkWork> bulk;
    std::vector<LoadBatch> batches;
    std::vector<RowRef> registers;        // parallel to source->registers
    std::vector<std::uint32_t> unset;     // registers that may be read before they are written
    std::uint32_t bound_instructions = 0; // number of plain arithmetic instructions inside loops
    std::uint32_t address_groups = 0;
    int registers_needed = 0;       // 32-bit rows of its registers; predicates don't count
    int live_registers = 0;         // maximum 32-bit registers per thread that are live at once
    std::uint32_t row_bytes = 0;    // size of all registers
    std::uint32_t carry_row = 0;    // offset of the carry bits (CC)
    std::uint32_t param_stride = 0; // parameter area per lane in bytes; follows the registers
    std::uint32_t local_bytes = 0;  // per lane; at most max_local_bytes
    std::vector<ParamSlot> parameters;
    std::vector<ParamSlot> results;
    std::uint32_t frame_bytes() const { return row_bytes + warp_lanes * param_stride; }
};

// A constant row whose value is only known at launch: a parameter or a special register.
struct LaunchRow {
    RowRef row = no_row;
    int row_bytes = 4;        // per lane
    std::uint32_t offset = 0; // kernel parameter: offset of its bytes
    int bytes = 4;
    bool sign_extend = false;
};

struct Program {
    const ptx::Module* module = nullptr;
    std::string kernel;
    std::vector<Function> functions; // functions[0] is the kernel
    std::map<int, int>
        by_module_index; // maps ptx::Module::functions to `functions`, for indirect calls
    Rows constants;      // immediates, and rows filled at launch
    std::vector<LaunchRow> launch_rows;
    std::vector<std::size_t> parameter_sizes;
    std::vector<std::size_t> parameter_offsets;
    std::size_t parameter_bytes = 0;
    std::size_t static_shared_bytes = 0;
    std::uint32_t cache_slots = 0;
    std::uint32_t load_batches = 0; // total over all functions
    bool ordered = false;           // blocks must run one after another, in order
    bool may_read_unset = false;    // may read a register that was never set, or has shuffles
    bool group_products = false;    // has wgmma, which only the precise checks follow
    bool bulk_copies = false;       // has bulk copies, which only the precise checks follow
    bool cooperative = false;       // grid-wide barriers: all blocks must be resident
    bool cluster_specials = false;  // reads special registers about its cluster
    std::vector<trace::Site> sites;
    Isa isa = Isa::baseline;
    std::shared_ptr<native::ProgramCode> native{}; // null: interpreted only
    std::shared_ptr<KernelUses> uses{};            // predictions for the fast checks

    const Function& entry() const { return functions.front(); }
};

} // namespace lanescope::simt

// A kernel as the machine runs it: every instruction knows its handler, and its operands are
// offsets of rows.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compute/ptx/text/module.h"
#include "compute/simt/machine/aligned.h"
#include "compute/simt/machine/windows.h"
#include "compute/simt/operations/images/texture.h"
#include "compute/simt/operations/matrix/fragment.h"
#include "compute/simt/operations/rows/rows.h"
#include "compute/trace/trace.h"

namespace lanescope::simt {

struct Executor;
struct Instruction;
namespace native {
class ProgramCode;
}

// A row by its byte offset from one of the bases below; offsets are multiples of 4, so the low two
// bits name the base.
using RowRef = std::uint32_t;
enum class RowBase : std::uint32_t { frame = 0, constants = 1, specials = 2, nothing = 3 };
constexpr RowRef no_row = static_cast<RowRef>(RowBase::nothing);
constexpr RowRef row_ref(std::size_t offset, RowBase base)
{
    return static_cast<RowRef>(offset) | static_cast<RowRef>(base);
}

// What a handler did with the running path.
enum class Flow : std::uint8_t {
    next,   // go on behind the instruction
    jump,   // the path has a new pc; its lanes and frame are the same
    reload, // the path is blocked, split, merged or gone: choose again
};
using Handler = Flow (*)(Executor&, const Instruction&, std::uint32_t mask);

constexpr std::uint32_t no_index = 0xffffffffu;

// What decoding and scheduling ask of a handler. A linker may give two functions that do the same
// one address, so that no address tells them apart.
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

// One cache line at most.
struct Instruction {
    void use(const Handlers& handlers)
    {
        handler = handlers.of;
        kind = handlers.kind;
    }

    RowFunction run = nullptr; // arithmetic on rows; `handler` then serves guarded and wide forms
    RowRef d = no_row, a = no_row, b = no_row, c = no_row;
    std::uint16_t straight = 0; // so many plain, unguarded arithmetic instructions start here
    bool guarded = false;
    bool guard_negated = false;
    bool always = false;      // the handler also runs when the guard leaves no lane (branches)
    std::uint8_t counted = 1; // 0 for what the PTX does not contain (reconvergence marks)
    HandlerKind kind = HandlerKind::other; // of the handler
    RowRef guard = no_row;
    std::uint32_t extra = no_index;   // index into the table of its kind in Function; of plain
                                      // arithmetic inside a loop: its place in Bindings
    std::array<Handler, 2> handler{}; // unobserved, observed
    std::uint32_t source = 0;         // index into ptx::Function::instructions
    std::uint32_t site = no_index;    // index into Trace::sites
};
static_assert(sizeof(Instruction) <= 64);

// Further operands of an arithmetic instruction; predicate sources with a set bit in `inverted` (a,
// b, c, e) are !%p.
struct WideOperands {
    RowRef d2 = no_row, d3 = no_row, d4 = no_row, e = no_row;
    std::uint8_t inverted = 0;
};

// Copies between a row and memory; the strided form needs all lanes, `stride` bytes apart.
struct Mover {
    void (*load_strided)(const std::byte* from, std::size_t stride, void* row) = nullptr;
    void (*load_lanes)(const std::byte* from, const std::uint64_t* offsets, std::uint32_t mask,
                       void* row) = nullptr;
    void (*store_strided)(std::byte* to, std::size_t stride, const void* row) = nullptr;
    void (*store_lanes)(std::byte* to, const std::uint64_t* offsets, std::uint32_t mask,
                        const void* row) = nullptr;
    bool words = false; // element and lane are 4 bytes, moved as they are
};

// Updates lane after lane in memory: d gets the old values (null: not wanted), b and c are the
// operands.
using AtomicFunction = void (*)(std::byte* base, const std::uint64_t* offsets, std::uint32_t mask,
                                const void* b, const void* c, void* d);

// How a memory instruction forms its addresses.
enum class AddressKind : std::uint8_t {
    row64,       // a 64-bit register + offset
    row32,       // a 32-bit register + offset
    fixed,       // the same for every lane and launch: offset
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
        false; // volatile, relaxed, acquire or release: other threads may be watching
    RowRef address = no_row;
    std::int64_t offset = 0;
    std::array<RowRef, 8> values{no_row, no_row, no_row, no_row, no_row, no_row, no_row, no_row};
    Mover mover{};
    AtomicFunction atomic = nullptr;        // on shared memory
    AtomicFunction atomic_global = nullptr; // on global memory while blocks run one after the other
    AtomicFunction atomic_parallel = nullptr; // on global memory with blocks on several threads
    std::uint32_t cache = 0;        // the slot that remembers which allocation was hit last
    std::uint32_t group = no_index; // accesses that may share their addresses (Executor::groups)
    std::uint32_t batch = no_index; // loads of a group that are checked together
    trace::Op op = trace::Op::load;
};

// Set in Access::group and Access::batch of all but the first access.
constexpr std::uint32_t joins = 0x80000000u;

// Loads through one register with nothing in between that waits, branches or stores to their space:
// once the first is executed the others follow, so bounds and checks are looked at for all at once.
struct LoadBatch {
    std::vector<std::uint32_t> loads;  // indices into Function::code
    std::vector<std::int64_t> offsets; // Access::offset of each, sorted, none twice
    std::uint32_t number = 0;          // in the program
};

struct Branch {
    int target = 0;
    int reconvergence = -1; // where the lanes meet again; -1: when they return or exit
    std::vector<int> outer; // where they meet those that have parted before, innermost first
    std::vector<int> table; // brx: target of each index
    RowRef index = no_row;
};

// Where a parameter or result of a device function lies: in a frame's parameter area (bytes of one
// lane), or in a register (.reg in PTX).
struct ParamSlot {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0; // 0 of a predicate in a register
    RowRef row = no_row;     // the register, or the constant that is passed for one
    bool inverted = false;   // !%p
};

enum class Builtin : std::uint8_t { none, vprintf, assertfail, malloc, free, device_runtime };
// Of the device runtime, that kernels launch kernels with (operations/calls/device_runtime.h).
enum class DeviceCall : std::uint8_t {
    none,
    parameter_buffer,
    launch,
    last_error,
    peek_error,
    device_number,
    device_count,
    create_handle, // of a stream or event
    copy,
    fill,
    nothing, // what needs no work, as everything is done in order
};

struct Call {
    int function = -1; // index into Program::functions; -1: indirect
    Builtin builtin = Builtin::none;
    DeviceCall device = DeviceCall::none;
    RowRef target = no_row;           // indirect: the row that holds the functions' addresses
    std::vector<ParamSlot> arguments; // in the caller's parameter area
    std::vector<ParamSlot> results;
    int return_to = 0;
};

// Everything else that needs operands beyond d, a, b, c: the handler knows their meaning.
struct Operands {
    std::array<RowRef, 8> rows{no_row, no_row, no_row, no_row, no_row, no_row, no_row, no_row};
    std::array<std::int64_t, 4> values{};
    bool inverted = false; // the predicate source is !%p
};

// How a texture instruction says which level of an image it reads.
enum class LevelChoice : std::uint8_t { first, given, gradients };
// What it puts into registers: what was read as it is, or numbers rounded to f16, one or two a
// register.
enum class TexelForm : std::uint8_t { words, halves, half_pairs };

// tex, tld4, suld, sust and the queries of sizes.
struct ImageAccess {
    int dimensions = 0; // coordinates; of a cube: 3
    int elements = 1;
    int element_bytes = 4; // surfaces
    SurfaceEdge edge = SurfaceEdge::trap;
    LevelChoice level = LevelChoice::first;
    TexelForm form = TexelForm::words;
    bool cube = false;
    int channel = -1; // tld4: the one that it gathers
    RowRef handle = no_row;
    RowRef layer = no_row;
    std::array<RowRef, 3> coordinates{no_row, no_row, no_row};
    std::array<RowRef, 6> steps{no_row, no_row, no_row,
                                no_row, no_row, no_row}; // the level, or the
                                                         // gradients
    std::array<RowRef, 4> values{no_row, no_row, no_row, no_row};
    Mover mover{};
};

// mma, wmma, ldmatrix, stmatrix and movmatrix. Fragments name the elements in the registers of each
// lane; where an instruction has no such operand, its list is empty.
struct MatrixWork {
    MatrixShape shape;
    Fragment first;       // of a; of a load or store: what is moved
    Fragment second;      // of b
    Fragment accumulator; // of c
    Fragment result;      // of d
    std::vector<RowRef> d, a, b, c;
    int products = 0;         // of floating-point numbers: so many are added at once
    bool saturate = false;    // integers stay at the ends of their range
    bool conjunction = false; // b1: and instead of xor
    bool transposed = false;  // ldmatrix.trans; wmma: the matrix lies in memory column by column
    Access access;            // of what is loaded or stored
    RowRef stride = no_row;   // wmma: elements from one row (column) in memory to the next
    int matrices = 1;         // ldmatrix, stmatrix: of 8 by 8
};

// Which bytes or halves of an operand a video instruction takes, or of its result keeps: element i
// is part number[i], of a word or of two.
struct VideoParts {
    int bits = 32; // of a part
    int count = 1;
    std::array<std::uint8_t, 4> number{};
};

// What a video instruction does: `elements` results at once, each of one part of each operand; they
// are limited, and then added to c, or put into their places in it.
struct VideoWork {
    enum class Then : std::uint8_t { nothing, add, min, max, merge };

    ptx::Op op{};
    int elements = 1;
    VideoParts a, b, d;
    bool a_signed = false, b_signed = false, d_signed = false;
    bool a_negative = false, b_negative = false, c_negative = false;
    bool saturates = false;
    bool clamps = false;   // a shift's amount, which else wraps
    bool plus_one = false; // vmad
    int scale = 0;         // of vmad: bits to the right
    ptx::Word compare{};   // vset
    Then then = Then::nothing;
};

constexpr std::size_t max_local_bytes = std::size_t{512} << 10; // of one lane, as CUDA allows

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
    std::vector<VideoWork> video;
    std::vector<LoadBatch> batches;
    std::vector<RowRef> registers;        // parallel to source->registers
    std::vector<std::uint32_t> unset;     // those of them that may be read before they are written
    std::uint32_t bound_instructions = 0; // plain arithmetic inside loops
    std::uint32_t address_groups = 0;
    int registers_needed = 0;    // 32-bit registers of a thread that are live at once
    std::uint32_t row_bytes = 0; // of the registers
    std::uint32_t carry_row = 0; // offset of the CC bits
    std::uint32_t param_stride =
        0; // bytes of one lane in the parameter area, which follows the registers
    std::uint32_t local_bytes = 0; // of one lane; at most max_local_bytes
    std::vector<ParamSlot> parameters;
    std::vector<ParamSlot> results;
    std::uint32_t frame_bytes() const { return row_bytes + warp_lanes * param_stride; }
};

// A constant row whose value is known only at launch: from the parameters, or a special register.
struct LaunchRow {
    RowRef row = no_row;
    int row_bytes = 4;        // of a lane
    std::uint32_t offset = 0; // kernel parameter: where its bytes are
    int bytes = 4;
    bool sign_extend = false;
};

struct Program {
    const ptx::Module* module = nullptr;
    std::string kernel;
    std::vector<Function> functions; // 0: the kernel
    std::map<int, int>
        by_module_index; // index into ptx::Module::functions → functions (for indirect calls)
    Rows constants;      // immediates and the rows that a launch fills
    std::vector<LaunchRow> launch_rows;
    std::vector<std::size_t> parameter_sizes;
    std::vector<std::size_t> parameter_offsets;
    std::size_t parameter_bytes = 0;
    std::size_t static_shared_bytes = 0;
    std::uint32_t cache_slots = 0;
    std::uint32_t load_batches = 0; // of all functions
    bool ordered = false;           // blocks must run one after the other, in order
    bool may_read_unset = false;    // a register that nothing has set, on some way
    bool cooperative = false;       // all blocks wait for each other: none may be left out
    std::vector<trace::Site> sites;
    Isa isa = Isa::baseline;
    std::shared_ptr<native::ProgramCode> native{}; // null: the interpreter runs all of it

    const Function& entry() const { return functions.front(); }
};

} // namespace lanescope::simt

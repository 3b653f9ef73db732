// Reruns a block and records every instruction: its lanes, the register values it wrote, and the
// addresses it accessed. The slice follows this record backwards; a value read from another block
// leads to the block that wrote it.
#include "compute/simt/debug/slice.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <ranges>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "compute/device/formats.h"
#include "compute/device/kernel_names.h"
#include "compute/error.h"
#include "compute/ptx/instructions/table.h"
#include "compute/simt/machine/state/specials.h"
#include "compute/simt/operations/handlers.h"
#include "compute/simt/operations/images/images.h"
#include "compute/simt/operations/images/texture.h"
#include "compute/simt/operations/memory/addressing.h"

namespace lanescope::simt {

namespace {

using OperandKind = ptx::Operand::Kind;
using NodeKind = SliceNode::Kind;

constexpr std::size_t max_trace_bytes = std::size_t{96} << 20;    // of blocks that are kept
constexpr std::uint64_t max_block_bytes = std::uint64_t{4} << 30; // of one block

std::uint64_t cut_to(std::uint64_t bits, int bytes)
{
    return bytes >= 8 ? bits : bits & ((std::uint64_t{1} << 8 * bytes) - 1);
}

int lane_bytes_of(ptx::Type type)
{
    return type == ptx::Type::pred ? 0 : std::max(4, ptx::size_bytes(type));
}

ptx::Type type_of(const Function& function, int reg)
{
    return function.source->registers[static_cast<std::size_t>(reg)].type;
}

std::uint64_t lane_bits(const std::byte* row, ptx::Type type, int lane)
{
    if (type == ptx::Type::pred) return *reinterpret_cast<const std::uint32_t*>(row) >> lane & 1u;
    std::uint64_t bits = 0;
    const int stride = lane_bytes_of(type);
    std::memcpy(&bits, row + lane * stride, static_cast<std::size_t>(std::min(stride, 8)));
    return bits;
}

// Registers of an operand, in order.
void registers_of(const ptx::Operand& operand, std::vector<int>& all)
{
    if (operand.reg >= 0) all.push_back(operand.reg);
    for (const ptx::Operand& element : operand.elements) registers_of(element, all);
}

bool has_destination(const ptx::Instruction& in)
{
    return ptx::form_of(in.op).destinations > 0 && !in.operands.empty() &&
           in.operands[0].kind != OperandKind::address && in.op != ptx::Op::call;
}

constexpr std::uint64_t outside = ~std::uint64_t{0};

bool is_image_access(const ptx::Instruction& in)
{
    return in.op == ptx::Op::tex || in.op == ptx::Op::tld4 || in.op == ptx::Op::suld ||
           in.op == ptx::Op::sust;
}

// Records each lane's offset in its surface, or `outside`, followed by the handles.
void note_image_access(Executor& x, const Instruction& in, const ptx::Instruction& source,
                       std::uint32_t mask, std::vector<std::uint64_t>& lanes)
{
    const ImageAccess& access = x.function->images[in.extra];
    std::array<std::uint64_t, warp_lanes> offsets{};
    std::array<std::uint64_t, warp_lanes> handles{};
    const bool surface = source.op == ptx::Op::suld || source.op == ptx::Op::sust;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::size_t>(lowest_lane(rest));
        handles[lane] = x.row<const std::uint64_t>(access.handle)[lane];
        if (!surface) continue;
        offsets[lane] = outside;
        const ImageData* image = x.launch.images.surface(handles[lane]);
        if (image == nullptr) continue; // this access faults
        if (const auto offset = surface_access_offset(x, access, *image, static_cast<int>(lane)))
            offsets[lane] = *offset;
    }
    lanes.insert(lanes.end(), offsets.begin(), offsets.end());
    lanes.insert(lanes.end(), handles.begin(), handles.end());
}

std::uint64_t special_value(std::string_view name, const Walk& walk, const Warp& warp, int lane)
{
    const auto special = find_special(name);
    if (!special) return constant_special(name).value_or(0);
    const RowRef ref = special_row(*special);
    const auto base = static_cast<RowBase>(ref & 3u);
    const std::size_t offset = ref & ~3u;
    std::uint32_t value = 0;
    (void)walk;
    if (base == RowBase::specials)
        std::memcpy(&value, warp.specials.data() + offset + 4 * static_cast<std::size_t>(lane), 4);
    return value;
}

} // namespace

std::string SliceNode::text() const
{
    if (channels > 1) {
        const int each = bytes / channels;
        std::string text;
        for (int i = 0; i < channels; ++i)
            text += (i == 0 ? "{" : ", ") + text_of(each == 4 ? ptx::Type::f32 : ptx::Type::u8,
                                                    cut_to(bits >> 8 * each * i, each));
        return text + "}";
    }
    if (type == ptx::Type::none) return text_of(bytes == 8 ? ptx::Type::u64 : ptx::Type::s32, bits);
    return text_of(type, cut_to(bits, std::max(bytes, 1)));
}

// --- Recording one block ---

struct Slicer::Trace {
    struct Event {
        std::uint64_t position = 0;
        const Function* function = nullptr;
        std::uint32_t pc = 0;
        std::uint32_t mask = 0;
        std::uint32_t frame = 0;  // rows_begin of its frame
        std::uint32_t callee = 0; // for a call: rows_begin of the callee's frame
        std::size_t rows = 0;     // index in `data` of the destination registers' rows
        std::size_t addresses = ~std::size_t{0}; // index in `lanes`; ~0: none. Image accesses:
                                                 // offsets, then handles
        ptx::Space space = ptx::Space::none;     // the space that all lanes access
        std::uint8_t warp = 0;
        const ptx::Instruction& source() const
        {
            return function->source->instructions[function->code[pc].source];
        }
        const Instruction& decoded() const { return function->code[pc]; }
    };
    std::uint64_t until = 0; // recorded up to this position
    std::uint64_t used = 0;
    std::uint64_t block = 0;
    std::vector<Event> events;
    std::vector<std::byte> data;
    std::vector<std::uint64_t> lanes;
    std::vector<std::vector<std::uint32_t>> specials; // copy of each warp's Warp::specials
    std::vector<Rows> special_rows;
    // Keyed by warp, frame and row: events that wrote the row, in order.
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> definitions;
    // Keyed by space, 4-byte granule and, for local memory, thread: stores that touched it, in
    // order.
    struct Store {
        std::uint32_t event = 0;
        std::uint8_t lane = 0;
    };
    std::unordered_map<std::uint64_t, std::vector<Store>> stores;

    static std::uint64_t row_key(int warp, std::uint32_t frame, RowRef row)
    {
        return std::uint64_t{row} << 32 ^ std::uint64_t{frame} << 6 ^
               static_cast<std::uint64_t>(warp);
    }
    static std::uint64_t place_key(ptx::Space space, Address address, int thread)
    {
        std::uint64_t key = address / 4 * 8 + static_cast<std::uint64_t>(space);
        if (space == ptx::Space::local) key ^= static_cast<std::uint64_t>(thread + 1) << 48;
        return key;
    }
    std::size_t bytes() const
    {
        return events.size() * sizeof(Event) + data.size() + lanes.size() * 8;
    }
    // Last event before `before` that wrote the register in the lane; -1: none.
    std::int64_t definition(int warp, std::uint32_t frame, RowRef row, int lane,
                            std::uint32_t before) const
    {
        const auto found = definitions.find(row_key(warp, frame, row));
        if (found == definitions.end()) return -1;
        const auto& all = found->second;
        auto after = std::ranges::lower_bound(all, before);
        while (after != all.begin()) {
            --after;
            if ((events[*after].mask >> lane & 1u) != 0) return *after;
        }
        return -1;
    }
    // Last store before `before` that touched any of these bytes.
    std::optional<Store> store(ptx::Space space, Address address, int bytes, int thread,
                               std::uint32_t before) const
    {
        std::optional<Store> last;
        for (Address at = address / 4 * 4; at < address + static_cast<Address>(bytes); at += 4) {
            const auto found = stores.find(place_key(space, at, thread));
            if (found == stores.end()) continue;
            const auto& all = found->second;
            auto after = std::ranges::lower_bound(all, before, {}, &Store::event);
            while (after != all.begin()) {
                --after;
                const Event& event = events[after->event];
                const Access& access = event.function->accesses[event.decoded().extra];
                const Address begin = lanes[event.addresses + after->lane];
                if (begin >= address + static_cast<Address>(bytes) ||
                    begin + access.width_bytes <= address)
                    continue; // the store touches other bytes of the granule
                if (!last || after->event > last->event ||
                    (after->event == last->event && after->lane > last->lane))
                    last = *after;
                break;
            }
        }
        return last;
    }
};

Slicer::Slicer(SteppedDevice& device) : device_(device)
{
    timelines_.resize(device.launches().size());
    lines_.resize(device.launches().size());
}

Slicer::~Slicer() = default;

Timeline& Slicer::timeline(std::size_t launch)
{
    const bool is_new = timelines_[launch] == nullptr;
    if (has_current_ && current_ != launch) timelines_[current_]->release();
    if (is_new) {
        const TimelineOptions options{.max_bytes = (std::size_t{256} << 20) /
                                                   std::max<std::size_t>(1, timelines_.size()),
                                      .checks = false};
        timelines_[launch] = device_.timeline(launch, options);
        lines_[launch] = std::make_unique<CodeLines>(timelines_[launch]->launch().program);
        timelines_[launch]->go_to(~std::uint64_t{0});
    } else if (has_current_ && current_ != launch) {
        timelines_[launch]->reclaim();
    }
    current_ = launch;
    has_current_ = true;
    return *timelines_[launch];
}

// Fills a trace while its block is replayed: before each instruction, the results of the one before
// it, then the instruction itself with its addresses.
class Slicer::TraceRecorder {
public:
    TraceRecorder(Trace& trace, Timeline& timeline) : trace_(trace), timeline_(timeline) {}

    void record(std::uint64_t begin, std::uint64_t end, std::uint64_t position)
    {
        timeline_.replay(begin, end, [&](Timeline& t) {
            finish();
            take_waiting(t);
            if (t.block().linear != trace_.block) return;
            if (trace_.bytes() > max_block_bytes)
                throw Error(ExitStatus::unsupported,
                            fmt::format("Block {} executes {} instructions up to this value: too "
                                        "many to look for its origin.",
                                        trace_.block, position - begin),
                            "Launch fewer threads per block, or iterate less.");
            add(t);
        });
        finish();
        // Copy the rows of waiting events from the block's current state.
        const WalkState& state = timeline_.walk().state();
        if (state.running && state.running->linear == trace_.block)
            for (const auto& [warp, event] : waiting_)
                take_rows(state.running->warps[warp], trace_.events[event]);
    }

private:
    static std::size_t row_bytes(ptx::Type type)
    {
        return type == ptx::Type::pred ? 4
                                       : static_cast<std::size_t>(lane_bytes_of(type)) * warp_lanes;
    }

    void take_rows(const Warp& warp, Trace::Event& event)
    {
        registers_.clear();
        registers_of(event.source().operands[0], registers_);
        std::size_t at = event.rows;
        for (const int reg : registers_) {
            const auto index = static_cast<std::size_t>(reg);
            const RowRef ref = event.function->registers[index];
            const std::size_t bytes = row_bytes(event.function->source->registers[index].type);
            if (ref != no_row && (ref & 3u) == 0)
                std::memcpy(trace_.data.data() + at, warp.rows.data() + event.frame + (ref & ~3u),
                            bytes);
            at += bytes;
        }
    }

    // Copies the results of the last event.
    void finish()
    {
        if (!last_) return;
        Trace::Event& event = trace_.events[*last_];
        const Walk& walk = timeline_.walk();
        if (walk.state().running && walk.state().running->linear == trace_.block) {
            const Warp& warp = walk.state().running->warps[event.warp];
            if (has_destination(event.source())) take_rows(warp, event);
            if (event.source().op == ptx::Op::call)
                for (const Path& path : warp.paths)
                    if (path.live && (path.mask & event.mask) != 0 && !path.node)
                        event.callee = warp.frames[static_cast<std::size_t>(path.frame)].rows_begin;
        }
        last_.reset();
    }

    // Copies the results of instructions whose lanes have met.
    void take_waiting(const Timeline& t)
    {
        for (auto it = waiting_.begin(); it != waiting_.end();) {
            const Warp* warp =
                t.block().linear == trace_.block ? &t.block().warps[it->first] : nullptr;
            const bool has_resumed =
                warp != nullptr && std::ranges::none_of(warp->paths, [&](const Path& path) {
                    return path.live && path.wait == Wait::lanes &&
                           (path.mask & trace_.events[it->second].mask) != 0;
                });
            if (!has_resumed) {
                ++it;
                continue;
            }
            take_rows(*warp, trace_.events[it->second]);
            it = waiting_.erase(it);
        }
    }

    void add(Timeline& t)
    {
        Walk& walk = t.walk();
        Executor& x = walk.executor();
        const Instruction& in = walk.next_instruction();
        if (in.source >= x.function->source->instructions.size()) return;
        if (trace_.special_rows.empty())
            for (const Warp& warp : t.block().warps) trace_.special_rows.push_back(warp.specials);
        Trace::Event event;
        event.position = t.position();
        event.function = x.function;
        event.pc = static_cast<std::uint32_t>(walk.path().pc);
        event.mask = walk.next_mask();
        event.frame = x.frame->rows_begin;
        event.warp = static_cast<std::uint8_t>(x.warp->index);
        const auto number = static_cast<std::uint32_t>(trace_.events.size());
        const ptx::Instruction& source = event.source();
        const bool touches = in.kind == HandlerKind::load || in.kind == HandlerKind::store ||
                             in.kind == HandlerKind::atomic;
        if (touches && event.mask != 0) add_access(x, in, number, event);
        if (is_image_access(source) && event.mask != 0) {
            event.addresses = trace_.lanes.size();
            note_image_access(x, in, source, event.mask, trace_.lanes);
        }
        if (has_destination(source)) add_rows(number, event);
        trace_.events.push_back(event);
        last_ = number;
        if (ptx::form_of(source.op).effect == ptx::Effect::synchronises && has_destination(source))
            waiting_.emplace_back(event.warp, number);
    }

    void add_access(Executor& x, const Instruction& in, std::uint32_t number, Trace::Event& event)
    {
        const Access& access = x.function->accesses[in.extra];
        Addresses at;
        form_addresses(x, access, event.mask, at);
        event.addresses = trace_.lanes.size();
        event.space = access.in_cluster ? ptx::Space::shared : access.space;
        if (access.kind == AddressKind::frame_param) {
            event.addresses = ~std::size_t{0};
            return;
        }
        if (event.space == ptx::Space::none) {
            event.space = space_of(at.lane[static_cast<std::size_t>(lowest_lane(event.mask))]);
            for (std::uint64_t& lane : at.lane) lane -= window(event.space);
        }
        // Only launches with one block per cluster can be stepped through.
        if (event.space == ptx::Space::shared)
            for (std::uint64_t& lane : at.lane)
                if (names_rank(lane)) lane %= rank_bytes;
        trace_.lanes.insert(trace_.lanes.end(), at.lane.begin(), at.lane.end());
        if (access.op == trace::Op::load) return;
        for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
            const int lane = lowest_lane(rest);
            const Address address = at.lane[static_cast<std::size_t>(lane)];
            for (Address a = address / 4 * 4; a < address + access.width_bytes; a += 4)
                trace_.stores[Trace::place_key(event.space, a, event.warp * warp_lanes + lane)]
                    .push_back({number, static_cast<std::uint8_t>(lane)});
        }
    }

    // Makes room for the rows that the instruction writes.
    void add_rows(std::uint32_t number, Trace::Event& event)
    {
        registers_.clear();
        registers_of(event.source().operands[0], registers_);
        event.rows = trace_.data.size();
        std::size_t bytes = 0;
        for (const int reg : registers_) {
            const auto index = static_cast<std::size_t>(reg);
            bytes += row_bytes(event.function->source->registers[index].type);
            if (event.mask != 0)
                trace_
                    .definitions[Trace::row_key(event.warp, event.frame,
                                                event.function->registers[index])]
                    .push_back(number);
        }
        trace_.data.resize(trace_.data.size() + bytes);
    }

    Trace& trace_;
    Timeline& timeline_;
    std::vector<int> registers_;
    // Results of a waiting instruction are available when its warp continues.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> waiting_; // warp, event
    std::optional<std::uint32_t> last_; // the event whose result rows are still to be copied
};

// Records the block up to and including the instruction at the position.
std::shared_ptr<const Slicer::Trace> Slicer::trace(std::size_t launch, std::uint64_t block,
                                                   std::uint64_t position)
{
    if (const auto found = traces_.find({launch, block});
        found != traces_.end() && found->second->until > position) {
        found->second->used = ++clock_;
        return found->second;
    }
    const auto made = std::make_shared<Trace>();
    made->block = block;
    made->used = ++clock_;
    Timeline& timeline = this->timeline(launch);
    const std::uint64_t begin =
        std::min(timeline.find_block(block).value_or(position), timeline.block_start(position));
    // Continue to the end of the block if it is near, since later queries will need it.
    std::uint64_t end = position + 1;
    if (const auto whole = timeline.block_end(position);
        whole && *whole - begin < std::uint64_t{1} << 18)
        end = std::max(end, *whole);
    made->until = end;
    TraceRecorder(*made, timeline).record(begin, end, position);
    traces_[{launch, block}] = made;
    evict_traces(*made);
    return made;
}

// Removes the least recently used traces, except this one, until the others fit their limit.
void Slicer::evict_traces(const Trace& needed)
{
    for (;;) {
        std::size_t all = 0;
        auto oldest = traces_.end();
        for (auto it = traces_.begin(); it != traces_.end(); ++it) {
            all += it->second->bytes();
            if (it->second.get() != &needed &&
                (oldest == traces_.end() || it->second->used < oldest->second->used))
                oldest = it;
        }
        if (all <= max_trace_bytes || oldest == traces_.end()) break;
        traces_.erase(oldest);
    }
}

// --- Re-executing one instruction ---

// Executes one instruction in one lane of a separate warp, on given operands.
class Slicer::Evaluator {
public:
    explicit Evaluator(const LaunchState& launch) : launch_(launch), executor_(launch) {}

    // Part of a texel: its offset in the image, and its value.
    struct Texel {
        std::uint64_t offset = 0;
        int bytes = 0;
        std::uint64_t bits = 0;
    };
    // Result of an operation, given the values of its sources and, for a texture fetch, the
    // texels.
    std::uint64_t run(const SliceNode& node, const std::vector<std::uint64_t>& sources,
                      const std::vector<Texel>& texels = {})
    {
        const Function& function = *node.function;
        Warp warp;
        warp.lanes = full_mask;
        warp.index = node.warp;
        fill_specials(launch_, warp);
        const Dim3 grid = launch_.grid;
        fill_block_specials(launch_, warp,
                            {static_cast<std::uint32_t>(node.block % grid.x),
                             static_cast<std::uint32_t>(node.block / grid.x % grid.y),
                             static_cast<std::uint32_t>(node.block / grid.x / grid.y)});
        push_frame(warp, function);
        begin_paths(warp);
        const ptx::Instruction& in = function.source->instructions[function.code[node.pc].source];
        const bool together = is_collective(in);
        const std::uint32_t mask = together ? node.mask : 1u << node.lane;
        warp.paths[0].pc = static_cast<int>(node.pc);
        warp.paths[0].mask = mask;
        Block block;
        block.steps = 0;
        executor_.block = &block;
        executor_.enter(warp, 0);
        const auto put = [&](int reg, int lane, std::uint64_t bits) {
            const auto index = static_cast<std::size_t>(reg);
            const RowRef ref = function.registers[index];
            if (ref == no_row) return;
            const ptx::Type type = type_of(function, reg);
            std::byte* row = executor_.row<std::byte>(ref);
            if (type == ptx::Type::pred) {
                auto& word = *reinterpret_cast<std::uint32_t*>(row);
                word = (word & ~(1u << lane)) | static_cast<std::uint32_t>(bits & 1u) << lane;
            } else {
                const int stride = lane_bytes_of(type);
                std::memcpy(row + lane * stride, &bits,
                            static_cast<std::size_t>(std::min(8, stride)));
            }
        };
        std::size_t next = 0;
        for_each_part(in, [&](const ptx::Operand& part) {
            for (std::uint32_t rest = mask; rest != 0 && next < sources.size(); rest &= rest - 1) {
                const std::uint64_t bits = sources[next++];
                if (part.reg < 0) continue;
                // A negated source (!%p): its node has the operand's value, which is
                // the inverse of the register's.
                const bool inverted =
                    part.negated && type_of(function, part.reg) == ptx::Type::pred;
                put(part.reg, lowest_lane(rest), inverted ? bits ^ 1 : bits);
            }
        });
        if (in.guard)
            for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
                put(in.guard->reg, lowest_lane(rest), in.guard->negated ? 0 : 1);
        if (is_fetch(in)) {
            const ImageAccess& access = function.images[function.code[node.pc].extra];
            executor_.row<std::uint64_t>(access.handle)[node.lane] = node.address;
        }
        const Exchanged exchanged(texels.empty() ? nullptr : launch_.images.texture(node.address),
                                  texels);
        step_path(executor_);
        std::vector<int> registers;
        registers_of(in.operands[0], registers);
        for (const int reg : registers) {
            const auto index = static_cast<std::size_t>(reg);
            if (function.registers[index] == node.row)
                return lane_bits(executor_.row<std::byte>(node.row),
                                 function.source->registers[index].type, node.lane);
        }
        return 0;
    }

    static std::vector<Texel> texels_of(const Slice& slice, const SliceNode& node,
                                        const std::vector<std::uint64_t>& values);

    // Memory contents after an atomic operation, from its old value and operands.
    static std::uint64_t update(const SliceNode& node, const std::vector<std::uint64_t>& sources)
    {
        const Access& access = node.function->accesses[node.function->code[node.pc].extra];
        alignas(16) std::uint64_t memory = sources.empty() ? 0 : sources[0];
        const std::uint64_t offset = 0;
        alignas(16) std::array<std::uint64_t, 2 * warp_lanes> b{};
        alignas(16) std::array<std::uint64_t, 2 * warp_lanes> c{};
        alignas(16) std::array<std::uint64_t, 2 * warp_lanes> d{};
        if (sources.size() > 1) b[0] = sources[1];
        if (sources.size() > 2) c[0] = sources[2];
        access.atomic(reinterpret_cast<std::byte*>(&memory), &offset, 1, b.data(), c.data(),
                      d.data());
        return cut_to(memory, node.bytes);
    }

    // Concatenates the bytes of its sources.
    static std::uint64_t together(const SliceNode& node, const std::vector<std::uint64_t>& sources)
    {
        std::uint64_t bits = 0;
        const int each = node.bytes / std::max(1, static_cast<int>(sources.size()));
        for (std::size_t i = 0; i < sources.size(); ++i)
            bits |= cut_to(sources[i], each) << 8 * each * static_cast<int>(i);
        return bits;
    }

    // Value that a copy passes on.
    static std::uint64_t pass(const SliceNode& node, std::uint64_t source)
    {
        std::uint64_t bits = source >> node.shift;
        if (node.moved != ptx::Type::none) {
            const int from = ptx::size_bytes(node.moved);
            bits = cut_to(bits, from);
            const bool is_signed = node.moved == ptx::Type::s8 || node.moved == ptx::Type::s16 ||
                                   node.moved == ptx::Type::s32;
            if (is_signed && from < 8) {
                const int shift = 64 - 8 * from;
                bits =
                    static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << shift) >> shift);
            }
        }
        return cut_to(bits, node.bytes);
    }

    static bool is_collective(const ptx::Instruction& in)
    {
        const ptx::Unit unit = ptx::form_of(in.op).unit;
        return unit == ptx::Unit::warp || unit == ptx::Unit::matrix;
    }
    static bool is_fetch(const ptx::Instruction& in)
    {
        return in.op == ptx::Op::tex || in.op == ptx::Op::tld4;
    }
    // Calls `use` for each part of a source operand that is a source in the slice, in the slice's
    // order.
    template <class Use>
    static void for_each_part(const ptx::Instruction& in, const Use& use)
    {
        const std::function<void(const ptx::Operand&)> collect = [&](const ptx::Operand& each) {
            if (!each.elements.empty())
                for (const ptx::Operand& inner : each.elements) collect(inner);
            else if (each.kind == OperandKind::reg || each.kind == OperandKind::immediate ||
                     each.kind == OperandKind::special ||
                     (each.kind == OperandKind::address && each.reg >= 0))
                use(each);
        };
        for (std::size_t i = 1; i < in.operands.size(); ++i) collect(in.operands[i]);
    }

private:
    // RAII: temporarily replaces texels of an image.
    class Exchanged {
    public:
        Exchanged(const TextureData* texture, const std::vector<Texel>& texels)
            : texture_(texture), texels_(texels)
        {
            for (Texel& each : texels_) exchange(each);
        }
        ~Exchanged()
        {
            for (auto each = texels_.rbegin(); each != texels_.rend(); ++each) exchange(*each);
        }
        Exchanged(const Exchanged&) = delete;
        Exchanged& operator=(const Exchanged&) = delete;

    private:
        void exchange(Texel& texel) const
        {
            if (texture_ == nullptr) return;
            std::byte* at = texture_->image.texels.data() + texel.offset;
            std::uint64_t bits = 0;
            std::memcpy(&bits, at, static_cast<std::size_t>(texel.bytes));
            std::memcpy(at, &texel.bits, static_cast<std::size_t>(texel.bytes));
            texel.bits = bits;
        }

        const TextureData* texture_;
        std::vector<Texel> texels_;
    };

    const LaunchState& launch_;
    Executor executor_;
};

// --- The slice ---

class Slicer::Builder {
public:
    Builder(Slicer& slicer, const SliceOptions& options) : slicer_(slicer), options_(options) {}

    Slice build(const Place& place, std::size_t launch)
    {
        slice_.nodes.emplace_back(); // the root
        return finish(memory(place, launch, std::nullopt, ptx::Type::none));
    }
    Slice build_guard(std::size_t launch, std::uint64_t block, std::uint64_t position, int lane)
    {
        slice_.nodes.emplace_back(); // the root
        const auto held = slicer_.trace(launch, block, position);
        const auto event =
            std::ranges::lower_bound(held->events, position, {}, &Trace::Event::position);
        if (event == held->events.end() || event->position != position || !event->source().guard)
            return finish(cut("no branch", {}, ptx::Type::pred));
        const auto number = static_cast<std::uint32_t>(event - held->events.begin());
        return finish(
            register_value({launch, block, number, lane, position}, event->source().guard->reg));
    }

private:
    Slice finish(int root)
    {
        // Work list: an explicit stack, because slices are deep.
        while (!todo_.empty() && slice_.complete) {
            const auto work = std::move(todo_.back());
            todo_.pop_back();
            work();
        }
        type_floats();
        slice_.nodes[0] = slice_.nodes[static_cast<std::size_t>(root)];
        if (slice_.nodes[0].kind == NodeKind::memory) slice_.written = false;
        return std::move(slice_);
    }

    static bool is_untyped(ptx::Type type)
    {
        using ptx::Type;
        return type == Type::b16 || type == Type::b32 || type == Type::b64;
    }
    static bool is_float(ptx::Type type)
    {
        using ptx::Type;
        return type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::f64;
    }
    // True if all sources have the type that the instruction names.
    static bool has_one_type(ptx::Op op)
    {
        using ptx::Op;
        static constexpr Op all[] = {Op::add,  Op::sub,   Op::mul, Op::fma, Op::div, Op::min,
                                     Op::max,  Op::abs,   Op::neg, Op::ex2, Op::lg2, Op::sin,
                                     Op::sqrt, Op::rsqrt, Op::rcp, Op::cos, Op::tanh};
        return std::ranges::find(all, op) != std::end(all);
    }

    // Recent compilers declare registers as bits and also load and store bits: a value is a float
    // if an instruction on floats made it or takes it, with only copies between.
    void type_floats()
    {
        bool changed = true;
        const auto retype = [&changed](SliceNode& node, ptx::Type type) {
            if (!is_untyped(node.type) || !is_float(type) || node.bytes != ptx::size_bytes(type))
                return;
            node.type = type;
            changed = true;
        };
        for (SliceNode& node : slice_.nodes) {
            if (node.kind != NodeKind::operation || node.function == nullptr) continue;
            const ptx::Instruction& in =
                node.function->source->instructions[node.function->code[node.pc].source];
            retype(node, in.modifiers.type());
            if (has_one_type(in.op))
                for (const int source : node.sources)
                    retype(slice_.nodes[static_cast<std::size_t>(source)], in.modifiers.type());
        }
        const auto join = [&](SliceNode& node) {
            if (node.kind != NodeKind::copy || node.shift != 0) return;
            for (const int number : node.sources) {
                SliceNode& source = slice_.nodes[static_cast<std::size_t>(number)];
                retype(node, source.type);
                retype(source, node.type);
            }
        };
        while (std::exchange(changed, false)) {
            for (SliceNode& node : slice_.nodes) join(node);
            for (SliceNode& node : slice_.nodes | std::views::reverse) join(node);
        }
    }

    struct At {
        std::size_t launch = 0;
        std::uint64_t block = 0;
        std::uint32_t event = 0;
        int lane = 0;
        std::uint64_t position = 0; // position in the block, for looking up its trace again
    };

    int add(SliceNode node)
    {
        if (slice_.nodes.size() >= options_.max_nodes) {
            slice_.complete = false;
            return 0;
        }
        slice_.nodes.push_back(std::move(node));
        return static_cast<int>(slice_.nodes.size()) - 1;
    }

    SliceNode node_at(const At& at, const Trace& trace)
    {
        const Trace::Event& event = trace.events[at.event];
        SliceNode node;
        node.launch = at.launch;
        node.position = event.position;
        node.block = at.block;
        node.warp = event.warp;
        node.lane = at.lane;
        node.at = place_of(at.launch, event);
        node.function = event.function;
        node.pc = event.pc;
        node.mask = event.mask;
        return node;
    }

    CodePlace place_of(std::size_t launch, const Trace::Event& event)
    {
        const auto [found, is_new] = places_.try_emplace(&event.decoded());
        if (is_new) {
            const CodeLines& lines = *slicer_.lines_[launch];
            CodePlace& place = found->second;
            place.function = device::base_name(device::demangled(event.function->name));
            const auto line = lines.of(*event.function, static_cast<int>(event.pc));
            if (line.file >= 0) place.file = lines.files()[static_cast<std::size_t>(line.file)];
            place.line = line.line;
            const ptx::Instruction& in = event.source();
            place.ptx_line = in.ptx_line;
            place.ptx =
                lines.program().module->text.substr(in.text_begin, in.text_end - in.text_begin);
        }
        return found->second;
    }

    // Memory contents before event `before` of a block, or after the launch.
    int memory(const Place& place, std::size_t launch, const std::optional<At>& before,
               ptx::Type type)
    {
        std::uint64_t below = ~std::uint64_t{0};
        if (before) {
            const auto held = slicer_.trace(launch, before->block, before->position);
            const Trace& trace = *held;
            below = trace.events[before->event].position;
            // The block's own stores are in its trace.
            const auto own = trace.store(place.space, place.address, place.bytes, 0, before->event);
            if (own && place.surface == 0 && place.space == ptx::Space::global) {
                // Assumes that no other block has overwritten the value since. Blocks usually run
                // one after another, so only a block interleaved with this one could have done so.
                return stored({launch, before->block, own->event, own->lane, before->position},
                              place, type);
            }
        }
        for (std::size_t l = launch + 1; l-- > 0;) {
            Timeline& timeline = slicer_.timeline(l);
            const auto found = timeline.last_write(place, below);
            below = ~std::uint64_t{0};
            if (found) {
                const auto held = slicer_.trace(l, found->block, found->position);
                const Trace& trace = *held;
                const auto event = std::ranges::lower_bound(trace.events, found->position, {},
                                                            &Trace::Event::position);
                if (event == trace.events.end() || event->position != found->position)
                    return cut("a write that was not found again", place, type);
                const auto number = static_cast<std::uint32_t>(event - trace.events.begin());
                if (event->addresses == ~std::size_t{0})
                    return cut("a copy that is not followed", place, type);
                return stored({l, found->block, number, found->lane, found->position}, place, type);
            }
            // Before this launch: the value left by the previous one, unless the host has changed
            // it.
            if (l > 0) {
                std::vector<std::byte> now(static_cast<std::size_t>(place.bytes));
                std::vector<std::byte> left(now.size());
                timeline.read_initial(place, now);
                Timeline& earlier = slicer_.timeline(l - 1);
                earlier.go_to(~std::uint64_t{0});
                if (!earlier.read(place, left) || now != left) return initial(place, l, type);
                continue;
            }
            return initial(place, l, type);
        }
        return cut("no launch", place, type);
    }

    int initial(const Place& place, std::size_t launch, ptx::Type type)
    {
        const auto key = std::make_tuple(launch, place.surface, place.address, place.bytes);
        if (const auto known = initials_.find(key); known != initials_.end()) return known->second;
        SliceNode node;
        node.kind = NodeKind::memory;
        node.launch = launch;
        node.type = type;
        node.bytes = place.bytes;
        node.address = place.address;
        node.channels = channels_of(place, launch);
        std::vector<std::byte> bytes(static_cast<std::size_t>(place.bytes));
        if (slicer_.timeline(launch).read_initial(place, bytes))
            std::memcpy(&node.bits, bytes.data(), std::min<std::size_t>(8, bytes.size()));
        node.name = name_of(place, launch);
        return initials_[key] = add(std::move(node));
    }

    // "in[37]": named after the parameter that points to its buffer.
    std::string name_of(const Place& place, std::size_t launch)
    {
        if (place.surface != 0) return texel_name(place, launch);
        const Timeline& timeline = *slicer_.timelines_[launch];
        const LaunchState& state = timeline.launch();
        const Allocation* allocation = state.memory.find(place.address);
        if (allocation == nullptr) return fmt::format("{:#x}", place.address);
        for (std::size_t i = 0; i < state.program.parameter_sizes.size(); ++i) {
            if (state.program.parameter_sizes[i] != 8) continue;
            Address value = 0;
            std::memcpy(&value, state.parameters.data() + state.program.parameter_offsets[i], 8);
            if (value < allocation->begin || value > place.address || value >= allocation->end)
                continue;
            const std::string name = i < state.parameter_names.size()
                                         ? state.parameter_names[i]
                                         : fmt::format("parameter {}", i);
            const Address offset = place.address - value;
            return fmt::format("{}[{}]", name,
                               offset / static_cast<Address>(std::max(1, place.bytes)));
        }
        return fmt::format("byte {} of buffer {}", place.address - allocation->begin,
                           allocation->number);
    }

    // Number of texel channels that the place covers; 1 for memory.
    int channels_of(const Place& place, std::size_t launch) const
    {
        if (place.surface == 0) return 1;
        const ImageData* image = slicer_.timelines_[launch]->launch().images.surface(place.surface);
        if (image == nullptr) return 1;
        const int each = device::bytes_per_pixel(image->format) / device::channels(image->format);
        return std::max(1, place.bytes / each);
    }

    // "texel (12, 7) of source", plus the channel if it is a single one.
    std::string texel_name(const Place& place, std::size_t launch)
    {
        const LaunchState& state = slicer_.timelines_[launch]->launch();
        const ImageData* image = state.images.surface(place.surface);
        if (image == nullptr) return fmt::format("byte {} of a surface", place.address);
        const auto texel_bytes = static_cast<std::size_t>(device::bytes_per_pixel(image->format));
        const auto channel_bytes =
            texel_bytes / static_cast<std::size_t>(device::channels(image->format));
        std::size_t index = place.address / texel_bytes;
        int level = 0;
        std::array<std::size_t, 3> size{};
        for (;; ++level) {
            for (std::size_t i = 0; i < 3; ++i) {
                const int whole = i == 0 ? image->width : i == 1 ? image->height : image->depth;
                size[i] = static_cast<std::size_t>(std::max(whole >> level, 1));
            }
            const std::size_t texels =
                size[0] * size[1] * size[2] * static_cast<std::size_t>(std::max(image->layers, 1));
            if (index < texels || level + 1 >= image->levels) break;
            index -= texels;
        }
        std::string name = fmt::format("texel ({}", index % size[0]);
        index /= size[0];
        if (image->height > 0) name += fmt::format(", {}", index % size[1]);
        index /= size[1];
        if (image->depth > 0) name += fmt::format(", {}", index % size[2]);
        name += ")";
        if (image->layers > 0) name += fmt::format(" of layer {}", index / size[2]);
        if (image->levels > 1) name += fmt::format(" of level {}", level);
        name += " of " + image_name(*image, state);
        if (static_cast<std::size_t>(place.bytes) < texel_bytes)
            name += fmt::format(", channel {}",
                                "xyzw"[place.address % texel_bytes / channel_bytes % 4]);
        return name;
    }

    // The kernel parameter that holds the image.
    static std::string image_name(const ImageData& image, const LaunchState& state)
    {
        for (std::size_t i = 0; i < state.program.parameter_sizes.size(); ++i) {
            if (state.program.parameter_sizes[i] != 8 || i >= state.parameter_names.size())
                continue;
            std::uint64_t handle = 0;
            std::memcpy(&handle, state.parameters.data() + state.program.parameter_offsets[i], 8);
            const TextureData* texture = state.images.texture(handle);
            const ImageData* named =
                texture != nullptr ? &texture->image : state.images.surface(handle);
            if (named != nullptr && named->texels.data() == image.texels.data())
                return state.parameter_names[i];
        }
        return "a surface";
    }

    int cut(const std::string& why, const Place& place, ptx::Type type)
    {
        SliceNode node;
        node.kind = NodeKind::cut;
        node.name = why;
        node.type = type;
        node.bytes = place.bytes;
        return add(std::move(node));
    }

    // Bytes written by one lane of a store, an atomic or a surface store.
    struct StoredBytes {
        bool plain = true; // not an atomic
        Address begin = 0; // surface: offset in the image
        Address width = 0;
        int element = 4;
    };
    static StoredBytes stored_bytes(const Trace::Event& event, int lane, const Trace& trace)
    {
        const Address begin = trace.lanes[event.addresses + static_cast<std::size_t>(lane)];
        if (is_image_access(event.source())) {
            const ImageAccess& access = event.function->images[event.decoded().extra];
            return {true, begin, static_cast<Address>(access.element_bytes * access.elements),
                    access.element_bytes};
        }
        const Access& access = event.function->accesses[event.decoded().extra];
        return {access.op == trace::Op::store, begin, static_cast<Address>(access.width_bytes),
                access.element_bytes};
    }

    // Value left at the place by one lane's store, atomic or surface store.
    int stored(const At& at, const Place& place, ptx::Type type)
    {
        const auto held = slicer_.trace(at.launch, at.block, at.position);
        const Trace& trace = *held;
        const Trace::Event& event = trace.events[at.event];
        const ptx::Instruction& in = event.source();
        SliceNode node = node_at(at, trace);
        node.kind = NodeKind::copy;
        node.type = type != ptx::Type::none ? type : in.modifiers.type();
        node.bytes = place.bytes;
        node.address = place.address;
        node.channels = channels_of(place, at.launch);
        const StoredBytes bytes = stored_bytes(event, at.lane, trace);
        if (bytes.plain) {
            if (place.address < bytes.begin ||
                place.address + static_cast<Address>(place.bytes) > bytes.begin + bytes.width ||
                place.bytes > bytes.element) {
                // The place contains bytes of several elements or stores.
                return parts(at, std::move(node), place);
            }
            const auto within = static_cast<int>(place.address - bytes.begin);
            return through_register(at, std::move(node), in.operands[1], within / bytes.element,
                                    8 * (within % bytes.element));
        }
        const auto key = std::make_tuple(at.launch, at.block, at.event, at.lane, place.address);
        if (const auto known = atomic_nodes_.find(key); known != atomic_nodes_.end())
            return known->second;
        // An atomic: the warp's lanes update the location one after another, lowest first.
        node.kind = NodeKind::atomic;
        node.name = place.space == ptx::Space::shared ? "shared memory" : name_of(place, at.launch);
        const int number = add(node);
        atomic_nodes_[key] = number;
        if (!slice_.complete) return number;
        todo_.push_back([this, at, place, number, type] {
            const auto held = slicer_.trace(at.launch, at.block, at.position);
            const Trace& trace = *held;
            const Trace::Event& event = trace.events[at.event];
            const ptx::Instruction& in = event.source();
            // Old value: from a lower lane of the same instruction, or from before it.
            int below = -1;
            for (int lane = at.lane - 1; lane >= 0 && below < 0; --lane)
                if ((event.mask >> lane & 1u) != 0 &&
                    trace.lanes[event.addresses + static_cast<std::size_t>(lane)] ==
                        trace.lanes[event.addresses + static_cast<std::size_t>(at.lane)])
                    below = lane;
            const int old = below >= 0 ? stored({at.launch, at.block, at.event, below, at.position},
                                                place, type)
                                       : before_store(at, place, type);
            source(number, old);
            const std::size_t first = in.op == ptx::Op::atom ? 2 : 1;
            const Access& access = event.function->accesses[event.decoded().extra];
            const auto element = static_cast<std::size_t>(
                (place.address - trace.lanes[event.addresses + static_cast<std::size_t>(at.lane)]) /
                access.element_bytes);
            for (std::size_t i = first; i < in.operands.size() && i < first + 2; ++i)
                source(number, operand(at, element_of(in.operands[i], element), -1));
            atomics_.push_back(number);
        });
        return number;
    }

    // The element of a vector, or the whole operand if it is not a vector.
    static const ptx::Operand& element_of(const ptx::Operand& operand, std::size_t element)
    {
        const bool has = operand.kind == OperandKind::vector && element < operand.elements.size();
        return has ? operand.elements[element] : operand;
    }

    // Value at the place before the block's event.
    int before_store(const At& at, const Place& place, ptx::Type type)
    {
        if (place.space == ptx::Space::shared || place.space == ptx::Space::local)
            return in_block(at, place, type);
        return memory(place, at.launch, at, type);
    }

    int in_block(const At& at, const Place& place, ptx::Type type)
    {
        const auto held = slicer_.trace(at.launch, at.block, at.position);
        const Trace& trace = *held;
        const int thread = trace.events[at.event].warp * warp_lanes + at.lane;
        const auto found = trace.store(place.space, place.address, place.bytes, thread, at.event);
        if (found)
            return stored({at.launch, at.block, found->event, found->lane, at.position}, place,
                          type);
        SliceNode node;
        node.kind = NodeKind::undefined;
        node.type = type;
        node.bytes = place.bytes;
        const bool copied = slicer_.timelines_[at.launch]->launch().program.bulk_copies;
        node.name = place.space != ptx::Space::shared ? "local memory that nothing has written"
                    : copied ? "shared memory that a bulk copy may have filled"
                             : "shared memory that nothing has written";
        return add(std::move(node));
    }

    // Resolves a place that no single store element covers: its halves, or a texel's channels,
    // separately, as of just after the event.
    int parts(const At& at, SliceNode node, const Place& place)
    {
        if (place.bytes < 2) return cut("a byte that several stores share", place, ptx::Type::none);
        node.kind = NodeKind::pack;
        node.type = place.bytes == 8 ? ptx::Type::u64 : ptx::Type::u32;
        const int count = std::max(2, node.channels);
        const int number = add(std::move(node));
        if (!slice_.complete) return number;
        todo_.push_back([this, at, place, number, count] {
            for (int i = 0; i < count; ++i) {
                Place part = place;
                part.bytes = place.bytes / count;
                part.address += static_cast<Address>(i * part.bytes);
                source(number, covered(at, part) ? stored(at, part, ptx::Type::none)
                                                 : before_store(at, part, ptx::Type::none));
            }
            packs_.push_back(number);
        });
        return number;
    }

    // True if the lane's store touches the place.
    bool covered(const At& at, const Place& place)
    {
        const auto held = slicer_.trace(at.launch, at.block, at.position);
        const StoredBytes bytes = stored_bytes(held->events[at.event], at.lane, *held);
        return place.address < bytes.begin + bytes.width &&
               place.address + static_cast<Address>(place.bytes) > bytes.begin;
    }

    // An instruction that copies a register's value.
    int through_register(const At& at, SliceNode node, const ptx::Operand& value, int element,
                         int shift)
    {
        const ptx::Operand& part = value.kind == OperandKind::vector &&
                                           static_cast<std::size_t>(element) < value.elements.size()
                                       ? value.elements[static_cast<std::size_t>(element)]
                                       : value;
        node.shift = shift;
        const int number = add(std::move(node));
        if (!slice_.complete) return number;
        const ptx::Operand* const passed = &part;
        todo_.push_back([this, at, number, passed, shift] {
            const int from = operand(at, *passed, -1);
            source(number, from);
            SliceNode& made = slice_.nodes[static_cast<std::size_t>(number)];
            made.bits =
                cut_to(slice_.nodes[static_cast<std::size_t>(from)].bits >> shift, made.bytes);
            if (options_.with_addresses) addresses(at, number);
        });
        return number;
    }

    void addresses(const At& at, int number)
    {
        const auto held = slicer_.trace(at.launch, at.block, at.position);
        const Trace& trace = *held;
        const ptx::Instruction& in = trace.events[at.event].source();
        for (const ptx::Operand& each : in.operands) {
            if (each.kind != OperandKind::address) continue;
            std::vector<int> registers;
            registers_of(each, registers);
            for (const int reg : registers) {
                const int from = register_value(at, reg);
                slice_.nodes[static_cast<std::size_t>(number)].addresses.push_back(from);
            }
        }
    }

    void source(int number, int from)
    {
        slice_.nodes[static_cast<std::size_t>(number)].sources.push_back(from);
    }

    // A source operand of the event, in its lane or in another one.
    int operand(const At& at, const ptx::Operand& operand, int other_lane)
    {
        At here = at;
        if (other_lane >= 0) here.lane = other_lane;
        switch (operand.kind) {
        case OperandKind::reg: return register_value(here, operand.reg, operand.negated);
        case OperandKind::immediate: {
            SliceNode node;
            node.kind = NodeKind::constant;
            node.bits = operand.bits;
            node.type = operand.immediate_type == ptx::Type::f32   ? ptx::Type::f32
                        : operand.immediate_type == ptx::Type::f64 ? ptx::Type::f64
                                                                   : ptx::Type::s32;
            node.bytes = operand.immediate_type == ptx::Type::f64 ? 8 : 4;
            node.name = "a constant";
            return add(std::move(node));
        }
        case OperandKind::special: {
            const auto held = slicer_.trace(at.launch, at.block, at.position);
            const Trace& trace = *held;
            SliceNode node;
            node.kind = NodeKind::thread;
            node.type = ptx::Type::u32;
            node.name = "%" + operand.symbol;
            Warp warp;
            warp.specials = trace.special_rows[trace.events[at.event].warp];
            node.bits = special_value(operand.symbol, slicer_.timelines_[at.launch]->walk(), warp,
                                      here.lane);
            return add(std::move(node));
        }
        default: {
            SliceNode node;
            node.kind = NodeKind::constant;
            node.name = operand.symbol.empty() ? "a constant" : operand.symbol;
            node.type = ptx::Type::u64;
            node.bytes = 8;
            return add(std::move(node));
        }
        }
    }

    int register_value(const At& at, int reg, bool negated = false)
    {
        const auto held = slicer_.trace(at.launch, at.block, at.position);
        const Trace& trace = *held;
        const Trace::Event& event = trace.events[at.event];
        const auto index = static_cast<std::size_t>(reg);
        const RowRef row = event.function->registers[index];
        const ptx::Type type = event.function->source->registers[index].type;
        const std::int64_t made = trace.definition(event.warp, event.frame, row, at.lane, at.event);
        if (negated && type == ptx::Type::pred && made >= 0) { // !%p
            const int from = defined(
                {at.launch, at.block, static_cast<std::uint32_t>(made), at.lane, at.position}, reg,
                row);
            SliceNode node;
            node.kind = NodeKind::operation;
            node.type = ptx::Type::pred;
            node.name = "!";
            node.bits = slice_.nodes[static_cast<std::size_t>(from)].bits ^ 1;
            node.launch = at.launch;
            node.block = at.block;
            node.warp = event.warp;
            node.lane = at.lane;
            node.position = event.position;
            node.at = place_of(at.launch, event);
            node.sources.push_back(from);
            return add(std::move(node));
        }
        if (made < 0) {
            SliceNode node;
            node.kind = NodeKind::undefined;
            node.type = type;
            node.bytes = std::max(1, ptx::size_bytes(type));
            node.name = event.function->source->registers[index].name;
            return add(std::move(node));
        }
        return defined(
            {at.launch, at.block, static_cast<std::uint32_t>(made), at.lane, at.position}, reg,
            row);
    }

    // Value that the event wrote to the register (or to another register in the same row).
    int defined(const At& at, int asked, RowRef row)
    {
        const auto held = slicer_.trace(at.launch, at.block, at.position);
        const Trace& trace = *held;
        const Trace::Event& event = trace.events[at.event];
        const ptx::Instruction& in = event.source();
        std::vector<int> registers;
        registers_of(in.operands[0], registers);
        std::size_t offset = event.rows;
        int reg = asked;
        int element = 0;
        for (std::size_t i = 0; i < registers.size(); ++i) {
            const auto index = static_cast<std::size_t>(registers[i]);
            const ptx::Type type = event.function->source->registers[index].type;
            if (event.function->registers[index] == row) {
                reg = registers[i];
                element = static_cast<int>(i);
                break;
            }
            offset += type == ptx::Type::pred
                          ? 4
                          : static_cast<std::size_t>(lane_bytes_of(type)) * warp_lanes;
        }
        const auto key = std::make_tuple(at.launch, at.block, at.event, at.lane, element);
        if (const auto known = definitions_.find(key); known != definitions_.end())
            return known->second;
        const ptx::Type type =
            event.function->source->registers[static_cast<std::size_t>(reg)].type;
        SliceNode node = node_at(at, trace);
        node.type = type;
        node.bytes = std::max(1, ptx::size_bytes(type));
        node.bits = lane_bits(trace.data.data() + offset, type, at.lane);
        node.name = event.function->source->registers[static_cast<std::size_t>(reg)].name;
        node.row = row;
        const int number = add(std::move(node));
        definitions_[key] = number;
        if (slice_.complete)
            todo_.push_back([this, at, number, element] { follow(at, number, element); });
        return number;
    }

    void become(int number, NodeKind kind)
    {
        slice_.nodes[static_cast<std::size_t>(number)].kind = kind;
    }

    void follow(const At& at, int number, int element)
    {
        const auto held = slicer_.trace(at.launch, at.block, at.position);
        const Trace& trace = *held;
        const Trace::Event& event = trace.events[at.event];
        const ptx::Instruction& in = event.source();
        const ptx::Form& form = ptx::form_of(in.op);
        using ptx::Op;
        if (in.op == Op::ld || in.op == Op::ldu) return follow_load(at, number, element);
        if (in.op == Op::atom) return follow_atomic(at, number, element);
        if (in.op == Op::shfl) return follow_shuffle(at, number, element);
        if (in.op == Op::suld) return follow_surface_load(at, number, element);
        if (in.op == Op::mov && in.operands[1].kind == OperandKind::special) {
            become(number, NodeKind::thread);
            slice_.nodes[static_cast<std::size_t>(number)].name = "%" + in.operands[1].symbol;
            return;
        }
        if (in.op == Op::mov || in.op == Op::cvta) {
            const bool single =
                in.operands[1].kind == OperandKind::reg && in.operands[0].kind == OperandKind::reg;
            if (single) become(number, NodeKind::copy);
            if (in.operands[1].kind == OperandKind::immediate) {
                become(number, NodeKind::constant);
                return;
            }
            if (in.operands[1].kind == OperandKind::symbol) {
                become(number, NodeKind::constant);
                slice_.nodes[static_cast<std::size_t>(number)].name = in.operands[1].symbol;
                return;
            }
        }
        const bool together = form.unit == ptx::Unit::warp || form.unit == ptx::Unit::matrix;
        if (in.op == Op::ldmatrix || in.op == Op::wmma_load_a || in.op == Op::wmma_load_b ||
            in.op == Op::wmma_load_c || in.op == Op::call || in.op == Op::addc ||
            in.op == Op::subc || in.op == Op::madc || in.op == Op::wgmma ||
            form.unit == ptx::Unit::barrier) {
            become(number, NodeKind::cut);
            slice_.nodes[static_cast<std::size_t>(number)].name =
                fmt::format("not followed through {}", form.name);
            return;
        }
        if (form.unit == ptx::Unit::image || in.op == Op::activemask || in.op == Op::elect)
            slice_.nodes[static_cast<std::size_t>(number)].name = std::string(form.name);
        for (std::size_t i = 1; i < in.operands.size(); ++i) {
            std::vector<const ptx::Operand*> parts;
            const std::function<void(const ptx::Operand&)> collect = [&](const ptx::Operand& each) {
                if (!each.elements.empty())
                    for (const ptx::Operand& inner : each.elements) collect(inner);
                else if (each.kind == OperandKind::reg || each.kind == OperandKind::immediate ||
                         each.kind == OperandKind::special)
                    parts.push_back(&each);
                else if (each.kind == OperandKind::address && each.reg >= 0)
                    parts.push_back(&each);
            };
            collect(in.operands[i]);
            for (const ptx::Operand* part : parts) {
                if (!together) {
                    source(number, part->kind == OperandKind::address
                                       ? register_value(at, part->reg)
                                       : operand(at, *part, -1));
                    continue;
                }
                for (int lane = 0; lane < warp_lanes; ++lane)
                    if ((event.mask >> lane & 1u) != 0) {
                        source(number, operand(at, *part, lane));
                        if (!slice_.complete) return;
                    }
            }
        }
        if (Evaluator::is_fetch(in)) follow_texels(at, number, element);
    }

    // Adds the texel parts that a fetch combines into the element, after its coordinates.
    void follow_texels(const At& at, int number, int element)
    {
        const auto held = slicer_.trace(at.launch, at.block, at.position);
        const Trace::Event& event = held->events[at.event];
        const ImageAccess& access = event.function->images[event.decoded().extra];
        const LaunchState& launch = slicer_.timelines_[at.launch]->launch();
        const auto lane = static_cast<std::size_t>(at.lane);
        const std::uint64_t handle = held->lanes[event.addresses + warp_lanes + lane];
        SliceNode node = slice_.nodes[static_cast<std::size_t>(number)];
        node.address = handle;
        slice_.nodes[static_cast<std::size_t>(number)].address = handle;
        const TextureData* texture = launch.images.texture(handle);
        const std::uint64_t surface =
            texture != nullptr ? launch.images.surface_of(texture->image) : 0;
        if (surface == 0) {
            become(number, NodeKind::cut);
            slice_.nodes[static_cast<std::size_t>(number)].name =
                "not followed into a texture of other memory";
            return;
        }
        // The coordinates alone determine which texels are read.
        std::vector<std::uint64_t> coordinates;
        for (const int from : node.sources)
            coordinates.push_back(slice_.nodes[static_cast<std::size_t>(from)].bits);
        std::vector<std::size_t> texels;
        {
            TexelReads reads;
            Evaluator(launch).run(node, coordinates);
            texels = std::move(reads.offsets);
        }
        std::vector<int> channels{element};
        if (access.channel >= 0)
            channels = {access.channel};
        else if (access.form == TexelForm::half_pairs)
            channels = {2 * element, 2 * element + 1};
        const device::Format format = texture->image.format;
        const device::FormatRow& row = device::row_of(format);
        const int count = row.channels, bytes = row.channel_bytes;
        const bool has_sign = row.kind == device::ChannelKind::signed_integer;
        const ptx::Type type = bytes == 4                              ? ptx::Type::f32
                               : row.kind == device::ChannelKind::real ? ptx::Type::f16
                               : bytes == 2 ? (has_sign ? ptx::Type::s16 : ptx::Type::u16)
                                            : (has_sign ? ptx::Type::s8 : ptx::Type::u8);
        Place place;
        place.surface = surface;
        place.bytes = bytes;
        for (const std::size_t texel : texels)
            for (const int channel : channels) {
                if (channel >= count) continue;
                place.address = texel + static_cast<std::size_t>(channel * bytes);
                source(number, memory(place, at.launch, at, type));
            }
    }

    void follow_surface_load(const At& at, int number, int element)
    {
        const auto held = slicer_.trace(at.launch, at.block, at.position);
        const Trace& trace = *held;
        const Trace::Event& event = trace.events[at.event];
        const ImageAccess& access = event.function->images[event.decoded().extra];
        const std::size_t lane = event.addresses + static_cast<std::size_t>(at.lane);
        SliceNode& node = slice_.nodes[static_cast<std::size_t>(number)];
        if (trace.lanes[lane] == outside) {
            node.kind = NodeKind::constant;
            node.name = "0, from outside the surface";
            return;
        }
        Place place;
        place.surface = trace.lanes[lane + warp_lanes];
        place.bytes = access.element_bytes;
        place.address = trace.lanes[lane] + static_cast<Address>(element * access.element_bytes);
        node.kind = NodeKind::copy;
        node.address = place.address;
        node.moved = event.source().modifiers.type();
        const ptx::Type type = access.element_bytes == 1 ? ptx::Type::u8 : node.type;
        source(number, memory(place, at.launch, at, type));
        if (options_.with_addresses) addresses(at, number);
    }

    void follow_load(const At& at, int number, int element)
    {
        const auto held = slicer_.trace(at.launch, at.block, at.position);
        const Trace& trace = *held;
        const Trace::Event& event = trace.events[at.event];
        const ptx::Instruction& in = event.source();
        become(number, NodeKind::copy);
        SliceNode& node = slice_.nodes[static_cast<std::size_t>(number)];
        if (event.addresses == ~std::size_t{0}) {
            const bool own = std::ranges::any_of(
                event.function->source->parameters,
                [&](const ptx::Variable& each) { return each.name == in.operands[1].symbol; });
            if (event.function->source->is_kernel && own) {
                node.kind = NodeKind::parameter;
                node.name = parameter_name(at.launch, *event.function, in.operands[1].symbol);
                return;
            }
            return follow_call(at, number, element);
        }
        const Access& access = event.function->accesses[event.decoded().extra];
        Place place;
        place.space = event.space;
        place.bytes = access.element_bytes;
        place.address = trace.lanes[event.addresses + static_cast<std::size_t>(at.lane)] +
                        static_cast<Address>(element * access.element_bytes);
        place.block = at.block;
        node.address = place.address;
        node.moved = in.modifiers.type();
        const ptx::Type type = node.type;
        if (place.space == ptx::Space::param) {
            node.kind = NodeKind::parameter;
            node.name = parameter_name(at.launch, *event.function, in.operands[1].symbol);
            return;
        }
        if (place.space == ptx::Space::constant) {
            node.kind = NodeKind::memory;
            node.name = "constant memory";
            return;
        }
        node.at = place_of(at.launch, event);
        const bool own = place.space == ptx::Space::shared || place.space == ptx::Space::local;
        const int from = own ? in_block(at, place, type) : memory(place, at.launch, at, type);
        source(number, from);
        if (options_.with_addresses) addresses(at, number);
    }

    std::string parameter_name(std::size_t launch, const Function& function,
                               const std::string& symbol)
    {
        const auto& names = slicer_.timelines_[launch]->launch().parameter_names;
        for (std::size_t i = 0; i < function.source->parameters.size() && i < names.size(); ++i)
            if (function.source->parameters[i].name == symbol) return names[i];
        return symbol.empty() ? "a parameter" : symbol;
    }

    // A function argument or return value: the last store to that parameter by the same lane, in
    // the frame on the other side of the call.
    void follow_call(const At& at, int number, int element)
    {
        const auto held = slicer_.trace(at.launch, at.block, at.position);
        const Trace& trace = *held;
        const Trace::Event& event = trace.events[at.event];
        const ptx::Instruction& in = event.source();
        const ptx::Operand& place = in.operands[1];
        const int width = ptx::size_bytes(in.modifiers.type());
        const std::int64_t offset = place.offset + element * width;
        const auto fail = [&] {
            become(number, NodeKind::cut);
            slice_.nodes[static_cast<std::size_t>(number)].name = "passed by a call";
        };
        const auto same_lane = [&](const Trace::Event& other) {
            return other.warp == event.warp && (other.mask >> at.lane & 1u) != 0;
        };
        // Finds the last store to [symbol + offset] in a frame before an event.
        const auto stored_to = [&](const std::string& symbol, std::uint32_t frame,
                                   std::uint32_t before) {
            for (std::uint32_t e = before; e-- > 0;) {
                const Trace::Event& other = trace.events[e];
                if (other.frame != frame || !same_lane(other)) continue;
                const ptx::Instruction& store = other.source();
                if (store.op != ptx::Op::st || store.modifiers.space != ptx::Space::param) continue;
                const int size = ptx::size_bytes(store.modifiers.type());
                const std::int64_t from = store.operands[0].offset;
                if (store.operands[0].symbol != symbol || offset < from ||
                    offset + width > from + size * store.modifiers.elements)
                    continue;
                const auto within = static_cast<int>(offset - from);
                SliceNode node = node_at({at.launch, at.block, e, at.lane, at.position}, trace);
                node.kind = NodeKind::copy;
                node.type = slice_.nodes[static_cast<std::size_t>(number)].type;
                node.bytes = width;
                node.shift = 8 * (within % size);
                source(number, through_register({at.launch, at.block, e, at.lane, at.position},
                                                std::move(node), store.operands[1], within / size,
                                                8 * (within % size)));
                return;
            }
            fail();
        };
        const auto& parameters = event.function->source->parameters;
        const auto parameter = std::ranges::find(parameters, place.symbol, &ptx::Variable::name);
        for (std::uint32_t e = at.event; e-- > 0;) {
            const Trace::Event& call = trace.events[e];
            const ptx::Instruction& source = call.source();
            if (source.op != ptx::Op::call || !same_lane(call)) continue;
            if (parameter != parameters.end()) { // belongs to the call that created this frame
                if (call.callee != event.frame) continue;
                const auto index = static_cast<std::size_t>(parameter - parameters.begin());
                if (source.operands.size() < 3 || index >= source.operands[2].elements.size())
                    return fail();
                return stored_to(source.operands[2].elements[index].symbol, call.frame, e);
            }
            if (call.frame != event.frame) continue;
            // Return value, if the place is one of this call's results.
            const auto& results = source.operands[0].elements;
            const auto result = std::ranges::find(results, place.symbol, &ptx::Operand::symbol);
            if (result == results.end()) continue;
            const ptx::Function* callee =
                slicer_.lines_[at.launch]->program().module->find_function(
                    source.operands[1].symbol);
            const auto index = static_cast<std::size_t>(result - results.begin());
            if (callee == nullptr || index >= callee->results.size()) return fail();
            return stored_to(callee->results[index].name, call.callee, at.event);
        }
        fail();
    }

    // atom returns the old value.
    void follow_atomic(const At& at, int number, int element)
    {
        const auto held = slicer_.trace(at.launch, at.block, at.position);
        const Trace& trace = *held;
        const Trace::Event& event = trace.events[at.event];
        const Access& access = event.function->accesses[event.decoded().extra];
        become(number, NodeKind::copy);
        Place place;
        place.space = event.space;
        place.bytes = access.element_bytes;
        const auto first = trace.lanes[event.addresses + static_cast<std::size_t>(at.lane)];
        place.address = first + static_cast<Address>(element * access.element_bytes);
        place.block = at.block;
        const ptx::Type type = slice_.nodes[static_cast<std::size_t>(number)].type;
        int below = -1;
        for (int lane = at.lane - 1; lane >= 0 && below < 0; --lane)
            if ((event.mask >> lane & 1u) != 0 &&
                trace.lanes[event.addresses + static_cast<std::size_t>(lane)] == first)
                below = lane;
        source(number,
               below >= 0 ? stored({at.launch, at.block, at.event, below, at.position}, place, type)
                          : before_store(at, place, type));
    }

    // Source lane, computed as by shfl.
    void follow_shuffle(const At& at, int number, int element)
    {
        const auto held = slicer_.trace(at.launch, at.block, at.position);
        const Trace& trace = *held;
        const Trace::Event& event = trace.events[at.event];
        const ptx::Instruction& in = event.source();
        const auto bits = [&](const ptx::Operand& operand) -> std::uint32_t {
            if (operand.kind == OperandKind::immediate)
                return static_cast<std::uint32_t>(operand.bits);
            if (operand.reg < 0) return 0;
            const auto index = static_cast<std::size_t>(operand.reg);
            const RowRef row = event.function->registers[index];
            const std::int64_t made =
                trace.definition(event.warp, event.frame, row, at.lane, at.event);
            if (made < 0) return 0;
            return static_cast<std::uint32_t>(
                slice_
                    .nodes[static_cast<std::size_t>(
                        defined({at.launch, at.block, static_cast<std::uint32_t>(made), at.lane,
                                 at.position},
                                operand.reg, row))]
                    .bits);
        };
        const std::uint32_t b = bits(in.operands[2]);
        const std::uint32_t c = bits(in.operands[3]);
        const int lane = at.lane;
        const int by = static_cast<int>(b & 31u);
        const int clamp = static_cast<int>(c & 31u);
        const int segment = static_cast<int>(c >> 8 & 31u);
        const int last = (lane & segment) | (clamp & ~segment);
        int from = lane;
        bool valid = false;
        if (in.has(ptx::Word::up)) {
            from = lane - by;
            valid = from >= last;
        } else if (in.has(ptx::Word::down)) {
            from = lane + by;
            valid = from <= last;
        } else if (in.has(ptx::Word::bfly)) {
            from = lane ^ by;
            valid = from <= last;
        } else {
            from = (lane & segment) | (by & ~segment);
            valid = from <= last;
        }
        if (element == 1) { // the predicate: whether the source lane was in range
            become(number, NodeKind::constant);
            return;
        }
        if (!valid) from = lane;
        become(number, NodeKind::copy);
        source(number, operand(at, in.operands[1], from));
    }

public:
    bool has_sums() const { return !atomics_.empty() || !packs_.empty(); }

private:
    Slicer& slicer_;
    SliceOptions options_;
    Slice slice_;
    std::vector<std::function<void()>> todo_;
    std::vector<int> packs_;
    std::vector<int> atomics_; // evaluated after all nodes exist
    std::map<std::tuple<std::size_t, std::uint64_t, std::uint32_t, int, Address>, int>
        atomic_nodes_;
    std::map<std::tuple<std::size_t, std::uint64_t, std::uint32_t, int, int>, int> definitions_;
    std::map<std::tuple<std::size_t, std::uint64_t, Address, int>, int> initials_;
    std::unordered_map<const Instruction*, CodePlace> places_;
};

// --- Recomputing a slice ---

namespace {

// Topological order, sources first; -1 would mark a cycle, which slices don't have.
std::vector<int> in_order(const Slice& slice, int root)
{
    std::vector<int> order;
    std::vector<std::uint8_t> state(slice.nodes.size(), 0);
    std::vector<std::pair<int, std::size_t>> stack{{root, 0}};
    state[static_cast<std::size_t>(root)] = 1;
    while (!stack.empty()) {
        auto& [node, next] = stack.back();
        const auto& sources = slice.nodes[static_cast<std::size_t>(node)].sources;
        if (next == sources.size()) {
            order.push_back(node);
            stack.pop_back();
            continue;
        }
        const int source = sources[next++];
        if (state[static_cast<std::size_t>(source)] != 0) continue;
        state[static_cast<std::size_t>(source)] = 1;
        stack.emplace_back(source, 0);
    }
    return order;
}

} // namespace

// For a texture fetch: its sources that are parts of texels. They follow the coordinates, and are
// the only ones with a memory address.
std::vector<Slicer::Evaluator::Texel>
Slicer::Evaluator::texels_of(const Slice& slice, const SliceNode& node,
                             const std::vector<std::uint64_t>& values)
{
    std::vector<Texel> texels;
    const ptx::Instruction& in =
        node.function->source->instructions[node.function->code[node.pc].source];
    if (!is_fetch(in)) return texels;
    std::size_t operands = 0;
    for_each_part(in, [&](const ptx::Operand&) { ++operands; });
    for (std::size_t i = operands; i < node.sources.size(); ++i) {
        const SliceNode& from = slice.nodes[static_cast<std::size_t>(node.sources[i])];
        texels.push_back({from.address, from.bytes, values[i]});
    }
    return texels;
}

std::optional<std::uint64_t> Slicer::evaluate(const Slice& slice)
{
    if (!slice.complete) return std::nullopt;
    std::vector<std::uint64_t> values(slice.nodes.size(), 0);
    std::map<std::size_t, std::unique_ptr<Evaluator>> evaluators;
    std::vector<std::uint64_t> sources;
    for (const int number : in_order(slice, 0)) {
        const SliceNode& node = slice.nodes[static_cast<std::size_t>(number)];
        sources.clear();
        for (const int source : node.sources)
            sources.push_back(values[static_cast<std::size_t>(source)]);
        std::uint64_t& value = values[static_cast<std::size_t>(number)];
        switch (node.kind) {
        case NodeKind::cut: return std::nullopt;
        case NodeKind::copy:
            value = sources.empty() ? node.bits : Evaluator::pass(node, sources[0]);
            break;
        case NodeKind::pack: value = Evaluator::together(node, sources); break;
        case NodeKind::atomic: value = Evaluator::update(node, sources); break;
        case NodeKind::operation: {
            if (node.function == nullptr) {
                value = sources.empty() ? node.bits : sources[0] ^ 1; // !%p
                break;
            }
            std::unique_ptr<Evaluator>& evaluator = evaluators[node.launch];
            if (!evaluator) evaluator = std::make_unique<Evaluator>(timeline(node.launch).launch());
            value = evaluator->run(node, sources, Evaluator::texels_of(slice, node, sources));
            break;
        }
        default: value = node.bits;
        }
    }
    return cut_to(values[0], slice.nodes[0].bytes);
}

Slice Slicer::why_branch(std::size_t launch, std::uint64_t position, int lane)
{
    Timeline& timeline = this->timeline(launch);
    timeline.go_to(position);
    const std::uint64_t block = timeline.at_end() ? 0 : timeline.block().linear;
    return Builder(*this, {.with_addresses = true}).build_guard(launch, block, position, lane);
}

Slice Slicer::why(const Place& place, std::size_t launch, const SliceOptions& options)
{
    Builder builder(*this, options);
    Slice slice = builder.build(place, launch);
    if (builder.has_sums() && slice.complete) {
        std::vector<std::uint64_t> sources;
        for (const int number : in_order(slice, 0)) {
            SliceNode& node = slice.nodes[static_cast<std::size_t>(number)];
            const bool stored =
                node.kind == NodeKind::copy && node.row == no_row && !node.sources.empty();
            if (node.kind != NodeKind::atomic && node.kind != NodeKind::pack && !stored) continue;
            sources.clear();
            for (const int source : node.sources)
                sources.push_back(slice.nodes[static_cast<std::size_t>(source)].bits);
            node.bits = node.kind == NodeKind::atomic ? Evaluator::update(node, sources)
                        : node.kind == NodeKind::pack ? Evaluator::together(node, sources)
                                                      : Evaluator::pass(node, sources[0]);
        }
    }
    return slice;
}

std::optional<Slicer::Writer> Slicer::writer(const Place& place, std::size_t launch)
{
    for (std::size_t l = launch + 1; l-- > 0;)
        if (const auto found = timeline(l).last_write(place, ~std::uint64_t{0}))
            return Writer{l, *found};
    return std::nullopt;
}

// --- In double precision ---

namespace {

double as_number(ptx::Type type, std::uint64_t bits, bool is_signed)
{
    switch (type) {
    case ptx::Type::f32:
        return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case ptx::Type::f64: return std::bit_cast<double>(bits);
    case ptx::Type::pred: return static_cast<double>(bits & 1u);
    default: break;
    }
    const int bytes = std::max(1, ptx::size_bytes(type));
    if (!is_signed) return static_cast<double>(cut_to(bits, bytes));
    const int shift = 64 - 8 * std::min(bytes, 8);
    return static_cast<double>(static_cast<std::int64_t>(bits << shift) >> shift);
}

// The operands of an operation, computed without rounding.
struct ExactOperands {
    double a = 0, b = 0, c = 0;
    double own = 0; // the recorded result
};

double fused_exactly(const ptx::Instruction& in, const ExactOperands& of)
{
    const double a = in.operands[1].negated ? -of.a : of.a;
    const double c = in.operands[3].negated ? -of.c : of.c;
    if (in.has(ptx::Word::full) || in.has(ptx::Word::approx)) return a / of.b + c; // a quotient
    return std::fma(a, of.b, c);
}

bool is_real(ptx::Type type)
{
    return type == ptx::Type::f32 || type == ptx::Type::f64;
}

double converted_exactly(const ptx::Instruction& in, const ExactOperands& of)
{
    if (in.has(ptx::Word::rni) || in.has(ptx::Word::rmi) || in.has(ptx::Word::rpi)) return of.own;
    return is_real(in.modifiers.type()) || !is_real(in.modifiers.source()) ? of.a
                                                                           : std::trunc(of.a);
}

// `high`: the upper half of a product. Other operations keep their recorded result.
double operation_exactly(const ptx::Instruction& in, bool high, const ExactOperands& of)
{
    using ptx::Op;
    const auto [a, b, c, own] = of;
    switch (in.op) {
    case Op::add: return a + b;
    case Op::sub: return a - b;
    case Op::mul: return high ? own : a * b;
    case Op::mad: return high ? own : a * b + c;
    case Op::fma: return fused_exactly(in, of);
    case Op::neg: return -a;
    case Op::abs: return std::abs(a);
    case Op::min: return std::min(a, b);
    case Op::max: return std::max(a, b);
    case Op::div: return is_real(in.modifiers.type()) ? a / b : std::trunc(a / b);
    case Op::sqrt: return std::sqrt(a);
    case Op::rcp: return 1 / a;
    case Op::rsqrt: return 1 / std::sqrt(a);
    case Op::cvt: return converted_exactly(in, of);
    default: return own;
    }
}

const ptx::Instruction& instruction_of(const SliceNode& node)
{
    return node.function->source->instructions[node.function->code[node.pc].source];
}

} // namespace

std::vector<double> Slicer::evaluate_exactly(const Slice& slice) const
{
    using ptx::Op;
    const double none = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> values(slice.nodes.size(), none);
    for (const int number : in_order(slice, 0)) {
        const SliceNode& node = slice.nodes[static_cast<std::size_t>(number)];
        double& value = values[static_cast<std::size_t>(number)];
        const double own = as_number(node.type, node.bits, true);
        const auto source = [&](std::size_t i) {
            return i < node.sources.size() ? values[static_cast<std::size_t>(node.sources[i])]
                                           : none;
        };
        value = own;
        if (node.kind == NodeKind::copy && !node.sources.empty()) {
            // If the bits are reinterpreted, continue with the recorded value.
            const ptx::Type from = slice.nodes[static_cast<std::size_t>(node.sources[0])].type;
            if (is_real(node.type) == is_real(from) && node.shift == 0) value = source(0);
        } else if (node.kind == NodeKind::atomic) {
            if (instruction_of(node).has(ptx::Word::add)) value = source(0) + source(1);
        } else if (node.kind == NodeKind::operation && node.function != nullptr) {
            const ptx::Instruction& in = instruction_of(node);
            const bool high = (in.op == Op::mul || in.op == Op::mad) &&
                              node.at.ptx.find(".hi") != std::string::npos;
            value = operation_exactly(in, high, {source(0), source(1), source(2), own});
            if (std::isnan(value) && !std::isnan(own)) value = own;
        }
    }
    return values;
}

} // namespace lanescope::simt

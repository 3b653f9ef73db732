// Reads everything from the state of the running block without changing it.
#include "compute/simt/debug/inspect.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include <fmt/format.h>

#include "compute/device/kernel_names.h"
#include "compute/simt/decode/decode.h"
#include "compute/simt/decode/flow/liveness.h"
#include "compute/simt/machine/state/specials.h"
#include "compute/simt/operations/memory/addressing.h"

namespace lanescope::simt {

namespace {

// Index of the lane's leaf, or of the node where the lane waits; -1 if it has exited.
int path_of(const Warp& warp, int lane)
{
    const std::uint32_t bit = 1u << lane;
    for (std::size_t i = 0; i < warp.paths.size(); ++i) {
        const Path& path = warp.paths[i];
        if (!path.live) continue;
        if (path.node ? (path.arrived & bit) != 0 : (path.mask & bit) != 0)
            return static_cast<int>(i);
    }
    return -1;
}

// The pc to show for a path: at a barrier, a path's own pc is already that of the next instruction.
int shown_pc(const Path& path, const Function& function)
{
    int pc = path.pc;
    if (path.wait == Wait::barrier || path.wait == Wait::cluster) --pc;
    return std::clamp(pc, 0, static_cast<int>(function.code.size()) - 1);
}

std::string where_in_words(const PathView& path)
{
    const CodePlace& place = path.in_source();
    if (place.line == 0) return fmt::format("PTX line {}", path.at.ptx_line);
    if (&place == &path.at) return fmt::format("line {}", place.line);
    return fmt::format("line {}, in {}", place.line, path.at.function);
}

std::string readable(const std::string& mangled)
{
    return device::base_name(device::demangled(mangled));
}

} // namespace

std::string format_lanes(std::uint32_t mask)
{
    std::string text;
    for (int lane = 0; lane < warp_lanes; ++lane) {
        if ((mask >> lane & 1u) == 0) continue;
        int last = lane;
        while (last + 1 < warp_lanes && (mask >> (last + 1) & 1u) != 0) ++last;
        if (!text.empty()) text += ", ";
        text += last == lane ? fmt::format("{}", lane) : fmt::format("{}–{}", lane, last);
        lane = last;
    }
    return text;
}

// --- Lines ---

CodeLines::CodeLines(const Program& program)
    : program_(program), shared_(shared_layout(*program.module, program.kernel).offsets)
{
    std::map<std::string, int> known;
    for (const Function& function : program.functions) {
        std::vector<Line>& lines = lines_.emplace_back();
        for (const Instruction& in : function.code) {
            if (in.source >= function.source->instructions.size()) {
                lines.push_back(lines.empty() ? Line{} : lines.back());
                continue;
            }
            const ptx::SourceLine found =
                ptx::source_line(*program.module, function.source->instructions[in.source]);
            if (found.file.empty() || found.line == 0) {
                lines.push_back(lines.empty() ? Line{} : lines.back());
                continue;
            }
            const auto [at, is_new] =
                known.try_emplace(found.file, static_cast<int>(files_.size()));
            if (is_new) files_.push_back(found.file);
            if (kernel_file_ < 0) kernel_file_ = at->second;
            lines.push_back({at->second, found.line});
        }
    }
}

// Same layout as in the decoder.
std::map<std::string, std::uint32_t> CodeLines::local_offsets(const Function& function)
{
    std::map<std::string, std::uint32_t> offsets;
    std::uint64_t end = 0;
    for (const ptx::Variable& variable : function.source->variables) {
        if (variable.space != ptx::Space::local) continue;
        end = aligned(end, variable.alignment);
        offsets[variable.name] = static_cast<std::uint32_t>(end);
        end += variable.size_bytes();
    }
    return offsets;
}

CodeLines::Line CodeLines::of(const Function& function, int pc) const
{
    const auto index = static_cast<std::size_t>(&function - program_.functions.data());
    const std::vector<Line>& lines = lines_[index];
    if (lines.empty()) return {};
    return lines[static_cast<std::size_t>(std::clamp(pc, 0, static_cast<int>(lines.size()) - 1))];
}

std::vector<int> CodeLines::lines_with_code() const
{
    std::set<int> all;
    for (const std::vector<Line>& lines : lines_)
        for (const Line& line : lines)
            if (line.file == kernel_file_ && line.line > 0) all.insert(line.line);
    return {all.begin(), all.end()};
}

// --- Places, warps and paths ---

struct Inspector::LiveRanges {
    LiveRanges(const Function& function, const ptx::Module& module)
        : liveness(*function.source, ptx::control_flow(module, *function.source)),
          intervals(liveness.intervals())
    {
    }
    Liveness liveness;
    std::vector<Liveness::Interval> intervals; // indexed by register
};

Inspector::Inspector(const Timeline& timeline, const CodeLines& lines,
                     const ptx::DebugInfo* variables, const ptx::DebugInfo* arrays)
    : timeline_(timeline), lines_(lines), variables_(variables), arrays_(arrays)
{
}

Dim3 Inspector::block() const
{
    return timeline_.block().index;
}

int Inspector::warp() const
{
    return timeline_.walk().executor().warp->index;
}

// Functions from the compiler's own headers have no lines: shows the line that calls them instead.
const CodePlace& PathView::in_source() const
{
    if (at.line > 0) return at;
    const auto found =
        std::ranges::find_if(callers, [](const CodePlace& one) { return one.line > 0; });
    return found == callers.end() ? at : *found;
}

CodePlace Inspector::place(const Function& function, int pc) const
{
    CodePlace place;
    place.function = readable(function.name);
    const CodeLines::Line line = lines_.of(function, pc);
    if (line.file >= 0) place.file = lines_.files()[static_cast<std::size_t>(line.file)];
    place.line = line.line;
    const std::uint32_t source = function.code[static_cast<std::size_t>(pc)].source;
    if (source < function.source->instructions.size()) {
        const ptx::Instruction& in = function.source->instructions[source];
        place.ptx_line = in.ptx_line;
        place.ptx =
            lines_.program().module->text.substr(in.text_begin, in.text_end - in.text_begin);
    }
    return place;
}

CodeLines::Line Inspector::line() const
{
    const Path& path = timeline_.walk().path();
    const Warp& warp = timeline_.block().warps[static_cast<std::size_t>(this->warp())];
    return lines_.of(*warp.frames[static_cast<std::size_t>(path.frame)].function, path.pc);
}

int Inspector::call_depth() const
{
    const Path& path = timeline_.walk().path();
    const Warp& warp = timeline_.block().warps[static_cast<std::size_t>(this->warp())];
    int depth = 0;
    for (int node = path.parent; node >= 0;
         node = warp.paths[static_cast<std::size_t>(node)].parent)
        depth += warp.paths[static_cast<std::size_t>(node)].child_frame >= 0;
    return depth;
}

namespace {

// Describes a path: its lanes, where they are, and why they wait. `chosen`: the warp runs this path
// in its next turn; `runs_next`: that turn is next.
void describe_path(const Path& path, bool chosen, bool runs_next, PathView& made)
{
    const bool one = std::popcount(made.mask) == 1;
    const std::string who = fmt::format("{} {}", one ? "lane" : "lanes", format_lanes(made.mask));
    const std::string where = where_in_words(made);
    const std::string_view waits = one ? "waits" : "wait";
    if (path.node || path.wait == Wait::barrier || path.wait == Wait::cluster ||
        path.wait == Wait::lanes)
        made.state = LaneState::waits;
    else
        made.state = chosen && runs_next ? LaneState::runs : LaneState::ready;
    if (path.node) {
        const std::uint32_t others = path.mask & ~path.arrived;
        made.words =
            fmt::format("{} {} at {} for {} {}", who, waits, where,
                        std::popcount(others) == 1 ? "lane" : "lanes", format_lanes(others));
    } else if (path.wait == Wait::barrier) {
        made.words = fmt::format("{} {} at the barrier in {}", who, waits, where);
    } else if (path.wait == Wait::cluster) {
        made.words = fmt::format("{} {} at the cluster's barrier in {}", who, waits, where);
    } else if (path.wait == Wait::lanes) {
        made.words = fmt::format("{} {} at {} for lanes named in the mask", who, waits, where);
    } else if (!chosen) {
        made.words =
            fmt::format("{} {} from {} after them", who, one ? "continues" : "continue", where);
    } else if (runs_next) {
        made.words = fmt::format("{} {} {}", who, one ? "runs" : "run", where);
    } else {
        made.words =
            fmt::format("{} will run {} when it is {} turn", who, where, one ? "its" : "their");
    }
}

} // namespace

PathView Inspector::path_view(const Warp& warp, const Path& path, bool chosen, bool runs_next) const
{
    const Function& function = *warp.frames[static_cast<std::size_t>(path.frame)].function;
    PathView made;
    made.mask = path.node ? path.arrived : path.mask;
    made.at = place(function, shown_pc(path, function));
    for (int node = path.parent; node >= 0;
         node = warp.paths[static_cast<std::size_t>(node)].parent) {
        const Path& outer = warp.paths[static_cast<std::size_t>(node)];
        if (outer.child_frame < 0) continue;
        const Function& caller = *warp.frames[static_cast<std::size_t>(outer.frame)].function;
        made.callers.push_back(place(caller, std::max(0, outer.pc - 1)));
    }
    describe_path(path, chosen, runs_next, made);
    return made;
}

WarpView Inspector::warp_view(int index) const
{
    const Block& block = timeline_.block();
    const Warp& warp = block.warps[static_cast<std::size_t>(index)];
    const WalkState& state = timeline_.walk().state();
    WarpView view;
    view.warp = index;
    view.instructions = warp.warp_instructions;
    view.finished = warp.finished();
    view.runs_next = state.warp == index && !timeline_.at_end();
    view.path.fill(-1);
    view.lanes.fill(LaneState::exited);
    Warp copy; // contains only the members that choose_path() reads
    copy.paths = warp.paths;
    copy.current = warp.current;
    const int first = view.finished ? -1 : choose_path(copy);
    std::map<int, int> shown; // maps paths of the warp to paths of the view
    const auto add = [&](int path_index) {
        const Path& path = warp.paths[static_cast<std::size_t>(path_index)];
        shown[path_index] = static_cast<int>(view.paths.size());
        view.paths.push_back(path_view(warp, path, path_index == first, view.runs_next));
    };
    if (first >= 0) add(first);
    for (std::size_t i = warp.paths.size(); i-- > 0;) {
        const Path& path = warp.paths[i];
        if (!path.live || static_cast<int>(i) == first) continue;
        if (path.node ? path.arrived == 0 : path.mask == 0) continue;
        add(static_cast<int>(i));
    }
    for (int lane = 0; lane < warp_lanes; ++lane) {
        const auto l = static_cast<std::size_t>(lane);
        if ((warp.lanes >> lane & 1u) == 0) {
            view.lanes[l] = LaneState::missing;
            continue;
        }
        const int path = path_of(warp, lane);
        if (path < 0) continue;
        view.path[l] = shown.at(path);
        view.lanes[l] = view.paths[static_cast<std::size_t>(view.path[l])].state;
    }
    if (view.finished) {
        view.words = "has finished";
    } else if (!view.paths.empty()) {
        const PathView& main = view.paths.front();
        const std::string where = where_in_words(main);
        view.words = main.state == LaneState::waits ? where + ", waits" : where;
    }
    return view;
}

std::vector<WarpView> Inspector::warps() const
{
    std::vector<WarpView> all;
    for (std::size_t i = 0; i < timeline_.block().warps.size(); ++i)
        all.push_back(warp_view(static_cast<int>(i)));
    return all;
}

std::optional<Inspector::LaneAt> Inspector::lane_at(int index, int lane) const
{
    const Block& block = timeline_.block();
    if (index < 0 || index >= static_cast<int>(block.warps.size())) return std::nullopt;
    const Warp& warp = block.warps[static_cast<std::size_t>(index)];
    const int path = path_of(warp, lane);
    if (path < 0) return std::nullopt;
    return LaneAt{&warp, &warp.paths[static_cast<std::size_t>(path)], lane};
}

// --- Registers ---

const std::byte* Inspector::row(const LaneAt& lane, RowRef ref) const
{
    const std::uint32_t offset = ref & ~3u;
    switch (static_cast<RowBase>(ref & 3u)) {
    case RowBase::frame: return lane.warp->rows.data() + lane.frame().rows_begin + offset;
    case RowBase::constants: return timeline_.launch().constant_rows.data() + offset;
    case RowBase::specials: return lane.warp->specials.data() + offset;
    default: return nullptr;
    }
}

const Inspector::LiveRanges& Inspector::lives(const Function& function) const
{
    std::shared_ptr<LiveRanges>& lives = live_ranges_[&function];
    if (!lives) lives = std::make_shared<LiveRanges>(function, *lines_.program().module);
    return *lives;
}

bool Inspector::live(const Function& function, int pc, std::size_t reg) const
{
    const std::uint32_t source = function.code[static_cast<std::size_t>(pc)].source;
    return source < function.source->instructions.size() &&
           lives(function).liveness.live_before(source, reg);
}

bool Inspector::unset(const Function& function, int pc, std::size_t reg) const
{
    const std::uint32_t source = function.code[static_cast<std::size_t>(pc)].source;
    return static_cast<int>(source) <= lives(function).intervals[reg].first;
}

std::optional<std::vector<std::byte>> Inspector::register_bytes(const LaneAt& lane,
                                                                const Function& function,
                                                                std::size_t index,
                                                                std::size_t bytes) const
{
    const RowRef ref = function.registers[index];
    constexpr std::size_t widest = 16; // max bytes of a register per lane
    if (ref == no_row || bytes == 0 || bytes > widest) return std::nullopt;
    const std::byte* at = row(lane, ref);
    const ptx::Type type = function.source->registers[index].type;
    std::vector<std::byte> value(bytes, std::byte{0});
    if (type == ptx::Type::pred) {
        value[0] =
            static_cast<std::byte>(*reinterpret_cast<const std::uint32_t*>(at) >> lane.lane & 1u);
        return value;
    }
    const std::size_t stride =
        std::max<std::size_t>(4, static_cast<std::size_t>(ptx::size_bytes(type)));
    std::memcpy(value.data(), at + static_cast<std::size_t>(lane.lane) * stride,
                std::min(bytes, stride));
    return value;
}

std::vector<RegisterView> Inspector::registers(int index) const
{
    std::vector<RegisterView> views;
    const Warp& warp = timeline_.block().warps[static_cast<std::size_t>(index)];
    const WarpView view = warp_view(index);
    if (view.paths.empty()) return views;
    const int first = lowest_lane(view.paths.front().mask);
    const LaneAt at = *lane_at(index, first);
    const Function& function = at.function();
    for (std::size_t i = 0; i < function.registers.size(); ++i) {
        if (function.registers[i] == no_row) continue;
        RegisterView made{
            function.source->registers[i].name, function.source->registers[i].type, {}, 0};
        for (int lane = 0; lane < warp_lanes; ++lane) {
            const int path = path_of(warp, lane);
            if (path < 0) continue;
            const LaneAt here{&warp, &warp.paths[static_cast<std::size_t>(path)], lane};
            if (&here.frame() != &at.frame()) continue;
            if (!live(function, shown_pc(*here.path, function), i)) continue;
            const auto bytes = register_bytes(here, function, i, 8);
            std::memcpy(&made.lanes[static_cast<std::size_t>(lane)], bytes->data(), 8);
            made.lanes_with |= 1u << lane;
        }
        if (made.lanes_with != 0) views.push_back(std::move(made));
    }
    return views;
}

std::optional<AddressView> Inspector::next_access() const
{
    if (timeline_.at_end()) return std::nullopt;
    const Walk& walk = timeline_.walk();
    const Instruction& in = walk.next_instruction();
    const bool touches = in.kind == HandlerKind::load || in.kind == HandlerKind::store ||
                         in.kind == HandlerKind::atomic;
    if (!touches) return std::nullopt;
    Executor& x = const_cast<Walk&>(walk).executor(); // safe, because the state doesn't change
    const Access& access = x.function->accesses[in.extra];
    const ptx::Space space = access.in_cluster ? ptx::Space::shared : access.space;
    AddressView view{access.op, space, access.width_bytes, walk.next_mask(), {}};
    if (view.mask == 0) return view;
    Addresses at;
    form_addresses(x, access, view.mask, at);
    view.lanes = at.lane;
    return view;
}

// --- Memory ---

std::optional<std::vector<std::byte>> Inspector::read(const LaneAt& lane, Address address,
                                                      std::size_t bytes) const
{
    constexpr std::size_t max_bytes = std::size_t{1} << 20;
    if (bytes == 0 || bytes > max_bytes) return std::nullopt;
    std::vector<std::byte> value(bytes);
    std::span<const std::byte> from;
    const ptx::Space space = space_of(address);
    Address offset = address - window(space);
    switch (space) {
    case ptx::Space::shared: from = timeline_.block().shared; break;
    case ptx::Space::local: {
        const Warp& warp = *lane.warp;
        from = std::span(warp.local)
                   .subspan(static_cast<std::size_t>(lane.lane) * warp.local_stride,
                            warp.local_stride);
        break;
    }
    case ptx::Space::constant: from = timeline_.launch().constants; break;
    case ptx::Space::param: from = timeline_.launch().parameters; break;
    default:
        if (!timeline_.read({ptx::Space::global, address}, value)) return std::nullopt;
        return value;
    }
    if (offset > from.size() || bytes > from.size() - offset) return std::nullopt;
    std::ranges::copy(from.subspan(offset, bytes), value.begin());
    return value;
}

std::vector<SharedArray> Inspector::shared_arrays() const
{
    std::vector<SharedArray> arrays;
    const Program& program = lines_.program();
    const std::size_t all = timeline_.launch().shared_bytes;
    for (const auto& [name, offset] : lines_.shared_offsets()) {
        SharedArray made;
        made.name = readable(name);
        // "kernel(float*)::tile" is a kernel's local variable.
        made.offset = offset;
        made.bytes = 0;
        const auto sized = [&](const std::vector<ptx::Variable>& variables) {
            for (const ptx::Variable& variable : variables)
                if (variable.name == name) made.bytes = variable.size_bytes();
        };
        sized(program.module->variables);
        for (const Function& function : program.functions) sized(function.source->variables);
        if (made.bytes == 0) made.bytes = all > offset ? all - offset : 0;
        if (arrays_ != nullptr) {
            const auto declares_the_array = [&](const ptx::SourceVariable& variable) {
                return std::ranges::any_of(variable.places, [&](const ptx::PlacedVariable& place) {
                    return place.place.kind == ptx::VariablePlace::Kind::memory &&
                           (place.place.name == name || variable.name == made.name);
                });
            };
            const auto take = [&](const ptx::SourceVariable& variable) {
                if (made.type || !variable.type ||
                    variable.type->kind != ptx::SourceType::Kind::array)
                    return;
                made.type = variable.type;
                made.name = variable.name;
            };
            const auto placed = [&](const std::vector<ptx::SourceVariable>& variables) {
                for (const ptx::SourceVariable& variable : variables)
                    if (declares_the_array(variable)) take(variable);
            };
            placed(arrays_->globals);
            for (const ptx::DebugFunction& function : arrays_->functions)
                placed(function.variables);
            for (const ptx::SourceVariable& variable : arrays_->shared)
                if (variable.name == made.name && variable.type->bytes == made.bytes)
                    take(variable);
        }
        if (made.type && made.type->bytes == 0 && made.type->element) {
            auto whole = std::make_shared<ptx::SourceType>(*made.type);
            whole->bytes = made.bytes;
            if (!whole->extents.empty() && whole->element->bytes > 0)
                whole->extents[0] = made.bytes / whole->element->bytes;
            made.type = whole;
        }
        arrays.push_back(std::move(made));
    }
    std::ranges::sort(arrays, {}, &SharedArray::offset);
    return arrays;
}

// --- Variables ---

const ptx::SourceVariable* Inspector::variable(const LaneAt& lane, const std::string& name) const
{
    if (variables_ == nullptr) return nullptr;
    const Function& function = lane.function();
    const int pc = shown_pc(*lane.path, function);
    const auto source = static_cast<int>(function.code[static_cast<std::size_t>(pc)].source);
    const ptx::SourceVariable* best = nullptr;
    if (const ptx::DebugFunction* debug = variables_->find(function.name))
        for (const ptx::SourceVariable& each : debug->variables)
            if (each.name == name && each.in_scope(source) &&
                (best == nullptr || each.depth >= best->depth))
                best = &each;
    if (best == nullptr)
        for (const ptx::SourceVariable& each : variables_->globals)
            if (each.name == name) best = &each;
    return best;
}

std::optional<Inspector::Named> Inspector::placed(const LaneAt& lane,
                                                  const ptx::SourceVariable& variable,
                                                  const ptx::VariablePlace& place) const
{
    if (!variable.type) return std::nullopt;
    const Function& function = lane.function();
    const std::size_t bytes = variable.type->bytes;
    if (place.kind == ptx::VariablePlace::Kind::reg) {
        for (std::size_t i = 0; i < function.source->registers.size(); ++i) {
            const ptx::Register& reg = function.source->registers[i];
            if (reg.name != place.name) continue;
            if (unset(function, shown_pc(*lane.path, function), i)) {
                if (!variable.is_parameter) return std::nullopt;
                return kernel_parameter(function, variable.name);
            }
            const auto value = register_bytes(lane, function, i, bytes);
            if (!value) return std::nullopt;
            return Named{variable.type, *value, std::nullopt};
        }
        return std::nullopt;
    }
    const Program& program = lines_.program();
    std::optional<Address> address;
    const auto offset = static_cast<Address>(place.offset);
    const auto locals = CodeLines::local_offsets(function);
    if (const auto shared = lines_.shared_offsets().find(place.name);
        shared != lines_.shared_offsets().end())
        address = shared_window + shared->second + offset;
    else if (const auto local = locals.find(place.name); local != locals.end())
        address = local_window + lane.frame().local_begin + local->second + offset;
    if (address) {
        TypePointer type = variable.type;
        if (bytes == 0) { // extern __shared__ int x[]
            for (const SharedArray& array : shared_arrays())
                if (array.name == variable.name && array.type) type = array.type;
        }
        const auto value = read(lane, *address, type->bytes);
        return Named{type, value.value_or(std::vector<std::byte>{}), address};
    }
    const auto take = [&](std::span<const std::byte> from,
                          Address generic) -> std::optional<Named> {
        const auto value = part_of(from, offset, bytes);
        if (!value || value->empty()) return std::nullopt;
        return Named{variable.type,
                     {value->begin(), value->end()},
                     generic != 0 ? std::optional(generic + offset) : std::nullopt};
    };
    for (std::size_t i = 0; i < function.source->parameters.size(); ++i) {
        if (function.source->parameters[i].name != place.name) continue;
        if (function.source->is_kernel) {
            const auto all = std::span(timeline_.launch().parameters);
            return take(all.subspan(program.parameter_offsets[i]), 0);
        }
        const ParamSlot& slot = function.parameters[i];
        const Frame& frame = lane.frame();
        const std::size_t begin = frame.rows_begin + function.row_bytes +
                                  static_cast<std::size_t>(lane.lane) * function.param_stride +
                                  slot.offset;
        return take(std::span(lane.warp->rows).subspan(begin, slot.bytes), 0);
    }
    // Look for a variable of the module.
    for (const ptx::Variable& each : program.module->variables)
        if (each.name == place.name) {
            const auto at = timeline_.symbol(place.name);
            if (!at) return std::nullopt;
            const auto value = read(lane, *at + offset, bytes);
            return Named{variable.type, value.value_or(std::vector<std::byte>{}), *at + offset};
        }
    return std::nullopt;
}

namespace {

const std::map<std::string, Special>& specials()
{
    static const std::map<std::string, Special> all{
        {"threadIdx.x", Special::tid_x},  {"threadIdx.y", Special::tid_y},
        {"threadIdx.z", Special::tid_z},  {"blockIdx.x", Special::ctaid_x},
        {"blockIdx.y", Special::ctaid_y}, {"blockIdx.z", Special::ctaid_z},
        {"blockDim.x", Special::ntid_x},  {"blockDim.y", Special::ntid_y},
        {"blockDim.z", Special::ntid_z},  {"gridDim.x", Special::nctaid_x},
        {"gridDim.y", Special::nctaid_y}, {"gridDim.z", Special::nctaid_z}};
    return all;
}

} // namespace

bool Inspector::knows(const std::string& name) const
{
    const auto declares = [&](const auto& all) {
        return std::ranges::any_of(all, [&](const auto& one) { return one.name == name; });
    };
    if (specials().contains(name) || declares(shared_arrays())) return true;
    const auto& parameters = timeline_.launch().parameter_names;
    if (std::ranges::find(parameters, name) != parameters.end()) return true;
    if (std::ranges::any_of(lines_.program().functions, [&](const Function& function) {
            return declares(function.source->registers);
        }))
        return true;
    for (const ptx::DebugInfo* info : {variables_, arrays_}) {
        if (info == nullptr) continue;
        if (declares(info->globals)) return true;
        for (const ptx::DebugFunction& function : info->functions)
            if (declares(function.variables)) return true;
    }
    return false;
}

std::optional<Inspector::Named> Inspector::named(const LaneAt& lane, const std::string& name) const
{
    const Function& function = lane.function();
    const int pc = shown_pc(*lane.path, function);
    if (name.starts_with('%')) {
        for (std::size_t i = 0; i < function.source->registers.size(); ++i) {
            const ptx::Register& reg = function.source->registers[i];
            if (reg.name != name) continue;
            const TypePointer type = shown_as(reg.type);
            const auto value = register_bytes(lane, function, i, type->bytes);
            if (!value) return std::nullopt;
            return Named{type, *value, std::nullopt};
        }
        return std::nullopt;
    }
    if (const auto special = specials().find(name); special != specials().end()) {
        const std::byte* at = row(lane, special_row(special->second));
        std::vector<std::byte> value(4);
        std::memcpy(value.data(), at + 4 * static_cast<std::size_t>(lane.lane), 4);
        return Named{shown_as(ptx::Type::u32), value, std::nullopt};
    }
    if (const ptx::SourceVariable* found = variable(lane, name)) {
        const auto source = static_cast<int>(function.code[static_cast<std::size_t>(pc)].source);
        const ptx::VariablePlace* place = found->place_at(source);
        if (place == nullptr) return std::nullopt;
        return placed(lane, *found, *place);
    }
    for (const SharedArray& array : shared_arrays()) {
        if (array.name != name) continue;
        TypePointer type = array.type;
        if (!type) { // shown as words unless a -G text provides the type
            auto words = std::make_shared<ptx::SourceType>();
            words->kind = ptx::SourceType::Kind::array;
            words->element = shown_as(ptx::Type::f32);
            words->name = "f32 []";
            words->extents = {array.bytes / 4};
            words->bytes = array.bytes;
            type = words;
        }
        const Address address = shared_window + array.offset;
        return Named{type, read(lane, address, array.bytes).value_or(std::vector<std::byte>{}),
                     address};
    }
    return kernel_parameter(function, name);
}

std::optional<Inspector::Named> Inspector::kernel_parameter(const Function& function,
                                                            const std::string& name) const
{
    if (!function.source->is_kernel) return std::nullopt;
    const auto& names = timeline_.launch().parameter_names;
    const Program& program = lines_.program();
    for (std::size_t i = 0; i < names.size() && i < program.parameter_sizes.size(); ++i) {
        if (names[i] != name) continue;
        const std::size_t bytes = program.parameter_sizes[i];
        const auto value =
            std::span(timeline_.launch().parameters).subspan(program.parameter_offsets[i], bytes);
        TypePointer type =
            shown_as(bytes == 8 ? ptx::Type::u64 : function.source->parameters[i].type);
        for (const ptx::DebugInfo* info : {variables_, arrays_}) {
            const ptx::DebugFunction* const debug =
                info != nullptr ? info->find(function.name) : nullptr;
            if (debug == nullptr) continue;
            for (const ptx::SourceVariable& each : debug->variables)
                if (each.is_parameter && each.name == name && each.type &&
                    each.type->bytes == bytes)
                    type = each.type;
        }
        return Named{type, {value.begin(), value.end()}, std::nullopt};
    }
    return std::nullopt;
}

std::vector<VariableView> Inspector::variables(int index) const
{
    std::vector<VariableView> views;
    const WarpView view = warp_view(index);
    if (view.paths.empty()) return views;
    const LaneAt first = *lane_at(index, lowest_lane(view.paths.front().mask));
    const Function& function = first.function();
    std::vector<std::pair<std::string, const ptx::SourceVariable*>> names;
    const auto source = static_cast<int>(
        function.code[static_cast<std::size_t>(shown_pc(*first.path, function))].source);
    const auto add = [&](const std::string& name, const ptx::SourceVariable* variable) {
        if (name.empty() || name.starts_with("__")) return;
        const auto known = std::ranges::find(
            names, name, &std::pair<std::string, const ptx::SourceVariable*>::first);
        if (known == names.end()) names.emplace_back(name, variable);
    };
    if (variables_ != nullptr) {
        if (const ptx::DebugFunction* debug = variables_->find(function.name))
            for (const ptx::SourceVariable& each : debug->variables)
                if (each.in_scope(source)) add(each.name, variable(first, each.name));
    } else if (function.source->is_kernel) {
        for (const std::string& name : timeline_.launch().parameter_names) add(name, nullptr);
    }
    for (const SharedArray& array : shared_arrays()) add(array.name, nullptr);
    for (const auto& [name, variable] : names) {
        VariableView made;
        made.name = name;
        if (variable != nullptr) {
            made.is_parameter = variable->is_parameter;
            made.line = variable->line;
            made.values.type = variable->type;
        } else {
            made.is_parameter = std::ranges::find(timeline_.launch().parameter_names, name) !=
                                timeline_.launch().parameter_names.end();
        }
        for (int lane = 0; lane < warp_lanes; ++lane) {
            const auto at = lane_at(index, lane);
            if (!at || &at->frame() != &first.frame()) continue;
            auto found = named(*at, name);
            if (!found) continue;
            made.values.type = found->type;
            if (found->bytes.empty()) continue;
            made.values.lanes[static_cast<std::size_t>(lane)] = std::move(found->bytes);
            made.values.lanes_with |= 1u << lane;
        }
        views.push_back(std::move(made));
    }
    return views;
}

} // namespace lanescope::simt

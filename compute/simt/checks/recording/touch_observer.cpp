// Keeps only the ends of ranges, so an access costs a few comparisons.
#include "compute/simt/checks/recording/touch_observer.h"

#include <algorithm>

#include "compute/ptx/text/lines.h"
#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

void TouchObserver::access(Executor& x, const AccessEvent& event)
{
    if (event.space != ptx::Space::global) return;
    const auto note = [&](const Allocation& allocation, std::uint64_t begin, std::uint64_t end) {
        Noted& touched = touched_.at(allocation);
        if (event.op == trace::Op::load)
            note_line(x, event.instruction, touched.last_reader, touched.reader);
        else
            note_line(x, event.instruction, touched.last_writer, touched.writer);
        trace::Touched::Range& range = event.op == trace::Op::load    ? touched.read
                                       : event.op == trace::Op::store ? touched.written
                                                                      : touched.updated;
        range.add(begin, end);
    };
    if (event.allocation != nullptr) return note(*event.allocation, event.low, event.high);
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const std::uint64_t address = event.address(lowest_lane(rest));
        if (const Allocation* allocation = x.launch.memory.find(address))
            note(*allocation, address, address + static_cast<std::uint64_t>(event.width_bytes));
    }
}

void TouchObserver::bulk(Executor& x, const BulkEvent& event)
{
    const BulkCopy& copy = event.copy;
    const bool loads = copy.route == BulkRoute::to_shared;
    if (event.stage != BulkEvent::Stage::starts || (!loads && copy.route != BulkRoute::to_global))
        return;
    for (const BulkPiece& piece : copy.pieces) {
        const Allocation* const allocation =
            piece.filled ? nullptr : x.launch.memory.find(piece.global);
        if (allocation == nullptr) continue;
        Noted& touched = touched_.at(*allocation);
        if (loads)
            note_line(x, *copy.instruction, touched.last_reader, touched.reader);
        else
            note_line(x, *copy.instruction, touched.last_writer, touched.writer);
        trace::Touched::Range& range = loads                    ? touched.read
                                       : copy.reduce == nullptr ? touched.written
                                                                : touched.updated;
        range.add(piece.global, piece.global + piece.bytes);
    }
}

void TouchObserver::note_line(const Executor& x, const Instruction& in, const Instruction*& last,
                              trace::Touched::Line& line)
{
    if (last == &in) return;
    last = &in;
    const ptx::Instruction& source = x.source(in);
    if (line.ptx_line != 0 && line.ptx_line <= source.ptx_line) return;
    const ptx::SourceLine place = ptx::source_line(*x.launch.program.module, source);
    line = {source.ptx_line, place.file, place.line};
}

void TouchObserver::loads(Executor& x, const BatchEvent& event)
{
    if (event.space != ptx::Space::global || event.group.allocation == nullptr) return;
    const std::uint64_t base = event.group.at.low - event.group.offset;
    const std::uint64_t reach = event.group.at.high - event.group.offset;
    Noted& touched = touched_.at(*event.group.allocation);
    note_line(x, event.function.code[event.batch.loads.front()], touched.last_reader,
              touched.reader);
    touched.read.add(base + static_cast<std::uint64_t>(event.batch.offsets.front()),
                     reach + static_cast<std::uint64_t>(event.batch.offsets.back()));
}

void TouchObserver::merge_into(trace::Trace& trace) const
{
    for (const auto& [begin, touched] : touched_) {
        const auto place =
            std::ranges::lower_bound(trace.touched, begin, {}, &trace::Touched::allocation);
        if (place != trace.touched.end() && place->allocation == begin) {
            *place += touched;
        } else {
            trace.touched.insert(place, touched)->allocation = begin;
        }
    }
}

} // namespace lanescope::simt

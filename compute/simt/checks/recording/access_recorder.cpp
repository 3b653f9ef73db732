// Most requests are one contiguous range of bytes; the others are visited range by range or lane by
// lane.
#include "compute/simt/checks/recording/access_recorder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "compute/counting/counting.h"
#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

namespace {

// The lines that a request touches, each once.
class Lines {
public:
    void add(std::uint64_t begin, std::uint64_t end)
    {
        constexpr auto line_bytes = static_cast<std::uint64_t>(counting::line_bytes);
        constexpr auto sector_bytes = static_cast<std::uint64_t>(counting::sector_bytes);
        for (std::uint64_t line = begin / line_bytes; line <= (end - 1) / line_bytes; ++line) {
            const std::uint64_t from = std::max(begin, line * line_bytes) / sector_bytes;
            const std::uint64_t to = (std::min(end, (line + 1) * line_bytes) - 1) / sector_bytes;
            const auto below = [](std::uint64_t sector) { // sectors of the preceding line
                return (caches::Sectors{1} << sector) - 1;
            };
            const std::uint64_t first = line * caches::line_sectors;
            sectors_of(line) |= below(to + 1 - first) & ~below(from - first);
        }
    }
    std::size_t count() const { return count_; }
    void append_to(std::vector<caches::Word>& words, std::uint32_t site) const
    {
        for (std::size_t i = 0; i < count_; ++i) {
            words.emplace_back(site, lines_[i].line, lines_[i].sectors);
            if (i + 1 < count_) words.back().continue_request();
        }
    }

private:
    struct Touched {
        caches::Line line;
        caches::Sectors sectors;
    };
    caches::Sectors& sectors_of(caches::Line line)
    {
        for (std::size_t i = count_; i-- > 0;) // usually the last line
            if (lines_[i].line == line) return lines_[i].sectors;
        lines_[count_] = {line, 0};
        return lines_[count_++].sectors;
    }

    std::size_t count_ = 0;
    // One line per lane suffices, because a lane's access never crosses a line.
    std::array<Touched, std::size_t{warp_lanes} + 1> lines_;
};

Lines lines_of(const Executor& x, const AccessEvent& event)
{
    Lines lines;
    if (event.contiguous) {
        lines.add(event.low, event.high);
    } else if (event.group != nullptr) {
        ensure_runs(*event.group, x.launch.addresses);
        const ByteRuns& runs = event.group->runs;
        for (int i = 0; i < runs.count; ++i) {
            const ByteRun& run = runs.run[static_cast<std::size_t>(i)];
            lines.add(run.begin + event.shift, run.end + event.shift);
        }
    } else {
        for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
            const std::uint64_t address = event.address(lowest_lane(rest));
            lines.add(address, address + static_cast<std::uint64_t>(event.width_bytes));
        }
    }
    return lines;
}

} // namespace

AccessRecorder::Running& AccessRecorder::running(std::uint64_t block)
{
    if (last_ < blocks_.size() && blocks_[last_].block == block) return blocks_[last_];
    auto found = std::ranges::find(blocks_, block, &Running::block);
    if (found == blocks_.end()) found = std::ranges::find(blocks_, none, &Running::block);
    if (found == blocks_.end()) {
        blocks_.emplace_back().warps.resize(warps_);
        found = blocks_.end() - 1;
    }
    found->block = block;
    last_ = static_cast<std::size_t>(found - blocks_.begin());
    return *found;
}

std::vector<caches::Word>& AccessRecorder::words_of(const Executor& x, std::size_t more)
{
    constexpr std::uint64_t often = 1 << 16;
    Running& block = running(x.block->linear);
    block.since_barrier = true;
    block.counted += more;
    if (block.counted >= often) recording_.words += std::exchange(block.counted, 0);
    return block.warps[static_cast<std::size_t>(x.warp->index)];
}

void AccessRecorder::access(const Executor& x, const AccessEvent& event)
{
    if (recording_.overflows()) return;
    const Lines lines = lines_of(x, event);
    std::vector<caches::Word>& words = words_of(x, lines.count());
    lines.append_to(words, event.instruction.site);
    if (group_ == nullptr) return;
    lines.append_to(group_->words, event.instruction.site);
    group_->accesses.back().words += lines.count();
}

// Adjacent pieces, such as the chunks of a swizzled row, are one range.
void AccessRecorder::bulk(const Executor& x, const BulkCopy& copy)
{
    Address begin = 0, end = 0;
    for (const BulkPiece& piece : copy.pieces) {
        if (piece.filled || piece.bytes == 0) continue;
        if (begin == end || piece.global != end) {
            bulk_range(x, *copy.instruction, begin, end);
            begin = piece.global;
        }
        end = piece.global + piece.bytes;
    }
    bulk_range(x, *copy.instruction, begin, end);
}

// One request per line, since a copy may be longer than a warp's request.
void AccessRecorder::bulk_range(const Executor& x, const Instruction& in, Address begin,
                                Address end)
{
    for (Address at = begin; at < end;) {
        if (recording_.overflows()) return;
        constexpr auto line_bytes = static_cast<Address>(counting::line_bytes);
        const Address next = std::min(end, (at / line_bytes + 1) * line_bytes);
        Lines lines;
        lines.add(at, next);
        lines.append_to(words_of(x, lines.count()), in.site);
        at = next;
    }
}

void AccessRecorder::begin_group(std::uint32_t number)
{
    if (groups_.size() <= number) groups_.resize(number + std::size_t{1});
    group_ = &groups_[number];
    group_->accesses.clear();
    group_->words.clear();
}

void AccessRecorder::next_of_group(std::size_t index, std::uint64_t first_address)
{
    if (group_ != nullptr) group_->accesses.push_back({index, first_address, 0});
}

void AccessRecorder::barrier_opens(const Executor& x)
{
    Running& block = running(x.block->linear);
    if (!std::exchange(block.since_barrier, false)) return;
    for (auto& words : block.warps) words.push_back(caches::Word::barrier());
}

void AccessRecorder::block_ends(const Executor& x)
{
    Running& block = running(x.block->linear);
    caches::RecordedBlock& to = recording_.blocks[block.block];
    std::size_t words = 0;
    for (const auto& warp : block.warps) words += warp.size();
    to.words.reserve(words);
    to.ends.reserve(block.warps.size());
    for (auto& warp : block.warps) {
        to.words.insert(to.words.end(), warp.begin(), warp.end());
        to.ends.push_back(static_cast<std::uint32_t>(to.words.size()));
        warp.clear();
    }
    recording_.words += std::exchange(block.counted, 0);
    block.block = none;
    block.since_barrier = false;
}

} // namespace lanescope::simt

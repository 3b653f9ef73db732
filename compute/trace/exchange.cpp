// Tracks which threads' values each memory word holds, then works backwards to find the values that
// the block's results depended on.
#include "compute/trace/exchange.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace lanescope::trace {
namespace {

constexpr int lanes = 32;
constexpr std::size_t max_authors = 1024; // per word: many lanes may update a word atomically

struct Author {
    int thread = 0;
    int row = 0; // row after which the thread had the value that it wrote
};

class Follower {
public:
    explicit Follower(const LaneRecording& recording) : recording_(recording)
    {
        all_.threads = recording.threads;
        all_.complete = recording.complete;
        const auto threads = static_cast<std::size_t>(recording.threads);
        all_.loaded.assign(threads, 0);
        all_.stored.assign(threads, 0);
        all_.stored_after.assign(threads, -1);
        warps_.resize(static_cast<std::size_t>(all_.warps()));
    }

    Exchange follow()
    {
        for (const LaneEvent& event : recording_.events) {
            using Kind = LaneEvent::Kind;
            switch (event.kind) {
            case Kind::load: load(event); break;
            case Kind::store:
            case Kind::atomic:
            case Kind::reduction: write(event); break;
            case Kind::shuffle: shuffle(event); break;
            case Kind::together: together(event); break;
            case Kind::barrier: barrier(event); break;
            }
        }
        mark_used();
        return std::move(all_);
    }

private:
    struct WarpState {
        int row = 0;               // its last row
        bool open = false;         // further loads join this row
        bool past_barrier = false; // the warp has passed a barrier since its last row
    };

    static std::uint64_t key(const LaneEvent& event, std::uint64_t word)
    {
        return word << 1 | (event.shared ? 1u : 0u);
    }
    template <class Visit>
    static void for_each_lane(std::uint32_t mask, Visit&& visit)
    {
        for (int lane = 0; lane < lanes; ++lane)
            if ((mask >> lane & 1u) != 0) visit(lane);
    }
    template <class Visit>
    static void for_each_word(const LaneEvent& event, int lane, Visit&& visit)
    {
        const std::uint64_t address = event.of[static_cast<std::size_t>(lane)];
        const auto bytes = static_cast<std::uint64_t>(std::max(event.width_bytes, 1));
        for (std::uint64_t word = address / 4; word <= (address + bytes - 1) / 4; ++word)
            visit(key(event, word));
    }

    WarpState& warp_of(const LaneEvent& event)
    {
        return warps_.at(static_cast<std::size_t>(event.warp));
    }
    static int thread_of(const LaneEvent& event, int lane) { return event.warp * lanes + lane; }

    // Adds newly received values to a row at or after `earliest`.
    void receive(const LaneEvent& event, std::vector<PassedValue>&& handed, int earliest,
                 bool joins)
    {
        WarpState& warp = warp_of(event);
        int row = std::max(warp.row + 1, earliest);
        if (joins && warp.open && warp.row >= earliest) row = warp.row;
        while (all_.rows.size() < static_cast<std::size_t>(row)) {
            all_.rows.emplace_back();
            all_.rows.back().active.resize(warps_.size());
            all_.rows.back().together.resize(warps_.size());
        }
        ExchangeRow& made = all_.rows[static_cast<std::size_t>(row) - 1];
        if (made.handed.empty() && made.line == 0) made.line = event.line;
        made.after_barrier |= warp.past_barrier;
        made.active[static_cast<std::size_t>(event.warp)] |= event.mask;
        if (event.kind == LaneEvent::Kind::together)
            made.together[static_cast<std::size_t>(event.warp)] |= event.mask;
        made.handed.insert(made.handed.end(), handed.begin(), handed.end());
        warp.row = row;
        warp.past_barrier = false;
        warp.open = event.kind == LaneEvent::Kind::load;
    }

    void load(const LaneEvent& event)
    {
        std::vector<PassedValue> handed;
        int earliest = 0;
        for_each_lane(event.mask, [&](int lane) {
            const int thread = thread_of(event, lane);
            for_each_word(event, lane, [&](std::uint64_t word) {
                const auto found = authors_.find(word);
                if (found == authors_.end()) {
                    ++all_.loaded[static_cast<std::size_t>(thread)];
                    return;
                }
                for (const Author& author : found->second) {
                    if (author.thread == thread) continue;
                    handed.push_back({author.thread, thread, author.row});
                    earliest = std::max(earliest, author.row + 1);
                }
            });
        });
        if (!handed.empty()) receive(event, unique(std::move(handed)), earliest, true);
    }

    // Two words from the same thread form one arrow.
    static std::vector<PassedValue> unique(std::vector<PassedValue> handed)
    {
        const auto order = [](const PassedValue& one) {
            return std::tuple(one.to, one.from, -one.from_row);
        };
        std::ranges::sort(handed, {}, order);
        const auto same = [](const PassedValue& a, const PassedValue& b) {
            return a.to == b.to && a.from == b.from;
        };
        handed.erase(std::unique(handed.begin(), handed.end(), same), handed.end());
        return handed;
    }

    // Stores replace the previous contents; atomics add to them, lane by lane.
    void write(const LaneEvent& event)
    {
        const bool adds = event.kind != LaneEvent::Kind::store;
        if (event.kind == LaneEvent::Kind::atomic) {
            std::vector<PassedValue> handed;
            int earliest = 0;
            for_each_lane(event.mask, [&](int lane) {
                for_each_word(event, lane, [&](std::uint64_t word) {
                    const auto found = authors_.find(word);
                    if (found == authors_.end() || found->second.empty()) return;
                    const Author& last = found->second.back();
                    if (last.thread == thread_of(event, lane)) return;
                    handed.push_back({last.thread, thread_of(event, lane), last.row});
                    earliest = std::max(earliest, last.row + 1);
                });
            });
            if (!handed.empty()) receive(event, unique(std::move(handed)), earliest, false);
        }
        WarpState& warp = warp_of(event);
        warp.open = false;
        for_each_lane(event.mask, [&](int lane) {
            const int thread = thread_of(event, lane);
            for_each_word(event, lane, [&](std::uint64_t word) {
                std::vector<Author>& authors = authors_[word];
                if (!adds) authors.clear();
                if (authors.size() < max_authors) authors.push_back({thread, warp.row});
                if (event.shared) return;
                ++all_.stored[static_cast<std::size_t>(thread)];
                all_.stored_after[static_cast<std::size_t>(thread)] = warp.row;
            });
        });
    }

    void shuffle(const LaneEvent& event)
    {
        std::vector<PassedValue> handed;
        const int row = warp_of(event).row;
        for_each_lane(event.mask, [&](int lane) {
            const auto from = static_cast<int>(event.of[static_cast<std::size_t>(lane)]);
            if (from != lane)
                handed.push_back({thread_of(event, from), thread_of(event, lane), row});
        });
        if (!handed.empty()) receive(event, std::move(handed), 0, false);
    }

    void together(const LaneEvent& event)
    {
        if ((event.mask & (event.mask - 1)) != 0) receive(event, {}, 0, false);
    }

    void barrier(const LaneEvent& event)
    {
        int row = 0;
        for (std::size_t w = 0; w < warps_.size(); ++w)
            if ((event.mask >> w & 1u) != 0) row = std::max(row, warps_[w].row);
        for (std::size_t w = 0; w < warps_.size(); ++w)
            if ((event.mask >> w & 1u) != 0) warps_[w] = {row, false, row > 0};
    }

    // Walks backwards from the last row, tracking which values are needed and up to which row.
    void mark_used()
    {
        std::vector<int> needed = all_.stored_after;
        if (!all_.complete) // values may be needed by the part that was not recorded
            std::ranges::fill(needed, static_cast<int>(all_.rows.size()));
        for (int row = static_cast<int>(all_.rows.size()); row > 0; --row) {
            ExchangeRow& one = all_.rows[static_cast<std::size_t>(row) - 1];
            for (std::size_t w = 0; w < one.together.size(); ++w) {
                bool wanted = false;
                for_each_lane(one.together[w], [&](int lane) {
                    const std::size_t thread = w * lanes + static_cast<std::size_t>(lane);
                    wanted |= thread < needed.size() && needed[thread] >= row;
                });
                if (!wanted) continue;
                for_each_lane(one.together[w], [&](int lane) {
                    const std::size_t thread = w * lanes + static_cast<std::size_t>(lane);
                    if (thread < needed.size()) needed[thread] = std::max(needed[thread], row - 1);
                });
            }
            for (PassedValue& handed : one.handed) {
                const auto to = static_cast<std::size_t>(handed.to);
                const auto from = static_cast<std::size_t>(handed.from);
                if (to >= needed.size() || from >= needed.size()) continue;
                handed.used = needed[to] >= row;
                if (handed.used) needed[from] = std::max(needed[from], handed.from_row);
            }
        }
    }

    const LaneRecording& recording_;
    Exchange all_;
    std::vector<WarpState> warps_;
    std::unordered_map<std::uint64_t, std::vector<Author>> authors_;
};

} // namespace

Exchange exchange_of(const LaneRecording& recording)
{
    return Follower(recording).follow();
}

} // namespace lanescope::trace

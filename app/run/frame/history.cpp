// Old slices are dropped as new ones arrive; a slice with many values keeps every second one, then
// every fourth.
#include "app/run/frame/history.h"

#include <utility>

namespace lanescope::app {

void History::add(double value, Clock::time_point when)
{
    const std::int64_t number = when.time_since_epoch() / slice;
    if (slices_.empty() || slices_.back().number != number)
        slices_.push_back({number, 0, 1, {}, {}});
    while (slices_.front().number <= number - span / slice) slices_.pop_front();
    newest_ = when;
    ++added_;
    Samples& now = slices_.back();
    if (now.seen++ % now.stride != 0) return;
    now.kept.push_back(value);
    now.known = {};
    if (now.kept.size() < max_kept) return;
    for (std::size_t i = 0; 2 * i < now.kept.size(); ++i) now.kept[i] = now.kept[2 * i];
    now.kept.resize((now.kept.size() + 1) / 2);
    now.stride *= 2;
}

Spread History::spread() const
{
    if (added_ <= known_.count / 16) return known_;
    std::vector<double> all;
    std::size_t seen = 0;
    for (const Samples& one : slices_) {
        all.insert(all.end(), one.kept.begin(), one.kept.end());
        seen += one.seen;
    }
    known_ = spread_of(std::move(all));
    known_.count = seen;
    added_ = 0;
    return known_;
}

std::vector<History::Slice> History::slices() const
{
    std::vector<Slice> all;
    for (const Samples& one : slices_) {
        const Clock::time_point end{(one.number + 1) * slice};
        const double age = std::chrono::duration<double>(newest_ - end).count();
        if (one.known.count == 0) one.known = spread_of(one.kept);
        all.push_back({std::max(age, 0.0), one.known});
        all.back().spread.count = one.seen;
    }
    return all;
}

} // namespace lanescope::app

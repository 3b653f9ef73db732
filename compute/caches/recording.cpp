// Modifiers are looked up in the text of each site: they are the same for every execution.
#include "compute/caches/recording.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "compute/error.h"

namespace lanescope::caches {

namespace {

bool has_word(const trace::Site& site, std::string_view word)
{
    const std::string_view opcode = std::string_view(site.ptx).substr(0, site.ptx.find('['));
    return opcode.find(word) != opcode.npos;
}

// True if the load must see stores of other threads: stores go to L2,
// so such loads are served there.
bool bypasses_l1(const trace::Site& site)
{
    constexpr std::array<std::string_view, 6> words{".cg",      ".cv",      ".volatile",
                                                    ".relaxed", ".acquire", ".mmio"};
    for (const std::string_view word : words)
        if (has_word(site, word)) return !has_word(site, ".cta");
    return false;
}

Access use_of(const trace::Site& site)
{
    switch (site.op) {
    case trace::Op::store: return Access::store;
    case trace::Op::atomic:
    case trace::Op::reduction: return Access::atomic;
    case trace::Op::load:
    case trace::Op::branch: break;
    }
    return bypasses_l1(site) ? Access::load_at_l2 : Access::load;
}

} // namespace

std::vector<Access> uses_of(const std::vector<trace::Site>& sites)
{
    std::vector<Access> uses;
    uses.reserve(sites.size());
    for (const trace::Site& site : sites) uses.push_back(use_of(site));
    return uses;
}

void Recording::begin(const Dim3& launch_grid, const Dim3& launch_block,
                      std::vector<trace::Site> launch_sites)
{
    constexpr std::uint64_t max_blocks = std::uint64_t{1} << 24; // 800 MB without any access
    if (launch_grid.count() > max_blocks || launch_sites.size() > Word::max_sites)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("The caches cannot be followed: the launch has {} blocks and {} "
                                "memory instructions; at most {} and {} are recorded.",
                                launch_grid.count(), launch_sites.size(), max_blocks,
                                Word::max_sites),
                    "Choose a smaller grid.");
    grid = launch_grid;
    block = launch_block;
    uses = uses_of(launch_sites);
    sites = std::move(launch_sites);
    blocks.assign(grid.count(), {});
    words = 0;
}

Recording& Recordings::add()
{
    std::uint64_t left = max_words_;
    for (const Recording& launch : *this) left -= std::min(left, launch.words.load());
    emplace_back().max_words = left;
    return back();
}

bool Recordings::overflow() const
{
    return std::ranges::any_of(*this, [](const Recording& one) { return one.overflows(); });
}

} // namespace lanescope::caches

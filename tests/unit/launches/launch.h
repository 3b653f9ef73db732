// A drawn launch on the lockstep machine, in memory from which no access can stray unseen: what
// lies around the buffers cannot be touched or is looked at afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compute/simt/machine/options.h"
#include "compute/trace/trace.h"
#include "tests/unit/launches/drawn_text.h"

namespace lanescope::simt {

// A few pages between two stretches of gigabytes that no access may touch.
class GuardedPages {
public:
    GuardedPages();
    ~GuardedPages();
    GuardedPages(const GuardedPages&) = delete;
    GuardedPages& operator=(const GuardedPages&) = delete;

    // So many bytes at the pages' beginning or end. All others become canaries.
    std::span<std::byte> take(std::size_t bytes, bool at_end);
    bool canaries_live() const;
    static constexpr std::size_t most_bytes = 65536;
    // Of which canaries consist, each half another.
    static constexpr std::uint64_t canary = 0x5afe5afec0dec0de;

private:
    std::byte* all_ = nullptr;
    std::size_t all_bytes_ = 0;
    std::span<std::byte> pages_;
    std::span<std::byte> taken_;
};

// What a launch left.
struct Left {
    std::string refusal; // why it was not launched; empty: it was
    std::string strange; // an exception of a kind that nobody expects, or a dead canary
    std::vector<trace::Fault> faults;
    trace::Trace counts;
    std::vector<std::vector<std::byte>> memory;
    std::string printed;
    double seconds = 0;

    // Where a limit ended it, which is not looked at all the time.
    bool was_stopped() const;
    bool ended() const { return refusal.empty() && faults.empty(); }
};

// The memory of all launches; `seed` says how large buffers are and what they hold.
class LaunchWorld {
public:
    Left launch(const DrawnLaunch& drawn, NativeCode native, std::uint64_t seed);

private:
    GuardedPages first_, second_, texels_;
};

// Empty where both left the same, else what differs first.
std::string difference_of(const Left& one, const Left& other);

// The text with how it is launched in its first line, as `from_text` reads it.
std::string to_text(const DrawnLaunch& drawn, std::uint64_t seed);
DrawnLaunch from_text(std::string_view text, std::uint64_t& seed);

// A crash from now on prints this text; it must live until the next one is given.
void print_on_crash(const std::string& text);

} // namespace lanescope::simt

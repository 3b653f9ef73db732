// Runs a random launch on the lockstep machine. Every buffer is next to inaccessible pages or to
// canaries that are checked afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compute/simt/machine/state/options.h"
#include "compute/trace/trace.h"
#include "tests/unit/launches/drawn_text.h"

namespace lanescope::simt {

// A few accessible pages between gigabytes of inaccessible ones.
class GuardedPages {
public:
    GuardedPages();
    ~GuardedPages();
    GuardedPages(const GuardedPages&) = delete;
    GuardedPages& operator=(const GuardedPages&) = delete;

    // Returns this many bytes at the start or end of the pages; fills the rest with canaries.
    std::span<std::byte> take(std::size_t bytes, bool at_end);
    bool canaries_intact() const;
    static constexpr std::size_t max_bytes = 65536;
    // Canary pattern; its two halves are different.
    static constexpr std::uint64_t canary = 0x5afe5afec0dec0de;

private:
    std::byte* all_ = nullptr;
    std::size_t all_bytes_ = 0;
    std::span<std::byte> pages_;
    std::span<std::byte> taken_;
};

// Results of a launch.
struct Left {
    std::string refusal; // why it was refused; empty if it ran
    std::string strange; // an unexpected exception, or an overwritten canary
    std::vector<trace::Fault> faults;
    trace::Trace counts;
    std::vector<std::vector<std::byte>> memory;
    std::string printed;
    double seconds = 0;

    // True if a limit ended it. Limits are polled, so the instruction at which that happens varies.
    bool was_stopped() const;
    bool ended() const { return refusal.empty() && faults.empty(); }
};

// Memory reused by all launches; `seed` determines the buffers' sizes and contents.
class LaunchWorld {
public:
    Left launch(const DrawnLaunch& drawn, NativeCode native, std::uint64_t seed);

private:
    GuardedPages first_, second_, texels_;
};

// Describes the first difference; empty if both results are equal.
std::string difference_of(const Left& one, const Left& other);

// Writes a line that describes the launch, then the launch as text; from_text() reads both.
std::string to_text(const DrawnLaunch& drawn, std::uint64_t seed);
DrawnLaunch from_text(std::string_view text, std::uint64_t& seed);

// If the process crashes, prints this text, which must exist until the next call.
void print_on_crash(const std::string& text);

} // namespace lanescope::simt

// The option --caches: which caches of the simulated GPU serve the accesses of a counted launch.
#pragma once

#include <memory>
#include <string>

#include "app/commands/shared/options.h"
#include "app/export/output/caches_output.h"
#include "app/export/output/time_output.h"
#include "compute/caches/recording.h"
#include "compute/device/device.h"

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace lanescope::app {

struct CachesChoice {
    std::string before; // "cold" or "warm"; empty: the caches are not shown
    bool time = false;  // predict the time, for which the caches are followed, too

    bool shown() const { return !before.empty(); }
    bool wanted() const { return shown() || time; }
    std::string contents() const { return shown() ? before : "warm"; }
};
// Adds --caches[=cold|warm].
CLI::Option* add_caches_option(CLI::App& command, CachesChoice& choice);
// Adds --time.
CLI::Option* add_time_option(CLI::App& command, CachesChoice& choice);

// True if diverged lanes reconverge where the SASS does.
bool meets_as_sass(const SassChoice& sass, const CachesChoice& choice);

// The engine for a device option: with --caches, "auto" is the lockstep machine.
std::string device_of(const CachesChoice& choice, const std::string& device);

// Records the device's traced launches during its lifetime, if the caches are wanted. Throws Error
// (bad_usage) for a GPU.
class CacheRecording {
public:
    CacheRecording(const CachesChoice& choice, device::Device& device);

    // The sites are those of `trace`, in which the launches were counted. Null if the
    // caches are not wanted.
    std::unique_ptr<CacheReport> report(const trace::Trace& trace) const;
    // The predicted time of the step, whose kernels are in this text. Null without --time.
    std::unique_ptr<TimeReport> time(const CacheReport* caches, std::string_view ptx) const;

private:
    const CachesChoice& choice_;
    std::unique_ptr<RecordedAccesses> recorded_; // null: not wanted
};

} // namespace lanescope::app

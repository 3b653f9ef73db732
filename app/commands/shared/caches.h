// The option --caches: which caches of the simulated GPU serve the accesses of a counted launch.
#pragma once

#include <memory>
#include <string>

#include "app/export/caches_output.h"
#include "compute/caches/recording.h"
#include "compute/device/device.h"

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace lanescope::app {

struct CachesChoice {
    std::string before; // "cold" or "warm"; empty: off

    bool wanted() const { return !before.empty(); }
};
// Adds --caches[=cold|warm].
CLI::Option* add_caches_option(CLI::App& command, CachesChoice& choice);

// The engine for a device option: with --caches, "auto" is the lockstep machine.
std::string device_of(const CachesChoice& choice, const std::string& device);

// Records the device's traced launches during its lifetime, if --caches was given. Throws Error
// (bad_usage) for a GPU.
class CacheRecording {
public:
    CacheRecording(const CachesChoice& choice, device::Device& device);
    ~CacheRecording();
    CacheRecording(const CacheRecording&) = delete;
    CacheRecording& operator=(const CacheRecording&) = delete;

    // The sites are those of `trace`, in which the launches were counted. Null without --caches.
    std::unique_ptr<CacheReport> report(const trace::Trace& trace) const;

private:
    const CachesChoice& choice_;
    device::Device& device_;
    std::unique_ptr<caches::Recordings> launches_;
};

} // namespace lanescope::app

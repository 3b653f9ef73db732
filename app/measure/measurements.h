// Times measured on another machine, written by `bench --record`, each with its device, driver and
// date. The program embeds one such file, so that there are times to show without a GPU.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/measure/roofs.h"
#include "compute/experiment/lab/picture.h"

namespace lanescope::labs {
struct Lab;
}

namespace lanescope::app {

// Machine and date of a measurement.
struct MeasuredOn {
    std::string device{}; // "NVIDIA H200"
    std::string driver{}; // "580.159.04"
    std::string date{};   // "2026-11-22"

    std::string words() const; // "NVIDIA H200, driver 580.159.04, 2026-11-22"
    friend bool operator==(const MeasuredOn&, const MeasuredOn&) = default;
};

// One variant or peer at one problem size.
struct Measured {
    std::string lab{};
    std::string variant{}; // or the peer's title
    bool is_peer = false;
    std::string library{};                       // peer's library with its version
    std::string size{};                          // "l2" or "dram": fits the L2 cache or not
    std::map<std::string, std::string> values{}; // all parameters of the lab
    double median_ms = 0;                        // per step
    double p10_ms = 0;
    double p90_ms = 0;
    int samples = 0;
    double gb_per_s = 0;         // useful data per second
    double giga_items_per_s = 0; // cells, pixels, … (`item`)
    std::string item{};
    // Useful work, 0 without arithmetic; empty in older files.
    std::optional<double> gflop_per_s{};
    MeasuredOn on{};
};

struct MeasuredRoofs {
    Roofs roofs{};
    MeasuredOn on{};
};

struct MeasuredTimeline {
    labs::Timeline timeline{};
    MeasuredOn on{};
};

struct Measurements {
    using Values = std::map<std::string, std::string>; // parameters as text, by id

    std::vector<MeasuredRoofs> roofs{};        // one per machine and date
    std::vector<Measured> times{};             // in the order of labs and variants
    std::vector<MeasuredTimeline> timelines{}; // start and end of a step's operations

    // Times of one lab at one size.
    std::vector<const Measured*> of(std::string_view lab, std::string_view size) const;
    // Sizes at which the lab was measured, nearest to the values of its parameters first; if all
    // are equally near, the one that exceeds the cache first.
    std::vector<std::string> sizes_of(std::string_view lab, const Values& near) const;
    // Times of a lab at the requested size or, if none is requested or it was not measured, at the
    // size nearest to the values on screen. Empty if the lab has none.
    std::vector<const Measured*> shown_of(std::string_view lab, const Values& near,
                                          std::string_view wanted = {}) const;
    // The shown time of this variant; null if it was not recorded.
    const Measured* shown_of_variant(std::string_view lab, const Values& near,
                                     std::string_view variant) const;
    // For a step that draws frames: the mean time of a frame in a run of many, recorded on the same
    // device at the same values. Empty for other steps.
    std::optional<double> frame_ms(const Measured& one) const;
    // Roofs of that date or, if none were measured then, of another date on the same device.
    Roofs roofs_of(const MeasuredOn& on) const;
    // Timeline of the same variant at the nearest values, by ratio; null if none was recorded. It
    // states its origin.
    std::shared_ptr<const labs::Timeline> like(const labs::Timeline& untimed) const;
};

std::string to_json(const Measurements& measurements);
// The device without its vendor: "H100 80GB HBM3".
std::string without_vendor(std::string device);
// The device without its vendor and memory, for small type: "H100".
std::string model_of(const std::string& device);
// The parameters that determine the size of a recorded time: "size 8,192, each step doubles the
// roads".
std::string size_in_words(const labs::Lab& lab, const Measured& one);
// Formats a parameter's value: groups the digits of an integer.
std::string readable(const std::string& value);
// Throws Error (bad_usage) with the line of the missing or wrong entry; `name` is used in messages.
Measurements measurements_from_json(std::string_view text, const std::string& name);
// True if a JSON text declares measurements.
bool are_measurements(std::string_view text);
// Throws Error: no_such_thing if the file cannot be read, else as measurements_from_json.
Measurements load_measurements(const std::filesystem::path& file);

// Merges both: entries of `now` replace entries of `before` with the same lab and size, whatever
// their date. Each row keeps its own date.
Measurements joined(const Measurements& before, const Measurements& now);

// The embedded measurements; null if there are none.
std::shared_ptr<const Measurements> embedded_measurements();

// Shows this file's measurements from now on. Throws like load_measurements, changing nothing.
void show_measurements(const std::filesystem::path& file);
// Measurements shown beside this machine's own: those of the opened file or, on an engine without a
// clock, the embedded ones; null if there are none. Callable from any thread.
std::shared_ptr<const Measurements> shown_measurements(bool has_clock);

} // namespace lanescope::app

// Times that were measured on another machine: what `bench --record` wrote, each with its device,
// driver and date. One such file is part of the program, so that there are times to show where
// there is no GPU.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/measure/roofs.h"
#include "compute/labs/picture.h"

namespace lanescope::app {

// The machine and the day of a measurement.
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
    std::string library{};                       // of a peer, with its version
    std::string size{};                          // "l2" or "dram": fits the cache, or does not
    std::map<std::string, std::string> values{}; // all parameters of the lab
    double median_ms = 0;                        // of one step
    double p10_ms = 0;
    double p90_ms = 0;
    int samples = 0;
    double gb_per_s = 0;         // of useful work
    double giga_items_per_s = 0; // cells, pixels, … (`item`)
    std::string item{};
    // Of useful work, 0 where it computes nothing; none in older files.
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
    std::vector<MeasuredRoofs> roofs{};        // of every machine and day that times are of
    std::vector<Measured> times{};             // in the order of labs and variants
    std::vector<MeasuredTimeline> timelines{}; // when the operations of steps ran

    // Those of one lab at one size.
    std::vector<const Measured*> of(std::string_view lab, std::string_view size) const;
    // Those of a lab at the wanted size or, if none is wanted or it was not measured, at the one
    // that does not fit a cache. Empty: none of the lab.
    std::vector<const Measured*> shown_of(std::string_view lab, std::string_view wanted = {}) const;
    // Those of that day or, where none were measured then, of another on the same device.
    Roofs roofs_of(const MeasuredOn& on) const;
    // That of the same variant and of the nearest values, each counted by its ratio; null: none was
    // recorded. Its origin is told.
    std::shared_ptr<const labs::Timeline> like(const labs::Timeline& untimed) const;
};

std::string to_json(const Measurements& measurements);
// A parameter's value as it is read: the digits of a whole number in groups.
std::string readable(const std::string& value);
// Throws Error (bad_usage) with the line of what is missing or wrong; `name` is how it calls the
// text.
Measurements measurements_from_json(std::string_view text, const std::string& name);
// Whether a text of JSON says that it holds measurements.
bool are_measurements(std::string_view text);
// Throws Error: no_such_thing when the file cannot be read, or as measurements_from_json.
Measurements load_measurements(const std::filesystem::path& file);

// Both: what `now` has of a lab and size takes the place of what `before` has of them, whatever day
// that was; each row keeps its own.
Measurements joined(const Measurements& before, const Measurements& now);

// Those that the program carries; null where it carries none.
std::shared_ptr<const Measurements> embedded_measurements();

// From now on this file's are shown. Throws as load_measurements does, and then changes nothing.
void show_measurements(const std::filesystem::path& file);
// Those to be shown beside what this machine says: of a file, once one was opened, or, without a
// clock, those that the program carries. Null: none. From any thread.
std::shared_ptr<const Measurements> shown_measurements(bool has_clock);

} // namespace lanescope::app

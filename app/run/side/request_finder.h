// Finds the access, the warp and the request that are recorded for a choice: the chosen ones, or
// others if the choice leaves them open or does not exist.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/document/look/counting.h"
#include "compute/experiment/lab/lab.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

class RequestFinder {
public:
    explicit RequestFinder(const labs::Lab& lab);

    // Fills the request to record in the variant's next launch. `counted` is the last launch with
    // counts per site.
    void ask(const RequestChoice& wanted, const std::string& variant, const trace::Trace& counted,
             trace::WatchedRequest& request);
    // If the chosen warp makes no such request, selects one that exists: at the same access if any
    // warp executes it, else at the access with the most requests; by a warp near the start or end
    // of the launch. Later launches record it, too.
    void find(const RequestChoice& wanted, const std::string& variant, labs::Experiment& experiment,
              trace::Trace& trace);
    double worst_excess(const trace::Trace& counted) const; // of accesses that may be shown

    void forget_values();                // call when values change
    void forget_warp() { median_ = {}; } // call when the variant changes

private:
    const std::vector<trace::Site>& sites_of(const std::string& variant);
    int busier_modelled_site(const trace::Trace& trace, int other) const;
    int site_of(const RequestChoice& choice, const std::string& variant, const trace::Trace& trace);
    bool may_be_shown(const trace::Site& site, const trace::Trace& counted) const;
    std::uint32_t median_warp(int site, const trace::Trace& trace);
    bool has_stand_in(const RequestChoice& wanted, const std::string& variant) const;

    const labs::Lab& lab_;
    std::map<std::string, std::vector<trace::Site>> sites_; // keyed by variant, computed on demand
    RequestChoice last_request_; // its role is used if the user chooses no request
    // A request that is counted because the chosen one does not exist.
    struct StandIn {
        RequestChoice wanted;
        std::string variant;
        RequestChoice counted;
    };
    std::optional<StandIn> stand_in_;
    // The warp shown if none was chosen.
    struct MedianWarp {
        int site = -1;
        std::uint32_t warp = 0;
    };
    std::optional<MedianWarp> median_;
};

} // namespace lanescope::app

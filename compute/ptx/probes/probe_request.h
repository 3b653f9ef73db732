// Part of a memory access's probe that records one request of one warp, lane by lane. The setup
// kernel selects the request (Setting::wanted_request).
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace lanescope::ptx {

// The record that probes leave in the buffer, as in trace::WatchedRequest.
struct RequestRecord {
    std::uint32_t seen = 0;
    std::uint32_t active = 0;
    std::uint32_t is_shared = 0; // generic access: the memory that the request reached
    std::uint32_t padding = 0;
    std::array<std::uint64_t, 32> addresses{};
};

// Records the request of the lanes in &mask, which access a single space. Needs &address, &leader
// and &first.
std::string request_text(bool launches);

// Records the requests of a generic access, whose lanes may reach two spaces and thus make two
// requests. Needs &generic, &to_shared, &to_global, &shared_lanes and &global_lanes, and &leader
// and &first of &mask, which contains all of these lanes. Clobbers &address.
std::string generic_request_text(bool launches);

} // namespace lanescope::ptx

// What is to be opened: a session, another lab, the same afresh, a dropped file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document/session/session.h"

namespace lanescope::app {

// How a session takes the place of what is shown.
enum class Arrival : std::uint8_t {
    session, // everything as it says
    lab,     // another experiment, looked at in the same way as far as that goes
    restart, // the same experiment afresh
};

struct StepCost;
struct Talk;

struct Found {
    Arrival arrival = Arrival::restart;
    Session session;
    std::shared_ptr<const Talk> talk{};  // that begins with the session; null: none
    std::vector<std::string> notes{};    // sentences for the user
    std::filesystem::path kernel_file{}; // that may be edited elsewhere meanwhile; empty: none
    std::filesystem::path program{};     // built, that may be run; empty: none
};

// What the user asked for.
struct OpenJob {
    std::string what;                         // for the progress bar: "rotate.png"
    std::function<Found()> find;              // called on a thread of its own; may throw
    std::optional<std::string> engine{};      // to be opened first; else the present one serves
    std::string validated{};                  // a variant that is known to run; empty: none
    std::shared_ptr<const StepCost> counts{}; // of that one's first step; null: none
};

// What a file that is dropped on the window asks for: a session (JSON, or a picture that holds
// one), a lecture, kernels of the user's own (.cu, .ptx), a lab's folder, a program that is built
// or, if the present lab takes pictures, a picture. Throws Error that says what is wrong with it.
Found find_in_file(const std::filesystem::path& file, const Session& present);

} // namespace lanescope::app

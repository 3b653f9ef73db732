// Something to open: a session, another lab, a restart, a dropped file.
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

// How a session replaces the current view.
enum class Arrival : std::uint8_t {
    session, // replaces everything
    lab,     // another experiment, keeping the look as far as possible
    restart, // the same experiment from the start
};

struct StepCost;
struct Talk;

struct Found {
    Arrival arrival = Arrival::restart;
    Session session;
    std::shared_ptr<const Talk> talk{};  // talk that starts with the session; null if none
    std::vector<std::string> notes{};    // sentences for the user
    std::filesystem::path kernel_file{}; // file to watch for changes by other editors; empty: none
    std::filesystem::path program{};     // compiled program that may be run; empty: none
};

// A user request.
struct OpenJob {
    std::string what;                         // for the progress bar: "rotate.png"
    std::function<Found()> find;              // called on a separate thread; may throw
    std::optional<std::string> engine{};      // engine to open first; empty: the current one
    std::string validated{};                  // variant known to run; empty: none
    std::shared_ptr<const StepCost> counts{}; // counts of the first step of `validated`
};

// Classifies a file dropped on the window: a session (JSON, or a picture that contains one), a
// lecture, the user's kernels (.cu, .ptx), a Python script, whose text alone is read, a lab's
// folder, a compiled program or, if the current lab uses pictures, a picture. Throws Error that
// says what is wrong with it.
Found find_in_file(const std::filesystem::path& file, const Session& present);

// The lab of a launch of a Python script that is open. If the kernel is in the script itself, its
// text can be edited and saved there. Keeps the look if `present` shows a launch of that kernel.
Found find_launch_of_script(const std::filesystem::path& lab, const std::filesystem::path& source,
                            const std::filesystem::path& script, const Session& present);

} // namespace lanescope::app

// A sandboxed process for each submission: in bubblewrap where it works, otherwise restricted by
// Landlock and seccomp (process/walls.h). It reads the job from its input and writes facts to its
// output; verdicts and reports are written by the process that started it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>

#include "app/judge/assignment.h"
#include "app/judge/measured.h"

namespace lanescope::app {

enum class Sandbox : std::uint8_t {
    bubblewrap, // namespaces (no network, home folder or other processes), and the walls below
    walls,      // Landlock, seccomp and resource limits
    none
};
std::string_view name(Sandbox sandbox);

// The strongest sandbox that this machine supports.
Sandbox best_sandbox();

// Result of the process: facts, or why there are none.
struct Judged {
    std::string facts{};   // JSON of measured(); empty: none
    std::string problem{}; // a sentence, if there are no facts
    bool timed_out = false;
};

// Blocks until the process has ended, which takes at most the assignment's time limit. Callable
// from several threads. Throws Error (device_unavailable) if no process can be started.
Judged judge_in_process(const Assignment& assignment, const SubmittedTexts& texts, Sandbox sandbox);

// Argument that makes the program a judging process, which calls judge_for_parent().
constexpr const char* judge_word = "--judge-for-another";
int judge_for_parent();

} // namespace lanescope::app

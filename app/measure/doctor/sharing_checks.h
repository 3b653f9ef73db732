// Known causes that keep CUDA from sharing memory with OpenGL: each is looked for on this machine,
// with how it was found out and what to do.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::app {

struct Diagnosis;

// Facts about the machine and the session; tests supply their own.
struct Surroundings {
    std::map<std::string, std::string> environment; // variables that the checks read, if set
    bool wsl = false;
    bool container = false;
    bool open_kernel_module = false;        // NVIDIA's kernel driver is the open one
    std::vector<unsigned> nvidia_devices;   // PCI device ids of NVIDIA's graphics processors
    std::vector<unsigned> other_vendors;    // PCI vendor ids of other graphics processors
    std::vector<std::string> egl_libraries; // names of the files that register EGL libraries
};

Surroundings look_around();

struct SharingCheck {
    // `limit`: a restriction found on every machine, so there is nothing to mend.
    enum class State { fine, problem, limit, unknown };
    std::string id;
    std::string title;
    State state = State::unknown;
    std::string finding;  // a sentence
    std::string evidence; // how it was found out, a noun phrase
    std::string cure;     // a sentence; empty if nothing is to be done
};

std::vector<SharingCheck> sharing_checks(const Diagnosis& found, const Surroundings& around);

std::string_view name(SharingCheck::State state);

} // namespace lanescope::app

// NVIDIA's run-time compiler, loaded on demand so that the program starts without it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::cuda {

// A name in ASCII that stands for another: "_e5_80_8d.cu" for "倍.cu".
std::string in_ascii(const std::string& name);

class Nvrtc {
public:
    // Null when no NVRTC library can be loaded.
    static std::unique_ptr<Nvrtc> load();
    ~Nvrtc();

    struct Result {
        bool compiled = false;
        std::string ptx;
        std::string log; // errors and warnings, with their lines
    };
    Result compile(const std::string& text, const std::string& name,
                   const std::vector<std::string>& options) const;
    const std::string& path() const { return path_; }

private:
    struct Functions;
    Nvrtc(std::unique_ptr<Functions> functions, std::string path);
    std::unique_ptr<Functions> functions_;
    std::string path_;
};

} // namespace lanescope::cuda

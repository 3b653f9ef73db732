// The calls of a step that concern OpenGL, and the memory that they hand over. Every call checks
// who owns the memory at that time; misuse is a fault at the call's line in the source.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "compute/device/graphics.h"
#include "compute/experiment/record/record.h"

namespace lanescope::labs {

// A call as the variant's source shows it.
struct HostCall {
    std::string kernel{};
    std::string file{};
    int line = 0; // 0: the source does not show it
};

// Words by which the source of a variant shows the action, as "glDraw"; empty: it shows none.
std::string_view call_words(Action::Kind kind, bool is_image);

// Outside of a step all memory belongs to the device.
class FrameCalls {
public:
    explicit FrameCalls(device::Device& device) : device_(device) {}

    // Memory of OpenGL's or, if the device cannot share it, of the device.
    std::shared_ptr<device::Buffer> buffer(const std::string& name, std::size_t bytes);
    std::shared_ptr<device::Image> image(const std::string& name, int width, int height,
                                         device::Format format);
    bool shares(const std::string& name) const { return all_.contains(name); }
    bool is_image(const std::string& name) const { return all_.at(name).image != nullptr; }

    // Null, and the reason, where calls are only counted. Chosen with the first memory: until then
    // null and empty.
    device::Graphics* graphics() const { return graphics_.get(); }
    const std::string& reason() const { return reason_; }

    // Gives the memory of these names to OpenGL for a step; those in `registering` are not even
    // registered, because the step does that.
    void begin(const std::set<std::string>& names, const std::set<std::string>& registering);
    void end();
    bool running() const { return running_; }

    void register_memory(const std::string& name, const HostCall& call);
    void unregister_memory(const std::string& name, const HostCall& call);
    void map(const std::string& name, const HostCall& call);
    void unmap(const std::string& name, const HostCall& call);
    void update(const std::string& name, std::span<const std::byte> bytes, const HostCall& call);
    void draw(const std::string& name, const HostCall& call);
    void present();
    void finish();
    // Throws the fault of a kernel that uses memory which OpenGL owns.
    void require_mapped(const std::string& name, const HostCall& call) const;

private:
    struct Memory {
        std::weak_ptr<void> alive{};
        device::GraphicsResource* resource = nullptr; // null: only counted
        device::Address address = 0;                  // of a counted buffer
        const device::Image* image = nullptr;
        bool registered = true;
        bool mapped = true;
    };
    void choose();
    Memory& at(const std::string& name) { return all_.at(name); }
    void require_unmapped(const std::string& name, const HostCall& call, std::string_view does);

    device::Device& device_;
    bool chosen_ = false;
    std::shared_ptr<device::Graphics> graphics_;
    std::string reason_;
    std::map<std::string, Memory> all_;
    std::set<std::string> used_; // by the current step
    bool running_ = false;
};

} // namespace lanescope::labs

// Keys and dropped files as the window system reports them, in order and each with its modifiers:
// none is lost when a frame takes long, and no key meets the modifiers of a later moment.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

struct GLFWwindow;

namespace lanescope::app {

struct KeyEvent {
    int key = 0;       // GLFW_KEY_…
    int modifiers = 0; // GLFW_MOD_SHIFT, _CONTROL, _ALT, _SUPER
    bool repeat = false;
};

// Must be made before Dear ImGui installs its own callbacks, which pass on what they see.
class InputEvents {
public:
    explicit InputEvents(GLFWwindow* window);
    InputEvents(const InputEvents&) = delete;
    InputEvents& operator=(const InputEvents&) = delete;

    // What has come and not been taken, oldest first.
    std::span<const KeyEvent> waiting_keys() const { return keys_; }
    // The oldest; nothing when there is none.
    std::optional<KeyEvent> take_key();
    std::optional<std::filesystem::path> take_drop();

private:
    std::vector<KeyEvent> keys_;
    std::vector<std::filesystem::path> drops_;
};

} // namespace lanescope::app

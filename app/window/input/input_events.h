// Keys and dropped files as the window system reports them, in order and each with its modifiers:
// none is lost when a frame takes long, and no key meets the modifiers of a later moment. What Dear
// ImGui needs is passed on to it, the mouse in the points that widgets are laid out in.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "app/window/input/chords.h"

struct GLFWwindow;

namespace lanescope::render {
class Window;
}

namespace lanescope::app {

// Takes over the window's callbacks; Dear ImGui installs none of its own.
class InputEvents {
public:
    explicit InputEvents(const render::Window& window);
    InputEvents(const InputEvents&) = delete;
    InputEvents& operator=(const InputEvents&) = delete;

    // The oldest; nothing when there is none.
    std::optional<KeyEvent> take_key();
    const KeyEvent* oldest() const { return keys_.empty() ? nullptr : &keys_.front(); }
    std::optional<std::filesystem::path> take_drop();
    // The oldest key for which `wanted` is true is taken, before others that wait; false: none.
    bool take_first(const std::function<bool(const KeyEvent&)>& wanted);

private:
    void note_character(char32_t character);

    static InputEvents& of(GLFWwindow* window);

    const render::Window& window_;
    std::vector<KeyEvent> keys_;
    std::vector<std::filesystem::path> drops_;
};

// Dear ImGui takes a key or a character a frame, and falls behind who types fast: what was typed
// before this key is taken back from it, so that a dialogue that the key opens does not get it.
void forget_typed_before(const KeyEvent& key);

} // namespace lanescope::app

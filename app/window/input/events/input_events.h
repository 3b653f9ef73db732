// Keys and dropped files as the window system reports them, in order and each with its modifiers:
// none is lost when a frame takes long, and no key is combined with later modifiers. Events for
// Dear ImGui are forwarded, with the mouse in points, the unit of widgets.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "app/window/input/events/chords.h"

struct GLFWwindow;

namespace lanescope::render {
class Window;
}

namespace lanescope::app {

// Installs the window's callbacks; Dear ImGui installs none of its own.
class InputEvents {
public:
    explicit InputEvents(const render::Window& window);
    InputEvents(const InputEvents&) = delete;
    InputEvents& operator=(const InputEvents&) = delete;

    // Returns and removes the oldest key; empty if there is none.
    std::optional<KeyEvent> take_key();
    const KeyEvent* oldest() const { return keys_.empty() ? nullptr : &keys_.front(); }
    std::optional<std::filesystem::path> take_drop();
    // Removes the oldest key that satisfies `wanted`, even if others are older; returns false if
    // there is none.
    bool take_first(const std::function<bool(const KeyEvent&)>& wanted);

private:
    void note_character(char32_t character);

    static InputEvents& of(GLFWwindow* window);

    const render::Window& window_;
    std::vector<KeyEvent> keys_;
    std::vector<std::filesystem::path> drops_;
};

// Dear ImGui processes one key or character per frame, and lags behind fast typing: removes events
// from before this key from its queue, so that a dialogue that the key opens does not get them.
void forget_typed_before(const KeyEvent& key);

} // namespace lanescope::app

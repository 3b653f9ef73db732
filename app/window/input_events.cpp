// See input_events.h.
#include "app/window/input_events.h"

#include <GLFW/glfw3.h>

#include <utility>

namespace lanescope::app {
namespace {

constexpr int told_apart = GLFW_MOD_SHIFT | GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER;

InputEvents& events_of(GLFWwindow* window)
{
    return *static_cast<InputEvents*>(glfwGetWindowUserPointer(window));
}

template <class Event>
std::optional<Event> take_first(std::vector<Event>& events)
{
    if (events.empty()) return {};
    Event first = std::move(events.front());
    events.erase(events.begin());
    return first;
}

} // namespace

InputEvents::InputEvents(GLFWwindow* window)
{
    glfwSetWindowUserPointer(window, this);
    glfwSetKeyCallback(window, [](GLFWwindow* at, int key, int, int action, int modifiers) {
        if (action == GLFW_RELEASE) return;
        events_of(at).keys_.push_back({key, modifiers & told_apart, action == GLFW_REPEAT});
    });
    glfwSetDropCallback(window, [](GLFWwindow* at, int count, const char** files) {
        for (int i = 0; i < count; ++i) events_of(at).drops_.emplace_back(files[i]);
    });
}

std::optional<KeyEvent> InputEvents::take_key()
{
    return take_first(keys_);
}

std::optional<std::filesystem::path> InputEvents::take_drop()
{
    return take_first(drops_);
}

} // namespace lanescope::app

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

std::vector<KeyEvent> InputEvents::take_keys()
{
    return std::exchange(keys_, {});
}

std::vector<std::filesystem::path> InputEvents::take_drops()
{
    return std::exchange(drops_, {});
}

} // namespace lanescope::app

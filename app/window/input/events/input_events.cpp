// A key is reported in two parts: its position, then the character it produced, if any.
#include "app/window/input/events/input_events.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_internal.h>
#ifdef __EMSCRIPTEN__
#include <emscripten/html5.h>
#endif

#include <algorithm>
#include <utility>

#include "render/context/window.h"

namespace lanescope::app {
namespace {

constexpr int relevant_modifiers =
    GLFW_MOD_SHIFT | GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER;

template <class Event>
std::optional<Event> oldest_of(std::vector<Event>& events)
{
    if (events.empty()) return {};
    Event first = std::move(events.front());
    events.erase(events.begin());
    return first;
}

#ifdef __EMSCRIPTEN__ // Emscripten's GLFW turns a trackpad's smallest move into a whole notch
void follow_wheel(const render::Window& window)
{
    constexpr double notch_px = 100, notch_lines = 3;
    const auto turned = [](int, const EmscriptenWheelEvent* event, void*) -> EM_BOOL {
        const double notch = event->deltaMode == DOM_DELTA_LINE ? notch_lines : notch_px;
        ImGui::GetIO().AddMouseWheelEvent(static_cast<float>(-event->deltaX / notch),
                                          static_cast<float>(-event->deltaY / notch));
        return EM_TRUE; // keep the page from scrolling
    };
    static_cast<void>(window);
    emscripten_set_wheel_callback("#canvas", nullptr, false, turned);
}
#else
void follow_wheel(const render::Window& window)
{
    glfwSetScrollCallback(window.handle(), ImGui_ImplGlfw_ScrollCallback);
}
#endif

// The label that the layout prints on the key: the first character of its name.
char32_t label_of(int key, int scancode)
{
#ifdef __EMSCRIPTEN__ // browsers report keys by label
    static_cast<void>(scancode);
    if (key < GLFW_KEY_SPACE || key > GLFW_KEY_GRAVE_ACCENT) return 0;
    return key >= 'A' && key <= 'Z' ? static_cast<char32_t>(key) + 32U : static_cast<char32_t>(key);
#else
    const char* const name = glfwGetKeyName(key, scancode);
    if (name == nullptr) return 0;
    const auto byte = [&](int i) { return static_cast<unsigned char>(name[i]); };
    if (byte(0) < 0x80) return byte(0) >= 'A' && byte(0) <= 'Z' ? byte(0) + 32U : byte(0);
    if (byte(0) >> 5 == 6) return (byte(0) & 0x1FU) << 6 | (byte(1) & 0x3FU);
    return (byte(0) & 0xFU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
#endif
}

} // namespace

InputEvents& InputEvents::of(GLFWwindow* window)
{
    return *static_cast<InputEvents*>(glfwGetWindowUserPointer(window));
}

InputEvents::InputEvents(const render::Window& window) : window_(window)
{
    GLFWwindow* const handle = window.handle();
    glfwSetWindowUserPointer(handle, this);
    glfwSetKeyCallback(handle, [](GLFWwindow* at, int key, int scancode, int action, int mods) {
        const unsigned first = ImGui::GetCurrentContext()->InputEventsNextEventId;
        ImGui_ImplGlfw_KeyCallback(at, key, scancode, action, mods);
        if (action == GLFW_RELEASE) return;
        of(at).keys_.push_back({key, mods & relevant_modifiers, action == GLFW_REPEAT,
                                label_of(key, scancode), 0, first});
    });
#ifdef __EMSCRIPTEN__ // Emscripten's GLFW has a single character callback
    glfwSetCharCallback(handle, [](GLFWwindow* at, unsigned character) {
        ImGui_ImplGlfw_CharCallback(at, character);
        of(at).note_character(character);
    });
#else
    glfwSetCharCallback(handle, ImGui_ImplGlfw_CharCallback);
    glfwSetCharModsCallback(
        handle, [](GLFWwindow* at, unsigned character, int) { of(at).note_character(character); });
#endif
    glfwSetDropCallback(handle, [](GLFWwindow* at, int count, const char** files) {
        for (int i = 0; i < count; ++i) of(at).drops_.emplace_back(files[i]);
    });
    glfwSetCursorPosCallback(handle, [](GLFWwindow* at, double x, double y) {
        const double points = of(at).window_.coordinates_per_point();
        ImGui_ImplGlfw_CursorPosCallback(at, x / points, y / points);
    });
    glfwSetWindowFocusCallback(handle, ImGui_ImplGlfw_WindowFocusCallback);
    glfwSetCursorEnterCallback(handle, ImGui_ImplGlfw_CursorEnterCallback);
    glfwSetMouseButtonCallback(handle, ImGui_ImplGlfw_MouseButtonCallback);
    follow_wheel(window);
    glfwSetMonitorCallback(ImGui_ImplGlfw_MonitorCallback);
}

void InputEvents::note_character(char32_t character)
{
    if (!keys_.empty() && keys_.back().character == 0)
        keys_.back().character = character;
    else // a further character of the same key, or a composed one without a key
        keys_.push_back({GLFW_KEY_UNKNOWN, 0, false, 0, character, 0});
}

std::optional<KeyEvent> InputEvents::take_key()
{
    return oldest_of(keys_);
}

bool InputEvents::take_first(const std::function<bool(const KeyEvent&)>& wanted)
{
    const auto found = std::ranges::find_if(keys_, wanted);
    if (found == keys_.end()) return false;
    keys_.erase(found);
    return true;
}

std::optional<std::filesystem::path> InputEvents::take_drop()
{
    return oldest_of(drops_);
}

void forget_typed_before(const KeyEvent& key)
{
    ImVector<ImGuiInputEvent>& waiting = ImGui::GetCurrentContext()->InputEventsQueue;
    const auto typed = [&](const ImGuiInputEvent& one) {
        const bool keyboard =
            one.Type == ImGuiInputEventType_Key || one.Type == ImGuiInputEventType_Text;
        return keyboard && one.EventId < key.gui_event;
    };
    const auto kept = std::remove_if(waiting.begin(), waiting.end(), typed);
    waiting.resize(static_cast<int>(kept - waiting.begin()));
    ImGui::GetIO().ClearInputKeys(); // otherwise a key whose release event was lost would stay down
}

} // namespace lanescope::app

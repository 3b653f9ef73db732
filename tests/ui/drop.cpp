// XDND source: enter → position ⇄ status → drop → the target requests the selection → finished.
#include "tests/ui/drop.h"

#include <X11/Xatom.h>
#include <X11/Xlib.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace lanescope::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Formats URIs such as "file:///a%20b", with line endings according to RFC 2483.
std::string uri_list(const std::vector<std::filesystem::path>& files)
{
    std::string text;
    for (const auto& file : files) {
        text += "file://";
        for (const char c : file.string()) {
            const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '/' ||
                               c == '-' || c == '.' || c == '_';
            text +=
                plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
        text += "\r\n";
    }
    return text;
}

class DragSource {
public:
    explicit DragSource(const std::string& name) : display_(XOpenDisplay(name.c_str()))
    {
        if (!display_) throw std::runtime_error("the display " + name + " cannot be opened");
        const Window root = DefaultRootWindow(display_);
        window_ = XCreateSimpleWindow(display_, root, 0, 0, 1, 1, 0, 0, 0);
        target_ = find_target(root);
    }
    ~DragSource() { XCloseDisplay(display_); }
    DragSource(const DragSource&) = delete;
    DragSource& operator=(const DragSource&) = delete;

    void drop(const std::string& uris)
    {
        XWindowAttributes at{};
        XGetWindowAttributes(display_, target_, &at);
        const long middle = static_cast<long>(at.x + at.width / 2) << 16 | (at.y + at.height / 2);
        XSetSelectionOwner(display_, atom("XdndSelection"), window_, CurrentTime);
        send("XdndEnter", {5L << 24, static_cast<long>(atom("text/uri-list")), 0, 0});
        send("XdndPosition", {0, middle, CurrentTime, static_cast<long>(atom("XdndActionCopy"))});
        // Wine reads the names before it answers.
        if ((await("XdndStatus", uris).data.l[1] & 1) == 0)
            throw std::runtime_error("the window refuses the drop");
        send("XdndDrop", {0, CurrentTime, 0, 0});
        await("XdndFinished", uris);
    }

private:
    Atom atom(const char* name) const { return XInternAtom(display_, name, False); }

    Window find_target(Window parent) const
    {
        Window root = 0, above = 0;
        Window* children = nullptr;
        unsigned count = 0;
        XQueryTree(display_, parent, &root, &above, &children, &count);
        Window found = 0;
        for (unsigned i = 0; i < count && !found; ++i) {
            Atom type = 0;
            int format = 0;
            unsigned long items = 0, rest = 0;
            unsigned char* data = nullptr;
            XGetWindowProperty(display_, children[i], atom("XdndAware"), 0, 1, False,
                               AnyPropertyType, &type, &format, &items, &rest, &data);
            if (data) XFree(data);
            XWindowAttributes at{};
            XGetWindowAttributes(display_, children[i], &at);
            if (items > 0 && at.map_state == IsViewable) found = children[i];
        }
        if (children) XFree(children);
        if (!found) throw std::runtime_error("no window takes drops");
        return found;
    }

    // Sends a message to the target. `rest` is its last four values; the first is our window.
    void send(const char* name, const std::array<long, 4>& rest)
    {
        XEvent event{};
        event.xclient.type = ClientMessage;
        event.xclient.window = target_;
        event.xclient.message_type = atom(name);
        event.xclient.format = 32;
        event.xclient.data.l[0] = static_cast<long>(window_);
        std::copy(rest.begin(), rest.end(), event.xclient.data.l + 1);
        XSendEvent(display_, target_, False, NoEventMask, &event);
        XFlush(display_);
    }

    // Waits for the target's message of this name, and serves requests for `uris` in the meantime.
    XClientMessageEvent await(const char* name, const std::string& uris)
    {
        const auto deadline = Clock::now() + 30s;
        while (Clock::now() < deadline) {
            if (XPending(display_) == 0) {
                std::this_thread::sleep_for(2ms);
                continue;
            }
            XEvent event{};
            XNextEvent(display_, &event);
            if (event.type == SelectionRequest) hand_over(event.xselectionrequest, uris);
            if (event.type == ClientMessage && event.xclient.message_type == atom(name))
                return event.xclient;
        }
        throw std::runtime_error(fmt::format("the window did not answer with {}", name));
    }

    void hand_over(const XSelectionRequestEvent& asked, const std::string& uris)
    {
        XChangeProperty(display_, asked.requestor, asked.property, asked.target, 8, PropModeReplace,
                        reinterpret_cast<const unsigned char*>(uris.data()),
                        static_cast<int>(uris.size()));
        XEvent event{};
        event.xselection.type = SelectionNotify;
        event.xselection.requestor = asked.requestor;
        event.xselection.selection = asked.selection;
        event.xselection.target = asked.target;
        event.xselection.property = asked.property;
        event.xselection.time = asked.time;
        XSendEvent(display_, asked.requestor, False, NoEventMask, &event);
        XFlush(display_);
    }

    ::Display* display_;
    Window window_ = 0;
    Window target_ = 0;
};

} // namespace

void drop_files(const std::string& display, const std::vector<std::filesystem::path>& files)
{
    DragSource(display).drop(uri_list(files));
}

} // namespace lanescope::test

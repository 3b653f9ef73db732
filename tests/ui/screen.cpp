// Reads the screen and sets resources through Xlib.
#include "tests/ui/screen.h"

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <stdexcept>

namespace lanescope::test {

namespace {

std::unique_ptr<Display, int (*)(Display*)> open(const std::string& display)
{
    std::unique_ptr<Display, int (*)(Display*)> screen(XOpenDisplay(display.c_str()),
                                                       XCloseDisplay);
    if (!screen) throw std::runtime_error("the display " + display + " cannot be opened");
    return screen;
}

} // namespace

void set_scale(const std::string& display, double scale)
{
    const auto screen = open(display);
    const std::string dots_per_inch = std::to_string(std::lround(96 * scale));
    const std::string settings = "Xft.dpi:\t" + dots_per_inch + "\n";
    XChangeProperty(screen.get(), DefaultRootWindow(screen.get()), XA_RESOURCE_MANAGER, XA_STRING,
                    8, PropModeReplace, reinterpret_cast<const unsigned char*>(settings.data()),
                    static_cast<int>(settings.size()));
}

render::ImageFile picture_of_screen(const std::string& display)
{
    const auto screen = open(display);
    const int number = DefaultScreen(screen.get());
    render::ImageFile picture;
    picture.width = DisplayWidth(screen.get(), number);
    picture.height = DisplayHeight(screen.get(), number);
    const auto drop = [](XImage* image) { XDestroyImage(image); };
    const std::unique_ptr<XImage, decltype(drop)> image(XGetImage(
        screen.get(), RootWindow(screen.get(), number), 0, 0, static_cast<unsigned>(picture.width),
        static_cast<unsigned>(picture.height), AllPlanes, ZPixmap));
    if (!image) throw std::runtime_error("the screen of " + display + " cannot be read");
    for (int y = 0; y < picture.height; ++y)
        for (int x = 0; x < picture.width; ++x) {
            const unsigned long rgb = XGetPixel(image.get(), x, y); // 24 bits, as set up
                                                                    // by Desk
            for (const int shift : {16, 8, 0})
                picture.rgba.push_back(static_cast<std::uint8_t>(rgb >> shift & 255));
            picture.rgba.push_back(255);
        }
    return picture;
}

void keep_for_inspection(const render::ImageFile& picture, const std::string& name)
{
    render::Pixels pixels{picture.width, picture.height, {}};
    for (std::size_t i = 0; i < picture.rgba.size(); ++i)
        if (i % 4 != 3) pixels.rgb.push_back(picture.rgba[i]);
    std::filesystem::create_directories("ui");
    render::write_png(std::filesystem::path("ui") / (name + ".png"), pixels);
}

} // namespace lanescope::test

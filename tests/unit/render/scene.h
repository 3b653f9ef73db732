// A software OpenGL context in which any OpenGL error fails the test, and pictures drawn in it.
#pragma once

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "render/capture/pixel_reader.h"
#include "render/context/offscreen.h"
#include "render/gl/objects.h"
#include "render/views/paint/theme.h"

namespace lanescope::render {

class Scene : public testing::Test {
protected:
    void TearDown() override
    {
        EXPECT_NO_THROW(context_.debug_log()->check());
        EXPECT_NO_THROW(gl::check());
    }

    // Returns the pixels that `draw` produces on a black background.
    static Pixels picture(int width, int height, const std::function<void()>& draw, int samples = 1)
    {
        const gl::Target target(width, height, samples);
        target.bind();
        glClearColor(0, 0, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        draw();
        return read_pixels(target.resolve(), {0, 0, width, height});
    }

    template <class T>
    static gl::Buffer filled(const std::vector<T>& values)
    {
        return gl::Buffer(values.size() * sizeof(T), GL_DYNAMIC_STORAGE_BIT, values.data());
    }

    Offscreen context_{{std::nullopt, true}};
};

// x from the left, y from the top.
inline Colour pixel(const Pixels& pixels, int x, int y)
{
    const auto* rgb = pixels.rgb.data() +
                      3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(pixels.width) +
                           static_cast<std::size_t>(x));
    return {rgb[0], rgb[1], rgb[2]};
}

inline void PrintTo(const Colour& colour, std::ostream* out)
{
    *out << '(' << int{colour.red} << ", " << int{colour.green} << ", " << int{colour.blue} << ')';
}

inline int count_pixels(const Pixels& pixels, Colour colour)
{
    int count = 0;
    for (int y = 0; y < pixels.height; ++y)
        for (int x = 0; x < pixels.width; ++x) count += pixel(pixels, x, y) == colour ? 1 : 0;
    return count;
}

// A temporary folder per test.
class Folder {
public:
    Folder()
        : path_(std::filesystem::temp_directory_path() / ("lanescope-" + std::to_string(getpid())))
    {
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    std::filesystem::path operator/(const char* name) const { return path_ / name; }
    std::vector<std::string> names() const
    {
        std::vector<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator(path_))
            found.push_back(entry.path().filename().string());
        std::ranges::sort(found);
        return found;
    }

private:
    std::filesystem::path path_;
};

} // namespace lanescope::render

// Saved pictures equal the drawn ones, files are complete or absent, and unreadable input gets a
// message.
#include <gmock/gmock.h>

#include <sys/resource.h>

#include <csignal>
#include <numeric>
#include <random>

#include "render/capture/file.h"
#include "render/capture/png.h"
#include "render/capture/small_png.h"
#include "tests/unit/render/scene.h"

namespace lanescope::render {
namespace {

using testing::HasSubstr;

Pixels gradient(int width, int height)
{
    Pixels pixels{width, height, {}};
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (const int value : {x, y, x * y})
                pixels.rgb.push_back(static_cast<std::uint8_t>(value));
    return pixels;
}

std::string message_of(const std::function<void()>& action, ExitStatus status)
{
    try {
        action();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), status);
        return error.what();
    }
    return "nothing was thrown";
}

PngText text_inside(const std::filesystem::path& file)
{
    return decode_png_text(read_file(file), file.string());
}

TEST(Png, RoundTripKeepsPixelsAndTexts)
{
    const Folder folder;
    const Pixels pixels = gradient(301, 77);
    const PngText text{{"lanescope", "{\"lab\":\"heat\",\"unit\":\"°C\"}"},
                       {"Title", std::string(5000, 'x')}};
    write_png(folder / "a.png", pixels, text);
    EXPECT_EQ(text_inside(folder / "a.png"), text);
    const ImageFile image = read_image(folder / "a.png");
    ASSERT_EQ(image.width, 301);
    ASSERT_EQ(image.height, 77);
    for (std::size_t i = 0; i < pixels.rgb.size() / 3; ++i) {
        for (std::size_t channel = 0; channel < 3; ++channel)
            ASSERT_EQ(image.rgba[4 * i + channel], pixels.rgb[3 * i + channel]) << i;
        ASSERT_EQ(image.rgba[4 * i + 3], 255);
    }
    EXPECT_EQ(encode_png(pixels, text), read_file(folder / "a.png")) << "same picture, same bytes";
    EXPECT_EQ(folder.names(), std::vector<std::string>{"a.png"});
}

// Other programs write text chunks after the image data.
TEST(SmallPng, KeepsColoursCloseAndTexts)
{
    // Noise in 256 greys, which is lossless, and in many more colours close to 16 greys.
    for (const bool colours : {false, true}) {
        Pixels pixels{300, 100, {}};
        std::minstd_rand random(5);
        for (int i = 0; i < pixels.width * pixels.height; ++i) {
            const auto grey = random() % 256;
            for (int channel = 0; channel < 3; ++channel)
                pixels.rgb.push_back(
                    static_cast<std::uint8_t>(colours ? grey / 16 * 16 + random() % 16 : grey));
        }
        const PngText text{{"lanescope", "{\"lab\":\"heat\"}"}};
        const std::string small = encode_small_png(pixels, text);
        EXPECT_EQ(decode_png_text(small, "small"), text);
        EXPECT_LT(2 * small.size(), encode_png(pixels, text).size());
        const ImageFile image = decode_image(small, "small");
        ASSERT_EQ(image.width, pixels.width);
        int farthest = 0;
        for (std::size_t i = 0; i < pixels.rgb.size() / 3; ++i)
            for (std::size_t channel = 0; channel < 3; ++channel)
                farthest = std::max(
                    farthest, std::abs(image.rgba[4 * i + channel] - pixels.rgb[3 * i + channel]));
        EXPECT_LE(farthest, colours ? 16 : 0);
    }
}

TEST(Png, FindsTextAfterImageData)
{
    const std::string whole = encode_png(gradient(20, 20), {{"lanescope", "{}"}});
    const std::size_t text = whole.find("iTXt") - 4;
    const std::size_t picture = whole.find("IDAT") - 4;
    const std::size_t end = whole.find("IEND") - 4;
    ASSERT_LT(text, picture);
    const std::string moved = whole.substr(0, text) + whole.substr(picture, end - picture) +
                              whole.substr(text, picture - text) + whole.substr(end);
    EXPECT_EQ(decode_png_text(moved, "moved.png"), (PngText{{"lanescope", "{}"}}));
}

TEST(Png, UnwritablePathLeavesNoFile)
{
    const Folder folder;
    const Pixels pixels = gradient(8, 8);
    const auto missing =
        message_of([&] { write_png(folder / "no/such/a.png", pixels); }, ExitStatus::bad_usage);
    EXPECT_THAT(missing, HasSubstr("No such file or directory"));
    EXPECT_THAT(message_of([&] { require_writable("/proc/a.png"); }, ExitStatus::bad_usage),
                HasSubstr("/proc/a.png"));
    EXPECT_THAT(message_of([&] { write_png(std::filesystem::temp_directory_path(), pixels); },
                           ExitStatus::bad_usage),
                HasSubstr("Is a directory"));
    require_writable(folder / "b.png");
    EXPECT_TRUE(folder.names().empty());
}

TEST(Png, FullDiskKeepsOldFile)
{
    const Folder folder;
    write_file(folder / "a.txt", "old");
    // A file size limit fails in the middle of a write, as a full disk does.
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{4096, before.rlim_max};
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    const auto message = message_of([&] { write_file(folder / "a.txt", std::string(10000, 'x')); },
                                    ExitStatus::bad_usage);
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_THAT(message, HasSubstr("Cannot write"));
    EXPECT_EQ(read_file(folder / "a.txt"), "old");
    EXPECT_EQ(folder.names(), std::vector<std::string>{"a.txt"});
}

TEST(Png, DoesNotReplaceDevices)
{
    EXPECT_THAT(message_of([] { write_file("/dev/null", "x"); }, ExitStatus::bad_usage),
                HasSubstr("/dev/null"));
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(Png, DamagedFilesAreNamed)
{
    const Folder folder;
    const std::string whole = encode_png(gradient(20, 20), {{"k", "v"}});
    for (std::size_t bytes = 8; bytes < whole.size(); bytes += 7) {
        write_file(folder / "cut.png", whole.substr(0, bytes));
        EXPECT_THAT(message_of([&] { text_inside(folder / "cut.png"); }, ExitStatus::bad_usage),
                    HasSubstr("cut.png"));
    }
    std::string flipped = whole;
    flipped[20] = static_cast<char>(flipped[20] ^ 4);
    write_file(folder / "flipped.png", flipped);
    EXPECT_THAT(message_of([&] { text_inside(folder / "flipped.png"); }, ExitStatus::bad_usage),
                HasSubstr("damaged"));
    write_file(folder / "text.png", "hello");
    EXPECT_THAT(message_of([&] { text_inside(folder / "text.png"); }, ExitStatus::bad_usage),
                HasSubstr("not a PNG"));
}

TEST(Images, UnreadableImagesHaveMessage)
{
    const Folder folder;
    EXPECT_THAT(message_of([&] { read_image(folder / "none.png"); }, ExitStatus::no_such_thing),
                HasSubstr("no file"));
    EXPECT_THAT(message_of([] { decode_image("", "zero.png"); }, ExitStatus::bad_usage),
                HasSubstr("zero.png is empty"));
    EXPECT_THAT(message_of([] { decode_image("GIF89a......", "a.gif"); }, ExitStatus::bad_usage),
                HasSubstr("not a PNG or JPEG"));
    const std::string whole = encode_png(gradient(64, 64));
    EXPECT_THAT(message_of([&] { decode_image(std::string_view(whole).substr(0, 200), "cut.png"); },
                           ExitStatus::bad_usage),
                HasSubstr("damaged or cut short"));
    std::string huge = whole;
    huge[16] = 0;
    huge[17] = 1; // a declared width of 65536 + 64
    huge[18] = 0;
    EXPECT_THAT(message_of([&] { decode_image(huge, "huge.png"); }, ExitStatus::bad_usage),
                HasSubstr("more than 16384"));
}

TEST_F(Scene, PixelReaderKeepsOrderAndEveryFrame)
{
    const gl::Target target(16, 8);
    PixelReader reader;
    std::vector<int> reds;
    const auto keep = [&](const std::optional<Pixels>& pixels) {
        if (!pixels) return;
        EXPECT_EQ(pixels->width, 16);
        reds.push_back(pixels->rgb[0]);
    };
    for (int i = 0; i < 10; ++i) {
        target.bind();
        glClearColor(static_cast<float>(i) / 255.0f, 0, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        reader.request(target.resolve(), {0, 0, 16, 8});
        keep(reader.poll());
    }
    while (auto pixels = reader.wait()) keep(pixels);
    std::vector<int> wanted(10);
    std::iota(wanted.begin(), wanted.end(), 0);
    EXPECT_EQ(reds, wanted);
}

TEST_F(Scene, ReadPixelsStartsAtTop)
{
    const auto drawn = picture(4, 4, [] {
        glEnable(GL_SCISSOR_TEST);
        glScissor(0, 3, 4, 1);
        glClearColor(1, 0, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glDisable(GL_SCISSOR_TEST);
    });
    EXPECT_EQ(pixel(drawn, 0, 0), (Colour{255, 0, 0}));
    EXPECT_EQ(pixel(drawn, 0, 3), (Colour{0, 0, 0}));
}

} // namespace
} // namespace lanescope::render

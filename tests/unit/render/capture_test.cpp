// Saved pictures equal the drawn ones, files are complete or absent, and files that cannot be read
// cause a message.
#include <gmock/gmock.h>

#include <sys/resource.h>

#include <csignal>
#include <functional>
#include <numeric>
#include <random>
#include <thread>

#include "render/capture/file.h"
#include "render/capture/png.h"
#include "render/capture/small_png.h"
#include "tests/support/png_bytes.h"
#include "tests/unit/render/scene.h"

namespace lanescope::render {
namespace {

using test::big_endian;
using test::packed;
using test::png_chunk;
using test::png_file;
using testing::HasSubstr;
using testing::Not;

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
    // Noise in 256 greys, which fit the palette, and in many more colours, all close to 16 greys.
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
    // With a limit on the file size, a write fails halfway, as on a full disk.
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

TEST(Images, UnreadableImagesReportError)
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
    const std::string huge = png_file(65600, 64, "x");
    EXPECT_THAT(message_of([&] { decode_image(huge, "huge.png"); }, ExitStatus::bad_usage),
                HasSubstr("more than 16384"));
}

long peak_mb()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss >> 10;
}

const std::string one_pixel(4, '\0'); // one RGB pixel with its row's filter byte

// A quantisation table longer than its segment, on a new thread, where no earlier error left a
// reason.
TEST(Images, JpegDamagedWithoutReasonIsRejected)
{
    const std::string bytes = std::string("\xff\xd8\xff\xdb\0\3\0", 7) + std::string(64, '\1');
    std::thread([&] {
        EXPECT_NE(message_of([&] { decode_image(bytes, "table.jpg"); }, ExitStatus::bad_usage), "");
    }).join();
}

TEST(Images, HuffmanTablesWithTooManyCodesAreRejected)
{
    const std::string tables = std::string("\xff\xc4\xff\xff\0", 5) + std::string(16, '\xff');
    const std::string start = "\xff\xd8";
    const std::string comment = std::string("\xff\xfe\0\x17", 4) + tables; // only resembles a table
    const std::string scan = std::string("\xff\xda\0\x08\1\1\0\0\x3f\0", 10) + "data";
    const auto message = [](const std::string& bytes) {
        return message_of([&] { decode_image(bytes, "tables.jpg"); }, ExitStatus::bad_usage);
    };
    for (const std::string& bad :
         {start + tables, start + comment + tables, start + scan + tables, start + "\xff" + tables})
        EXPECT_THAT(message(bad), HasSubstr("Huffman"));
    EXPECT_THAT(message(start + comment), Not(HasSubstr("Huffman")));
}

// Small files that decompress to large amounts of data.
TEST(Images, DecompressionBombsAreRejectedOrLeftPacked)
{
    const std::string zeros = packed(std::string(std::size_t{96} << 20, '\0'));
    const std::string megabyte = packed(std::string(std::size_t{1} << 20, '\0'));
    const std::string ztxt = png_chunk("zTXt", "lanescope" + std::string(2, '\0') + zeros);
    const std::string itxt =
        png_chunk("iTXt", "other" + std::string(1, '\0') + "\1" + std::string(3, '\0') + zeros);
    std::string many;
    for (int i = 0; i < 17; ++i)
        many += png_chunk("zTXt", "k" + std::to_string(i) + std::string(2, '\0') + megabyte);
    const std::string profile = png_chunk("iCCP", "p" + std::string(2, '\0') + zeros);
    const long before = peak_mb();
    for (const std::string& texts : {ztxt, itxt, many}) {
        const std::string file = png_file(1, 1, one_pixel, texts);
        EXPECT_THAT(message_of([&] { decode_png_text(file, "bomb.png"); }, ExitStatus::bad_usage),
                    HasSubstr("bomb.png cannot be opened: its text chunks exceed 16 MB"));
        EXPECT_EQ(decode_image(file, "bomb.png").width, 1) << "pixels need no text";
        EXPECT_THAT(
            message_of([&] { decode_png_text(png_file(1, 1, one_pixel, {}, texts), "b.png"); },
                       ExitStatus::bad_usage),
            HasSubstr("exceed 16 MB"));
    }
    EXPECT_TRUE(decode_png_text(png_file(1, 1, one_pixel, profile), "profile.png").empty());
    EXPECT_EQ(decode_image(png_file(1, 1, one_pixel, profile), "profile.png").height, 1);
    // The image data has more rows than the header states.
    const std::string rows =
        "\x89PNG\r\n\x1a\n" +
        png_chunk("IHDR", big_endian(1) + big_endian(1) + std::string("\x08\x02\x00\x00\x00", 5)) +
        png_chunk("IDAT", zeros) + png_chunk("IEND", {});
    EXPECT_NO_THROW(try { decode_image(rows, "rows.png"); } catch (const Error&){});
    EXPECT_NO_THROW(try { decode_png_text(rows, "rows.png"); } catch (const Error&){});
    EXPECT_LT(peak_mb() - before, 70);
}

TEST(Images, TooManyPixelsAreRejectedBeforeDecoding)
{
    const long before = peak_mb();
    const std::pair<std::uint32_t, std::uint32_t> sides[] = {
        {0x7fffffff, 1},          {1, 0x7fffffff}, {16385, 1},
        {0xffffffff, 0xffffffff}, {16384, 16384},  {0x80000000, 2}};
    for (const auto& [width, height] : sides) {
        const std::string file = png_file(width, height, "x");
        for (const auto& read : std::initializer_list<std::function<void()>>{
                 [&] { decode_image(file, "huge.png"); },
                 [&] { decode_png_text(file, "huge.png"); }})
            EXPECT_THAT(message_of(read, ExitStatus::bad_usage), HasSubstr("more than"))
                << width << " " << height;
    }
    // A progressive JPEG may contain any number of scans, each of which takes time.
    std::string scans("\xff\xd8\xff\xc2\x00\x0b\x08\x1f\x00\x40\x00\x01\x01\x11\x00", 15);
    for (int i = 0; i < 200; ++i) scans += "\xff\xda";
    EXPECT_THAT(message_of([&] { decode_image(scans, "scans.jpg"); }, ExitStatus::bad_usage),
                HasSubstr("too many scans"));
    EXPECT_LT(peak_mb() - before, 70);
}

TEST(Images, InconsistentChunksAreRejected)
{
    const std::string good = png_file(1, 1, one_pixel);
    const std::string header = good.substr(0, 33);
    const std::string pixel = png_chunk("IDAT", packed(one_pixel));
    const std::string end = png_chunk("IEND", {});
    const std::string text = png_chunk("tEXt", "lanescope" + std::string(1, '\0') + "{}");
    const std::string bad[] = {
        header,
        header + end,
        header + "\xff\xff\xff\xffIDAT" + pixel,
        header + std::string("\0\0\0\x7fIDAT", 8) + pixel + end,
        header + pixel + text + pixel + end,                      // image data is not contiguous
        header + png_chunk("ABCD", "x") + pixel + end,            // an unknown critical chunk
        good.substr(0, 8) + pixel + end,                          // missing header
        good.substr(0, 8) + png_chunk("IHDR", "x") + pixel + end, // truncated header
        header + header.substr(8) + pixel + end,                  // duplicate header
        header + png_chunk("tEXt", "no end of the key") + pixel + end,
        header + png_chunk("zTXt", std::string("k\0\1x", 4)) + pixel + end,
        header + png_chunk("iTXt", std::string("k\0\1", 3)) + pixel + end,
        header + png_chunk("zTXt", std::string("k\0\0garbage", 10)) + pixel + end};
    for (std::size_t i = 0; i < std::size(bad); ++i)
        EXPECT_THAT(message_of([&] { decode_png_text(bad[i], "bad.png"); }, ExitStatus::bad_usage),
                    HasSubstr("bad.png is damaged"))
            << i;
    // Skips what is optional: 100,000 text chunks, and bytes after the end.
    std::string notes = header;
    for (int i = 0; i < 100'000; ++i) notes += png_chunk("tEXt", "k" + std::string(1, '\0'));
    notes += text + pixel + end + "appended";
    EXPECT_EQ(decode_png_text(notes, "notes.png").size(), 1u);
    EXPECT_EQ(decode_image(notes, "notes.png").width, 1);
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

// Pictures that users drop on the program: valid and damaged ones.
#include "compute/experiment/inputs/image_file.h"

#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/error.h"

namespace lanescope::labs {
namespace {

using testing::HasSubstr;

class ImageFile : public testing::Test {
protected:
    ImageFile()
    {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        path_ = std::filesystem::temp_directory_path() /
                (std::string("lanescope_") + test->name() + std::to_string(getpid()));
    }
    ~ImageFile() override { std::filesystem::remove(path_); }

    void write(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }
    std::string refusal(ExitStatus status)
    {
        try {
            read_image(path_);
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), status);
            return error.what();
        }
        return "read";
    }

    std::filesystem::path path_;
};

// A PNG of 2 × 2 pixels: red and green above blue and (9, 8, 7).
std::string two_by_two()
{
    const unsigned char bytes[] = {
        137, 80, 78, 71,  13,  10,  26,  10,  0,   0,   0,   13,  73,  72,  68, 82,  0,   0,  0,
        2,   0,  0,  0,   2,   8,   2,   0,   0,   0,   253, 212, 154, 115, 0,  0,   0,   19, 73,
        68,  65, 84, 120, 218, 99,  248, 207, 192, 192, 0,   194, 12,  255, 57, 57,  216, 1,  26,
        38,  3,  22, 30,  121, 157, 55,  0,   0,   0,   0,   73,  69,  78,  68, 174, 66,  96, 130};
    return {reinterpret_cast<const char*>(bytes), sizeof bytes};
}

TEST_F(ImageFile, RowsRunBottomUp)
{
    write(two_by_two());
    const Rgba8Image image = read_image(path_);
    EXPECT_EQ(image.width, 2);
    EXPECT_EQ(image.height, 2);
    const std::vector<std::uint8_t> want{0,   0, 255, 255, 9, 8,   7, 255,
                                         255, 0, 0,   255, 0, 255, 0, 255};
    EXPECT_EQ(image.pixels, want);
}

TEST_F(ImageFile, MissingFileIsNamed)
{
    EXPECT_THAT(refusal(ExitStatus::no_such_thing), HasSubstr(path_.string()));
}

TEST_F(ImageFile, RefusesOtherFiles)
{
    for (const std::string& bytes : {std::string(), std::string("hello"), std::string(5000, '\xff'),
                                     std::string("\x89PNG\r\n\x1a\n")}) {
        write(bytes);
        EXPECT_THAT(refusal(ExitStatus::bad_usage), HasSubstr("cannot be used"));
    }
}

TEST_F(ImageFile, HugePictureIsRefusedUnread)
{
    std::string huge = two_by_two(); // its size and checksum are replaced
    huge.replace(16, 8, std::string("\0\0\x4e\x20\0\0\x4e\x20", 8));
    huge.replace(29, 4, "\x6c\x12\xd1\x6e", 4);
    write(huge);
    EXPECT_THAT(refusal(ExitStatus::bad_usage), HasSubstr("20000 × 20000"));
}

} // namespace
} // namespace lanescope::labs

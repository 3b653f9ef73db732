// Reading and writing files: permissions of written files, durability after a power failure, and
// files that must not be opened (pipes, devices, files that are too large).
#include <gmock/gmock.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "render/capture/file.h"
#include "tests/unit/render/scene.h"

namespace {

std::vector<std::string>* calls = nullptr; // where calls are recorded; null: not recorded

std::string kind_of(int descriptor)
{
    struct stat about {};
    fstat(descriptor, &about);
    return S_ISDIR(about.st_mode) ? "folder" : "file";
}

} // namespace

// Replacements for the C library's functions: they record the call, then make the system call.
extern "C" int fsync(int descriptor)
{
    if (calls) calls->push_back("sync " + kind_of(descriptor));
    return static_cast<int>(syscall(SYS_fsync, descriptor));
}
extern "C" int rename(const char* from, const char* to) noexcept
{
    if (calls) calls->push_back("rename");
    return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

namespace lanescope::render {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

mode_t mode_of(const std::filesystem::path& path)
{
    struct stat about {};
    stat(path.c_str(), &about);
    return about.st_mode & 07777;
}

TEST(Files, RespectUmask)
{
    const Folder folder;
    const mode_t before = umask(027);
    write_file(folder / "a.txt", "x");
    umask(077);
    write_file(folder / "b.txt", "x");
    umask(before);
    EXPECT_EQ(mode_of(folder / "a.txt"), 0640u);
    EXPECT_EQ(mode_of(folder / "b.txt"), 0600u);
}

TEST(Files, KeepPermissionsWhenReplaced)
{
    const Folder folder;
    write_file(folder / "a.txt", "old");
    chmod((folder / "a.txt").c_str(), 0604);
    write_file(folder / "a.txt", "new");
    EXPECT_EQ(mode_of(folder / "a.txt"), 0604u);
    EXPECT_EQ(read_file(folder / "a.txt"), "new");
}

TEST(Files, SyncFileThenRenameThenSyncFolder)
{
    const Folder folder;
    std::vector<std::string> heard;
    calls = &heard;
    write_file(folder / "a.txt", "x");
    calls = nullptr;
    EXPECT_THAT(heard, ElementsAre("sync file", "rename", "sync folder"));
}

std::string refusal(const std::filesystem::path& path, std::size_t max_bytes = 1 << 20)
{
    try {
        read_file(path, max_bytes);
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::bad_usage);
        return error.what();
    }
    return "nothing was thrown";
}

TEST(Files, RefusePipesAndDevices)
{
    const Folder folder;
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_THAT(refusal(folder / "pipe"), HasSubstr("is a pipe or a device, not a file"));
    std::filesystem::create_symlink("/dev/zero", folder / "zero");
    EXPECT_THAT(refusal(folder / "zero"), HasSubstr("is a pipe or a device, not a file"));
    EXPECT_THAT(refusal(folder / ""), HasSubstr("is a folder"));
}

TEST(Files, RefuseOversizedFilesUnread)
{
    const Folder folder;
    std::ofstream(folder / "large").put('x');
    std::filesystem::resize_file(folder / "large", std::uintmax_t{1} << 40); // a sparse file
    EXPECT_THAT(refusal(folder / "large"), HasSubstr("larger than the limit of 1 MB"));
}

TEST(Files, ReadUnsizedFilesToEnd)
{
    EXPECT_THAT(read_file("/proc/self/status"), HasSubstr("Umask:"));
}

} // namespace
} // namespace lanescope::render

// Atomic file writes: to a temporary file in the same folder, then renamed.
#include "render/capture/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "compute/error.h"

namespace lanescope::render {
namespace {

[[noreturn]] void fail_write(const std::filesystem::path& path, int code)
{
    throw Error(
        ExitStatus::bad_usage,
        fmt::format("Cannot write {}: {}.", path.string(), std::generic_category().message(code)),
        code == ENOSPC || code == EFBIG
            ? "Free some space, or write to another disk."
            : "Choose a file in an existing folder that you can write to.");
}

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor()
    {
        if (number_ >= 0) ::close(number_);
    }
    int number() const { return number_; }
    bool close() { return ::close(std::exchange(number_, -1)) == 0; }

private:
    int number_;
};

// A name that is unlikely to collide with those of other threads or processes; open() detects it if
// one does.
std::string name_beside(const std::filesystem::path& path)
{
    static std::atomic<unsigned> count = 0;
    return (path.parent_path() /
            fmt::format(".{}.{}-{}", path.filename().string(), getpid(), count++))
        .string();
}

int open_sibling_file(const std::filesystem::path& path, const std::string& name)
{
    if (std::filesystem::is_directory(path)) fail_write(path, EISDIR);
    // Devices and pipes must not be replaced by a file.
    if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path))
        fail_write(path, EINVAL);
    constexpr mode_t allowed_by_umask = 0666;
    const int descriptor =
        open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, allowed_by_umask);
    if (descriptor < 0) fail_write(path, errno);
    return descriptor;
}

// A temporary file next to `path`, deleted unless it is renamed.
class Temporary {
public:
    explicit Temporary(const std::filesystem::path& path)
        : path_(name_beside(path)), file_(open_sibling_file(path, path_))
    {
        struct stat replaced {};
        if (stat(path.c_str(), &replaced) == 0) fchmod(file_.number(), replaced.st_mode & 07777);
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    ~Temporary()
    {
        if (!path_.empty()) unlink(path_.c_str());
    }
    int descriptor() const { return file_.number(); }
    void become(const std::filesystem::path& path)
    {
        if (!file_.close()) fail_write(path, errno);
        replace_file(path_, path);
        path_.clear();
    }

private:
    std::string path_;
    Descriptor file_;
};

// Some file systems cannot sync a folder; errors are ignored.
void sync_folder(const std::filesystem::path& folder)
{
    const Descriptor opened(
        open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened.number() >= 0) fsync(opened.number());
}

} // namespace

void replace_file(const std::filesystem::path& written, const std::filesystem::path& path)
{
    {
        const Descriptor file(open(written.c_str(), O_RDONLY | O_CLOEXEC));
        if (file.number() < 0 || (fsync(file.number()) != 0 && errno != EINVAL))
            fail_write(path, errno);
    }
    if (rename(written.c_str(), path.c_str()) != 0) fail_write(path, errno);
    sync_folder(path.parent_path());
}

void write_file(const std::filesystem::path& path, std::string_view bytes)
{
    Temporary file(path);
    while (!bytes.empty()) {
        const ssize_t written = write(file.descriptor(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail_write(path, errno);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    file.become(path);
}

void require_writable(const std::filesystem::path& path)
{
    const Temporary file(path);
}

std::string read_file(const std::filesystem::path& path, std::size_t max_bytes)
{
    const auto fail = [&](const std::string& what, const char* cure) {
        throw Error(ExitStatus::bad_usage, fmt::format("{} {}.", path.string(), what), cure);
    };
    const auto fail_read = [&](int code) {
        fail(fmt::format("cannot be read: {}", std::generic_category().message(code)),
             "Choose a file that you can read.");
    };
    const auto fail_size = [&] {
        fail(fmt::format("is larger than the limit of {} MB", max_bytes >> 20),
             "Choose a smaller file.");
    };
    // O_NONBLOCK: opening a pipe must not wait for its writer. The type is checked once it is open.
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (file.number() < 0 && errno == ENOENT)
        throw Error(ExitStatus::no_such_thing, fmt::format("There is no file {}.", path.string()),
                    "Check the name.");
    struct stat about {};
    if (file.number() < 0 || fstat(file.number(), &about) != 0) fail_read(errno);
    if (S_ISDIR(about.st_mode)) fail("is a folder", "Name a file in it.");
    if (!S_ISREG(about.st_mode))
        fail("is a pipe or a device, not a file", "Save its contents to a file, and use that.");
    if (static_cast<std::uintmax_t>(about.st_size) > max_bytes) fail_size();

    std::string bytes(static_cast<std::size_t>(about.st_size) + 1,
                      '\0'); // one extra byte to detect the end
    std::size_t size = 0;
    for (;;) {
        if (size == bytes.size()) bytes.resize(size + (1 << 16)); // the file may be growing
        const ssize_t count = read(file.number(), bytes.data() + size, bytes.size() - size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail_read(errno);
        if (count == 0) break;
        size += static_cast<std::size_t>(count);
        if (size > max_bytes) fail_size();
    }
    bytes.resize(size);
    return bytes;
}

} // namespace lanescope::render

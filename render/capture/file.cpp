// Whole files: written beside their place, then renamed into it.
#include "render/capture/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
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
            : "Name a file in a folder that exists and that you may write to.");
}

// A file beside `path` that vanishes unless it is renamed.
class Temporary {
public:
    explicit Temporary(const std::filesystem::path& path)
    {
        if (std::filesystem::is_directory(path)) fail_write(path, EISDIR);
        // A device or a pipe must not be replaced by a file.
        if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path))
            fail_write(path, EINVAL);
        auto name =
            (path.parent_path() / fmt::format(".{}.XXXXXX", path.filename().string())).string();
        descriptor_ = mkstemp(name.data());
        if (descriptor_ < 0) fail_write(path, errno);
        path_ = name;
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    ~Temporary()
    {
        if (descriptor_ >= 0) close(descriptor_);
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove(path_, ignored);
    }
    int descriptor() const { return descriptor_; }
    void become(const std::filesystem::path& path)
    {
        fchmod(descriptor_, 0644); // mkstemp's files are private
        if (close(std::exchange(descriptor_, -1)) != 0) fail_write(path, errno);
        if (rename(path_.c_str(), path.c_str()) != 0) fail_write(path, errno);
        path_.clear();
    }

private:
    int descriptor_ = -1;
    std::filesystem::path path_;
};

} // namespace

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

std::string read_file(const std::filesystem::path& path, std::size_t most_bytes)
{
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
        throw Error(ExitStatus::no_such_thing, fmt::format("There is no file {}.", path.string()),
                    "Check the name.");
    if (std::filesystem::is_directory(path, ignored))
        throw Error(ExitStatus::bad_usage, fmt::format("{} is a folder.", path.string()),
                    "Name a file in it.");
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        throw Error(ExitStatus::bad_usage, fmt::format("{} cannot be read.", path.string()),
                    "Name a file that you may read.");
    std::string bytes;
    std::string chunk(1 << 16, '\0');
    for (;;) {
        const ssize_t count = read(descriptor, chunk.data(), chunk.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            const int code = count < 0 ? errno : 0;
            close(descriptor);
            if (code != 0)
                throw Error(ExitStatus::bad_usage,
                            fmt::format("{} cannot be read: {}.", path.string(),
                                        std::generic_category().message(code)));
            return bytes;
        }
        bytes.append(chunk, 0, static_cast<std::size_t>(count));
        if (bytes.size() <= most_bytes) continue;
        close(descriptor);
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} has more than the {} MB that can be read.", path.string(),
                                most_bytes >> 20),
                    "Choose a smaller file.");
    }
}

} // namespace lanescope::render

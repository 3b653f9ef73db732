// Atomic file writes: to a temporary file in the same folder, then renamed.
#include "render/capture/file.h"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <span>
#include <system_error>
#include <utility>

#include "compute/error.h"
#include "compute/process/files.h"
#include "compute/process/own_program.h"
#include "compute/process/streams.h"

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
        if (number_ >= 0) close_descriptor(number_);
    }
    int number() const { return number_; }
    bool close() { return close_written(std::exchange(number_, -1)); }

private:
    int number_;
};

// A name that is unlikely to collide with those of other threads or processes; create_file()
// detects it if one does.
std::filesystem::path name_beside(const std::filesystem::path& path)
{
    static std::atomic<unsigned> count = 0;
    return path.parent_path() /
           fmt::format(".{}.{}-{}", path.filename().string(), process_id(), count++);
}

int open_sibling_file(const std::filesystem::path& path, const std::filesystem::path& name)
{
    require_allowed_name(path);
    if (std::filesystem::is_directory(path)) fail_write(path, EISDIR);
    // Devices and pipes must not be replaced by a file.
    if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path))
        fail_write(path, EINVAL);
    const int descriptor = create_file(name, path);
    if (descriptor < 0) fail_write(path, errno);
    return descriptor;
}

// A temporary file next to `path`, deleted unless it is renamed.
class Temporary {
public:
    explicit Temporary(const std::filesystem::path& path)
        : path_(name_beside(path)), file_(open_sibling_file(path, path_))
    {
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    ~Temporary()
    {
        if (path_.empty()) return;
        if (file_.number() >= 0) file_.close(); // an open file may not be removable
        remove_file(path_);
    }
    int descriptor() const { return file_.number(); }
    void become(const std::filesystem::path& path)
    {
        if (!file_.close()) fail_write(path, errno);
        replace_file(path_, path);
        path_.clear();
    }

private:
    std::filesystem::path path_;
    Descriptor file_;
};

} // namespace

void replace_file(const std::filesystem::path& written, const std::filesystem::path& path)
{
    if (!replace_by(path, written)) fail_write(path, errno);
}

void write_file(const std::filesystem::path& path, std::string_view bytes)
{
    Temporary file(path);
    if (!write_all(file.descriptor(), bytes)) fail_write(path, errno);
    file.become(path);
}

void require_allowed_name(const std::filesystem::path& path)
{
    if (const std::string problem = name_problem(path); !problem.empty())
        throw Error(ExitStatus::bad_usage,
                    fmt::format("Cannot write {}: {}.", path.string(), problem),
                    "Choose another name.");
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
    // The type is checked once it is open.
    const Descriptor file(open_file(path));
    if (file.number() < 0 && errno == ENOENT)
        throw Error(ExitStatus::no_such_thing, fmt::format("There is no file {}.", path.string()),
                    "Check the name.");
    FileFacts facts;
    if (file.number() < 0 || !find_facts(file.number(), facts)) fail_read(errno);
    if (facts.folder) fail("is a folder", "Name a file in it.");
    if (!facts.regular)
        fail("is a pipe or a device, not a file", "Save its contents to a file, and use that.");
    if (facts.bytes > max_bytes) fail_size();

    std::string bytes(static_cast<std::size_t>(facts.bytes) + 1,
                      '\0'); // one extra byte to detect the end
    std::size_t size = 0;
    for (;;) {
        if (size == bytes.size()) bytes.resize(size + (1 << 16)); // the file may be growing
        const std::ptrdiff_t count = read_some(file.number(), std::span(bytes).subspan(size));
        if (count < 0) fail_read(errno);
        if (count == 0) break;
        size += static_cast<std::size_t>(count);
        if (size > max_bytes) fail_size();
    }
    bytes.resize(size);
    return bytes;
}

} // namespace lanescope::render

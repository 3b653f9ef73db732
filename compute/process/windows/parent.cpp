// A duplex pipe. The parent's job object ends this process, and what it has started, when the
// parent ends; the parent may also close the pipe only.
#include "compute/process/parent.h"

#include <windows.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "compute/error.h"

namespace lanescope {
namespace {

HANDLE pipe()
{
    return GetStdHandle(STD_INPUT_HANDLE);
}

DWORD part_of(std::size_t bytes)
{
    return static_cast<DWORD>(std::min<std::size_t>(bytes, std::size_t{1} << 20));
}

} // namespace

bool read_from_parent(std::span<std::byte> bytes)
{
    while (!bytes.empty()) {
        DWORD received = 0;
        if (!ReadFile(pipe(), bytes.data(), part_of(bytes.size()), &received, nullptr) ||
            received == 0)
            return false;
        bytes = bytes.subspan(received);
    }
    return true;
}

bool write_to_parent(std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        DWORD sent = 0;
        if (!WriteFile(pipe(), bytes.data(), part_of(bytes.size()), &sent, nullptr) || sent == 0)
            return false;
        bytes = bytes.subspan(sent);
    }
    return true;
}

bool parent_waits()
{
    DWORD available = 0;
    return !PeekNamedPipe(pipe(), nullptr, 0, nullptr, &available, nullptr) || available != 0;
}

void exit_with_parent(std::function<void()> clean_up)
{
    std::thread([clean_up = std::move(clean_up)] {
        constexpr std::chrono::milliseconds interval(50);
        // Waits while this process is reading, which ends by itself when the pipe closes.
        while (PeekNamedPipe(pipe(), nullptr, 0, nullptr, nullptr, nullptr))
            std::this_thread::sleep_for(interval);
        clean_up();
        ExitProcess(static_cast<UINT>(ExitStatus::bad_usage));
    }).detach();
}

void die_with_parent() {} // the parent's job object does that

double seconds_of_children()
{
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION used{};
    if (!QueryInformationJobObject(nullptr, JobObjectBasicAccountingInformation, &used, sizeof used,
                                   nullptr))
        return 0;
    constexpr double seconds_per_tick = 1e-7;
    return seconds_per_tick *
           static_cast<double>(used.TotalUserTime.QuadPart + used.TotalKernelTime.QuadPart);
}

// A folder in use cannot be removed, so all processes share one, which stays empty.
bool enter_empty_folder()
{
    std::error_code failed;
    const auto folder = std::filesystem::temp_directory_path(failed) / "lanescope-empty";
    std::filesystem::create_directory(folder, failed);
    return SetCurrentDirectoryW(folder.c_str()) != 0;
}

} // namespace lanescope

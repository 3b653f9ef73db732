// CreateProcessW() in a job object of its own, with a duplex pipe for the input and temporary files
// for the output.
#include "compute/process/process.h"

#include <windows.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <optional>
#include <utility>

#include "compute/process/search_path.h"
#include "compute/process/walls.h"
#include "compute/process/windows/kept_file.h"
#include "compute/process/windows/text.h"

namespace lanescope {
namespace {

[[noreturn]] void fail(unsigned long error, const std::string& what)
{
    if (error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND)
        throw std::system_error(ENOENT, std::generic_category(), what);
    throw std::system_error(static_cast<int>(error), std::system_category(), what);
}

// Quotes an argument so that the C library of the program splits the line as it was joined.
std::wstring quoted(const std::string& argument)
{
    const std::wstring text = to_wide(argument);
    if (!text.empty() && text.find_first_of(L" \t\"") == text.npos) return text;
    std::wstring all = L"\"";
    std::size_t slashes = 0;
    for (const wchar_t one : text) {
        if (one == L'"') all.append(slashes + 1, L'\\'); // doubles them, and escapes the quote
        slashes = one == L'\\' ? slashes + 1 : 0;
        all += one;
    }
    all.append(slashes, L'\\');
    return all + L'"';
}

std::wstring command_line(const std::vector<std::string>& arguments)
{
    std::wstring line;
    for (const std::string& argument : arguments)
        line += (line.empty() ? L"" : L" ") + quoted(argument);
    return line;
}

std::wstring environment_block(const std::vector<std::string>& entries)
{
    std::wstring block;
    for (const std::string& entry : entries) block += to_wide(entry) + L'\0';
    return block + L'\0';
}

// The two ends of a pipe; only the child's is inherited.
struct Ends {
    HANDLE ours = INVALID_HANDLE_VALUE, theirs = INVALID_HANDLE_VALUE;
};

SECURITY_ATTRIBUTES inherited()
{
    return {.nLength = sizeof(SECURITY_ATTRIBUTES),
            .lpSecurityDescriptor = nullptr,
            .bInheritHandle = TRUE};
}

Ends make_duplex_pipe(const std::string& for_program)
{
    static std::atomic<unsigned> count = 0;
    constexpr DWORD buffered = 1 << 16;
    const std::wstring name = L"\\\\.\\pipe\\lanescope-" + std::to_wstring(GetCurrentProcessId()) +
                              L"-" + std::to_wstring(count++);
    Ends ends;
    ends.ours = CreateNamedPipeW(
        name.c_str(), PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
        PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, 1, buffered,
        buffered, 0, nullptr);
    if (ends.ours == INVALID_HANDLE_VALUE) fail(GetLastError(), for_program);
    SECURITY_ATTRIBUTES security = inherited();
    ends.theirs = CreateFileW(name.c_str(), GENERIC_READ | GENERIC_WRITE, 0, &security,
                              OPEN_EXISTING, 0, nullptr);
    if (ends.theirs == INVALID_HANDLE_VALUE) {
        const DWORD error = GetLastError();
        CloseHandle(ends.ours);
        fail(error, for_program);
    }
    return ends;
}

HANDLE open_nothing()
{
    SECURITY_ATTRIBUTES security = inherited();
    return CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, &security,
                       OPEN_EXISTING, 0, nullptr);
}

// A job that ends with this process and enforces the sandbox's limits.
HANDLE make_job(const Walls* walls)
{
    const HANDLE job = CreateJobObjectW(nullptr, nullptr);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    auto& basic = limits.BasicLimitInformation;
    basic.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    if (walls && walls->limits.memory_bytes != 0) {
        basic.LimitFlags |= JOB_OBJECT_LIMIT_JOB_MEMORY;
        limits.JobMemoryLimit = walls->limits.memory_bytes;
    }
    if (walls && walls->limits.processor_s != 0) {
        constexpr std::int64_t ticks_per_s = 10'000'000;
        basic.LimitFlags |= JOB_OBJECT_LIMIT_PROCESS_TIME;
        basic.PerProcessUserTimeLimit.QuadPart = ticks_per_s * walls->limits.processor_s;
    }
    SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    return job;
}

// The list of handles that a child inherits: no other thread's child gets them by accident.
class InheritedHandles {
public:
    explicit InheritedHandles(std::vector<HANDLE> handles) : handles_(std::move(handles))
    {
        std::ranges::sort(handles_);
        handles_.erase(std::ranges::unique(handles_).begin(), handles_.end());
        SIZE_T bytes = 0;
        InitializeProcThreadAttributeList(nullptr, 1, 0, &bytes);
        storage_.resize(bytes);
        InitializeProcThreadAttributeList(list(), 1, 0, &bytes);
        UpdateProcThreadAttribute(list(), 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles_.data(),
                                  handles_.size() * sizeof(HANDLE), nullptr, nullptr);
    }
    ~InheritedHandles() { DeleteProcThreadAttributeList(list()); }
    InheritedHandles(const InheritedHandles&) = delete;
    InheritedHandles& operator=(const InheritedHandles&) = delete;
    LPPROC_THREAD_ATTRIBUTE_LIST list()
    {
        return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(storage_.data());
    }

private:
    std::vector<HANDLE> handles_;
    std::vector<std::byte> storage_;
};

// Exit codes that stand for exceptions become 128 + the signal that other systems send.
int status_from(DWORD code)
{
    constexpr int abort_signal = 6, arithmetic = 8, segment = 11, instruction = 4, interrupt = 2;
    switch (code) {
    case EXCEPTION_ACCESS_VIOLATION:
    case EXCEPTION_STACK_OVERFLOW:
    case EXCEPTION_IN_PAGE_ERROR: return 128 + segment;
    case EXCEPTION_ILLEGAL_INSTRUCTION: return 128 + instruction;
    case EXCEPTION_INT_DIVIDE_BY_ZERO: return 128 + arithmetic;
    case 0xC0000409: return 128 + abort_signal; // a failed check of the C library
    case STATUS_CONTROL_C_EXIT: return 128 + interrupt;
    case ERROR_NOT_ENOUGH_QUOTA: return status_of_processor_limit;
    default: return static_cast<int>(code);
    }
}

} // namespace

void Process::Descriptor::close() noexcept
{
    if (const auto number = std::exchange(number_, -1); number != -1)
        CloseHandle(reinterpret_cast<HANDLE>(number));
}

void Process::Descriptor::set(std::intptr_t number) noexcept
{
    close();
    number_ = number;
}

Process::Process(const std::vector<std::string>& arguments, const Start& start)
    : kill_children_(start.kill_children)
{
    const std::string& name = arguments.front();
    const auto program = find_program(name);
    if (!program) fail(ERROR_FILE_NOT_FOUND, name);
    const auto put = [](Descriptor& to, HANDLE handle) {
        to.set(reinterpret_cast<std::intptr_t>(handle));
    };
    Descriptor child_input, child_output, child_errors;
    const auto keep = [&](Descriptor& reading, Descriptor& writing) {
        const KeptFile file = make_kept_file();
        if (file.writing == INVALID_HANDLE_VALUE) fail(GetLastError(), name);
        put(reading, file.reading);
        put(writing, file.writing);
    };
    keep(output_, child_output);
    if (start.separate_stderr) keep(errors_, child_errors);
    if (start.input == Input::from_parent) {
        const Ends ends = make_duplex_pipe(name);
        put(input_, ends.ours);
        put(child_input, ends.theirs);
    } else {
        put(child_input, open_nothing());
    }
    put(job_, make_job(start.walls));

    const HANDLE errors = (start.separate_stderr ? child_errors : child_output).handle();
    InheritedHandles handles({child_input.handle(), child_output.handle(), errors});
    STARTUPINFOEXW startup{};
    startup.StartupInfo.cb = sizeof startup;
    startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    startup.StartupInfo.hStdInput = child_input.handle();
    startup.StartupInfo.hStdOutput = child_output.handle();
    startup.StartupInfo.hStdError = errors;
    startup.lpAttributeList = handles.list();
    std::wstring line = command_line(arguments);
    std::wstring environment = environment_block(environment_for_program(start.changes));
    // A child that we feed exits when its input ends; the console's Ctrl C is only for this
    // process.
    const bool leads_group = start.input == Input::from_parent || start.kill_children;
    PROCESS_INFORMATION made{};
    if (!CreateProcessW(program->c_str(), line.data(), nullptr, nullptr, TRUE,
                        CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT | CREATE_NO_WINDOW |
                            EXTENDED_STARTUPINFO_PRESENT |
                            (leads_group ? CREATE_NEW_PROCESS_GROUP : 0),
                        environment.data(), nullptr, &startup.StartupInfo, &made))
        fail(GetLastError(), name);
    process_ = reinterpret_cast<std::intptr_t>(made.hProcess);
    AssignProcessToJobObject(job_.handle(), made.hProcess);
    ResumeThread(made.hThread);
    CloseHandle(made.hThread);
}

Process::~Process()
{
    kill();
    wait();
}

namespace {

// Waits for an overlapped transfer; returns the number of bytes, 0 if it failed or was too late.
DWORD finish_transfer(HANDLE pipe, OVERLAPPED& transfer, DWORD wait_ms)
{
    DWORD bytes = 0;
    if (WaitForSingleObject(transfer.hEvent, wait_ms) != WAIT_OBJECT_0) {
        CancelIoEx(pipe, &transfer);
        GetOverlappedResult(pipe, &transfer, &bytes, TRUE);
        return bytes;
    }
    return GetOverlappedResult(pipe, &transfer, &bytes, FALSE) ? bytes : 0;
}

class Event {
public:
    Event() : handle_(CreateEventW(nullptr, TRUE, FALSE, nullptr)) {}
    ~Event() { CloseHandle(handle_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    HANDLE handle() const { return handle_; }

private:
    HANDLE handle_;
};

DWORD chunk_of(std::size_t bytes)
{
    return static_cast<DWORD>(std::min<std::size_t>(bytes, std::size_t{1} << 20));
}

} // namespace

bool Process::write(std::span<const std::byte> bytes)
{
    const Event event;
    while (!bytes.empty()) {
        OVERLAPPED transfer{};
        transfer.hEvent = event.handle();
        if (!WriteFile(input_.handle(), bytes.data(), chunk_of(bytes.size()), nullptr, &transfer) &&
            GetLastError() != ERROR_IO_PENDING)
            return false;
        const DWORD sent = finish_transfer(input_.handle(), transfer, INFINITE);
        if (sent == 0) return false;
        bytes = bytes.subspan(sent);
    }
    return true;
}

void Process::end_input()
{
    input_.close();
}

bool Process::read(std::span<std::byte> bytes, std::chrono::steady_clock::time_point until)
{
    const Event event;
    while (!bytes.empty()) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        constexpr std::int64_t max_wait_ms = 1 << 30;
        OVERLAPPED transfer{};
        transfer.hEvent = event.handle();
        if (!ReadFile(input_.handle(), bytes.data(), chunk_of(bytes.size()), nullptr, &transfer) &&
            GetLastError() != ERROR_IO_PENDING)
            return false;
        const DWORD received = finish_transfer(
            input_.handle(), transfer,
            static_cast<DWORD>(std::clamp<std::int64_t>(left.count(), 0, max_wait_ms)));
        if (received == 0) return false;
        bytes = bytes.subspan(received);
    }
    return true;
}

std::chrono::nanoseconds Process::processor_time() const
{
    FILETIME begun{}, ended{}, kernel{}, user{};
    if (process_ == -1 ||
        !GetProcessTimes(reinterpret_cast<HANDLE>(process_), &begun, &ended, &kernel, &user))
        return {};
    const auto ticks = [](const FILETIME& time) {
        return static_cast<std::int64_t>((static_cast<std::uint64_t>(time.dwHighDateTime) << 32) |
                                         time.dwLowDateTime);
    };
    return std::chrono::nanoseconds(100) * (ticks(kernel) + ticks(user));
}

int Process::wait()
{
    if (process_ == -1) return status_;
    const auto process = reinterpret_cast<HANDLE>(process_);
    WaitForSingleObject(process, INFINITE);
    const std::scoped_lock lock(mutex_);
    DWORD code = 0;
    GetExitCodeProcess(process, &code);
    CloseHandle(process);
    process_ = -1;
    status_ = status_from(code);
    return status_;
}

void Process::kill() noexcept
{
    const std::scoped_lock lock(mutex_);
    if (process_ == -1) return;
    if (kill_children_) TerminateJobObject(job_.handle(), status_of_killed);
    TerminateProcess(reinterpret_cast<HANDLE>(process_), status_of_killed);
}

void Process::leave() noexcept
{
    kill();
    const std::scoped_lock lock(mutex_);
    if (process_ != -1) CloseHandle(reinterpret_cast<HANDLE>(process_));
    process_ = -1;
}

std::string Process::output(std::size_t max_bytes) const
{
    return contents_of(output_.handle(), max_bytes);
}

std::string Process::errors(std::size_t max_bytes) const
{
    return contents_of(errors_.handle(), max_bytes);
}

} // namespace lanescope

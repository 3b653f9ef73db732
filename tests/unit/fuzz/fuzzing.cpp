// operator new is replaced to limit allocations; an alarm limits the time.
#include "tests/unit/fuzz/fuzzing.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <optional>

#include "compute/device/device.h"
#include "compute/error.h"
#include "tests/support/fuzz.h"

namespace {

std::atomic<std::size_t> max_allocation = SIZE_MAX;
std::atomic<std::size_t> refused_allocation = 0;

void* allocated(std::size_t bytes)
{
    if (bytes > max_allocation) {
        refused_allocation = bytes;
        throw std::bad_alloc();
    }
    if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
    throw std::bad_alloc();
}

} // namespace

void* operator new(std::size_t bytes)
{
    return allocated(bytes);
}
void* operator new[](std::size_t bytes)
{
    return allocated(bytes);
}
// std::stable_sort uses this overload for its buffer.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept
{
    return bytes > max_allocation ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete[](void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept
{
    std::free(memory);
}

namespace lanescope::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Stores the current input in a mapped file, which survives a crash of the process.
class KeptInput {
public:
    KeptInput(const std::string& name, std::uint32_t seed)
    {
        const char* const folder = std::getenv("LANESCOPE_FUZZ_FOLDER");
        path_ = (folder != nullptr ? fs::path(folder) : fs::temp_directory_path()) /
                ("fuzz-" + name + "-" + std::to_string(seed) + "-" + std::to_string(getpid()));
    }
    ~KeptInput()
    {
        unmap();
        std::error_code ignored;
        if (!keep_) fs::remove(path_, ignored);
    }
    KeptInput(const KeptInput&) = delete;
    KeptInput& operator=(const KeptInput&) = delete;

    void set(std::string_view input)
    {
        if (input.size() > room_) {
            unmap();
            room_ = 2 * input.size() + (1 << 16);
            size_ = 0;
            std::ofstream(path_, std::ios::binary).close();
            fs::resize_file(path_, room_);
            const int file = open_file();
            memory_ = static_cast<char*>(
                mmap(nullptr, room_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
            close(file);
        }
        if (!input.empty()) std::memcpy(memory_, input.data(), input.size());
        if (size_ > input.size()) std::memset(memory_ + input.size(), 0, size_ - input.size());
        size_ = input.size();
    }
    // Keeps the file for inspection and returns its path.
    std::string keep()
    {
        keep_ = true;
        std::string input(memory_, size_);
        unmap();
        std::ofstream(path_, std::ios::binary) << input;
        return path_.string();
    }

private:
    int open_file() const { return ::open(path_.c_str(), O_RDWR | O_CLOEXEC); }
    void unmap()
    {
        if (memory_ != nullptr) munmap(memory_, room_);
        memory_ = nullptr;
        room_ = 0;
    }

    fs::path path_;
    char* memory_ = nullptr;
    std::size_t room_ = 0;
    std::size_t size_ = 0;
    bool keep_ = false;
};

// Returns the input to repeat, without the zeros that pad the file; empty if none is for this test.
std::optional<std::string> given_input(const std::string& name)
{
    const char* const file = std::getenv("LANESCOPE_FUZZ_INPUT");
    if (file == nullptr || !fs::path(file).filename().string().starts_with("fuzz-" + name + "-"))
        return {};
    std::ifstream stream(file, std::ios::binary);
    std::string input{std::istreambuf_iterator<char>(stream), {}};
    input.erase(input.find_last_not_of('\0') + 1);
    return input;
}

class Limits {
public:
    explicit Limits(const FuzzLimits& limits)
    {
        refused_allocation = 0;
        max_allocation = limits.allocation_bytes;
        alarm(static_cast<unsigned>(limits.seconds));
    }
    ~Limits()
    {
        alarm(0);
        max_allocation = SIZE_MAX;
    }
    Limits(const Limits&) = delete;
    Limits& operator=(const Limits&) = delete;
};

constexpr std::array numbers{"0",
                             "-1",
                             "1",
                             "-0.0",
                             "0.5",
                             "3",
                             "31",
                             "33",
                             "255",
                             "256",
                             "1e308",
                             "-1e308",
                             "1e400",
                             "1e-400",
                             "16384",
                             "16385",
                             "65536",
                             "1048577",
                             "2147483647",
                             "2147483648",
                             "-2147483648",
                             "4294967295",
                             "4294967296",
                             "9007199254740993",
                             "9223372036854775807",
                             "9223372036854775808",
                             "-9223372036854775808",
                             "18446744073709551615",
                             "18446744073709551616",
                             "0x10",
                             "nan",
                             "inf"};
constexpr std::array words{"\"",       "{",       "}",       "[",        "]",
                           "(",        ")",       ",",       ":",        ";",
                           "\\",       "/",       "..",      "../x",     "/dev/zero",
                           "\n",       "\r\n",    " ",       "\t",       "#",
                           "|",        " | ",     "=",       "==",       "<",
                           ">",        "?",       "!",       "%",        "&",
                           "*",        "+",       "-",       "^",        "~",
                           "->",       ".",       "null",    "true",     "false",
                           "{}",       "[]",      "\"\"",    "%f1",      "threadIdx.x",
                           "size",     "steps",   "naive",   "heat",     "heat/naive",
                           "lecture:", "beat:",   "show:",   "reveal:",  "line \"",
                           "warp 3",   "f32",     "bytes8",  "u8",       "if",
                           "each",     "file",    "a.cu",    "\xc3\x28", "\xf0\x9f\x98\x80",
                           "\x1b[2J",  "\\u0000", "\\ud800", "//",       "/*",
                           "*/",       "e",       "E9"};

} // namespace

// Often makes only one change: inputs that are nearly valid reach code that others do not.
std::size_t Mutator::some_changes()
{
    return below(2) == 0 ? 1 : 1 + below(4);
}

std::string Mutator::token()
{
    return below(2) == 0 ? any_of(numbers) : any_of(words);
}

void Mutator::change_text(std::string& text)
{
    const std::size_t at = below(text.size() + 1);
    const std::size_t stretch = 1 + below(below(4) == 0 ? 200 : 12);
    switch (below(9)) {
    case 0:
        if (at < text.size()) text[at] = static_cast<char>(random_());
        return;
    case 1: text.erase(at, stretch); return;
    case 2: text.insert(at, token()); return;
    case 3: text.insert(at, text.substr(below(text.size() + 1), stretch)); return;
    case 4: { // repeats a token up to 2048 times, for depth or length
        const std::string one = token();
        const std::size_t count = std::size_t{1} << below(12);
        std::string many;
        for (std::size_t i = 0; i < count; ++i) many += one;
        text.insert(at, many);
        return;
    }
    case 5: text.resize(at); return;
    default: { // replaces a number
        const auto is_digit = [](char c) {
            return std::isdigit(static_cast<unsigned char>(c)) != 0;
        };
        std::size_t begin = at;
        while (begin < text.size() && !is_digit(text[begin])) ++begin;
        std::size_t end = begin;
        while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
        text.replace(begin, end - begin, any_of(numbers));
        return;
    }
    }
}

std::string Mutator::text(std::string_view from)
{
    std::string text(from);
    for (std::size_t changes = some_changes(); changes > 0; --changes) change_text(text);
    return text;
}

Json Mutator::value()
{
    switch (below(10)) {
    case 0: return nullptr;
    case 1: return below(2) == 0;
    case 2: return Json::array();
    case 3: return Json::object();
    case 4: return std::string(below(3000), 'x');
    case 5: return any_of(words);
    case 6: return text("size * (rows + 1)");
    default: {
        const Json number = Json::parse(any_of(numbers), nullptr, false);
        return number.is_discarded() ? Json(std::nan("")) : number;
    }
    }
}

void Mutator::change_value(Json& value)
{
    if (value.is_structured() && !value.empty() && below(8) != 0) {
        auto inner = value.begin();
        std::advance(inner, static_cast<std::ptrdiff_t>(below(value.size())));
        switch (below(10)) {
        case 0:
            if (value.is_object())
                value.erase(inner.key());
            else
                value.erase(below(value.size()));
            return;
        case 1: {
            const Json copy = *inner;
            if (value.is_object())
                value[text(inner.key())] = copy;
            else
                value.push_back(copy);
            return;
        }
        case 2:
            if (value.is_array() && below(4) == 0) {
                const Json copy = *inner;
                for (std::size_t i = below(300); i > 0; --i) value.push_back(copy);
                return;
            }
            [[fallthrough]];
        default: return change_value(*inner);
        }
    }
    if (value.is_string() && below(2) == 0)
        value = text(value.get<std::string>());
    else
        value = this->value();
}

Json Mutator::json(const Json& from)
{
    Json changed = from;
    for (std::size_t changes = some_changes(); changes > 0; --changes) change_value(changed);
    return changed;
}

void fuzz(const std::string& name, const FuzzLimits& limits,
          const std::function<std::string(Mutator&)>& make,
          const std::function<void(const std::string&)>& read)
{
    const std::uint32_t seed = fuzz_seed(1);
    Mutator mutator(seed);
    KeptInput kept(name, seed);
    const auto given = given_input(name);
    const std::int64_t inputs = given ? 1 : fuzz_inputs(limits.inputs);
    std::int64_t refused = 0;
    for (std::int64_t i = 0; i < inputs; ++i) {
        const std::string input = given ? *given : make(mutator);
        kept.set(input);
        std::string problem;
        {
            const Limits guard(limits);
            try {
                read(input);
            } catch (const Error&) {
                ++refused;
            } catch (const device::Cancelled&) {
                ++refused;
            } catch (const std::exception& other) {
                problem = other.what();
            }
        }
        if (refused_allocation != 0)
            problem = std::to_string(refused_allocation) + " bytes were asked for at once";
        if (!problem.empty()) ADD_FAILURE() << problem;
        if (testing::Test::HasFailure()) {
            ADD_FAILURE() << "input " << i << " of seed " << seed << ": " << kept.keep();
            return;
        }
    }
    // Printed because a test in which every input is refused reaches little of the code.
    std::printf("%s: %lld of %lld inputs were read\n", name.c_str(),
                static_cast<long long>(inputs - refused), static_cast<long long>(inputs));
}

} // namespace lanescope::test

// Buffers are next to inaccessible pages, so that an access outside them ends the process even
// without a sanitizer.
#include "tests/unit/launches/launch.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <stdexcept>

#include <sys/mman.h>
#include <unistd.h>

#include <fmt/format.h>

#include "compute/simt/simt_device.h"
#include "tests/random_kernels/program.h"

extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace lanescope::simt {

// --- Guarded pages ---

GuardedPages::GuardedPages()
{
    // Reserves 2^33 bytes on either side or, if that fails, fewer.
    for (std::size_t around = std::size_t{1} << 33; around >= max_bytes; around /= 2) {
        all_bytes_ = 2 * around + max_bytes;
        void* const made = mmap(nullptr, all_bytes_, PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (made == MAP_FAILED) continue;
        all_ = static_cast<std::byte*>(made);
        pages_ = {all_ + around, max_bytes};
        if (mprotect(pages_.data(), max_bytes, PROT_READ | PROT_WRITE) == 0) return;
        munmap(all_, all_bytes_);
    }
    throw std::runtime_error("no pages can be reserved");
}

GuardedPages::~GuardedPages()
{
    munmap(all_, all_bytes_);
}

std::span<std::byte> GuardedPages::take(std::size_t bytes, bool at_end)
{
    for (std::size_t at = 0; at < max_bytes; at += sizeof canary)
        std::memcpy(pages_.data() + at, &canary, sizeof canary);
    taken_ = at_end ? pages_.last(bytes) : pages_.first(bytes);
    return taken_;
}

bool GuardedPages::canaries_intact() const
{
    for (std::size_t at = 0; at < max_bytes; at += sizeof canary) {
        const std::byte* const place = pages_.data() + at;
        if (place >= taken_.data() && place < taken_.data() + taken_.size()) continue;
        if (std::memcmp(place, &canary, sizeof canary) != 0) return false;
    }
    return true;
}

// --- Launches ---

bool Left::was_stopped() const
{
    for (const trace::Fault& fault : faults)
        for (const std::string_view limit : {"step_budget", "time_limit", "endless"})
            if (fault.kind == limit) return true;
    return false;
}

namespace {

struct Buffers {
    std::unique_ptr<device::Buffer> first, second, third;
    std::unique_ptr<device::Image> image;
    std::unique_ptr<device::Texture> texture;
    std::span<std::byte> texels;
};

void fill(std::span<std::byte> bytes, Random& random)
{
    for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
        const auto word =
            static_cast<std::uint32_t>(below(random, 8) == 0 ? random() : below(random, 64));
        std::memcpy(bytes.data() + at, &word, sizeof word);
    }
}

// Stores the buffers' addresses in the data, for kernels that follow pointers.
void put_addresses(std::span<std::byte> bytes, const Buffers& buffers)
{
    const std::uint64_t addresses[] = {buffers.first->address(), buffers.second->address() + 8,
                                       buffers.third->address()};
    for (std::size_t i = 0; i < std::size(addresses) && 8 * i + 8 <= bytes.size(); ++i)
        std::memcpy(bytes.data() + 8 * i, &addresses[i], 8);
}

// Chooses arguments by size: 8 bytes are an address or a handle, in rotation; 4 a small number;
// other sizes random bytes.
std::vector<device::Argument> arguments_of(const device::Kernel& kernel, const Buffers& buffers,
                                           Random& random)
{
    const std::uint64_t wide[] = {buffers.first->address(),  buffers.second->address(),
                                  buffers.third->address(),  buffers.image->surface(),
                                  buffers.texture->handle(), 16};
    std::vector<device::Argument> arguments;
    std::size_t next = 0;
    for (const std::size_t bytes : kernel.parameter_sizes()) {
        if (bytes == 8) {
            arguments.emplace_back(wide[next++ % std::size(wide)]);
        } else if (bytes == 4) {
            arguments.emplace_back(static_cast<std::uint32_t>(
                below(random, 10) == 0 ? border(random) : 1 + below(random, 64)));
        } else {
            std::vector<std::byte> any(bytes);
            fill(any, random);
            if (bytes >= 24) put_addresses(any, buffers);
            arguments.emplace_back(std::move(any));
        }
    }
    return arguments;
}

Options options_of(const DrawnLaunch& drawn, NativeCode native)
{
    Options options;
    options.threads = 1;
    options.native = native;
    if (drawn.checked) options.checks = Checks::all();
    options.keep_going = drawn.keep_going;
    options.step_budget = 20'000;
    options.patience = 5'000;
    options.time_limit_s = 5;
    return options;
}

// True if these bytes contain half a canary, which can only have been read outside a buffer.
bool holds_canary(std::span<const std::byte> bytes)
{
    for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        if (word == static_cast<std::uint32_t>(GuardedPages::canary) ||
            word == static_cast<std::uint32_t>(GuardedPages::canary >> 32))
            return true;
    }
    return false;
}

} // namespace

Left LaunchWorld::launch(const DrawnLaunch& drawn, NativeCode native, std::uint64_t seed)
{
    static constexpr std::size_t sizes[] = {512, 1536, 2048, 4096, 16384};
    constexpr int width = 16, height = 8;
    Random random(seed);
    Left left;
    SimtDevice device(options_of(drawn, native));
    device.set_printer([&left](std::string_view text) {
        constexpr std::size_t enough = 1 << 16;
        if (left.printed.size() < enough) left.printed += text;
    });
    Buffers buffers;
    const auto first = first_.take(sizes[below(random, std::size(sizes))], true);
    const auto second = second_.take(sizes[below(random, std::size(sizes))], below(random, 2) == 0);
    buffers.texels = texels_.take(std::size_t{width} * height * 4, true);
    buffers.first = device.adopt(first);
    buffers.second = device.adopt(second);
    buffers.third = device.allocate(4096);
    buffers.image = device.adopt_image(buffers.texels, width, height, device::Format::r32f);
    buffers.texture = device.texture(*buffers.image, {});
    for (const std::span<std::byte> bytes : {first, second, buffers.texels}) fill(bytes, random);
    put_addresses(first.subspan(64), buffers);

    const std::clock_t begin = std::clock();
    try {
        const auto module = device.load(drawn.ptx);
        const device::Kernel& kernel = module->kernel(drawn.kernel);
        device::Launch launch{.grid = drawn.grid, .block = drawn.block};
        launch.dynamic_shared_bytes = drawn.dynamic_shared_bytes;
        launch.arguments = arguments_of(kernel, buffers, random);
        if (drawn.counted) launch.trace = &left.counts;
        try {
            device.launch(kernel, launch);
            left.faults = left.counts.faults;
        } catch (const device::KernelFault& found) {
            left.faults = left.counts.faults;
            if (left.faults.empty() || left.faults.back().message != found.fault().message)
                left.faults.push_back(found.fault());
        }
    } catch (const Error& error) {
        left.refusal = error.what();
    } catch (const std::exception& error) {
        left.strange = error.what();
    }
    left.seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    if (!first_.canaries_intact() || !second_.canaries_intact() || !texels_.canaries_intact())
        left.strange = "something was written past a buffer";
    std::vector<std::byte> third(4096);
    device.download(third, buffers.third->address());
    for (const std::span<const std::byte> bytes :
         {std::span<const std::byte>(first), std::span<const std::byte>(second),
          std::span<const std::byte>(third), std::span<const std::byte>(buffers.texels)}) {
        left.memory.emplace_back(bytes.begin(), bytes.end());
        if (holds_canary(bytes)) left.strange = "something was read past a buffer";
    }
    return left;
}

std::string difference_of(const Left& one, const Left& other)
{
    if (one.refusal != other.refusal)
        return fmt::format("refused with \"{}\"; and \"{}\"", one.refusal, other.refusal);
    if (const std::string faults = random_kernels::difference(one.faults, other.faults);
        !faults.empty())
        return faults;
    static constexpr std::string_view names[] = {"first", "second", "third", "texels"};
    for (std::size_t k = 0; k < one.memory.size(); ++k) {
        const auto [a, b] = std::ranges::mismatch(one.memory[k], other.memory[k]);
        if (a != one.memory[k].end())
            return fmt::format("byte {} of the {} buffer: {:#x} and {:#x}",
                               a - one.memory[k].begin(), names[k], std::to_integer<int>(*a),
                               std::to_integer<int>(*b));
    }
    bool same_lanes = false;
    if (const std::string counts = random_kernels::difference(one.counts, other.counts, same_lanes);
        !counts.empty())
        return counts;
    if (one.counts.warp_instructions != other.counts.warp_instructions ||
        one.counts.thread_instructions != other.counts.thread_instructions)
        return fmt::format("{} warp instructions of {} threads; and {} of {}",
                           one.counts.warp_instructions, one.counts.thread_instructions,
                           other.counts.warp_instructions, other.counts.thread_instructions);
    if (one.printed != other.printed)
        return fmt::format("printed \"{}\"; and \"{}\"", one.printed, other.printed);
    return {};
}

// --- Texts of launches ---

std::string to_text(const DrawnLaunch& drawn, std::uint64_t seed)
{
    return fmt::format("// launch: grid {} {} {} block {} {} {} shared {} keep_going {} checked {} "
                       "counted {} seed {} kernel {}\n{}",
                       drawn.grid.x, drawn.grid.y, drawn.grid.z, drawn.block.x, drawn.block.y,
                       drawn.block.z, drawn.dynamic_shared_bytes, drawn.keep_going,
                       int{drawn.checked}, int{drawn.counted}, seed, drawn.kernel, drawn.ptx);
}

DrawnLaunch from_text(std::string_view text, std::uint64_t& seed)
{
    DrawnLaunch drawn;
    const std::size_t end = text.find('\n');
    const std::string line(text.substr(0, end));
    drawn.ptx = text.substr(end + 1);
    int checked = 0, counted = 0;
    unsigned long long number = 0;
    char kernel[256] = {};
    const int read = std::sscanf(
        line.c_str(),
        "// launch: grid %u %u %u block %u %u %u shared %u keep_going %d checked %d counted %d "
        "seed %llu kernel %255s",
        &drawn.grid.x, &drawn.grid.y, &drawn.grid.z, &drawn.block.x, &drawn.block.y, &drawn.block.z,
        &drawn.dynamic_shared_bytes, &drawn.keep_going, &checked, &counted, &number, kernel);
    if (read != 12) throw std::runtime_error("the text does not begin with how it is launched");
    drawn.checked = checked != 0;
    drawn.counted = counted != 0;
    drawn.kernel = kernel;
    seed = number;
    return drawn;
}

// --- Crashes ---

namespace {

const std::string* launched = nullptr; // text of the current launch, to be printed

void print_launched()
{
    static constexpr std::string_view title = "\nThis text was launched:\n";
    if (launched == nullptr) return;
    for (const std::string_view part : {title, std::string_view(*launched)})
        if (write(STDERR_FILENO, part.data(), part.size()) < 0) return;
    launched = nullptr;
}

void print_and_die(int signal)
{
    print_launched();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

} // namespace

void print_on_crash(const std::string& text)
{
    constexpr unsigned max_s = 120; // longer than a launch may take
    const bool first = launched == nullptr;
    launched = &text;
    alarm(max_s);
    if (!first) return;
    if (__sanitizer_set_death_callback != nullptr) {
        __sanitizer_set_death_callback(print_launched);
        std::signal(SIGALRM, print_and_die);
        return;
    }
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM})
        std::signal(signal, print_and_die);
}

} // namespace lanescope::simt

// If no temporary file can be made, prints are not captured.
#include "app/run/kernel/printed_output.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "compute/process/streams.h"

namespace lanescope::app {
namespace {

constexpr std::size_t max_printed_bytes = std::size_t{256} << 20;

} // namespace

PrintedOutput::PrintedOutput()
{
    std::fflush(stdout);
    file_ = make_memory_file(max_printed_bytes); // output beyond it is lost
    kept_ = duplicate(standard_output);
    if (file_ >= 0) redirect(standard_output, file_);
}

PrintedOutput::~PrintedOutput()
{
    restore_streams();
    if (file_ >= 0) close_descriptor(file_);
}

void PrintedOutput::restore_streams()
{
    if (file_ < 0) return;
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) // the file is full
        discard_pending(stdout);
    if (kept_ < 0) {
        close_descriptor(standard_output);
        return;
    }
    redirect(standard_output, kept_);
    close_descriptor(kept_);
    kept_ = -1;
}

std::string PrintedOutput::take(std::size_t max_bytes)
{
    restore_streams();
    if (file_ < 0) return {};
    bytes_ = written_bytes(file_);
    std::string text = beginning_of(file_, std::min(bytes_, max_bytes));
    close_descriptor(file_);
    file_ = -1;
    return text;
}

} // namespace lanescope::app

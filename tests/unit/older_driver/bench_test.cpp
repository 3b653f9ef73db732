// `lanescope bench` on the simulated driver: measurements are saved even if printing fails.
#include <gmock/gmock.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "app/commands/program.h"
#include "app/measure/measurements.h"
#include "tests/support/program.h"

namespace lanescope::older_driver {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

// Connects standard output to a full disk, unbuffered, so that printing fails immediately.
class FullOutput {
public:
    FullOutput()
    {
        std::fflush(stdout);
        const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
        dup2(full, STDOUT_FILENO);
        close(full);
        std::setvbuf(stdout, nullptr, _IONBF, 0);
    }
    ~FullOutput()
    {
        std::clearerr(stdout);
        dup2(kept_, STDOUT_FILENO);
        close(kept_);
        std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    }
    FullOutput(const FullOutput&) = delete;
    FullOutput& operator=(const FullOutput&) = delete;

private:
    const int kept_ = dup(STDOUT_FILENO);
};

TEST(OlderDriver, BenchRecordsBeforePrinting)
{
    const test::Folder folder;
    const auto file = folder / "times.json";
    std::vector<std::string> words{"lanescope", "bench",    "vector_add", "--problem",
                                   "l2",        "--set",    "size=4096",  "--samples",
                                   "5",         "--record", file.string()};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    testing::internal::CaptureStderr();
    ExitStatus status = ExitStatus::done;
    {
        const FullOutput nowhere;
        status = app::report_errors(
            [&] { return app::run_program(static_cast<int>(argv.size()), argv.data()); });
    }
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("Cannot write the output"));
    EXPECT_EQ(status, ExitStatus::bad_usage);
    ASSERT_TRUE(std::filesystem::exists(file));
    EXPECT_THAT(app::load_measurements(file).of("vector_add", "l2"), SizeIs(4));
}

} // namespace
} // namespace lanescope::older_driver

// CUPTI's range profiler with one range per kernel. The call order follows NVIDIA's range profiling
// sample.
#include "compute/cuda/counters/counters.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "compute/cuda/compile/toolkit.h"
#include "compute/process/library.h"

#if __has_include(<cupti_range_profiler.h>) && __has_include(<cupti_profiler_host.h>)
#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

namespace lanescope::cuda {
namespace {

constexpr std::size_t max_launches = 64;

class Cupti {
public:
    explicit Cupti(const CounterStep& on_step) : on_step_(on_step)
    {
        for (const auto& candidate :
             library_candidates({cuda_library("cupti", CUDA_VERSION / 1000)}))
            if ((library_ = open_library(candidate))) return;
        throw device::DeviceError(
            "Hardware counters need CUPTI, whose library is not on this machine.",
            "Install the CUDA toolkit, or set CUDA_HOME to it.");
    }
    Cupti(const Cupti&) = delete;
    Cupti& operator=(const Cupti&) = delete;

    // CUPTI functions take one struct, which contains its own size.
    template <class Params>
    Params& call(const char* name, Params& params) const
    {
        check(attempt(name, params), name);
        return params;
    }

    // For clean-up: failures are ignored.
    template <class Params>
    CUptiResult attempt(const char* name, Params& params) const
    {
        using Function = CUptiResult (*)(Params*);
        const auto function = reinterpret_cast<Function>(find_function(library_, name));
        if (on_step_) on_step_(name, "");
        const CUptiResult result = function ? function(&params) : CUPTI_ERROR_NOT_SUPPORTED;
        if (on_step_) on_step_(name, text(result));
        return result;
    }

private:
    // "CUPTI_ERROR_UNKNOWN (999)"
    std::string text(CUptiResult result) const
    {
        using Function = CUptiResult (*)(CUptiResult, const char**);
        const auto describe =
            reinterpret_cast<Function>(find_function(library_, "cuptiGetResultString"));
        const char* name = nullptr;
        if (!describe || describe(result, &name) != CUPTI_SUCCESS || !name) name = "error";
        return fmt::format("{} ({})", name, static_cast<int>(result));
    }

    void check(CUptiResult result, const char* name) const
    {
        if (result == CUPTI_SUCCESS) return;
        if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ||
            result == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES)
            throw device::DeviceError("The driver restricts hardware counters to administrators.",
                                      "Run as root, or load the driver with "
                                      "NVreg_RestrictProfilingToAdminUsers=0.");
        throw device::DeviceError(
            fmt::format("Hardware counters are not available: {} returned {}.", name, text(result)),
            "Another profiler may be using the GPU, or CUPTI may not match the driver.");
    }

    const CounterStep& on_step_;
    void* library_ = nullptr; // never unloaded: CUPTI does not survive it
};

template <class Params>
Params sized(std::size_t bytes)
{
    Params params{};
    params.structSize = bytes;
    return params;
}
#define LANESCOPE_PARAMS(type) sized<type>(type##_STRUCT_SIZE)

// Host side: the metrics a chip offers.
class Host {
public:
    Host(const Cupti& cupti, int ordinal) : cupti_(cupti)
    {
        auto chip = LANESCOPE_PARAMS(CUpti_Device_GetChipName_Params);
        chip.deviceIndex = static_cast<std::size_t>(ordinal);
        chip_name_ = cupti.call("cuptiDeviceGetChipName", chip).pChipName;

        auto available = LANESCOPE_PARAMS(CUpti_Profiler_GetCounterAvailability_Params);
        cupti.call("cuptiProfilerGetCounterAvailability", available);
        counter_availability_.resize(available.counterAvailabilityImageSize);
        available.pCounterAvailabilityImage = counter_availability_.data();
        cupti.call("cuptiProfilerGetCounterAvailability", available);

        auto host = LANESCOPE_PARAMS(CUpti_Profiler_Host_Initialize_Params);
        host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
        host.pChipName = chip_name_.c_str();
        host.pCounterAvailabilityImage = counter_availability_.data();
        object_ = cupti.call("cuptiProfilerHostInitialize", host).pHostObject;
    }
    ~Host()
    {
        auto end = LANESCOPE_PARAMS(CUpti_Profiler_Host_Deinitialize_Params);
        end.pHostObject = object_;
        cupti_.attempt("cuptiProfilerHostDeinitialize", end);
    }
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    std::vector<std::uint8_t> config_image(std::vector<const char*>& metrics) const
    {
        auto add = LANESCOPE_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params);
        add.pHostObject = object_;
        add.ppMetricNames = metrics.data();
        add.numMetrics = metrics.size();
        cupti_.call("cuptiProfilerHostConfigAddMetrics", add);

        auto size = LANESCOPE_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params);
        size.pHostObject = object_;
        std::vector<std::uint8_t> image(
            cupti_.call("cuptiProfilerHostGetConfigImageSize", size).configImageSize);
        auto get = LANESCOPE_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params);
        get.pHostObject = object_;
        get.configImageSize = image.size();
        get.pConfigImage = image.data();
        cupti_.call("cuptiProfilerHostGetConfigImage", get);
        return image;
    }

    std::vector<double> values(std::vector<const char*>& metrics,
                               const std::vector<std::uint8_t>& counter_data,
                               std::size_t range) const
    {
        std::vector<double> values(metrics.size());
        auto evaluate = LANESCOPE_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
        evaluate.pHostObject = object_;
        evaluate.pCounterDataImage = counter_data.data();
        evaluate.counterDataImageSize = counter_data.size();
        evaluate.rangeIndex = range;
        evaluate.ppMetricNames = metrics.data();
        evaluate.numMetrics = metrics.size();
        evaluate.pMetricValues = values.data();
        cupti_.call("cuptiProfilerHostEvaluateToGpuValues", evaluate);
        return values;
    }

private:
    const Cupti& cupti_;
    std::string chip_name_; // CUPTI reads this and the image during the object's lifetime
    std::vector<std::uint8_t> counter_availability_;
    CUpti_Profiler_Host_Object* object_ = nullptr;
};

// Device side: collects the counters.
class Collector {
public:
    explicit Collector(const Cupti& cupti) : cupti_(cupti)
    {
        void* get_current = nullptr;
        cudaDriverEntryPointQueryResult found{};
        check(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &get_current, 12000,
                                               cudaEnableDefault, &found));
        auto enable = LANESCOPE_PARAMS(CUpti_RangeProfiler_Enable_Params);
        reinterpret_cast<CUresult (*)(CUcontext*)>(get_current)(&enable.ctx);
        if (!enable.ctx)
            throw device::DeviceError("Hardware counters are not available: no CUDA context.",
                                      "Use the device once before profiling it.");
        object_ = cupti.call("cuptiRangeProfilerEnable", enable).pRangeProfilerObject;
    }
    ~Collector()
    {
        auto disable = LANESCOPE_PARAMS(CUpti_RangeProfiler_Disable_Params);
        disable.pRangeProfilerObject = object_;
        cupti_.attempt("cuptiRangeProfilerDisable", disable);
    }
    Collector(const Collector&) = delete;
    Collector& operator=(const Collector&) = delete;

    std::vector<std::uint8_t> collect(std::vector<const char*>& metrics,
                                      const std::vector<std::uint8_t>& config, CudaDevice& device,
                                      const std::function<void()>& work) const
    {
        std::vector<std::uint8_t> data = empty_counter_data(metrics);
        auto set = LANESCOPE_PARAMS(CUpti_RangeProfiler_SetConfig_Params);
        set.pRangeProfilerObject = object_;
        set.configSize = config.size();
        set.pConfig = config.data();
        set.counterDataImageSize = data.size();
        set.pCounterDataImage = data.data();
        set.range = CUPTI_AutoRange;
        set.replayMode = CUPTI_KernelReplay;
        set.maxRangesPerPass = max_launches;
        set.numNestingLevels = 1;
        set.minNestingLevel = 1;
        cupti_.call("cuptiRangeProfilerSetConfig", set);

        auto start = LANESCOPE_PARAMS(CUpti_RangeProfiler_Start_Params);
        start.pRangeProfilerObject = object_;
        cupti_.call("cuptiRangeProfilerStart", start);
        auto stop = LANESCOPE_PARAMS(CUpti_RangeProfiler_Stop_Params);
        stop.pRangeProfilerObject = object_;
        try {
            work();
            device.synchronize();
        } catch (...) {
            cupti_.attempt("cuptiRangeProfilerStop", stop);
            throw;
        }
        cupti_.call("cuptiRangeProfilerStop", stop);

        auto decode = LANESCOPE_PARAMS(CUpti_RangeProfiler_DecodeData_Params);
        decode.pRangeProfilerObject = object_;
        cupti_.call("cuptiRangeProfilerDecodeData", decode);
        return data;
    }

    std::size_t ranges(const std::vector<std::uint8_t>& counter_data) const
    {
        auto info = LANESCOPE_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params);
        info.pCounterDataImage = counter_data.data();
        info.counterDataImageSize = counter_data.size();
        return cupti_.call("cuptiRangeProfilerGetCounterDataInfo", info).numTotalRanges;
    }

private:
    std::vector<std::uint8_t> empty_counter_data(std::vector<const char*>& metrics) const
    {
        auto size = LANESCOPE_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params);
        size.pRangeProfilerObject = object_;
        size.pMetricNames = metrics.data();
        size.numMetrics = metrics.size();
        size.maxNumOfRanges = max_launches;
        size.maxNumRangeTreeNodes = max_launches;
        std::vector<std::uint8_t> data(
            cupti_.call("cuptiRangeProfilerGetCounterDataSize", size).counterDataSize);
        auto begin = LANESCOPE_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
        begin.pRangeProfilerObject = object_;
        begin.counterDataSize = data.size();
        begin.pCounterData = data.data();
        cupti_.call("cuptiRangeProfilerCounterDataImageInitialize", begin);
        return data;
    }

    const Cupti& cupti_;
    CUpti_RangeProfiler_Object* object_ = nullptr;
};

std::vector<const char*> pointers(const std::vector<std::string>& names)
{
    std::vector<const char*> texts;
    for (const std::string& name : names) texts.push_back(name.c_str());
    return texts;
}

bool knows(const Cupti& cupti, int ordinal, const std::vector<std::string>& names)
{
    try {
        std::vector<const char*> metrics = pointers(names);
        Host(cupti, ordinal).config_image(metrics);
        return true;
    } catch (const device::DeviceError&) {
        return false;
    }
}

// Compared metrics that this chip has. A host object that refused a metric cannot be used again.
std::vector<std::string> known_metrics(const Cupti& cupti, int ordinal,
                                       std::span<const std::string_view> further)
{
    std::vector<std::string> names;
    for (const trace::ComparedCount& line : trace::compared_counts())
        for (std::string_view metric : line.metrics) names.emplace_back(metric);
    for (const std::string_view metric : further) names.emplace_back(metric);
    if (knows(cupti, ordinal, names)) return names;
    std::vector<std::string> known;
    for (const std::string& name : names)
        if (knows(cupti, ordinal, {name})) known.push_back(name);
    // If CUPTI knows none, request all, so that the error message is CUPTI's own.
    return known.empty() ? names : known;
}

// Stops logging on scope exit, even after an exception.
class Logging {
public:
    Logging(CudaDevice& device, LaunchLog& log) : device_(device) { device.log_launches(&log); }
    ~Logging() { device_.log_launches(nullptr); }
    Logging(const Logging&) = delete;
    Logging& operator=(const Logging&) = delete;

private:
    CudaDevice& device_;
};

// Indices of the ranges of launches that have a trace. If all launches have one, all ranges count,
// in case kernels launched from the device have ranges of their own.
std::vector<std::size_t> traced_ranges(std::size_t ranges, const LaunchLog& launches)
{
    const bool every = std::ranges::all_of(launches, std::identity{});
    if (ranges < launches.size() || (ranges > launches.size() && !every))
        throw device::DeviceError(
            fmt::format("Hardware counters are not available: CUPTI returned {} ranges for {} "
                        "launches.",
                        ranges, launches.size()),
            fmt::format("Up to {} launches on one GPU can be counted, each in its own range.",
                        max_launches));
    std::vector<std::size_t> traced;
    for (std::size_t range = 0; range < ranges; ++range)
        if (every || launches[range]) traced.push_back(range);
    return traced;
}

} // namespace

trace::HardwareCounts count_hardware(CudaDevice& device, const std::function<void()>& work,
                                     const CounterStep& on_step,
                                     std::span<const std::string_view> further)
{
    device.synchronize();
    const Cupti cupti(on_step);
    auto initialize = LANESCOPE_PARAMS(CUpti_Profiler_Initialize_Params);
    cupti.call("cuptiProfilerInitialize", initialize);

    const std::vector<std::string> names = known_metrics(cupti, device.ordinal(), further);
    std::vector<const char*> metrics = pointers(names);
    const Host host(cupti, device.ordinal());
    const std::vector<std::uint8_t> config = host.config_image(metrics);
    const Collector collector(cupti);
    LaunchLog launches;
    const std::vector<std::uint8_t> data = collector.collect(metrics, config, device, [&] {
        const Logging logging(device, launches);
        work();
    });
    trace::HardwareCounts counts;
    for (const std::size_t range : traced_ranges(collector.ranges(data), launches)) {
        const std::vector<double> values = host.values(metrics, data, range);
        for (std::size_t i = 0; i < values.size(); ++i) counts.metrics[names[i]] += values[i];
    }
    // Metrics that could not be collected come back as NaN.
    std::erase_if(counts.metrics, [](const auto& metric) { return std::isnan(metric.second); });
    return counts;
}

} // namespace lanescope::cuda

#else

namespace lanescope::cuda {

trace::HardwareCounts count_hardware(CudaDevice&, const std::function<void()>&, const CounterStep&,
                                     std::span<const std::string_view>)
{
    throw device::DeviceError(
        "This program was built without CUPTI, so it cannot read hardware counters itself.",
        "Build it where CUPTI's headers are.");
}

} // namespace lanescope::cuda

#endif

// CUPTI's range profiler, simulated: each launch on the simulated driver is a range with the
// lockstep machine's counts, plus the device runtime's own accesses if kernels launch kernels.
#include "tests/unit/older_driver/simulated_driver.h"

#include "compute/trace/hardware.h"

#if __has_include(<cupti_range_profiler.h>) && __has_include(<cupti_profiler_host.h>)
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

namespace lanescope::older_driver {
namespace {

constexpr std::size_t image_bytes = 8; // the image's contents are never read
constexpr double atomics_per_device_launch = 10;

struct Profiler {
    std::vector<trace::Totals> ranges;
    std::size_t max_ranges = 0;
};

Profiler& profiler()
{
    static Profiler one;
    return one;
}

template <class Object>
Object* object()
{
    return reinterpret_cast<Object*>(&profiler());
}

// The first of the metrics that make up a count returns the whole count, the others return zero.
double value(std::string_view metric, const trace::Totals& range)
{
    double counted = 0;
    for (const trace::ComparedCount& line : trace::compared_counts())
        if (line.metrics.front() == metric) counted = static_cast<double>(line.ours(range));
    if (metric == "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum")
        counted += atomics_per_device_launch * static_cast<double>(range.device_launches);
    return counted;
}

} // namespace
} // namespace lanescope::older_driver

using namespace lanescope;
using namespace lanescope::older_driver;

extern "C" {

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*)
{
    return CUPTI_SUCCESS;
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* params)
{
    params->pChipName = "simulated";
    return CUPTI_SUCCESS;
}

CUptiResult
cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params* params)
{
    params->counterAvailabilityImageSize = image_bytes;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* params)
{
    params->pHostObject = object<CUpti_Profiler_Host_Object>();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params*)
{
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params*)
{
    return CUPTI_SUCCESS;
}

CUptiResult
cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* params)
{
    params->configImageSize = image_bytes;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params*)
{
    return CUPTI_SUCCESS;
}

CUptiResult
cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params* params)
{
    for (std::size_t i = 0; i < params->numMetrics; ++i)
        params->pMetricValues[i] =
            value(params->ppMetricNames[i], profiler().ranges.at(params->rangeIndex));
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* params)
{
    params->pRangeProfilerObject = object<CUpti_RangeProfiler_Object>();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params*)
{
    return CUPTI_SUCCESS;
}

CUptiResult
cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params* params)
{
    params->counterDataSize = image_bytes;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params*)
{
    profiler().ranges.clear();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* params)
{
    profiler().max_ranges = params->maxRangesPerPass;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params*)
{
    count_launches(&profiler().ranges);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params*)
{
    count_launches(nullptr);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params*)
{
    if (profiler().ranges.size() > profiler().max_ranges)
        profiler().ranges.resize(profiler().max_ranges);
    return CUPTI_SUCCESS;
}

CUptiResult
cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params* params)
{
    params->numTotalRanges = profiler().ranges.size();
    return CUPTI_SUCCESS;
}

} // extern "C"

#endif

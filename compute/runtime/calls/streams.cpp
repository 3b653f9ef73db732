// Streams, events and host callbacks.
#include <fmt/format.h>

#include "compute/runtime/work.h"

using namespace lanescope::runtime;

namespace {

cudaError_t create_stream(cudaStream_t* stream, unsigned flags, int priority, const char* name)
{
    return call(Call::queues, name, [&](Machine& machine) {
        if (stream == nullptr || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
        Stream* const made =
            machine.new_stream(current_context(), flags, std::clamp(priority, -5, 0));
        Report::instance().stream(made->name, CallSite::here());
        *stream = reinterpret_cast<cudaStream_t>(made);
        return cudaSuccess;
    });
}

// Runs `body` with the stream behind a handle.
template <class Body>
cudaError_t with_stream(Call kind, const char* name, cudaStream_t handle, Body body)
{
    return call(kind, name, [&](Machine& machine) {
        Stream* const stream = machine.stream(handle, this_thread().device);
        return stream == nullptr ? cudaErrorInvalidResourceHandle : body(machine, *stream);
    });
}

Event* own(Machine& machine, cudaEvent_t event)
{
    auto* const known = reinterpret_cast<Event*>(event);
    return machine.events.contains(known) ? known : nullptr;
}

} // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream)
{
    return create_stream(stream, cudaStreamDefault, 0, __func__);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags)
{
    return create_stream(stream, flags, 0, __func__);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority)
{
    return create_stream(stream, flags, priority, __func__);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle)
{
    return with_stream(Call::queues, __func__, handle, [&](Machine& machine, Stream& stream) {
        if (!machine.streams.contains(&stream) || stream.is_per_thread)
            return cudaErrorInvalidResourceHandle;
        // Work queued in the stream continues; waiting for the device still includes it.
        stream.in->default_stream->clock.join(stream.clock);
        machine.streams.erase(&stream);
        delete &stream;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle)
{
    return with_stream(Call::waits, __func__, handle, [&](Machine& machine, Stream& stream) {
        if (stream.capture != nullptr) return invalidate_capture(stream);
        machine.host_waits_for(stream);
        return cudaSuccess;
    });
}

// All queued work has already run, so the caller may rely on its results.
cudaError_t cudaStreamQuery(cudaStream_t handle)
{
    return with_stream(Call::waits, __func__, handle, [&](Machine& machine, Stream& stream) {
        if (stream.capture != nullptr) return invalidate_capture(stream);
        machine.host_waits_for(stream);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned flags)
{
    return with_stream(Call::queues, __func__, handle, [&](Machine& machine, Stream& stream) {
        Event* const known = own(machine, event);
        if (known == nullptr) return cudaErrorInvalidResourceHandle;
        if (flags > cudaEventWaitExternal) return cudaErrorInvalidValue;
        if (known->capture != nullptr || stream.capture != nullptr)
            return capture_wait(machine, stream, *known);
        return queue(machine, stream, WaitWork{event}, "cudaStreamWaitEvent");
    });
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* data,
                                  unsigned flags)
{
    return with_stream(Call::queues, __func__, handle, [&](Machine& machine, Stream& stream) {
        if (callback == nullptr || flags != 0) return cudaErrorInvalidValue;
        HostWork work;
        work.callback = callback;
        work.data = data;
        work.handle = handle;
        return queue(machine, stream, work, "cudaStreamAddCallback");
    });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data)
{
    return with_stream(Call::queues, __func__, handle, [&](Machine& machine, Stream& stream) {
        if (function == nullptr) return cudaErrorInvalidValue;
        HostWork work;
        work.function = function;
        work.data = data;
        return queue(machine, stream, work, "cudaLaunchHostFunc");
    });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags)
{
    return with_stream(Call::queues, __func__, handle, [&](Machine&, Stream& stream) {
        if (flags == nullptr) return cudaErrorInvalidValue;
        *flags = stream.flags;
        return cudaSuccess;
    });
}
cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority)
{
    return with_stream(Call::queues, __func__, handle, [&](Machine&, Stream& stream) {
        if (priority == nullptr) return cudaErrorInvalidValue;
        *priority = stream.priority;
        return cudaSuccess;
    });
}
cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id)
{
    return with_stream(Call::queues, __func__, handle, [&](Machine&, Stream& stream) {
        if (id == nullptr) return cudaErrorInvalidValue;
        *id = stream.id;
        return cudaSuccess;
    });
}
cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device)
{
    return with_stream(Call::queues, __func__, handle, [&](Machine&, Stream& stream) {
        if (device == nullptr) return cudaErrorInvalidValue;
        *device = stream.device;
        return cudaSuccess;
    });
}

// Cache and priority hints do not affect results.
cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaStreamAttrID,
                                   const cudaStreamAttrValue* value)
{
    return with_stream(Call::queues, __func__, handle, [&](Machine&, Stream&) {
        return value == nullptr ? cudaErrorInvalidValue : cudaSuccess;
    });
}
cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaStreamAttrID,
                                   cudaStreamAttrValue* value)
{
    return with_stream(Call::queues, __func__, handle, [&](Machine&, Stream&) {
        if (value == nullptr) return cudaErrorInvalidValue;
        *value = {};
        return cudaSuccess;
    });
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    return with_stream(Call::queues, __func__, to, [&](Machine& machine, Stream&) {
        return machine.stream(from, this_thread().device) == nullptr
                   ? cudaErrorInvalidResourceHandle
                   : cudaSuccess;
    });
}
cudaError_t cudaCtxResetPersistingL2Cache()
{
    return call(Call::queues, __func__, [&](Machine&) { return cudaSuccess; });
}

// --- Events ---

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (event == nullptr || flags > 7) return cudaErrorInvalidValue;
        if ((flags & cudaEventInterprocess) != 0 && (flags & cudaEventDisableTiming) == 0)
            return cudaErrorInvalidValue;
        auto* const made = new Event;
        made->device = this_thread().device;
        made->context = &current_context();
        made->flags = flags;
        machine.events.insert(made);
        *event = reinterpret_cast<cudaEvent_t>(made);
        return cudaSuccess;
    });
}
cudaError_t cudaEventCreate(cudaEvent_t* event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t handle, unsigned flags)
{
    return with_stream(Call::queues, "cudaEventRecord", handle,
                       [&](Machine& machine, Stream& stream) {
                           Event* const known = own(machine, event);
                           if (known == nullptr || known->context != stream.in)
                               return cudaErrorInvalidResourceHandle;
                           if (flags > cudaEventRecordExternal) return cudaErrorInvalidValue;
                           if (stream.capture != nullptr && flags == cudaEventRecordDefault)
                               return capture_record(machine, stream, *known);
                           return queue(machine, stream, RecordWork{event}, "cudaEventRecord");
                       });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle)
{
    return cudaEventRecordWithFlags(event, handle, cudaEventRecordDefault);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return call(Call::waits, __func__, [&](Machine& machine) {
        Event* const known = own(machine, event);
        if (known == nullptr) return cudaErrorInvalidResourceHandle;
        if (known->capture != nullptr) return cudaErrorCapturedEvent;
        machine.host_clock.join(known->clock);
        machine.protect_memory();
        return cudaSuccess;
    });
}
cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return cudaEventSynchronize(event);
}

// A finding about a call of cudaEventElapsedTime or cuEventElapsedTime, still without a message.
static Finding untimed()
{
    Finding finding{.kind = "not_ready"};
    finding.call = called_as("cudaEventElapsedTime");
    finding.site = CallSite::here();
    return finding;
}

// Returns the result that a GPU may return if the host has not waited for the event. Reports a
// finding, since on a GPU the work before the event may also be complete by chance.
static cudaError_t not_ready(Machine& machine, bool first)
{
    Finding finding = untimed();
    const bool is_runtime_call = finding.call.starts_with("cuda");
    finding.message = fmt::format(
        "{} is called before the host knows that its {} event is complete, and returns {}. Call {} "
        "for the second event first.",
        finding.call, first ? "first" : "second",
        is_runtime_call ? "cudaErrorNotReady" : "CUDA_ERROR_NOT_READY",
        is_runtime_call ? "cudaEventSynchronize" : "cuEventSynchronize");
    machine.find(finding);
    return cudaErrorNotReady;
}

// Reports an event that was never recorded: a GPU gives no time then.
static cudaError_t never_recorded(Machine& machine, bool first)
{
    Finding finding = untimed();
    const bool is_runtime_call = finding.call.starts_with("cuda");
    finding.message = fmt::format(
        "{} returns {}, because its {} event was never recorded: the time is not set. Call {} "
        "before the work that is timed, and again after it.",
        finding.call,
        is_runtime_call ? "cudaErrorInvalidResourceHandle" : "CUDA_ERROR_INVALID_HANDLE",
        first ? "first" : "second", is_runtime_call ? "cudaEventRecord" : "cuEventRecord");
    machine.find(finding);
    return cudaErrorInvalidResourceHandle;
}

// The elapsed time is the time the lockstep machine took.
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t begin, cudaEvent_t end)
{
    return call(Call::waits, __func__, [&](Machine& machine) {
        if (ms == nullptr) return cudaErrorInvalidValue;
        const Event* const from = own(machine, begin);
        const Event* const to = own(machine, end);
        if (from == nullptr || to == nullptr) return cudaErrorInvalidResourceHandle;
        if (((from->flags | to->flags) & cudaEventDisableTiming) != 0)
            return cudaErrorInvalidResourceHandle;
        for (const Event* const each : {from, to})
            if (!each->recorded && each->capture == nullptr)
                return never_recorded(machine, each == from);
        if (!from->recorded || !to->recorded) return cudaErrorInvalidResourceHandle;
        for (const Event* const each : {from, to})
            if (!machine.host_clock.includes(each->clock)) return not_ready(machine, each == from);
        *ms = std::chrono::duration<float, std::milli>(to->when - from->when).count();
        return cudaSuccess;
    });
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        Event* const known = own(machine, event);
        if (known == nullptr) return cudaErrorInvalidResourceHandle;
        machine.events.erase(known);
        delete known;
        return cudaSuccess;
    });
}

} // extern "C"

// Runs captured work in capture order, which respects every ordering constraint of the graph.
#include "compute/runtime/graphs/graph.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "compute/runtime/graphs/conditions.h"

namespace lanescope::runtime {

Node* Graph::add(Work work, std::vector<Node*> before)
{
    auto made = std::make_unique<Node>();
    made->graph = this;
    made->work = std::move(work);
    made->before = std::move(before);
    made->site = CallSite::here();
    nodes.push_back(std::move(made));
    return nodes.back().get();
}

Node* Graph::copy_of(const Node* original) const
{
    for (const auto& node : nodes)
        if (node->original == original || node.get() == original) return node.get();
    return nullptr;
}

std::shared_ptr<Graph> Graph::clone() const
{
    auto copy = std::make_shared<Graph>();
    copy->flags = flags;
    copy->conditions = conditions;
    copy->objects = objects;
    for (const auto& node : nodes) {
        Node* const made = copy->add(node->work, {});
        made->original = node.get();
        made->site = node->site;
        made->enabled = node->enabled;
        made->attributes = node->attributes;
        if (auto* child = std::get_if<GraphWork>(&made->work)) child->graph = child->graph->clone();
        if (auto* some = std::get_if<ConditionalWork>(&made->work))
            some->conditional = copy_of_conditional(*some->conditional);
    }
    for (const auto& node : nodes)
        for (const Node* before : node->before)
            copy->copy_of(node.get())->before.push_back(copy->copy_of(before));
    return copy;
}

std::vector<const Node*> Graph::in_order() const
{
    std::vector<const Node*> order;
    const auto done = [&](const Node* node) {
        return std::ranges::find(order, node) != order.end();
    };
    while (order.size() < nodes.size()) {
        const std::size_t before = order.size();
        for (const auto& node : nodes)
            if (!done(node.get()) && std::ranges::all_of(node->before, done))
                order.push_back(node.get());
        if (order.size() == before) return {};
    }
    return order;
}

bool Graph::is_chain() const
{
    const Node* last = nullptr;
    for (const auto& node : nodes) {
        const bool follows = last == nullptr ? node->before.empty()
                                             : node->before.size() == 1 && node->before[0] == last;
        if (!follows) return false;
        last = node.get();
    }
    return true;
}

cudaError_t capture(Machine&, Stream& stream, Work work)
{
    Capture& capture = *stream.capture;
    if (capture.invalid) return cudaErrorStreamCaptureInvalidated;
    auto& last = capture.last[&stream];
    last = {capture.graph->add(std::move(work), last)};
    return cudaSuccess;
}

cudaError_t invalidate_capture(Stream& stream)
{
    stream.capture->invalid = true;
    return cudaErrorStreamCaptureUnsupported;
}

cudaError_t invalidate_captures_before(Machine& machine, const Stream& stream)
{
    if (&stream != stream.in->default_stream.get()) return cudaSuccess;
    cudaError_t result = cudaSuccess;
    for (Stream* const other : machine.streams) {
        if (other->capture == nullptr || other->in != stream.in || !other->blocking) continue;
        other->capture->invalid = true;
        result = cudaErrorStreamCaptureImplicit;
    }
    return result;
}

cudaError_t invalidate_unsafe_captures(Machine& machine)
{
    const ThreadState& thread = this_thread();
    if (thread.capture_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
    cudaError_t result = cudaSuccess;
    for (Stream* const each : machine.streams) {
        if (each->capture == nullptr || each->capture->origin != each) continue;
        const bool is_own = each->capture->thread == std::this_thread::get_id();
        const bool forbids =
            each->capture->mode == cudaStreamCaptureModeGlobal
                ? is_own || thread.capture_mode == cudaStreamCaptureModeGlobal
                : each->capture->mode == cudaStreamCaptureModeThreadLocal && is_own;
        if (forbids) result = invalidate_capture(*each);
    }
    return result;
}

cudaError_t capture_record(Machine&, Stream& stream, Event& event)
{
    event.capture = stream.capture;
    event.capture_nodes.clear();
    for (Node* node : stream.capture->last[&stream])
        event.capture_nodes.push_back(reinterpret_cast<std::size_t>(node));
    return cudaSuccess;
}

cudaError_t capture_wait(Machine& machine, Stream& stream, Event& event)
{
    if (event.capture == nullptr) {
        // The event was recorded before the capture, so nothing inside it can wait for it.
        if (stream.capture == nullptr)
            return perform(machine, stream, WaitWork{}, "cudaStreamWaitEvent");
        stream.capture->invalid = true;
        return cudaErrorStreamCaptureIsolation;
    }
    if (stream.capture != nullptr && stream.capture != event.capture)
        return cudaErrorStreamCaptureMerge;
    stream.capture = event.capture;
    auto& last = event.capture->last[&stream];
    for (const std::size_t known : event.capture_nodes) {
        auto* const node = reinterpret_cast<Node*>(known);
        if (std::ranges::find(last, node) == last.end()) last.push_back(node);
    }
    return cudaSuccess;
}

namespace {

// Arguments that were valid at capture may no longer be: copies and fills are validated again.
cudaError_t perform_node(Machine& machine, Stream& stream, const Node& node)
{
    constexpr const char* name = "cudaGraphLaunch";
    const Node* const outer = std::exchange(machine.replayed, &node);
    cudaError_t result = cudaSuccess;
    if (const auto* const copy = std::get_if<CopyWork>(&node.work))
        result = check(machine, *copy, name);
    else if (const auto* const fill = std::get_if<FillWork>(&node.work))
        result = check(machine, *fill, name);
    if (result == cudaSuccess) result = runtime::perform(machine, stream, node.work, name);
    machine.replayed = outer;
    return result;
}

} // namespace

cudaError_t perform_body(Machine& machine, Stream& stream, const Graph& body)
{
    if (!body.is_chain()) return perform(machine, stream, body);
    for (const auto& node : body.nodes)
        if (node->enabled)
            if (const cudaError_t failed = perform_node(machine, stream, *node);
                failed != cudaSuccess)
                return failed;
    return cudaSuccess;
}

void Machine::explain_replay(std::uint64_t address, Finding& finding) const
{
    const Freed* const gone = find_freed(address);
    if (replayed == nullptr || gone == nullptr) return;
    finding.message += fmt::format(
        " The graph keeps the arguments that its node had when it was captured, and {} has freed "
        "that memory of {} bytes since. Free it after the last launch of the graph, or capture the "
        "graph again with the new pointer.",
        gone->call, gone->bytes);
    if (finding.site.count == 0 && finding.site.script == nullptr) finding.site = replayed->site;
    finding.other_site = gone->site;
}

// Unordered branches run in separate streams, so that conflicts between them are found.
cudaError_t perform(Machine& machine, Stream& stream, const Graph& graph)
{
    if (machine.replayed == nullptr) assign_defaults(machine, stream, graph);
    std::map<const Node*, Clock> after;
    const Clock begin = machine.begin_work(stream);
    Clock end = begin;
    const std::string name = stream.name;
    for (const Node* node : graph.in_order()) {
        Stream branch;
        branch.device = stream.device;
        branch.context = stream.context;
        branch.in = stream.in;
        branch.blocking = false;
        branch.timeline = machine.timelines++;
        branch.name = name + " (a graph)";
        branch.clock = begin;
        for (const Node* before : node->before) branch.clock.join(after[before]);
        if (node->enabled)
            if (const cudaError_t failed = perform_node(machine, branch, *node);
                failed != cudaSuccess)
                return failed;
        after[node] = branch.clock;
        end.join(branch.clock);
    }
    stream.clock.join(end);
    machine.protect_memory();
    return cudaSuccess;
}

} // namespace lanescope::runtime

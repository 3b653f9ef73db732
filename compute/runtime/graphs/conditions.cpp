// Runs conditional nodes. The condition's word has a history like any other allocation, so that a
// kernel that sets it without being ordered before the node is found.
#include "compute/runtime/graphs/conditions.h"

#include <chrono>
#include <cstring>

#include <fmt/format.h>

namespace lanescope::runtime {

namespace {

constexpr std::uint64_t word_bytes = sizeof(unsigned);

void note_condition(Machine& machine, Stream& stream, const Condition& condition, Touch touch,
                    const char* what)
{
    Memory* const word = machine.find(condition.address);
    if (word == nullptr) return;
    const Clock& clock = machine.begin_work(stream);
    MemoryUse use{
        .begin = condition.address, .end = condition.address + word_bytes, .touch = touch};
    use.timeline = stream.timeline;
    use.tick = clock.at(stream.timeline);
    use.what = fmt::format("{} in {}", what, stream.words());
    use.site = CallSite::here();
    if (const auto other = word->history.conflict(use, clock)) {
        Finding finding{.kind = "unordered"};
        finding.call = "cudaGraphLaunch";
        finding.site = use.site;
        finding.other_site = condition.site;
        finding.message = fmt::format(
            "{} {} a condition that {} {}, and nothing orders the two. Make the node depend on the "
            "kernel, with cudaGraphAddDependencies or when it is added.",
            use.what, touch == Touch::read ? "reads" : "sets", other->what,
            other->touch == Touch::read ? "reads" : "sets");
        machine.find(finding);
    }
    word->history.add(use, clock);
}

// The value that the node reads; reports one that nothing has set.
unsigned value_of(Machine& machine, Stream& stream, const Condition& condition)
{
    note_condition(machine, stream, condition, Touch::read, "a conditional node");
    if (machine.simt().unwritten(condition.address, word_bytes, 0).bytes > 0) {
        Finding finding{.kind = "uninitialised"};
        finding.call = "cudaGraphLaunch";
        finding.site = CallSite::here();
        finding.other_site = condition.site;
        finding.message =
            "A conditional node reads its condition, which nothing has set. Set it in a kernel "
            "that the node depends on, with cudaGraphSetConditional, or create its handle with "
            "cudaGraphCondAssignDefault.";
        machine.find(finding);
    }
    unsigned value = 0;
    std::memcpy(&value, machine.simt().bytes(condition.address, word_bytes).data(), word_bytes);
    return value;
}

// Null: no body runs.
const Graph* chosen_body(const Conditional& conditional, unsigned value)
{
    const auto body = [&](std::size_t index) {
        return index < conditional.bodies.size() ? conditional.bodies[index].get() : nullptr;
    };
    switch (conditional.type) {
    case cudaGraphCondTypeSwitch: return body(value);
    case cudaGraphCondTypeWhile: return value != 0 ? body(0) : nullptr;
    default: return body(value != 0 ? 0 : 1);
    }
}

void report_endless_loop(Machine& machine, std::uint64_t rounds)
{
    Finding finding{.kind = "time_limit"};
    finding.call = "cudaGraphLaunch";
    finding.site = CallSite::here();
    finding.message =
        fmt::format("A while node of the graph was stopped after {} s, the time limit of a launch: "
                    "its body had "
                    "run {} times. The loop ends once a kernel sets its condition to 0 with "
                    "cudaGraphSetConditional. Allow more with --launch-limit.",
                    machine.launch_limit_s(), rounds);
    machine.find(finding);
}

} // namespace

Condition::~Condition()
{
    Machine& machine = Machine::instance();
    Memory* const word = machine.find(address);
    if (word != nullptr && word->address == address) machine.release(*word, "cudaGraphDestroy");
}

std::shared_ptr<Condition> make_condition(Machine& machine, unsigned default_value,
                                          bool assigns_default)
{
    Memory* const word = machine.allocate(word_bytes, MemoryKind::device, this_thread().device,
                                          "cudaGraphConditionalHandleCreate");
    if (word == nullptr) return nullptr;
    word->kind = MemoryKind::variable; // the graph owns it: not a leak of the program
    auto made = std::make_shared<Condition>();
    made->address = word->address;
    made->default_value = default_value;
    made->assigns_default = assigns_default;
    made->site = word->site;
    return made;
}

std::shared_ptr<Conditional> copy_of_conditional(const Conditional& conditional)
{
    auto copy = std::make_shared<Conditional>();
    copy->condition = conditional.condition;
    copy->type = conditional.type;
    for (const auto& body : conditional.bodies) copy->bodies.push_back(body->clone());
    return copy;
}

void assign_defaults(Machine& machine, Stream& stream, const Graph& graph)
{
    for (const auto& condition : graph.conditions) {
        if (!condition->assigns_default) continue;
        note_condition(machine, stream, *condition, Touch::write, "the launch of a graph");
        std::memcpy(machine.simt().bytes(condition->address, word_bytes).data(),
                    &condition->default_value, word_bytes);
        machine.simt().mark_written(condition->address, word_bytes);
    }
    for (const auto& node : graph.nodes) {
        if (const auto* const child = std::get_if<GraphWork>(&node->work))
            assign_defaults(machine, stream, *child->graph);
        if (const auto* const some = std::get_if<ConditionalWork>(&node->work))
            for (const auto& body : some->conditional->bodies)
                assign_defaults(machine, stream, *body);
    }
}

cudaError_t perform(Machine& machine, Stream& stream, const Conditional& conditional)
{
    const auto begin = std::chrono::steady_clock::now();
    const auto seconds = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    for (std::uint64_t rounds = 0;; ++rounds) {
        if (stream.in->fault != cudaSuccess) return cudaSuccess;
        const double limit_s = machine.launch_limit_s();
        if (limit_s > 0 && seconds() > limit_s) {
            report_endless_loop(machine, rounds);
            Machine::destroy_context(*stream.in, cudaErrorLaunchTimeout);
            return cudaSuccess;
        }
        const unsigned value = value_of(machine, stream, *conditional.condition);
        const Graph* const body = chosen_body(conditional, value);
        if (body == nullptr) return cudaSuccess;
        const cudaError_t result = perform_body(machine, stream, *body);
        if (result != cudaSuccess || conditional.type != cudaGraphCondTypeWhile) return result;
    }
}

} // namespace lanescope::runtime

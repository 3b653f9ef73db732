// Graphs whose nodes decide, conditional nodes, and nodes that are read and changed. Defects: the
// line of a finding ends with a comment, the program's name and the finding's kind.
#include "programs.h"

#include <fstream>
#include <string>

__global__ void count_down(int* left, cudaGraphConditionalHandle again)
{
    *left -= 1;
    cudaGraphSetConditional(again, *left > 0);
}
__global__ void add_to(int* sum, int value)
{
    *sum += value;
}
__global__ void choose(int* which, cudaGraphConditionalHandle condition)
{
    cudaGraphSetConditional(condition, *which);
}
__global__ void scale(int* values, int n, int factor)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= factor;
}

// Adds a kernel node with one block of one thread.
template <class... Arguments>
static cudaError_t add_kernel(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                              void (*kernel)(Arguments...), Arguments... arguments)
{
    void* pointers[] = {&arguments...};
    cudaGraphNodeParams parameters = {cudaGraphNodeTypeKernel};
    parameters.kernel.func = reinterpret_cast<void*>(kernel);
    parameters.kernel.gridDim = parameters.kernel.blockDim = dim3(1);
    parameters.kernel.kernelParams = pointers;
    return cudaGraphAddNode(node, graph, before, nullptr, before != nullptr, &parameters);
}

// Adds a conditional node; `bodies` receives its graphs.
static cudaError_t add_conditional(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                                   unsigned size, cudaGraph_t* bodies)
{
    cudaGraphNodeParams parameters = {cudaGraphNodeTypeConditional};
    parameters.conditional.handle = handle;
    parameters.conditional.type = type;
    parameters.conditional.size = size;
    const cudaError_t result = cudaGraphAddNode(node, graph, before, nullptr, before != nullptr, &parameters);
    for (unsigned i = 0; result == cudaSuccess && i < size; ++i) bodies[i] = parameters.conditional.phGraph_out[i];
    return result;
}

// Managed memory of ints with these values.
static int* managed(std::initializer_list<int> values)
{
    int* pointer = nullptr;
    if (cudaMallocManaged(&pointer, values.size() * sizeof(int)) != cudaSuccess) std::exit(1);
    std::copy(values.begin(), values.end(), pointer);
    return pointer;
}

static cudaError_t launch_and_wait(cudaGraphExec_t executable)
{
    const cudaError_t result = cudaGraphLaunch(executable, nullptr);
    return result != cudaSuccess ? result : cudaDeviceSynchronize();
}

// A loop of ten rounds whose body is captured from a stream; a second launch counts again.
PROGRAM(graph_while)
{
    int* left = managed({10});
    int* sum = managed({0});
    cudaGraph_t graph, body;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle again;
    CHECK(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNode_t loop;
    CHECK(add_conditional(&loop, graph, nullptr, again, cudaGraphCondTypeWhile, 1, &body));
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(loop, &type));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    add_to<<<1, 1, 0, stream>>>(sum, 3);
    count_down<<<1, 1, 0, stream>>>(left, again);
    CHECK(cudaStreamEndCapture(stream, nullptr));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    CHECK(launch_and_wait(executable));
    const int first = *sum;
    *left = 4;
    CHECK(launch_and_wait(executable));
    std::printf("%d %d %d\n", type == cudaGraphNodeTypeConditional, first, *sum);
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaStreamDestroy(stream));
    for (int* each : {left, sum}) CHECK(cudaFree(each));
    return 0;
}

// A condition that a kernel before the node sets: the body, the other body, or one by its number.
PROGRAM(graph_branches)
{
    int* which = managed({0});
    int* sum = managed({0});
    cudaGraph_t graph, either[2], cases[3];
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handles[2];
    for (auto& handle : handles) CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    cudaGraphNode_t chosen, branch, chosen_again, by_number, node;
    CHECK(add_kernel(&chosen, graph, nullptr, choose, which, handles[0]));
    CHECK(add_conditional(&branch, graph, &chosen, handles[0], cudaGraphCondTypeIf, 2, either));
    CHECK(add_kernel(&node, either[0], nullptr, add_to, sum, 1));
    CHECK(add_kernel(&node, either[1], nullptr, add_to, sum, 10));
    CHECK(add_kernel(&chosen_again, graph, &branch, choose, which, handles[1]));
    CHECK(add_conditional(&by_number, graph, &chosen_again, handles[1], cudaGraphCondTypeSwitch, 3, cases));
    for (int i = 0; i < 3; ++i) CHECK(add_kernel(&node, cases[i], nullptr, add_to, sum, 100 * i));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (const int value : {0, 1, 2, 3}) {
        *which = value;
        *sum = 0;
        CHECK(launch_and_wait(executable));
        std::printf("%d ", *sum);
    }
    std::printf("\n");
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    for (int* each : {which, sum}) CHECK(cudaFree(each));
    return 0;
}

// A loop in a branch: the inner loop's condition starts from its default once per launch.
PROGRAM(graph_nested_loops)
{
    int* rounds = managed({3});
    int* yes = managed({1});
    int* sum = managed({0});
    cudaGraph_t graph, branch, loop;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle outer, inner;
    CHECK(cudaGraphConditionalHandleCreate(&outer, graph, 0, cudaGraphCondAssignDefault));
    cudaGraphNode_t first, node, previous;
    CHECK(add_kernel(&first, graph, nullptr, choose, yes, outer));
    CHECK(add_conditional(&node, graph, &first, outer, cudaGraphCondTypeIf, 1, &branch));
    CHECK(cudaGraphConditionalHandleCreate(&inner, branch, 1, cudaGraphCondAssignDefault));
    CHECK(add_conditional(&node, branch, nullptr, inner, cudaGraphCondTypeWhile, 1, &loop));
    CHECK(add_kernel(&previous, loop, nullptr, add_to, sum, 5));
    CHECK(add_kernel(&node, loop, &previous, count_down, rounds, inner));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(launch_and_wait(executable));
    const int first_sum = *sum;
    *yes = 0;
    CHECK(launch_and_wait(executable));
    std::printf("%d %d\n", first_sum, *sum);
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    for (int* each : {rounds, yes, sum}) CHECK(cudaFree(each));
    return 0;
}

// Calls that a conditional node refuses.
PROGRAM(graph_condition_errors)
{
    cudaGraph_t graph, other, bodies[3];
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphCreate(&other, 0));
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    cudaGraphNode_t node;
    const auto name = [](cudaError_t error) { return cudaGetErrorName(error); };
    std::printf("%s\n", name(cudaGraphConditionalHandleCreate(&handle, graph, 0, 8)));
    std::printf("%s\n", name(add_conditional(&node, graph, nullptr, handle, cudaGraphCondTypeWhile, 2, bodies)));
    std::printf("%s\n", name(add_conditional(&node, graph, nullptr, handle, cudaGraphCondTypeIf, 3, bodies)));
    std::printf("%s\n", name(add_conditional(&node, graph, nullptr, handle, cudaGraphCondTypeSwitch, 0, bodies)));
    std::printf("%s\n", name(add_conditional(&node, other, nullptr, handle, cudaGraphCondTypeIf, 1, bodies)));
    cudaGetLastError();
    CHECK(cudaGraphDestroy(other));
    CHECK(cudaGraphDestroy(graph));
    return 0;
}

__device__ int in_variable[4];

static void CUDART_CB adds_one(void* count)
{
    ++*static_cast<int*>(count);
}
static void CUDART_CB adds_ten(void* count)
{
    *static_cast<int*>(count) += 10;
}

// The parameters of copies, fills, host functions, events, children and memory, as they were given and as they
// are changed, in the graph and in its executable form.
PROGRAM(graph_node_parameters)
{
    const int n = 64;
    std::vector<int> host(n, 2), second(n, 3), result(n, 0);
    int* values;
    CHECK(cudaMalloc(&values, n * sizeof(int)));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t filled, up, multiplied, variable, down, called;
    cudaMemsetParams fill{values, 0, 7, 4, n, 1};
    CHECK(cudaGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill));
    CHECK(cudaGraphAddMemcpyNode1D(&up, graph, &filled, 1, values, host.data(), n / 2 * sizeof(int),
                                   cudaMemcpyHostToDevice));
    int count = n, factor = 3;
    void* arguments[] = {&values, &count, &factor};
    cudaKernelNodeParams kernel{};
    kernel.func = reinterpret_cast<void*>(scale);
    kernel.gridDim = dim3(2);
    kernel.blockDim = dim3(32);
    kernel.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&multiplied, graph, &up, 1, &kernel));
    CHECK(cudaGraphAddMemcpyNodeToSymbol(&variable, graph, &multiplied, 1, in_variable, values, 2 * sizeof(int), 0,
                                         cudaMemcpyDeviceToDevice));
    CHECK(cudaGraphAddMemcpyNode1D(&down, graph, &variable, 1, result.data(), values, n * sizeof(int),
                                   cudaMemcpyDeviceToHost));
    int calls = 0;
    cudaHostNodeParams function{adds_one, &calls};
    CHECK(cudaGraphAddHostNode(&called, graph, &down, 1, &function));

    cudaMemcpy3DParms copy{};
    CHECK(cudaGraphMemcpyNodeGetParams(up, &copy));
    const bool copy_is_read = copy.srcPtr.ptr == host.data() && copy.dstPtr.ptr == values &&
                              copy.extent.width == n / 2 * sizeof(int) && copy.extent.height == 1;
    cudaMemsetParams read_fill{};
    CHECK(cudaGraphMemsetNodeGetParams(filled, &read_fill));
    cudaHostNodeParams read_function{};
    CHECK(cudaGraphHostNodeGetParams(called, &read_function));
    std::printf("%d %d %d\n", copy_is_read, read_fill.value == 7 && read_fill.width == n && read_fill.dst == values,
                read_function.fn == adds_one && read_function.userData == &calls);
    cudaGraphExec_t executable;
    cudaGraphInstantiateParams instantiation{};
    CHECK(cudaGraphInstantiateWithParams(&executable, graph, &instantiation));
    CHECK(launch_and_wait(executable));
    std::printf("%d %d %d %d\n", instantiation.result_out == cudaGraphInstantiateSuccess, result[0], result[n - 1], calls);

    // The executable alone.
    copy.srcPtr.ptr = second.data();
    CHECK(cudaGraphExecMemcpyNodeSetParams(executable, up, &copy));
    CHECK(cudaGraphExecMemcpyNodeSetParamsToSymbol(executable, variable, in_variable, values, sizeof(int), 8,
                                                   cudaMemcpyDeviceToDevice));
    CHECK(launch_and_wait(executable));
    int variables[4];
    CHECK(cudaMemcpyFromSymbol(variables, in_variable, sizeof variables));
    std::printf("%d %d, %d %d %d\n", result[0], result[n - 1], variables[0], variables[1], variables[2]);

    // The graph, and from it another executable.
    function.fn = adds_ten;
    CHECK(cudaGraphHostNodeSetParams(called, &function));
    fill.value = 4;
    CHECK(cudaGraphMemsetNodeSetParams(filled, &fill));
    CHECK(cudaGraphMemcpyNodeSetParams1D(up, values, host.data(), sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(launch_and_wait(executable));
    std::printf("%d %d %d\n", result[0], result[1], calls);
    std::printf("%s\n", cudaGetErrorName(cudaGraphMemsetNodeGetParams(up, &read_fill)));
    cudaGetLastError();
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(values));
    return 0;
}

// Children, events, allocations, attributes, objects that graphs keep, and the graph as a picture.
PROGRAM(graph_other_nodes)
{
    cudaGraph_t graph, child, inside;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphCreate(&child, 0));
    int* sum = managed({0});
    cudaGraphNode_t node, nested, recorded, waited, made, freed, priority;
    CHECK(add_kernel(&node, child, nullptr, add_to, sum, 1));
    CHECK(cudaGraphAddChildGraphNode(&nested, graph, nullptr, 0, child));
    CHECK(cudaGraphChildGraphNodeGetGraph(nested, &inside));
    std::size_t count = 0;
    CHECK(cudaGraphGetNodes(inside, nullptr, &count));
    cudaEvent_t events[2], event = nullptr;
    for (auto& each : events) CHECK(cudaEventCreate(&each));
    CHECK(cudaGraphAddEventRecordNode(&recorded, graph, &nested, 1, events[0]));
    CHECK(cudaGraphAddEventWaitNode(&waited, graph, &recorded, 1, events[0]));
    CHECK(cudaGraphEventRecordNodeSetEvent(recorded, events[1]));
    CHECK(cudaGraphEventWaitNodeSetEvent(waited, events[1]));
    CHECK(cudaGraphEventRecordNodeGetEvent(recorded, &event));
    std::printf("%d %d", static_cast<int>(count), event == events[1]);
    CHECK(cudaGraphEventWaitNodeGetEvent(waited, &event));
    std::printf(" %d\n", event == events[1]);

    cudaMemAllocNodeParams allocation{}, read_allocation{};
    allocation.poolProps.allocType = cudaMemAllocationTypePinned;
    allocation.poolProps.location = {cudaMemLocationTypeDevice, 0};
    allocation.bytesize = 256;
    CHECK(cudaGraphAddMemAllocNode(&made, graph, nullptr, 0, &allocation));
    CHECK(cudaGraphAddMemFreeNode(&freed, graph, &made, 1, allocation.dptr));
    CHECK(cudaGraphMemAllocNodeGetParams(made, &read_allocation));
    void* address = nullptr;
    CHECK(cudaGraphMemFreeNodeGetParams(freed, &address));
    std::printf("%d %d\n", read_allocation.bytesize >= 256 && read_allocation.dptr == allocation.dptr,
                address == allocation.dptr);

    CHECK(add_kernel(&priority, graph, &waited, add_to, sum, 1));
    cudaKernelNodeAttrValue value{};
    value.priority = -1;
    CHECK(cudaGraphKernelNodeSetAttribute(priority, cudaKernelNodeAttributePriority, &value));
    value = {};
    CHECK(cudaGraphKernelNodeGetAttribute(priority, cudaKernelNodeAttributePriority, &value));
    std::printf("%d ", value.priority);
    CHECK(cudaGraphKernelNodeCopyAttributes(node, priority));
    value = {};
    CHECK(cudaGraphKernelNodeGetAttribute(node, cudaKernelNodeAttributePriority, &value));
    std::printf("%d\n", value.priority);

    int destroyed = 0;
    cudaUserObject_t object;
    CHECK(cudaUserObjectCreate(&object, &destroyed, adds_one, 1, cudaUserObjectNoDestructorSync));
    CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(launch_and_wait(executable));
    const std::string picture = std::string(std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "/tmp") + "/graph_other_nodes.dot";
    CHECK(cudaGraphDebugDotPrint(graph, picture.c_str(), 0));
    std::string first_word;
    std::ifstream(picture) >> first_word;
    std::remove(picture.c_str());
    CHECK(cudaGraphDestroy(graph));
    const int before = destroyed;
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaDeviceSynchronize());
    std::printf("%s, %d, destroyed %d\n", first_word.c_str(), *sum, before);
    CHECK(cudaGraphDestroy(child));
    for (auto& each : events) CHECK(cudaEventDestroy(each));
    CHECK(cudaFree(sum));
    return passed(destroyed == 1);
}

// --- Defects ---

// No kernel and no default gives the condition a value.
PROGRAM(condition_unset)
{
    int* sum = managed({0});
    cudaGraph_t graph, body;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, mended ? cudaGraphCondAssignDefault : 0));
    cudaGraphNode_t node;
    CHECK(add_conditional(&node, graph, nullptr, handle, cudaGraphCondTypeIf, 1, &body));
    CHECK(add_kernel(&node, body, nullptr, add_to, sum, 1));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, nullptr)); // condition_unset: uninitialised
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(sum));
    return 0;
}

// The node does not depend on the kernel that sets its condition.
PROGRAM(condition_unordered)
{
    int* which = managed({1});
    int* sum = managed({0});
    cudaGraph_t graph, body;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, cudaGraphCondAssignDefault));
    cudaGraphNode_t chosen, node;
    CHECK(add_kernel(&chosen, graph, nullptr, choose, which, handle));
    CHECK(add_conditional(&node, graph, mended ? &chosen : nullptr, handle, cudaGraphCondTypeIf, 1, &body));
    CHECK(add_kernel(&node, body, nullptr, add_to, sum, 1));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, nullptr)); // condition_unordered: unordered
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    for (int* each : {which, sum}) CHECK(cudaFree(each));
    return 0;
}

// A body may not call the host.
PROGRAM(condition_host)
{
    int calls = 0;
    cudaGraph_t graph, body;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNode_t node;
    CHECK(add_conditional(&node, graph, nullptr, handle, cudaGraphCondTypeIf, 1, &body));
    cudaHostNodeParams function{adds_one, &calls};
    if (!mended) cudaGraphAddHostNode(&node, body, nullptr, 0, &function); // condition_host: launch
    cudaGraphExec_t executable;
    if (cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess) CHECK(cudaGraphExecDestroy(executable));
    cudaGetLastError();
    CHECK(cudaGraphDestroy(graph));
    return 0;
}


// Two threads set one condition to different values. The function has no lines: the call is named.
__global__ void choose_twice(cudaGraphConditionalHandle condition, int threads)
{
    if (threadIdx.x < threads) cudaGraphSetConditional(condition, threadIdx.x); // condition_race: race
}
PROGRAM(condition_race)
{
    cudaGraph_t graph, body;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, cudaGraphCondAssignDefault));
    int threads = mended ? 1 : 2;
    void* arguments[] = {&handle, &threads};
    cudaGraphNodeParams kernel = {cudaGraphNodeTypeKernel};
    kernel.kernel.func = reinterpret_cast<void*>(choose_twice);
    kernel.kernel.gridDim = dim3(1);
    kernel.kernel.blockDim = dim3(32);
    kernel.kernel.kernelParams = arguments;
    cudaGraphNode_t chosen, node;
    CHECK(cudaGraphAddNode(&chosen, graph, nullptr, nullptr, 0, &kernel));
    CHECK(add_conditional(&node, graph, &chosen, handle, cudaGraphCondTypeIf, 1, &body));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(launch_and_wait(executable));
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    return 0;
}

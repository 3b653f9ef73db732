// A list whose head is passed in a structure: only the memory itself shows where its nodes are.
struct Node {
    const Node* next;
    long long value;
};

struct List {
    const Node* first;
    long long start;
};

__global__ void sum_list(List list, long long* sum)
{
    long long all = list.start;
    for (const Node* node = list.first; node != nullptr; node = node->next) all += node->value;
    *sum = all;
}

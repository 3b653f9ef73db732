// Waits for a word that nobody writes.
extern "C" __global__ void waits_for_ever(volatile int* flag)
{
    while (flag[0] == 0) {}
    flag[1] = 1;
}

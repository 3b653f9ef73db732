// Waits for a word that is never written.
extern "C" __global__ void waits_for_ever(volatile int* flag)
{
    while (flag[0] == 0) {}
    flag[1] = 1;
}

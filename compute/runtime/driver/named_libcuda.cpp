// An empty libcuda.so.1: its functions are in the runtime library beside it, which it links, so
// that both APIs share one machine.
extern "C" __attribute__((visibility("hidden"))) const int lanescope_driver_is_in_runtime = 1;

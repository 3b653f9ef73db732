// Nothing is in libcuda.so.1: its functions are in the library of the runtime beside it, which it
// needs, so that both interfaces have one machine.
extern "C" __attribute__((visibility("hidden"))) const int lanescope_driver_is_in_runtime = 1;

// Answers calls of functions of the driver API that are not there.
#include "compute/runtime/missing.h"

#include "compute/runtime/driver/missing.def"

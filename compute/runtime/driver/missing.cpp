// Answers calls to driver functions that are not supported.
#include "compute/runtime/missing.h"

#include "compute/runtime/driver/missing.def"

// Dispatches to one of the compiled instruction sets.
#include "compute/simt/operations/memory/row_addresses.h"

namespace lanescope::simt {

namespace rows {

namespace baseline {
AddressFunctions address_functions();
}
#if defined(__x86_64__)
namespace avx2 {
AddressFunctions address_functions();
}
namespace avx512 {
AddressFunctions address_functions();
}
#endif

} // namespace rows

AddressFunctions address_functions([[maybe_unused]] Isa isa)
{
#if defined(__x86_64__)
    if (isa == Isa::avx512) return rows::avx512::address_functions();
    if (isa == Isa::avx2) return rows::avx2::address_functions();
#endif
    return rows::baseline::address_functions();
}

} // namespace lanescope::simt

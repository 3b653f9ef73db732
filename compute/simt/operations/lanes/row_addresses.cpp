// Dispatches to one of the compiled instruction sets.
#include "compute/simt/operations/lanes/row_addresses.h"

#include "compute/simt/operations/rows/built.h"

namespace lanescope::simt {

namespace rows {

namespace baseline {
AddressFunctions address_functions();
}
namespace avx2 {
AddressFunctions address_functions();
}
namespace avx512 {
AddressFunctions address_functions();
}

} // namespace rows

AddressFunctions address_functions(Isa isa)
{
    if constexpr (is_built(Isa::avx512))
        if (isa == Isa::avx512) return rows::avx512::address_functions();
    if constexpr (is_built(Isa::avx2))
        if (isa == Isa::avx2) return rows::avx2::address_functions();
    if constexpr (is_built(Isa::baseline))
        if (isa == Isa::baseline) return rows::baseline::address_functions();
    refuse_instruction_set(isa);
}

} // namespace lanescope::simt

// Vector instructions of this computer's processor.
#pragma once

namespace lanescope {

bool processor_has_avx2();   // with fused multiply-adds
bool processor_has_avx512(); // the parts for words of 8 to 64 bits, in vectors of any length

} // namespace lanescope

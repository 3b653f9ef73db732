// Marks the bytes that a launch stores as written, for launches that don't check reads: later
// launches on the same device may.
#pragma once

#include "compute/simt/machine/state/observer.h"

namespace lanescope::simt {

class StoredBytes : public Observer {
public:
    void access(Executor& executor, const AccessEvent& event) override;
};

} // namespace lanescope::simt

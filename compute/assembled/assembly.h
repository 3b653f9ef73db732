// Maps SASS back to the sites of a kernel: which PTX accesses were merged into wider ones,
// aggregated, duplicated or removed.
#pragma once

#include <memory>
#include <string_view>

#include "compute/assembled/sass.h"
#include "compute/ptx/sites/sites.h"
#include "compute/ptx/text/module.h"
#include "compute/trace/assembled.h"

namespace lanescope::assembled {

// `sass` must be assembled from `module`'s text. A kernel that the SASS lacks gets no sites.
trace::Assembled assembled_sites(const ptx::Module& module, const ptx::SiteList& sites,
                                 std::string_view kernel, const Sass& sass);

} // namespace lanescope::assembled

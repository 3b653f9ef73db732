// A device image together with the texture that shows it. Its class is the device's own image
// class, so that the device's copies and textures accept it.
#pragma once

#include <memory>

#include "render/shared/backend.h"

namespace lanescope::render {

std::unique_ptr<device::Image> wrap_image(std::shared_ptr<device::Image> inner,
                                          std::shared_ptr<Backing> texture);

std::size_t image_bytes(const device::Image& image);

} // namespace lanescope::render

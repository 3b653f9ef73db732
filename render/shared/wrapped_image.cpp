// One wrapper per engine, because each accepts only its own kind of image.
#include "render/shared/wrapped_image.h"

#include <utility>

#include "compute/cuda/image.h"
#include "compute/device/retires.h"

namespace lanescope::render {
namespace {

// `Kind` is the engine's image class, whose members the derived class forwards.
template <class Kind>
class Wrapped : public Kind, public Backing, public device::Retires {
public:
    Wrapped(std::shared_ptr<device::Image> inner, std::shared_ptr<Backing> texture)
        : texture_(std::move(texture)), inner_(std::move(inner))
    {
    }
    ~Wrapped() override { Wrapped::retire(); }
    void retire() override
    {
        device::retire(*texture_);
        device::retire(*inner_);
    }
    int width() const override { return inner_->width(); }
    int height() const override { return inner_->height(); }
    int depth() const override { return inner_->depth(); }
    device::Format format() const override { return inner_->format(); }
    std::uint64_t surface() const override { return inner_->surface(); }
    GLuint gl_name() const override { return texture_->gl_name(); }
    std::size_t backing_bytes() const override { return texture_->backing_bytes(); }

protected:
    const Kind& inner() const { return dynamic_cast<const Kind&>(*inner_); }

private:
    std::shared_ptr<Backing>
        texture_; // first member, so destroyed last: the image may use its memory
    std::shared_ptr<device::Image> inner_;
};

class WrappedArray final : public Wrapped<cuda::ArrayImage> {
public:
    using Wrapped::Wrapped;
    void* array() const override { return inner().array(); }
};

class WrappedPlain final : public Wrapped<device::Image> {
public:
    using Wrapped::Wrapped;
};

} // namespace

std::unique_ptr<device::Image> wrap_image(std::shared_ptr<device::Image> inner,
                                          std::shared_ptr<Backing> texture)
{
    if (dynamic_cast<const cuda::ArrayImage*>(inner.get()) != nullptr)
        return std::make_unique<WrappedArray>(std::move(inner), std::move(texture));
    return std::make_unique<WrappedPlain>(std::move(inner), std::move(texture));
}

std::size_t image_bytes(const device::Image& image)
{
    return static_cast<std::size_t>(image.width()) * static_cast<std::size_t>(image.height()) *
           static_cast<std::size_t>(device::bytes_per_pixel(image.format()));
}

} // namespace lanescope::render

// Every fault of the labs, one after another, next to a GPU that keeps computing: its context and
// OpenGL survive all of them.
#include <gtest/gtest.h>

#include "app/run/worker.h"
#include "render/context/offscreen.h"
#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

class FaultLessons : public OnGpu {};

TEST_F(FaultLessons, KeepContextAndOpenGlIntact)
{
    const render::Offscreen context({.cuda_ordinal = 0, .debug = true});
    app::Worker worker({.waits = true});
    std::size_t faults = 0;
    for (const labs::Lab& lab : labs::all()) {
        if (std::ranges::all_of(lab.variants, [](const auto& one) { return one.fault.empty(); }))
            continue;
        app::Session session;
        session.device = "cuda";
        session.journal.start = {lab.id, lab.variants.front().id, {}, 1, ""};
        session.journal.steps = 1;
        const app::OpenJob job{lab.id,
                               [session] {
                                   return app::Found{app::Arrival::session, session};
                               },
                               {}};
        app::Plan plan;
        plan.opened = worker.open(job);
        plan.running = false;
        worker.tell(plan);
        ASSERT_EQ(worker.settle()->engine.engine, device::Engine::cuda);
        for (const labs::Variant& variant : lab.variants) {
            if (variant.fault.empty()) continue;
            SCOPED_TRACE(lab.id + "/" + variant.id);
            ++faults;
            worker.apply(app::VariantChange{variant.id});
            worker.step(1);
            EXPECT_THROW(worker.settle(), device::KernelFault);
            EXPECT_EQ(worker.newest()->engine.engine, device::Engine::simt);
            ASSERT_TRUE(worker.newest()->fault);
            EXPECT_EQ(worker.newest()->fault->kind, variant.fault);
            EXPECT_GT(worker.newest()->fault->line, 0);
            worker.apply(app::VariantChange{variant.fixed});
            worker.step(1);
            const auto frame = worker.settle();
            EXPECT_EQ(frame->engine.engine, device::Engine::cuda);
            EXPECT_FALSE(frame->fault);
            EXPECT_TRUE(frame->a.picture);
        }
    }
    EXPECT_GE(faults, 7u);
    EXPECT_FALSE(gpu->lost());
    const auto values = uploaded(*gpu, std::vector<unsigned>{1, 2});
    EXPECT_EQ(device::download<unsigned>(*gpu, values->address(), 2)[1], 2u);
    EXPECT_NO_THROW(context.debug_log()->check());
}

} // namespace
} // namespace lanescope::gpu_tests

// Loads whose addresses lanes have computed each for itself: mostly neighbours all the same, but
// for a few lanes. They are looked at one by one only where they are not.
#include "compute/simt/native/emit_affine.h"
#include "compute/simt/native/emitter.h"

#if defined(LANESCOPE_NATIVE)

#include "compute/simt/machine/executor.h"

namespace lanescope::simt::native {

void Emitter::lane_load(const Step& step, std::size_t index)
{
    LaneLoad load;
    load.made = &octets_->accesses[step.octets];
    load.strip = strip_;
    load.bytes = load.made->access->element_bytes == 8 ? 8 : 4;
    load.address = get(step.source[0], load.wide() ? 8 : 4, index, true, true).reg;
    Held value;
    value.row = step.d;
    value.bytes = load.bytes;
    for (int part = 0; part < value.parts(); ++part) {
        const int reg = take();
        pinned_ |= 1u << reg;
        value.reg[static_cast<std::size_t>(part)] = reg;
    }
    load.to = value.reg;
    if (variant_.observed) keep_lane_addresses(load);
    auto scattered = std::make_unique<Stub>();
    scattered->kind = Stub::Kind::scattered;
    scattered->load = load;
    scattered->otherwise = otherwise_;
    are_neighbours(load, scattered->label);
    find_place(*this, *load.made->access, {0, 8u * load.bytes}, rdx, *otherwise_);
    for (int part = 0; part < value.parts(); ++part)
        vmovups(Ymm(load.to[static_cast<std::size_t>(part)]), ptr[rax + 32 * part]);
    L(scattered->back);
    stubs_.push_back(std::move(scattered));
    give(index, step.d, value);
    drop_unneeded(index);
}

// Those of four lanes, as they are of the access, in ymm13.
void Emitter::lane_addresses(const LaneLoad& load, int part)
{
    const Access& access = *load.made->access;
    const auto offset_to = static_cast<std::uint64_t>(access.offset);
    if (load.wide()) {
        vpaddq(ymm13, Ymm(load.address[static_cast<std::size_t>(part)]), long_words(offset_to));
        return;
    }
    vpaddd(ymm13, Ymm(load.address[0]), words(static_cast<std::uint32_t>(offset_to)));
    if (part == 1) vextracti128(xmm13, ymm13, 1);
    vpmovzxdq(ymm13, xmm13);
}

void Emitter::keep_lane_addresses(const LaneLoad& load)
{
    const auto lanes = static_cast<std::size_t>(load.made->lanes) * warp_lanes +
                       static_cast<std::size_t>(load.strip) * 8;
    for (int part = 0; part < 2; ++part) {
        lane_addresses(load, part);
        vmovdqu(ptr[rbx + offset(&Activation::lane_addresses, 8 * lanes) + 32 * part], ymm13);
    }
}

// rax becomes the address of the first of eight lanes if the others lie behind it in order.
void Emitter::are_neighbours(const LaneLoad& load, Label& scattered)
{
    const Access& access = *load.made->access;
    const Xmm first(load.address[0]);
    if (load.wide()) {
        vpbroadcastq(ymm13, first);
        for (int part = 0; part < 2; ++part) {
            const Ymm differs(part == 0 ? 15 : 14);
            vpaddq(differs, ymm13, long_lane_steps(load.bytes, part));
            vpxor(differs, differs, Ymm(load.address[static_cast<std::size_t>(part)]));
        }
        vpor(ymm15, ymm15, ymm14);
        vmovq(rax, first);
    } else {
        vpbroadcastd(ymm13, first);
        vpaddd(ymm15, ymm13, lane_steps(load.bytes));
        vpxor(ymm15, ymm15, Ymm(load.address[0]));
        vmovd(eax, first);
    }
    vptest(ymm15, ymm15);
    jnz(scattered, T_NEAR);
    if (access.offset == 0) return;
    if (load.wide())
        add(rax, static_cast<std::uint32_t>(access.offset));
    else
        add(eax, static_cast<std::uint32_t>(access.offset));
}

// Of the four addresses in ymm13. Uses ymm14 and ymm15.
void Emitter::must_be_inside(const LaneLoad& load)
{
    const Access& access = *load.made->access;
    const bool shared = access.space == ptx::Space::shared;
    const auto hit = static_cast<int>(access.cache * sizeof(Region));
    vpand(ymm15, ymm13, long_words(access.width_bytes - 1u));
    vpxor(ymm14, ymm14, ymm14);
    vpcmpgtq(ymm15, ymm15, ymm14);
    if (shared) {
        vpcmpgtq(ymm14, ymm14, ymm13);
    } else {
        mov(rax, field(&Activation::hits));
        vpbroadcastq(ymm14, ptr[rax + hit + offset_in(&Region::begin)]);
        vpcmpgtq(ymm14, ymm14, ymm13);
    }
    vpor(ymm15, ymm15, ymm14);
    if (shared)
        vpbroadcastq(ymm14, field(&Activation::shared_bytes));
    else
        vpbroadcastq(ymm14, ptr[rax + hit + offset_in(&Region::end)]);
    vpsubq(ymm14, ymm14, long_words(access.width_bytes));
    vpcmpgtq(ymm14, ymm13, ymm14);
    vpor(ymm15, ymm15, ymm14);
    vptest(ymm15, ymm15);
    jnz(*otherwise_, T_NEAR);
}

void Emitter::load_scattered(const LaneLoad& load)
{
    const Access& access = *load.made->access;
    const bool shared = access.space == ptx::Space::shared;
    const auto hit = static_cast<int>(access.cache * sizeof(Region));
    for (int part = 0; part < 2; ++part) {
        lane_addresses(load, part);
        must_be_inside(load);
        if (shared) {
            mov(rax, field(&Activation::shared));
        } else {
            mov(rcx, field(&Activation::hits));
            mov(rax, ptr[rcx + hit + offset_in(&Region::host)]);
            sub(rax, ptr[rcx + hit + offset_in(&Region::begin)]);
        }
        vpcmpeqd(ymm14, ymm14, ymm14);
        if (load.bytes == 8) {
            vgatherqpd(Ymm(load.to[static_cast<std::size_t>(part)]), ptr[rax + ymm13], ymm14);
        } else if (part == 0) {
            vgatherqps(Xmm(load.to[0]), ptr[rax + ymm13], xmm14);
        } else {
            vgatherqps(xmm15, ptr[rax + ymm13], xmm14);
            vinserti128(Ymm(load.to[0]), Ymm(load.to[0]), xmm15, 1);
        }
    }
}

} // namespace lanescope::simt::native

#endif

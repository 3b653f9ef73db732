// Loads whose addresses are computed per lane. Most of these are contiguous anyway, except for a
// few lanes; they are checked lane by lane only if they are not.
#include "compute/simt/native/emit_affine.h"
#include "compute/simt/native/emitter.h"

#if defined(LANESCOPE_NATIVE)

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt::native {

void Emitter::lane_access(const Step& step, std::size_t index)
{
    LaneAccess access;
    access.made = &octets_->accesses[step.octets];
    access.strip = strip_;
    access.bytes = access.made->access->element_bytes == 8 ? 8 : 4;
    access.address = get(step.source[0], access.wide() ? 8 : 4, index, true, true).reg;
    if (access.made->instruction->kind == HandlerKind::load) return lane_load(access, step, index);
    keep_lane_addresses(access, true); // the store comes later, when the registers may have changed
    release_dead_values(index);
}

void Emitter::lane_load(LaneAccess load, const Step& step, std::size_t index)
{
    Held value;
    value.row = step.d;
    value.bytes = load.bytes;
    for (int part = 0; part < value.parts(); ++part) {
        const int reg = take();
        pinned_ |= 1u << reg;
        value.reg[static_cast<std::size_t>(part)] = reg;
    }
    load.to = value.reg;
    if (variant_.observed) keep_lane_addresses(load, false);
    auto scattered = std::make_unique<Stub>();
    scattered->kind = Stub::Kind::scattered;
    scattered->load = load;
    scattered->otherwise = otherwise_;
    check_neighbours(load, scattered->label);
    find_place(*this, *load.made->access, {0, 8u * load.bytes}, rdx, *otherwise_);
    for (int part = 0; part < value.parts(); ++part)
        vmovups(Ymm(load.to[static_cast<std::size_t>(part)]), ptr[rax + 32 * part]);
    L(scattered->back);
    stubs_.push_back(std::move(scattered));
    give(index, step.d, value);
    release_dead_values(index);
}

// Loads the access's addresses of four lanes into ymm13.
void Emitter::lane_addresses(const LaneAccess& load, int part)
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

void Emitter::keep_lane_addresses(const LaneAccess& access, bool inside)
{
    const auto lanes = static_cast<std::size_t>(access.made->lanes) * warp_lanes +
                       static_cast<std::size_t>(access.strip) * 8;
    for (int part = 0; part < 2; ++part) {
        lane_addresses(access, part);
        vmovdqu(ptr[rbx + offset(&Activation::lane_addresses, 8 * lanes) + 32 * part], ymm13);
        if (inside) check_inside(access);
    }
}

// Sets rax to the address of the first of eight lanes; jumps if the others don't follow
// contiguously.
void Emitter::check_neighbours(const LaneAccess& load, Label& scattered)
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

// Checks the four addresses in ymm13. Clobbers ymm14 and ymm15.
void Emitter::check_inside(const LaneAccess& load)
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

// Computes the distance from an address to its host address. Clobbers rcx.
void Emitter::compute_host_distance(const Access& access, const Reg64& way)
{
    if (access.space == ptx::Space::shared) {
        mov(way, field(&Activation::shared));
        return;
    }
    const auto hit = static_cast<int>(access.cache * sizeof(Region));
    mov(rcx, field(&Activation::hits));
    mov(way, ptr[rcx + hit + offset_in(&Region::host)]);
    sub(way, ptr[rcx + hit + offset_in(&Region::begin)]);
}

void Emitter::load_scattered(const LaneAccess& load)
{
    for (int part = 0; part < 2; ++part) {
        lane_addresses(load, part);
        check_inside(load);
        compute_host_distance(*load.made->access, rax);
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

// Lowest lane first: of several stores to one location the last one wins.
void Emitter::lane_store(const OctetAccess& made)
{
    const Access& access = *made.access;
    const bool wide = access.element_bytes == 8;
    const RowRef row = access.values[0];
    const bool same = base_of(row) == RowBase::constants;
    compute_host_distance(access, rax);
    for (int lane = 0; lane < warp_lanes; ++lane) {
        const auto at = 8 * (static_cast<std::size_t>(made.lanes) * warp_lanes +
                             static_cast<std::size_t>(lane));
        mov(rcx, ptr[rbx + offset(&Activation::lane_addresses, at)]);
        if (wide) {
            mov(rdx, row_address(row, same ? 0 : 8 * lane));
            mov(ptr[rax + rcx], rdx);
        } else {
            mov(edx, row_address(row, same ? 0 : 4 * lane));
            mov(ptr[rax + rcx], edx);
        }
    }
}

} // namespace lanescope::simt::native

#endif

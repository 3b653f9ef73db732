// A buffer holds the value that is not in memory, so that entering and leaving are exchanges.
#include "compute/simt/machine/launch/late_stores.h"

#include <utility>

#include "compute/ptx/instructions/table.h"
#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

void LateStores::exchange(Stored& stored) const
{
    const Allocation* allocation = nullptr;
    for (auto one = stored.begin(); one != stored.end();) {
        const Address address = one->first;
        if (allocation == nullptr || address < allocation->begin || address >= allocation->end)
            allocation = memory_.find(address);
        if (allocation == nullptr) {
            one = stored.erase(one);
            continue;
        }
        std::swap(allocation->host[address - allocation->begin], one->second);
        ++one;
    }
}

void LateStores::enter(const Block& block)
{
    linear_ = block.linear;
    running_ = &blocks_[linear_];
    exchange(*running_);
}

void LateStores::leave()
{
    constexpr std::uint64_t turns_until_seen = 16;
    constexpr Address word_bytes = 8; // the widest store that others see as a whole
    Address word = ~Address{0};
    bool is_seen = false;
    std::erase_if(*running_, [&](const auto& byte) {
        if (byte.first / word_bytes != word) {
            word = byte.first / word_bytes;
            is_seen = random_() % turns_until_seen == 0;
        }
        return is_seen;
    });
    exchange(*running_);
    if (running_->empty()) blocks_.erase(linear_);
    running_ = nullptr;
}

void LateStores::block_ends(Executor&)
{
    running_->clear();
}

void LateStores::access(Executor& x, const AccessEvent& event)
{
    constexpr std::size_t max_stored = 4096; // bytes
    if (event.space != ptx::Space::global || event.op == trace::Op::load) return;
    const ptx::Instruction& source = x.source(event.instruction);
    if (source.has(ptx::Word::release) || source.has(ptx::Word::acq_rel)) running_->clear();
    const bool is_late = event.op == trace::Op::store;
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const std::uint64_t address = event.address(lowest_lane(rest));
        const Allocation* const allocation = memory_.find(address);
        if (allocation == nullptr) continue; // a fault follows
        for (int i = 0; i < event.width_bytes; ++i) {
            const Address at = address + static_cast<Address>(i);
            if (at >= allocation->end) break; // a fault follows
            if (is_late)
                running_->try_emplace(at, allocation->host[at - allocation->begin]);
            else
                running_->erase(at);
        }
    }
    if (running_->size() > max_stored) running_->clear();
}

void LateStores::fence(Executor& x, const Instruction& in)
{
    if (!x.source(in).has(ptx::Word::cta)) running_->clear();
}

} // namespace lanescope::simt

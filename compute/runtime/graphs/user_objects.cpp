// Reference counts of the program's objects. Handles stay known until the last reference is gone.
#include "compute/runtime/graphs/user_objects.h"

#include <memory>
#include <unordered_map>
#include <utility>

namespace lanescope::runtime {

namespace {

std::unordered_map<UserObject*, std::unique_ptr<UserObject>>& user_objects()
{
    static auto* const all = new std::unordered_map<UserObject*, std::unique_ptr<UserObject>>;
    return *all;
}

} // namespace

UserObject* user_object(cudaUserObject_t handle)
{
    auto* const known = reinterpret_cast<UserObject*>(handle);
    return user_objects().contains(known) ? known : nullptr;
}

cudaUserObject_t make_user_object(UserObject object)
{
    auto made = std::make_unique<UserObject>(object);
    UserObject* const handle = made.get();
    user_objects().emplace(handle, std::move(made));
    return reinterpret_cast<cudaUserObject_t>(handle);
}

void retain(UserObject& object, unsigned count)
{
    object.references += count;
}

void release(UserObject& object, unsigned count)
{
    object.references -= count;
    if (object.references > 0) return;
    const UserObject gone = object;
    user_objects().erase(&object);
    gone.destroy(gone.data);
}

HeldObjects::~HeldObjects()
{
    for (const auto& [object, count] : counts_) release(*object, count);
}

HeldObjects::HeldObjects(const HeldObjects& other)
{
    *this = other;
}

HeldObjects& HeldObjects::operator=(const HeldObjects& other)
{
    if (this == &other) return *this;
    for (const auto& [object, count] : other.counts_) retain(*object, 1);
    for (const auto& [object, count] : std::exchange(counts_, {})) release(*object, count);
    for (const auto& [object, count] : other.counts_) counts_[object] = 1;
    return *this;
}

void HeldObjects::take(UserObject& object, unsigned count)
{
    counts_[&object] += count;
}

bool HeldObjects::drop(UserObject& object, unsigned count)
{
    const auto held = counts_.find(&object);
    if (held == counts_.end() || held->second < count) return false;
    held->second -= count;
    if (held->second == 0) counts_.erase(held);
    release(object, count);
    return true;
}

} // namespace lanescope::runtime

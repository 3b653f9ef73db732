// Objects of the program that graphs keep alive: cudaUserObjectCreate counts references, and the
// last one to go calls the program's destructor.
#pragma once

#include <map>

#include <cuda_runtime_api.h>

namespace lanescope::runtime {

struct UserObject {
    void* data = nullptr;
    cudaHostFn_t destroy = nullptr;
    unsigned references = 0;
};
// Returns null for an invalid handle.
UserObject* user_object(cudaUserObject_t handle);
cudaUserObject_t make_user_object(UserObject object);
void retain(UserObject& object, unsigned count);
// Destroys the object with its last reference.
void release(UserObject& object, unsigned count);

// References that a graph holds. A copy of the graph holds one of its own to each object.
class HeldObjects {
public:
    HeldObjects() = default;
    ~HeldObjects();
    HeldObjects(const HeldObjects& other);
    HeldObjects& operator=(const HeldObjects& other);

    // Moves references from the caller to the graph.
    void take(UserObject& object, unsigned count);
    // Returns false if the graph holds fewer.
    bool drop(UserObject& object, unsigned count);

private:
    std::map<UserObject*, unsigned> counts_;
};

} // namespace lanescope::runtime

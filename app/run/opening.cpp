// See opening.h.
#include "app/run/opening.h"

#include <fmt/format.h>

#include <new>
#include <utility>

#include "app/run/rival.h"

namespace lanescope::app {

Opening::Opening(Wish wish, device::Device* present) : wish_(std::move(wish)), device_(present)
{
    beginning_ = std::async(std::launch::async, [find = wish_.find, choice = wish_.engine] {
        Beginning made{find(), {}};
        if (choice) made.engine = open_engine(*choice);
        return made;
    });
}

bool Opening::poll()
{
    if (failure_) return true;
    try {
        return advance();
    } catch (const std::bad_alloc&) {
        failure_ = std::make_exception_ptr(
            Error(ExitStatus::device_unavailable,
                  fmt::format("There is not enough memory for {}.", wish_.what),
                  "Choose a smaller size."));
    } catch (const std::exception&) {
        failure_ = std::current_exception();
    }
    return true;
}

bool Opening::advance()
{
    if (beginning_.valid()) {
        if (beginning_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
        Beginning made = beginning_.get();
        ready_.found = std::move(made.found);
        ready_.engine = std::move(made.engine);
        if (ready_.engine) device_ = ready_.engine->device.get();
        ready_.stage = std::make_unique<Stage>(*device_, ready_.found.session.journal);
    }
    if (!ready_.stage->started()) return false;
    const std::string& rival = ready_.found.session.look.compare;
    if (rival.empty()) return true;
    if (!ready_.rival)
        ready_.rival =
            std::make_unique<Stage>(*device_, rival_journal(ready_.found.session.journal, rival));
    return ready_.rival->started();
}

Opening::Ready Opening::take()
{
    if (failure_) std::rethrow_exception(failure_);
    return std::move(ready_);
}

void Opening::wait_for(std::chrono::duration<double> at_most)
{
    if (beginning_.valid())
        beginning_.wait_for(at_most);
    else if (ready_.rival)
        ready_.rival->wait_for(at_most);
    else if (ready_.stage)
        ready_.stage->wait_for(at_most);
}

double Opening::seconds() const
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - since_).count();
}

} // namespace lanescope::app

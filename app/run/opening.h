// What is to be shown next, made ready beside what is shown: a session read, an engine opened, an
// experiment and its rival started. What is shown stays until all of it has succeeded.
#pragma once

#include <chrono>
#include <exception>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "app/document/session.h"
#include "app/run/engine.h"
#include "app/run/stage.h"
#include "app/run/wish.h"

namespace lanescope::app {

// With a current context, here and for every call. The present device must be idle until poll()
// is true.
class Opening {
public:
    Opening(Wish wish, device::Device* present);

    struct Ready {
        Found found;
        std::optional<OpenedEngine> engine;
        std::unique_ptr<Stage> stage;
        std::unique_ptr<Stage> rival; // where the session compares
    };
    // To be called every frame: true when it is ready or has failed.
    bool poll();
    // After poll() was true. Throws what went wrong; that of too little memory is an Error too.
    Ready take();
    void wait_for(std::chrono::duration<double> at_most);

    const Wish& wish() const { return wish_; }
    double seconds() const;

private:
    struct Beginning {
        Found found;
        std::optional<OpenedEngine> engine;
    };
    bool advance();

    Wish wish_;
    device::Device* device_;
    std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
    std::future<Beginning> beginning_;
    Ready ready_; // its engine outlives its stages: it is declared first
    std::exception_ptr failure_;
};

} // namespace lanescope::app

// Every key of the window in one table: what it does and how the help says it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/window/input_events.h"

namespace lanescope::app {

enum class Action {
    variant, // Pressed::number says which
    next_lab,
    previous_lab,
    next_preset,
    previous_preset,
    pause,
    step,
    restart,
    view,
    map,
    subject,
    left, // arrows: within what is shown in the middle
    right,
    up,
    down,
    nearer, // the camera or the zoom
    farther,
    paint, // in the middle of the picture
    erase,
    divider_left,
    divider_right,
    next_panel,
    previous_panel,
    narrower, // the panel at the right; with Shift the one at the left
    wider,
    left_narrower,
    left_wider,
    lower, // the strip below
    higher,
    open,
    previous_request,
    next_request,
    compare,
    difference,
    rival, // Pressed::number says which
    timings,
    history,
    sweep,
    roofline,
    source,
    lesson,
    exports,
    screenshot,
    window_screenshot,
    window_record,
    record,
    save,
    lecture,
    theme,
    text_larger,
    text_smaller,
    text_plain,
    help,
    close, // closes what is open over the picture, else the program
    quit,
};

struct Pressed {
    Action action;
    int number = 0;
};

// What the keys ask for, in order.
std::vector<Pressed> actions_of(std::span<const KeyEvent> keys);

// One line of the help.
struct KeyHelp {
    const char* keys;
    const char* words;
};
std::span<const KeyHelp> key_help();

} // namespace lanescope::app

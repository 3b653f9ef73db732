// Derives from the document the plan for the worker, the changes to the running experiment, and
// requests to open something. Pure functions of document and frame.
#pragma once

#include <optional>
#include <vector>

#include "app/document/edits.h"
#include "app/run/editing/compiling.h"
#include "app/run/worker.h"

namespace lanescope::app {

// True if the strip below shows this tab.
bool shows_tab(const Look& look, std::string_view tab);

// The plan from now on. `recording`: every frame gets its full number of steps, however long they
// take; `held`: a slider is being dragged, so no sweep restarts.
Plan plan_of(const Document& document, const Frame& frame, bool recording, bool held);

// Changes to the experiment between two states of its document, oldest first; empty if another
// experiment was opened in between.
std::vector<Change> changes_between(const Document& was, const Document& is);

// The texts to compile and try next: the newest texts, or the current ones if their version was
// counted with other values. Empty if there is nothing new to find out.
std::optional<ValidationJob> texts_to_validate(const Document& document);

// Converts a request to the worker's job.
OpenJob open_job_of(const Edits::Begun& begun);

// The kind that a request has once the file's contents are known.
Wanted::Kind kind_of(Wanted::Kind asked, Arrival found);

} // namespace lanescope::app

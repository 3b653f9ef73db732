// How the experiment follows the document: what the worker is told, what is done to what runs, and
// what is to be opened. Pure functions of document and frame.
#pragma once

#include <optional>
#include <vector>

#include "app/document/edits.h"
#include "app/run/editing/compiling.h"
#include "app/run/worker.h"

namespace lanescope::app {

// Whether the strip below shows this tab.
bool shows_tab(const Look& look, std::string_view tab);

// What holds from now on. `recording`: every frame has its steps, whatever they take; `held`: a
// slider is, so that no sweep begins afresh.
Plan plan_of(const Document& document, const Frame& frame, bool recording, bool held);

// What was done to the experiment between two states of its document, oldest first; nothing where
// another one was opened between them.
std::vector<Change> changes_between(const Document& was, const Document& is);

// What is to be compiled and tried now: the newest texts; or those that are shown again, because
// their versions were counted with other values. Nothing where all of it is known.
std::optional<ValidationJob> texts_to_validate(const Document& document);

// As the worker takes it.
OpenJob open_job_of(const Edits::Begun& begun);

// What became of it, once it is there.
Wanted::Kind kind_of(Wanted::Kind asked, Arrival found);

} // namespace lanescope::app

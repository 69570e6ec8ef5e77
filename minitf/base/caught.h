// What was thrown, as a Status.
//
// Read next  minitf/base/quoted_bytes.h

#pragma once

#include "minitf/base/status.h"

namespace minitf {

/// The Status of the exception that is being handled: that of an Error;
/// ResourceExhausted where memory was refused, or asked for in an amount that no machine
/// has; Internal for what the standard library throws because of a mistake of ours.
/// Requires: the caller is in a catch clause.
Status CaughtStatus();

}  // namespace minitf

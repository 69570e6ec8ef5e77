// Files: read and written whole, found by pattern, and the system's errors as ours.
//
// Compare    tensorflow/core/platform/env.h, posix_file_system.cc
// Read next  minitf/io/records/byte_stream.h

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "minitf/base/status.h"

namespace minitf {

/// `path`, and what the system says of error number `error`:
/// NotFound "data/x; No such file or directory".
Status SystemError(const std::string& path, int error);

/// All bytes of the file. Throws SystemError; and ResourceExhausted for more than 8 GiB.
std::string ReadWholeFile(const std::string& path);

/// Makes the file of these bytes, in place of one that may be there. Folders that are
/// missing are made. Throws SystemError.
void WriteWholeFile(const std::string& path, std::string_view bytes);

/// The paths that match `pattern`, in alphabetical order. ? stands for one character of a
/// name, * for any number, [ab] and [a-z] for one of these; none stands for a "/", nor
/// for a folder's "." and "..".
std::vector<std::string> MatchingFiles(const std::string& pattern);

}  // namespace minitf

// Files: POSIX calls, and names for their errors.
//
// Compare    tensorflow/core/platform/posix/posix_file_system.cc, error.cc
// Read next  minitf/io/records/byte_stream.h

#include "minitf/io/records/file_system.h"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <glob.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace minitf {
namespace {

constexpr int64_t kMaxFileBytes = int64_t{8} << 30;

Code CodeOf(int error) {
  switch (error) {
    case ENOENT:
    case ENODEV: return Code::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS: return Code::kPermissionDenied;
    case EEXIST: return Code::kAlreadyExists;
    case EISDIR:
    case ENOTDIR:
    case ENOTEMPTY: return Code::kFailedPrecondition;
    case EINVAL:
    case ENAMETOOLONG:
    case ELOOP: return Code::kInvalidArgument;
    case ENOSPC:
    case EMFILE:
    case ENFILE:
    case EDQUOT:
    case ENOMEM: return Code::kResourceExhausted;
    default: return Code::kUnknown;
  }
}

// A file that is open; closed with its owner.
class OpenFile {
 public:
  OpenFile(const std::string& path, int flags)
      : fd_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (fd_ < 0) throw Error(SystemError(path, errno));
  }
  ~OpenFile() { close(fd_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

Status SystemError(const std::string& path, int error) {
  return {CodeOf(error), path + "; " + std::generic_category().message(error)};
}

std::string ReadWholeFile(const std::string& path) {
  const OpenFile file(path, O_RDONLY);
  struct stat about {};
  if (fstat(file.fd(), &about) != 0) throw Error(SystemError(path, errno));
  if (S_ISDIR(about.st_mode)) throw Error(SystemError(path, EISDIR));

  // The size is a hint: a pipe has none, and a file may grow.
  std::string bytes;
  size_t filled = 0;
  size_t room = static_cast<size_t>(about.st_size) + 1;
  while (true) {
    if (static_cast<int64_t>(room) > kMaxFileBytes) {
      throw Error(errors::ResourceExhausted(path, "; more than ", kMaxFileBytes,
                                            " bytes are not read at once"));
    }
    bytes.resize(room);
    const ssize_t count = read(file.fd(), bytes.data() + filled, room - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(SystemError(path, errno));
    if (count == 0) break;
    filled += static_cast<size_t>(count);
    if (filled == room) room = 2 * room + 4096;
  }
  bytes.resize(filled);
  return bytes;
}

void WriteWholeFile(const std::string& path, std::string_view bytes) {
  const auto folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) throw Error(SystemError(folder.string(), error.value()));

  const OpenFile file(path, O_WRONLY | O_CREAT | O_TRUNC);
  while (!bytes.empty()) {
    const ssize_t count = write(file.fd(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(SystemError(path, errno));
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

namespace {

// The next entry of an open folder but "." and "..", which no wildcard stands for; null
// at its end.
dirent* NextEntry(void* folder) {
  while (dirent* entry = readdir(static_cast<DIR*>(folder))) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") return entry;
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> MatchingFiles(const std::string& pattern) {
  glob_t found{};
  found.gl_opendir = [](const char* path) -> void* { return opendir(path); };
  found.gl_readdir = NextEntry;
  found.gl_closedir = [](void* folder) { closedir(static_cast<DIR*>(folder)); };
  found.gl_lstat = lstat;
  found.gl_stat = stat;
  const int outcome =
      glob(pattern.c_str(), GLOB_NOSORT | GLOB_PERIOD | GLOB_ALTDIRFUNC, nullptr, &found);
  std::vector<std::string> paths;
  if (outcome == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  if (outcome == GLOB_NOSPACE) throw Error(SystemError(pattern, ENOMEM));
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace minitf

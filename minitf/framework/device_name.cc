// Device names: reading, comparing, merging and writing them.
//
// Exercise   exercises/13_placement

#include "minitf/framework/device_name.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace minitf {
namespace {

bool IsLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool IsWord(char c) {
  return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

std::string UpperCase(std::string_view text) {
  std::string upper(text);
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) {
    return static_cast<char>(std::toupper(c));
  });
  return upper;
}

// Reads the parts of a name from left to right.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }

  // Goes past `prefix`, which is in lower case, if it comes next, in any case.
  bool Take(std::string_view prefix) {
    const std::string_view next = rest_.substr(0, prefix.size());
    const bool equal = std::ranges::equal(next, prefix, [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == b;
    });
    if (equal) rest_.remove_prefix(prefix.size());
    return equal;
  }

  // A word that starts with a letter (or, if `or_line`, an underline), or *, which
  // leaves *word without a value. False if neither comes.
  bool TakeWord(bool or_line, std::optional<std::string>* word) {
    word->reset();
    if (Take("*")) return true;
    if (at_end() || !(IsLetter(rest_[0]) || (or_line && rest_[0] == '_'))) return false;
    const auto end = std::ranges::find_if_not(rest_, IsWord);
    *word = std::string(rest_.begin(), end);
    rest_.remove_prefix((*word)->size());
    return true;
  }

  // A number that an int holds, or *. False if neither comes.
  bool TakeNumber(std::optional<int>* number) {
    number->reset();
    if (Take("*")) return true;
    int value = 0;
    const char* begin = rest_.data();
    const auto [end, error] = std::from_chars(begin, begin + rest_.size(), value);
    if (error != std::errc() || value < 0 || rest_[0] == '-') return false;
    *number = value;
    rest_.remove_prefix(end - begin);
    return true;
  }

 private:
  std::string_view rest_;
};

// "device:GPU:0", "gpu:0", "gpu": a device within its process. A type that is written
// without "device:" has to be CPU or GPU.
bool TakeDevice(Reader* reader, DeviceName* name) {
  // LAB(13.1) begin: read the type, and the index if there is one
  if (reader->Take("device:")) {
    if (!reader->TakeWord(true, &name->type)) return false;
    if (name->type) name->type = UpperCase(*name->type);
  } else if (reader->Take("cpu")) {
    name->type = "CPU";
  } else if (reader->Take("gpu")) {
    name->type = "GPU";
  } else {
    return false;
  }
  name->index.reset();
  return !reader->Take(":") || reader->TakeNumber(&name->index);
  // LAB(13.1) end
}

// "job:ps", "task:3" and the like, or a device: what stands behind a slash.
bool TakePart(Reader* reader, DeviceName* name) {
  // LAB(13.1) begin: whichever part comes next
  if (reader->Take("job:")) return reader->TakeWord(false, &name->job);
  if (reader->Take("replica:")) return reader->TakeNumber(&name->replica);
  if (reader->Take("task:")) return reader->TakeNumber(&name->task);
  return TakeDevice(reader, name);
  // LAB(13.1) end
}

// All of a text. Without a slash in front it can be no more than a device.
bool TakeAll(std::string_view text, DeviceName* name) {
  Reader reader(text);
  // LAB(13.1) begin: part after part, to the end
  if (text.empty() || text == "/") return true;
  if (text[0] != '/') return TakeDevice(&reader, name) && reader.at_end();
  while (!reader.at_end()) {
    if (!reader.Take("/") || !TakePart(&reader, name)) return false;
  }
  return true;
  // LAB(13.1) end
}

// Whether all that `other` may be, `part` may be too.
template <typename T>
bool Covers(const std::optional<T>& part, const std::optional<T>& other) {
  // LAB(13.2) begin: a part that is not there may be anything
  return !part || part == other;
  // LAB(13.2) end
}

// Whether there is something that both may be.
template <typename T>
bool Agree(const std::optional<T>& part, const std::optional<T>& other) {
  // LAB(13.2) begin: two parts that are there must be the same
  return !part || !other || part == other;
  // LAB(13.2) end
}

Status Contradiction(const DeviceName& a, const DeviceName& b, std::string_view parts) {
  return errors::InvalidArgument("Cannot merge devices with incompatible ", parts, ": '",
                                 a, "' and '", b, "'");
}

}  // namespace

Status DeviceName::Parse(std::string_view text, DeviceName* name) {
  DeviceName parsed;
  if (!TakeAll(text, &parsed)) {
    return errors::InvalidArgument(
        "Malformed device specification '", text,
        "'; expected a name such as '/job:worker/replica:0/task:0/device:GPU:0', or "
        "some of its parts, such as '/gpu:0'");
  }
  *name = std::move(parsed);
  return {};
}

DeviceName DeviceName::Parse(std::string_view text) {
  DeviceName name;
  ThrowIfError(Parse(text, &name));
  return name;
}

bool DeviceName::Covers(const DeviceName& other) const {
  return minitf::Covers(job, other.job) && minitf::Covers(replica, other.replica) &&
         minitf::Covers(task, other.task) && minitf::Covers(type, other.type) &&
         minitf::Covers(index, other.index);
}

bool DeviceName::IsCompatibleWith(const DeviceName& other) const {
  return Agree(job, other.job) && Agree(replica, other.replica) &&
         Agree(task, other.task) && Agree(type, other.type) && Agree(index, other.index);
}

Status DeviceName::Merge(const DeviceName& other, bool allow_soft) {
  // LAB(13.2) begin: look for a contradiction in each part, then add what is missing
  if (!Agree(job, other.job)) return Contradiction(*this, other, "jobs");
  if (!Agree(replica, other.replica)) return Contradiction(*this, other, "replicas");
  if (!Agree(task, other.task)) return Contradiction(*this, other, "tasks");
  const bool types_agree = Agree(type, other.type);
  const bool indices_agree = Agree(index, other.index);
  if (!allow_soft && !types_agree) return Contradiction(*this, other, "types");
  if (!allow_soft && !indices_agree) return Contradiction(*this, other, "ids");

  if (!job) job = other.job;
  if (!replica) replica = other.replica;
  if (!task) task = other.task;
  if (!type) type = other.type;
  if (!index) index = other.index;
  if (!types_agree) type.reset();
  if (!types_agree || !indices_agree) index.reset();
  return {};
  // LAB(13.2) end
}

std::string DeviceName::ToString() const {
  std::string text;
  if (job) text += StrCat("/job:", *job);
  if (replica) text += StrCat("/replica:", *replica);
  if (task) text += StrCat("/task:", *task);
  if (!type && !index) return text;
  return text + StrCat("/device:", type.value_or("*"), ':',
                       index ? std::to_string(*index) : "*");
}

std::ostream& operator<<(std::ostream& out, const DeviceName& name) {
  return out << name.ToString();
}

}  // namespace minitf

// Byte streams: a file descriptor, and zlib between it and the caller.
//
// Compare    tensorflow/core/lib/io/zlib_inputstream.cc, zlib_outputbuffer.cc
// Read next  minitf/io/records/record_file.h

#include "minitf/io/records/byte_stream.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>
#include <zlib.h>

#include "minitf/io/records/file_system.h"

namespace minitf {
namespace {

constexpr int kGzipFrame = 16;  // added to zlib's window bits

class PlainSource final : public ByteSource {
 public:
  explicit PlainSource(const std::string& path)
      : path_(path), fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) throw Error(SystemError(path, errno));
  }
  ~PlainSource() override { close(fd_); }

  size_t Read(char* to, size_t size) override {
    ssize_t count;
    do {
      count = read(fd_, to, size);
    } while (count < 0 && errno == EINTR);
    if (count < 0) throw Error(SystemError(path_, errno));
    return static_cast<size_t>(count);
  }

  int64_t bytes_left() const override {
    struct stat about {};
    if (fstat(fd_, &about) != 0 || !S_ISREG(about.st_mode)) return -1;
    return std::max<int64_t>(about.st_size - lseek(fd_, 0, SEEK_CUR), 0);
  }

 private:
  const std::string path_;
  const int fd_;
};

class InflatingSource final : public ByteSource {
 public:
  InflatingSource(const std::string& path, bool is_gzip)
      : path_(path), is_gzip_(is_gzip), file_(path), packed_(kBufferBytes) {
    const int bits = MAX_WBITS + (is_gzip ? kGzipFrame : 0);
    if (inflateInit2(&z_, bits) != Z_OK) {
      throw Error(errors::ResourceExhausted(path, "; zlib cannot start"));
    }
  }
  ~InflatingSource() override { inflateEnd(&z_); }

  size_t Read(char* to, size_t size) override {
    const size_t wanted = std::min<size_t>(size, 1 << 30);  // what zlib can count
    z_.next_out = reinterpret_cast<Bytef*>(to);
    z_.avail_out = static_cast<uInt>(wanted);
    while (z_.avail_out == wanted && wanted > 0) {
      if (z_.avail_in == 0 && !Refill()) break;
      Inflate();
    }
    return wanted - z_.avail_out;
  }

  int64_t bytes_left() const override { return -1; }

 private:
  // False at the end of the file. The end may only be where a stream ends.
  bool Refill() {
    z_.next_in = reinterpret_cast<Bytef*>(packed_.data());
    z_.avail_in = static_cast<uInt>(file_.Read(packed_.data(), packed_.size()));
    if (z_.avail_in == 0 && is_inside_) {
      throw Error(errors::DataLoss(path_, "; the packed data end too early"));
    }
    return z_.avail_in > 0;
  }

  void Inflate() {
    is_inside_ = true;
    const int outcome = inflate(&z_, Z_NO_FLUSH);
    if (outcome == Z_STREAM_END) {
      is_inside_ = false;
      // Gzip files may be strung together.
      if (is_gzip_) {
        inflateReset(&z_);
      } else {
        z_.avail_in = 0;
      }
    } else if (outcome != Z_OK && outcome != Z_BUF_ERROR) {
      throw Error(errors::DataLoss(
          path_, "; zlib: ", z_.msg != nullptr ? z_.msg : zError(outcome)));
    }
  }

  const std::string path_;
  const bool is_gzip_;
  PlainSource file_;
  std::vector<char> packed_;
  z_stream z_{};
  bool is_inside_ = false;  // of a packed stream; an empty file has none
};

class PlainSink final : public ByteSink {
 public:
  explicit PlainSink(const std::string& path)
      : path_(path),
        fd_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (fd_ < 0) throw Error(SystemError(path, errno));
    buffer_.reserve(kBufferBytes);
  }
  ~PlainSink() override {
    try {
      Close();
    } catch (const Error&) {  // told in the header
    }
  }

  void Write(std::string_view bytes) override {
    if (fd_ < 0) throw Error(errors::FailedPrecondition(path_, "; the file is closed"));
    if (buffer_.size() + bytes.size() > kBufferBytes) Flush();
    if (bytes.size() >= kBufferBytes) {
      WriteThrough(bytes);
    } else {
      buffer_.append(bytes);
    }
  }

  void Flush() override {
    // Emptied first: bytes that the system refuses are not tried for ever.
    const std::string bytes = std::move(buffer_);
    buffer_.clear();
    buffer_.reserve(kBufferBytes);
    WriteThrough(bytes);
  }

  void Close() override {
    if (fd_ < 0) return;
    Status status;
    try {
      Flush();
    } catch (const Error& error) {
      status = error.status();
    }
    if (close(fd_) != 0 && status.ok()) status = SystemError(path_, errno);
    fd_ = -1;
    ThrowIfError(status);
  }

 private:
  void WriteThrough(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = write(fd_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw Error(SystemError(path_, errno));
      bytes.remove_prefix(static_cast<size_t>(count));
    }
  }

  const std::string path_;
  int fd_;
  std::string buffer_;
};

class DeflatingSink final : public ByteSink {
 public:
  DeflatingSink(const std::string& path, bool is_gzip, const DeflateOptions& options)
      : file_(path), packed_(kBufferBytes) {
    const int bits = options.window_bits + (is_gzip ? kGzipFrame : 0);
    const int outcome = deflateInit2(&z_, options.level, Z_DEFLATED, bits,
                                     options.mem_level, options.strategy);
    Require(outcome == Z_OK, "zlib refuses level ", options.level, ", window_bits ",
            options.window_bits, ", mem_level ", options.mem_level, ", strategy ",
            options.strategy);
  }
  ~DeflatingSink() override {
    try {
      Close();
    } catch (const Error&) {  // told in the header
    }
    deflateEnd(&z_);
  }

  void Write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const auto piece = bytes.substr(0, 1 << 30);  // what zlib can count
      Deflate(piece, Z_NO_FLUSH);
      bytes.remove_prefix(piece.size());
    }
  }

  void Flush() override {
    if (is_closed_) return;
    Deflate({}, Z_PARTIAL_FLUSH);
    file_.Flush();
  }

  void Close() override {
    if (is_closed_) return;
    Deflate({}, Z_FINISH);
    is_closed_ = true;
    file_.Close();
  }

 private:
  void Deflate(std::string_view bytes, int flush) {
    if (is_closed_) throw Error(errors::FailedPrecondition("the file is closed"));
    z_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    z_.avail_in = static_cast<uInt>(bytes.size());
    // What zlib leaves room for, it has nothing more to fill with.
    do {
      z_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      z_.avail_out = static_cast<uInt>(packed_.size());
      deflate(&z_, flush);
      file_.Write({packed_.data(), packed_.size() - z_.avail_out});
    } while (z_.avail_out == 0);
  }

  PlainSink file_;
  std::vector<char> packed_;
  z_stream z_{};
  bool is_closed_ = false;
};

}  // namespace

Compression CompressionFromName(std::string_view name) {
  if (name.empty()) return Compression::kNone;
  if (name == "GZIP") return Compression::kGzip;
  Require(name == "ZLIB", "Unsupported compression_type: '", name,
          "'; there are '', 'GZIP' and 'ZLIB'");
  return Compression::kZlib;
}

std::unique_ptr<ByteSource> OpenSource(const std::string& path, Compression compression) {
  if (compression == Compression::kNone) return std::make_unique<PlainSource>(path);
  return std::make_unique<InflatingSource>(path, compression == Compression::kGzip);
}

std::unique_ptr<ByteSink> OpenSink(const std::string& path, Compression compression,
                                   const DeflateOptions& options) {
  if (compression == Compression::kNone) return std::make_unique<PlainSink>(path);
  return std::make_unique<DeflatingSink>(path, compression == Compression::kGzip,
                                         options);
}

}  // namespace minitf

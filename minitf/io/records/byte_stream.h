// ByteSource and ByteSink: a file read or written from front to back, packed or not.
//
//   plain         the bytes of the file
//   gzip, zlib    deflated (RFC 1951) in the frame of RFC 1952 or RFC 1950
//
// Both throw Error: NotFound, PermissionDenied, ... with the name of the file and what
// the system says; DataLoss, when packed bytes make no sense. Only one thread at a time
// may use one.
//
// Compare    tensorflow/core/lib/io/inputstream_interface.h, zlib_inputstream.h,
//            zlib_outputbuffer.h
// Read next  minitf/io/records/crc32c.h

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace minitf {

/// Files are read and written in pieces of this size.
inline constexpr size_t kBufferBytes = 256 << 10;

enum class Compression { kNone, kGzip, kZlib };

/// The one called "", "GZIP" or "ZLIB". Throws InvalidArgument for another name.
Compression CompressionFromName(std::string_view name);

/// The settings of zlib's deflate, with its numbers. See zlib.h.
struct DeflateOptions {
  int level = -1;        ///< 0 to 9; -1 is the usual one, 6
  int window_bits = 15;  ///< 9 to 15: logarithm of how far back it looks
  int mem_level = 9;     ///< 1 to 9
  int strategy = 0;      ///< 0 to 4
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Reads up to `size` bytes to `to` and returns how many; 0 only at the end.
  virtual size_t Read(char* to, size_t size) = 0;
  /// How many more bytes the file holds now; -1 if that is not known.
  virtual int64_t bytes_left() const = 0;
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void Write(std::string_view bytes) = 0;
  /// Hands all bytes to the system.
  virtual void Flush() = 0;
  /// Flushes, ends a packed stream and closes the file. A sink that is destroyed first
  /// does the same, and keeps silent about errors.
  virtual void Close() = 0;
};

std::unique_ptr<ByteSource> OpenSource(const std::string& path, Compression compression);
std::unique_ptr<ByteSink> OpenSink(const std::string& path, Compression compression,
                                   const DeflateOptions& options = {});

}  // namespace minitf

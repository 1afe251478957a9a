// Writes 24-bit PNG pictures with no library: the deflate blocks are stored, not compressed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace example {

struct Rgb {
  std::uint8_t r, g, b;
};

namespace png {

inline void append_u32(std::string& to, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) to += static_cast<char>(value >> shift & 0xffU);
}

/// CRC-32 of ISO 3309, as PNG and gzip use it.
inline std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
  }
  return ~crc;
}

inline std::uint32_t adler32(std::string_view bytes) {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const char byte : bytes) {
    a = (a + static_cast<unsigned char>(byte)) % 65521U;
    b = (b + a) % 65521U;
  }
  return b << 16 | a;
}

inline std::string zlib_stored(std::string_view bytes) {
  std::string stream = "\x78\x01";
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t size = std::min<std::size_t>(bytes.size() - at, 65535);
    stream += static_cast<char>(at + size == bytes.size() ? 1 : 0);
    for (const std::size_t length : {size, ~size}) {
      stream += static_cast<char>(length & 0xffU);
      stream += static_cast<char>(length >> 8 & 0xffU);
    }
    stream += bytes.substr(at, size);
    at += size;
  }
  append_u32(stream, adler32(bytes));
  return stream;
}

inline std::string chunk(std::string_view type, std::string_view content) {
  std::string bytes;
  append_u32(bytes, static_cast<std::uint32_t>(content.size()));
  bytes += type;
  bytes += content;
  append_u32(bytes, crc32(std::string_view(bytes).substr(4)));
  return bytes;
}

}  // namespace png

/// Rows from the top; width times height pixels. False where the file cannot be written.
inline bool write_png(const std::string& path, std::span<const Rgb> pixels, std::size_t width, std::size_t height) {
  std::string header;
  png::append_u32(header, static_cast<std::uint32_t>(width));
  png::append_u32(header, static_cast<std::uint32_t>(height));
  header += std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits a channel, RGB, no interlace
  std::string rows;
  for (std::size_t y = 0; y < height; ++y) {
    rows += '\0';  // no filter
    for (const Rgb& pixel : pixels.subspan(y * width, width)) {
      rows += static_cast<char>(pixel.r);
      rows += static_cast<char>(pixel.g);
      rows += static_cast<char>(pixel.b);
    }
  }
  std::ofstream file(path, std::ios::binary);
  file << "\x89PNG\r\n\x1a\n"
       << png::chunk("IHDR", header) << png::chunk("IDAT", png::zlib_stored(rows)) << png::chunk("IEND", "");
  return static_cast<bool>(file.flush());
}

}  // namespace example

#include "file_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <zlib.h>

namespace examples {
namespace {

/// About as many bytes as a file has unpacked, to be read without moving what has been read; a text of numbers packs
/// to a quarter or so.
std::size_t ExpectedSize(const std::string &file, bool plain)
{
  struct stat status;
  if (stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return 0;
  return static_cast<std::size_t>(status.st_size) * (plain ? 1 : 4) + 1;
}

} // namespace

PetscErrorCode ReadFileText(const std::string &file, std::size_t limit, std::string *text)
{
  PetscFunctionBeginUser;
  errno = 0;
  gzFile in = gzopen(file.c_str(), "rb");
  PetscCheck(in, PETSC_COMM_WORLD, PETSC_ERR_FILE_OPEN, "%s: cannot open: %s", file.c_str(),
             errno ? std::strerror(errno) : "out of memory");
  gzbuffer(in, 1 << 20);
  text->clear();
  text->reserve(std::min(limit, ExpectedSize(file, gzdirect(in))));
  const std::size_t chunk = 1 << 20;
  std::size_t used = 0;
  int got = 1;
  while (got > 0 && used < limit) {
    const std::size_t ask = std::min(chunk, limit - used);
    if (used + ask > text->capacity())
      text->reserve(2 * (used + ask));
    text->resize(used + ask);
    got = gzread(in, &(*text)[used], static_cast<unsigned>(ask));
    used += got > 0 ? got : 0;
  }
  text->resize(used);
  int code = Z_OK;
  const std::string system = errno ? std::strerror(errno) : "";
  const std::string reason = gzerror(in, &code);
  gzclose(in);
  PetscCheck(code != Z_ERRNO, PETSC_COMM_WORLD, PETSC_ERR_FILE_READ, "%s: cannot read: %s", file.c_str(),
             system.c_str());
  PetscCheck(code != Z_BUF_ERROR, PETSC_COMM_WORLD, PETSC_ERR_FILE_READ,
             "%s: the compressed file is truncated: it ends after %zu unpacked bytes", file.c_str(), used);
  PetscCheck(code == Z_OK || code == Z_STREAM_END, PETSC_COMM_WORLD, PETSC_ERR_FILE_READ,
             "%s: the compressed file is damaged: %s", file.c_str(), reason.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string BaseName(const std::string &path)
{
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

bool EndsWith(const std::string &text, const std::string &end)
{
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

} // namespace examples

#include "line_cursor.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace examples {
namespace {

bool IsBlank(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

/// Numbers too small for a double round to zero or to a subnormal, as strtod does it; too large ones are refused.
bool RealOutOfRange(const char *begin, const char *end, PetscReal *value)
{
  *value = std::strtod(std::string(begin, end).c_str(), nullptr);
  return std::isfinite(*value);
}

} // namespace

bool LineCursor::NextLine()
{
  if (next_ == end_)
    return false;
  line_ = at_ = next_;
  const void *newline = std::memchr(next_, '\n', end_ - next_);
  line_end_ = newline ? static_cast<const char *>(newline) : end_;
  next_ = newline ? line_end_ + 1 : end_;
  ++number_;
  return true;
}

bool LineCursor::NextDataLine()
{
  while (NextLine()) {
    SkipBlanks();
    if (at_ != line_end_ && *at_ != '%')
      return true;
  }
  return false;
}

void LineCursor::SkipBlanks()
{
  while (at_ != line_end_ && IsBlank(*at_))
    ++at_;
}

bool LineCursor::AtLineEnd()
{
  SkipBlanks();
  return at_ == line_end_;
}

bool LineCursor::Integer(PetscInt64 *value)
{
  SkipBlanks();
  const auto [stop, error] = std::from_chars(at_, line_end_, *value);
  if (error != std::errc() || (stop != line_end_ && !IsBlank(*stop)))
    return false;
  at_ = stop;
  return true;
}

bool LineCursor::Real(PetscReal *value)
{
  SkipBlanks();
  if (at_ != line_end_ && *at_ == '+')
    ++at_;
  const auto [stop, error] = std::from_chars(at_, line_end_, *value);
  if (stop != line_end_ && !IsBlank(*stop))
    return false;
  if (error == std::errc::result_out_of_range ? !RealOutOfRange(at_, stop, value)
                                              : error != std::errc() || !std::isfinite(*value))
    return false;
  at_ = stop;
  return true;
}

std::string LineCursor::Word()
{
  SkipBlanks();
  std::string word;
  for (; at_ != line_end_ && !IsBlank(*at_); ++at_)
    word += *at_ >= 'A' && *at_ <= 'Z' ? static_cast<char>(*at_ - 'A' + 'a') : *at_;
  return word;
}

std::string LineCursor::LineText() const
{
  constexpr std::ptrdiff_t longest = 60;
  std::string text(line_, line_end_ - line_ > longest ? line_ + longest : line_end_);
  for (char &c : text)
    c = c >= 32 && c < 127 ? c : '?';
  return text;
}

} // namespace examples

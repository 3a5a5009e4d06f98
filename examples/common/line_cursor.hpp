#ifndef EXAMPLES_LINE_CURSOR_HPP
#define EXAMPLES_LINE_CURSOR_HPP

#include <petscsys.h>
#include <string>

namespace examples {

/// Walks through a text line by line and reads the numbers of each line; it knows the line number for messages.
class LineCursor {
public:
  /// `text` has to outlive the cursor.
  explicit LineCursor(const std::string &text)
      : next_(text.data()), end_(text.data() + text.size()), at_(next_), line_end_(next_)
  {
  }

  /// Goes to the next line; false at the end of the text.
  bool NextLine();

  /// Goes to the next line that is neither blank nor a comment (%); false at the end of the text.
  bool NextDataLine();

  /// Reads the next blank-separated integer or real number of the line; false if there is none or the text there is
  /// no such number, overflows, or (reals) is not finite.
  bool Integer(PetscInt64 *value);
  bool Real(PetscReal *value);

  /// Reads the next blank-separated word of the line in lower case; empty at its end.
  std::string Word();

  /// Whether nothing but blanks is left on the line.
  bool AtLineEnd();

  /// The current line, cut to what fits an error message.
  std::string LineText() const;

  std::size_t line_number() const { return number_; }

private:
  void SkipBlanks();

  const char *next_;     // start of the next line
  const char *end_;      // end of the text
  const char *at_;       // where reading goes on in the current line
  const char *line_end_; // end of the current line, without a line break
  const char *line_ = nullptr;
  std::size_t number_ = 0;
};

} // namespace examples
#endif

// The text format of networks.
#include "network.hpp"

#include "../common/file_text.hpp"
#include "../common/line_cursor.hpp"
#include <algorithm>

namespace examples {
namespace {

/// Reads the lines of a file into a network.
class NetworkReader {
public:
  NetworkReader(const std::string &file, const std::string &text, Network *network)
      : file_(file), cursor_(text), net_(*network)
  {
  }

  PetscErrorCode Read()
  {
    PetscFunctionBeginUser;
    while (cursor_.NextDataLine()) {
      PetscCheck(ReadElement() && cursor_.AtLineEnd(), PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED,
                 "%s:%zu: expected an element (r, c, d, n, p or v), its nodes and its numbers, found '%s'",
                 file_.c_str(), cursor_.line_number(), cursor_.LineText().c_str());
    }
    PetscCheck(net_.nodes > 0, PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED, "%s: no element", file_.c_str());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  bool ReadElement()
  {
    const std::string kind = cursor_.Word();
    if (kind == "r" || kind == "c")
      return ReadLinear(kind == "r");
    if (kind == "d")
      return ReadDiode();
    if (kind == "n" || kind == "p")
      return ReadTransistor(kind == "n" ? 1 : -1);
    return kind == "v" && ReadSource();
  }

  /// Reads a node: 0 is the ground.
  bool ReadNode(PetscInt *node)
  {
    constexpr PetscInt64 most = PETSC_INT_MAX / 4;
    PetscInt64 number;
    if (!cursor_.Integer(&number) || number < 0 || number > most)
      return false;
    *node = static_cast<PetscInt>(number - 1);
    net_.nodes = std::max(net_.nodes, *node + 1);
    return true;
  }

  bool ReadPositive(PetscReal *value) { return cursor_.Real(value) && *value > 0; }
  bool ReadNotNegative(PetscReal *value) { return cursor_.Real(value) && *value >= 0; }

  bool ReadLinear(bool resistor)
  {
    PetscInt from, to;
    PetscReal value;
    if (!ReadNode(&from) || !ReadNode(&to) || !ReadPositive(&value))
      return false;
    if (resistor)
      net_.AddResistor(from, to, value);
    else
      net_.AddCapacitor(from, to, value);
    return true;
  }

  bool ReadDiode()
  {
    PetscInt from, to;
    PetscReal saturation, emission;
    if (!ReadNode(&from) || !ReadNode(&to) || !ReadPositive(&saturation) || !ReadPositive(&emission))
      return false;
    net_.AddDiode(from, to, saturation, emission);
    return true;
  }

  bool ReadTransistor(PetscReal sign)
  {
    PetscInt drain, gate, source;
    PetscReal gain, threshold, modulation;
    if (!ReadNode(&drain) || !ReadNode(&gate) || !ReadNode(&source) || !ReadPositive(&gain) ||
        !cursor_.Real(&threshold) || !ReadNotNegative(&modulation))
      return false;
    net_.AddTransistor(drain, gate, source, sign, gain, threshold, modulation);
    return true;
  }

  bool ReadSource()
  {
    PetscInt from, to;
    Waveform wave;
    if (!ReadNode(&from) || !ReadNode(&to) || !ReadWave(&wave))
      return false;
    net_.AddSource(from, to, wave);
    return true;
  }

  bool ReadWave(Waveform *wave)
  {
    const std::string shape = cursor_.Word();
    if (!cursor_.Real(&wave->low))
      return false;
    if (shape == "dc")
      return true;
    if (!cursor_.Real(&wave->high) || !cursor_.Real(&wave->delay))
      return false;
    if (shape == "sine") {
      wave->shape = Waveform::Shape::Sine;
      return ReadPositive(&wave->period);
    }
    wave->shape = Waveform::Shape::Pulse;
    return shape == "pulse" && ReadNotNegative(&wave->rise) && ReadNotNegative(&wave->width) &&
           ReadNotNegative(&wave->period);
  }

  const std::string &file_;
  LineCursor cursor_;
  Network &net_;
};

} // namespace

PetscErrorCode ReadNetwork(const std::string &file, Network *network)
{
  std::string text;

  PetscFunctionBeginUser;
  PetscCall(ReadFileText(file, std::string::npos, &text));
  PetscCall(NetworkReader(file, text, network).Read());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples

#ifndef EXAMPLES_CIRCUIT_NETWORK_HPP
#define EXAMPLES_CIRCUIT_NETWORK_HPP

#include <petscsys.h>
#include <string>
#include <vector>

namespace examples {

using Values = std::vector<PetscReal>;
using Nodes = std::vector<PetscInt>;

/// The node whose voltage is zero; the others are 0, 1, ..
constexpr PetscInt ground = -1;

// Elements of each kind are held as arrays with one entry an element, so that a loop over them can be a kernel. A
// current is positive where it enters an element at `from` and leaves it at `to`.

struct Resistors {
  Nodes from, to;
  Values conductance;
};

struct Capacitors {
  Nodes from, to;
  Values capacitance;
};

/// i = saturation (exp(v / emission) - 1)
struct Diodes {
  Nodes from, to;
  Values saturation; ///< in amperes
  Values emission;   ///< in volts: emission coefficient times thermal voltage
};

/// Field-effect transistors, see EvaluateTransistors().
struct Transistors {
  Nodes drain, gate, source;
  Values sign;       ///< 1: n-channel, -1: p-channel
  Values gain;       ///< A/V^2
  Values threshold;  ///< in volts, positive for both channels
  Values modulation; ///< 1/V, of the length of the channel
};

/// Voltage of a source over time.
struct Waveform {
  enum class Shape { Constant, Sine, Pulse };

  Shape shape = Shape::Constant;
  PetscReal low = 0;   ///< the constant, the mean of the sine, the voltage before a pulse
  PetscReal high = 0;  ///< amplitude of the sine, voltage of a pulse
  PetscReal delay = 0; ///< when the sine is at its mean, or a pulse begins
  PetscReal period = 0;
  PetscReal rise = 0;  ///< of a pulse, and its fall; 0: it jumps, and has the lower voltage at the jump
  PetscReal width = 0; ///< of a pulse, between rise and fall

  PetscReal At(PetscReal time) const;
};

/// Independent voltage sources: v(from) - v(to) is given.
struct Sources {
  Nodes from, to;
  std::vector<Waveform> wave;
};

/// A network. Its unknowns are the voltages of the nodes, then the currents through the sources.
struct Network {
  std::string name;
  PetscInt nodes = 0;
  Resistors resistors;
  Capacitors capacitors;
  Diodes diodes;
  Transistors transistors;
  Sources sources;

  PetscInt Unknowns() const { return nodes + static_cast<PetscInt>(sources.wave.size()); }

  void AddResistor(PetscInt from, PetscInt to, PetscReal resistance);
  void AddCapacitor(PetscInt from, PetscInt to, PetscReal capacitance);
  void AddDiode(PetscInt from, PetscInt to, PetscReal saturation, PetscReal emission);
  void AddTransistor(PetscInt drain, PetscInt gate, PetscInt source, PetscReal sign, PetscReal gain,
                     PetscReal threshold, PetscReal modulation);
  void AddSource(PetscInt from, PetscInt to, const Waveform &wave);
};

constexpr PetscInt least_unknowns = 10; ///< of a generated network

/// Makes a random network of `unknowns` unknowns, at least least_unknowns: a grid of resistors that distributes a
/// supply voltage, chains of inverters and rectifiers at it. Connections are local but for a few.
void GenerateNetwork(PetscInt unknowns, PetscInt64 seed, Network *network);

/// Reads a network in the text format of docs/examples.md.
PetscErrorCode ReadNetwork(const std::string &file, Network *network);

} // namespace examples
#endif

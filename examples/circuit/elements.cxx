#include "elements.hpp"

#include <algorithm>
#include <cmath>

namespace examples {
namespace {

constexpr PetscReal thermal = 0.0259;
constexpr PetscReal leak = 1e-12; // conductance beside diodes and channels, so that no node hangs in the air
constexpr PetscReal most_exponent = 100;

PetscInt Size(const Nodes &nodes)
{
  return static_cast<PetscInt>(nodes.size());
}

void PutCurrent(PetscReal current, PetscReal *currents)
{
  currents[0] = current;
  currents[1] = -current;
}

void PutConductance(PetscReal conductance, PetscReal *stamps)
{
  stamps[0] = stamps[3] = conductance;
  stamps[1] = stamps[2] = -conductance;
}

/// The voltage to linearize a diode at, if it was `last` before and v comes from the linearization there.
PetscReal Limited(PetscReal v, PetscReal last, PetscReal saturation, PetscReal u)
{
  // Where the curve bends most
  const PetscReal bend = std::max(u * std::log(u / (PETSC_SQRT2 * saturation)), u);
  PetscReal limited = v;
  if (v > bend && std::abs(v - last) > 2 * u) {
    const PetscReal growth = 1 + (v - last) / u;
    if (last > 0)
      limited = growth > 0 ? last + u * std::log(growth) : bend;
    else
      limited = u * std::log(v / u);
  }
  return std::min(limited, most_exponent * u);
}

/// f and its derivative by v, both without their factors of u: see EvaluateTransistors().
struct Inversion {
  PetscReal value, derivative;

  explicit Inversion(PetscReal v)
  {
    const PetscReal z = v / (2 * thermal), decay = std::exp(-std::abs(z));
    const PetscReal soft = std::max(z, PetscReal(0)) + std::log1p(decay);
    value = soft * soft;
    derivative = soft * (z > 0 ? 1 : decay) / (1 + decay) / thermal;
  }
};

/// Current through an n-channel and its derivatives, by voltages to the source; `gate` is above the threshold.
struct Channel {
  PetscReal current, by_gate, by_drain;

  Channel(PetscReal gate, PetscReal drain, PetscReal factor, PetscReal modulation)
  {
    const Inversion at_source(gate), at_drain(gate - drain);
    const PetscReal root = std::hypot(drain, thermal), longer = 1 + modulation * root;
    const PetscReal difference = factor * (at_source.value - at_drain.value);
    current = difference * longer + leak * drain;
    by_gate = factor * (at_source.derivative - at_drain.derivative) * longer;
    by_drain = factor * at_drain.derivative * longer + difference * modulation * drain / root + leak;
  }
};

} // namespace

void EvaluateResistors(const Resistors &e, const PetscReal *x, PetscReal *currents)
{
  for (PetscInt k = 0; k < Size(e.from); ++k)
    PutCurrent(e.conductance[k] * (VoltageAt(x, e.from[k]) - VoltageAt(x, e.to[k])), currents + pair_currents * k);
}

void StampResistors(const Resistors &e, PetscReal *stamps)
{
  for (PetscInt k = 0; k < Size(e.from); ++k)
    PutConductance(e.conductance[k], stamps + pair_stamps * k);
}

void EvaluateCapacitors(const Capacitors &e, const PetscReal *x, const Integration &integration,
                        const PetscReal *voltage, const PetscReal *current, PetscReal *currents)
{
  for (PetscInt k = 0; k < Size(e.from); ++k) {
    const PetscReal change = VoltageAt(x, e.from[k]) - VoltageAt(x, e.to[k]) - voltage[k];
    PutCurrent(e.capacitance[k] * integration.rate * change - integration.memory * current[k],
               currents + pair_currents * k);
  }
}

void StampCapacitors(const Capacitors &e, const Integration &integration, PetscReal *stamps)
{
  for (PetscInt k = 0; k < Size(e.from); ++k)
    PutConductance(e.capacitance[k] * integration.rate, stamps + pair_stamps * k);
}

PetscReal EvaluateDiodes(const Diodes &e, const PetscReal *x, PetscReal *limited, PetscReal *currents,
                         PetscReal *stamps)
{
  PetscReal farthest = 0;
  for (PetscInt k = 0; k < Size(e.from); ++k) {
    const PetscReal v = VoltageAt(x, e.from[k]) - VoltageAt(x, e.to[k]), u = e.emission[k];
    const PetscReal at = limited[k] = Limited(v, limited[k], e.saturation[k], u);
    const PetscReal forward = e.saturation[k] * std::exp(at / u);
    const PetscReal conductance = forward / u + leak;
    PutCurrent(forward - e.saturation[k] + leak * at + conductance * (v - at), currents + pair_currents * k);
    PutConductance(conductance, stamps + pair_stamps * k);
    farthest = std::max(farthest, std::abs(v - at));
  }
  return farthest;
}

void EvaluateTransistors(const Transistors &e, const PetscReal *x, PetscReal *currents, PetscReal *stamps)
{
  for (PetscInt k = 0; k < Size(e.drain); ++k) {
    const PetscReal sign = e.sign[k], source = VoltageAt(x, e.source[k]);
    const Channel c(sign * (VoltageAt(x, e.gate[k]) - source) - e.threshold[k],
                    sign * (VoltageAt(x, e.drain[k]) - source), 2 * e.gain[k] * thermal * thermal, e.modulation[k]);
    PutCurrent(sign * c.current, currents + transistor_currents * k);
    PetscReal *stamp = stamps + transistor_stamps * k;
    stamp[0] = c.by_drain;
    stamp[1] = c.by_gate;
    stamp[2] = -(c.by_drain + c.by_gate);
    for (PetscInt column = 0; column < 3; ++column)
      stamp[3 + column] = -stamp[column];
  }
}

void EvaluateSources(const Sources &e, const PetscReal *x, PetscInt first, const PetscReal *voltages,
                     PetscReal *currents)
{
  for (PetscInt k = 0; k < Size(e.from); ++k) {
    PutCurrent(x[first + k], currents + source_currents * k);
    currents[source_currents * k + 2] = VoltageAt(x, e.from[k]) - VoltageAt(x, e.to[k]) - voltages[k];
  }
}

void StampSources(const Sources &e, PetscReal *stamps)
{
  for (PetscInt k = 0; k < Size(e.from); ++k) {
    PetscReal *stamp = stamps + source_stamps * k;
    stamp[0] = stamp[2] = 1;
    stamp[1] = stamp[3] = -1;
  }
}

} // namespace examples

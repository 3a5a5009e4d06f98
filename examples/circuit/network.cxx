#include "network.hpp"

#include <cmath>

namespace examples {
namespace {

/// A pulse `time` after it began.
PetscReal Pulse(const Waveform &w, PetscReal time)
{
  PetscReal part = 1;
  if (time < w.rise)
    part = time / w.rise;
  else if (time > w.rise + w.width)
    part = time < 2 * w.rise + w.width ? (2 * w.rise + w.width - time) / w.rise : 0;
  return w.low + part * (w.high - w.low);
}

} // namespace

PetscReal Waveform::At(PetscReal time) const
{
  const PetscReal since = time - delay;
  switch (shape) {
  case Shape::Sine:
    return low + high * std::sin(2 * PETSC_PI * since / period);
  case Shape::Pulse:
    return since <= 0 ? low : Pulse(*this, period > 0 ? std::fmod(since, period) : since);
  default:
    return low;
  }
}

void Network::AddResistor(PetscInt from, PetscInt to, PetscReal resistance)
{
  resistors.from.push_back(from);
  resistors.to.push_back(to);
  resistors.conductance.push_back(1 / resistance);
}

void Network::AddCapacitor(PetscInt from, PetscInt to, PetscReal capacitance)
{
  capacitors.from.push_back(from);
  capacitors.to.push_back(to);
  capacitors.capacitance.push_back(capacitance);
}

void Network::AddDiode(PetscInt from, PetscInt to, PetscReal saturation, PetscReal emission)
{
  diodes.from.push_back(from);
  diodes.to.push_back(to);
  diodes.saturation.push_back(saturation);
  diodes.emission.push_back(emission);
}

void Network::AddTransistor(PetscInt drain, PetscInt gate, PetscInt source, PetscReal sign, PetscReal gain,
                            PetscReal threshold, PetscReal modulation)
{
  transistors.drain.push_back(drain);
  transistors.gate.push_back(gate);
  transistors.source.push_back(source);
  transistors.sign.push_back(sign);
  transistors.gain.push_back(gain);
  transistors.threshold.push_back(threshold);
  transistors.modulation.push_back(modulation);
}

void Network::AddSource(PetscInt from, PetscInt to, const Waveform &wave)
{
  sources.from.push_back(from);
  sources.to.push_back(to);
  sources.wave.push_back(wave);
}

} // namespace examples

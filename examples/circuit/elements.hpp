#ifndef EXAMPLES_CIRCUIT_ELEMENTS_HPP
#define EXAMPLES_CIRCUIT_ELEMENTS_HPP

#include "network.hpp"

namespace examples {

// One loop for each kind of element. A pass of a loop reads the arrays of its element and the voltages of its nodes,
// and writes to places of its own: currents out of the nodes, and stamps, which are the derivatives of these by the
// voltages, row by row. What elements have in common is added up afterwards, by the matrix and the vector.

constexpr PetscInt pair_currents = 2, pair_stamps = 4;             ///< from, to
constexpr PetscInt transistor_currents = 2, transistor_stamps = 6; ///< drain, source; by drain, gate, source
constexpr PetscInt source_currents = 3, source_stamps = 4;         ///< from, to, and the equation of the voltage

/// How a capacitor's charge is integrated: i = capacitance * rate * (v - v before) - memory * i before.
struct Integration {
  PetscReal rate = 0;   ///< 1/step by backward Euler, 2/step by the trapezoidal rule; 0: no current flows
  PetscReal memory = 0; ///< 0 or 1
};

/// The voltage of a node.
inline PetscReal VoltageAt(const PetscReal *x, PetscInt node)
{
  return node == ground ? 0 : x[node];
}

void EvaluateResistors(const Resistors &elements, const PetscReal *x, PetscReal *currents);
void StampResistors(const Resistors &elements, PetscReal *stamps);

/// `voltage` and `current` are those of the capacitors in the last step, [capacitors].
void EvaluateCapacitors(const Capacitors &elements, const PetscReal *x, const Integration &integration,
                        const PetscReal *voltage, const PetscReal *current, PetscReal *currents);
void StampCapacitors(const Capacitors &elements, const Integration &integration, PetscReal *stamps);

/// Diodes, linearized at `limited` [diodes], the voltages that the last call used, which are overwritten: by the
/// voltages of x or, where these are far above, by others between the two at which the exponential has grown less, by
/// about the factor by which the linearized current overshoots. Returns the largest difference to the voltage of x.
/// Method: L. W. Nagel, SPICE2, 1975.
PetscReal EvaluateDiodes(const Diodes &elements, const PetscReal *x, PetscReal *limited, PetscReal *currents,
                         PetscReal *stamps);

/// Transistors whose current follows the square law where they conduct, decays exponentially where they do not, and has
/// all derivatives in between. Drain and source may change their roles:
///   i = 2 gain u^2 (f(v_gate - v_source) - f(v_gate - v_drain)) (1 + modulation sqrt((v_drain - v_source)^2 + u^2)),
///   f(v) = ln(1 + exp((v - threshold) / 2u))^2, u = 25.9 mV.
/// Model: C. Enz, F. Krummenacher, E. Vittoz, 1995.
void EvaluateTransistors(const Transistors &elements, const PetscReal *x, PetscReal *currents, PetscReal *stamps);

/// Sources with the given voltages [sources]; their currents are x[first], x[first + 1], ..
void EvaluateSources(const Sources &elements, const PetscReal *x, PetscInt first, const PetscReal *voltages,
                     PetscReal *currents);
void StampSources(const Sources &elements, PetscReal *stamps);

} // namespace examples
#endif

#ifndef EXAMPLES_CIRCUIT_EQUATIONS_HPP
#define EXAMPLES_CIRCUIT_EQUATIONS_HPP

#include "elements.hpp"
#include <petscmat.h>

namespace examples {

/// Modified nodal analysis: the currents out of every node add up to zero, and every source has its voltage. Elements
/// are evaluated on the host, at the voltages x; their currents and stamps are added up by the residual and the
/// matrix, wherever these are: both know the places from the start (COO), and get numbers alone.
class Equations {
public:
  Equations() = default;
  ~Equations();
  Equations(const Equations &) = delete;
  Equations &operator=(const Equations &) = delete;

  /// Makes matrix and residual of a network, which has to outlive them. Option: -mat_type.
  PetscErrorCode Create(const Network &network);

  /// Chooses time, of the sources, and how capacitors are integrated from the last accepted voltages.
  void SetTime(PetscReal time, const Integration &integration);

  /// Computes the residual at x and the stamps. `overshoot`: largest difference of a diode's voltage to the one it is
  /// linearized at.
  PetscErrorCode Evaluate(Vec x, PetscReal *overshoot);

  /// Adds the stamps of the last evaluation up in the matrix, the derivative of the residual.
  PetscErrorCode SetMatrix();

  /// Takes the voltages of x as those that the next step starts from.
  PetscErrorCode Accept(Vec x);

  const Network &network() const { return *network_; }
  Mat matrix() const { return matrix_; }
  Vec residual() const { return residual_; }

private:
  PetscErrorCode CreateMatrix();
  PetscErrorCode CreateResidual();

  const Network *network_ = nullptr;
  Integration integration_;
  Values source_voltages_;   // [sources]
  Values diode_voltages_;    // [diodes], where they are linearized
  Values charged_, flowing_; // [capacitors], voltages and currents of the last step
  Values currents_, stamps_; // of resistors, capacitors, sources, diodes, transistors; then stamps of the diagonal
  Mat matrix_ = nullptr;
  Vec residual_ = nullptr;
};

} // namespace examples
#endif

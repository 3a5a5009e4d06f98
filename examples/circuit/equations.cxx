#include "equations.hpp"

namespace examples {
namespace {

PetscInt Count(const Nodes &nodes)
{
  return static_cast<PetscInt>(nodes.size());
}

/// Where the numbers of each kind of element begin in an array that has `pair`, `source` and `transistor` of them for
/// an element.
struct Layout {
  PetscInt capacitors, sources, diodes, transistors, end;

  Layout(const Network &n, PetscInt pair, PetscInt source, PetscInt transistor)
      : capacitors(pair * Count(n.resistors.from)), sources(capacitors + pair * Count(n.capacitors.from)),
        diodes(sources + source * Count(n.sources.from)), transistors(diodes + pair * Count(n.diodes.from)),
        end(transistors + transistor * Count(n.transistors.drain))
  {
  }
};

Layout CurrentLayout(const Network &n)
{
  return {n, pair_currents, source_currents, transistor_currents};
}

Layout StampLayout(const Network &n)
{
  return {n, pair_stamps, source_stamps, transistor_stamps};
}

/// Places of entries; PETSc leaves out those with a negative index, of the ground.
struct Places {
  Nodes row, column;

  void Append(PetscInt i, PetscInt j)
  {
    row.push_back(i);
    column.push_back(j);
  }

  void AppendPairs(const Nodes &from, const Nodes &to)
  {
    for (std::size_t k = 0; k < from.size(); ++k)
      for (const PetscInt i : {from[k], to[k]})
        for (const PetscInt j : {from[k], to[k]})
          Append(i, j);
  }

  void AppendSources(const Sources &e, PetscInt first)
  {
    for (PetscInt k = 0; k < Count(e.from); ++k) {
      Append(e.from[k], first + k);
      Append(e.to[k], first + k);
      Append(first + k, e.from[k]);
      Append(first + k, e.to[k]);
    }
  }

  void AppendTransistors(const Transistors &e)
  {
    for (std::size_t k = 0; k < e.drain.size(); ++k)
      for (const PetscInt i : {e.drain[k], e.source[k]})
        for (const PetscInt j : {e.drain[k], e.gate[k], e.source[k]})
          Append(i, j);
  }
};

void AppendBoth(const Nodes &first, const Nodes &second, Nodes *rows)
{
  for (std::size_t k = 0; k < first.size(); ++k)
    rows->insert(rows->end(), {first[k], second[k]});
}

} // namespace

Equations::~Equations()
{
  VecDestroy(&residual_);
  MatDestroy(&matrix_);
}

PetscErrorCode Equations::CreateMatrix()
{
  const Network &n = *network_;
  const PetscInt size = n.Unknowns();
  Places places;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, &matrix_));
  PetscCall(MatSetSizes(matrix_, size, size, size, size));
  PetscCall(MatSetType(matrix_, MATAIJ));
  PetscCall(MatSetFromOptions(matrix_));
  places.AppendPairs(n.resistors.from, n.resistors.to);
  places.AppendPairs(n.capacitors.from, n.capacitors.to);
  places.AppendSources(n.sources, n.nodes);
  places.AppendPairs(n.diodes.from, n.diodes.to);
  places.AppendTransistors(n.transistors);
  for (PetscInt k = 0; k < size; ++k)
    places.Append(k, k); // zeros that some factorizations ask for
  PetscCall(MatSetPreallocationCOO(matrix_, static_cast<PetscCount>(places.row.size()), places.row.data(),
                                   places.column.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Equations::CreateResidual()
{
  const Network &n = *network_;
  Nodes rows;

  PetscFunctionBeginUser;
  AppendBoth(n.resistors.from, n.resistors.to, &rows);
  AppendBoth(n.capacitors.from, n.capacitors.to, &rows);
  for (PetscInt k = 0; k < Count(n.sources.from); ++k)
    rows.insert(rows.end(), {n.sources.from[k], n.sources.to[k], n.nodes + k});
  AppendBoth(n.diodes.from, n.diodes.to, &rows);
  AppendBoth(n.transistors.drain, n.transistors.source, &rows);
  PetscCall(MatCreateVecs(matrix_, nullptr, &residual_));
  PetscCall(VecSetOption(residual_, VEC_IGNORE_NEGATIVE_INDICES, PETSC_TRUE));
  PetscCall(VecSetPreallocationCOO(residual_, static_cast<PetscCount>(rows.size()), rows.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Equations::Create(const Network &network)
{
  PetscFunctionBeginUser;
  network_ = &network;
  source_voltages_.assign(network.sources.wave.size(), 0);
  diode_voltages_.assign(network.diodes.from.size(), 0);
  charged_.assign(network.capacitors.from.size(), 0);
  flowing_.assign(network.capacitors.from.size(), 0);
  PetscCall(CreateMatrix());
  PetscCall(CreateResidual());
  currents_.resize(CurrentLayout(network).end);
  const Layout at = StampLayout(network);
  stamps_.assign(at.end + network.Unknowns(), 0);
  StampResistors(network.resistors, stamps_.data());
  StampSources(network.sources, stamps_.data() + at.sources);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void Equations::SetTime(PetscReal time, const Integration &integration)
{
  for (std::size_t k = 0; k < source_voltages_.size(); ++k)
    source_voltages_[k] = network_->sources.wave[k].At(time);
  integration_ = integration;
  StampCapacitors(network_->capacitors, integration, stamps_.data() + StampLayout(*network_).capacitors);
}

PetscErrorCode Equations::Evaluate(Vec x, PetscReal *overshoot)
{
  const Network &n = *network_;
  const Layout current = CurrentLayout(n), stamp = StampLayout(n);
  PetscReal *currents = currents_.data(), *stamps = stamps_.data();
  const PetscScalar *voltages;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(x, &voltages));
  EvaluateResistors(n.resistors, voltages, currents);
  EvaluateCapacitors(n.capacitors, voltages, integration_, charged_.data(), flowing_.data(),
                     currents + current.capacitors);
  EvaluateSources(n.sources, voltages, n.nodes, source_voltages_.data(), currents + current.sources);
  *overshoot =
      EvaluateDiodes(n.diodes, voltages, diode_voltages_.data(), currents + current.diodes, stamps + stamp.diodes);
  EvaluateTransistors(n.transistors, voltages, currents + current.transistors, stamps + stamp.transistors);
  PetscCall(VecRestoreArrayRead(x, &voltages));
  PetscCall(VecSetValuesCOO(residual_, currents, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Equations::SetMatrix()
{
  PetscFunctionBeginUser;
  PetscCall(MatSetValuesCOO(matrix_, stamps_.data(), INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Equations::Accept(Vec x)
{
  const Capacitors &capacitors = network_->capacitors;
  const PetscScalar *voltages;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(x, &voltages));
  PetscReal *currents = currents_.data() + CurrentLayout(*network_).capacitors;
  EvaluateCapacitors(capacitors, voltages, integration_, charged_.data(), flowing_.data(), currents);
  for (std::size_t k = 0; k < charged_.size(); ++k) {
    flowing_[k] = currents[pair_currents * k];
    charged_[k] = VoltageAt(voltages, capacitors.from[k]) - VoltageAt(voltages, capacitors.to[k]);
  }
  PetscCall(VecRestoreArrayRead(x, &voltages));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples

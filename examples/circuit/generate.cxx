// Random networks: a power grid with inverters and rectifiers.
#include "network.hpp"

#include "../common/random.hpp"

namespace examples {
namespace {

constexpr PetscReal supply = 1.8;
constexpr PetscReal grid_part = 0.4; // of the unknowns
constexpr PetscInt pad_distance = 8; // nodes of the grid between supplies, in both directions
constexpr PetscInt most_deep = 12;   // inverters one after the other, from a source
constexpr PetscInt most_stages = 6;  // inverters of a chain
constexpr PetscInt largest_block = 3 + 2 * most_stages;

class Generator {
public:
  Generator(PetscInt unknowns, PetscInt64 seed, Network *network)
      : unknowns_(unknowns), random_(seed), net_(*network),
        side_(std::max<PetscInt>(2, static_cast<PetscInt>(std::sqrt(grid_part * unknowns))))
  {
  }

  void Run()
  {
    MakeGrid();
    MakePads();
    near_.assign(side_ * side_, {ground, 0});
    PetscInt at = 0;
    for (; Left() >= largest_block; at = (at + 1 + random_.Below(8)) % (side_ * side_)) {
      if (random_.Uniform() < 0.25)
        MakeRectifier(at);
      else
        MakeChain(at);
    }
    for (PetscInt last = at; Left() > 0;)
      last = Wire(last);
  }

private:
  /// An output of a chain of inverters, and the number of inverters between it and a source.
  struct Signal {
    PetscInt node;
    PetscInt depth;
  };

  PetscInt Left() const { return unknowns_ - net_.Unknowns(); }
  PetscInt NewNode() { return net_.nodes++; }
  PetscReal Around(PetscReal value) { return value * (0.5 + random_.Uniform()); }
  void Store(PetscInt node, PetscReal capacitance) { net_.AddCapacitor(node, ground, Around(capacitance)); }

  /// A square of resistors, with something that takes current at every node.
  void MakeGrid()
  {
    for (PetscInt k = 0; k < side_ * side_; ++k) {
      NewNode();
      if (k % side_ > 0)
        net_.AddResistor(k - 1, k, Around(1));
      if (k >= side_)
        net_.AddResistor(k - side_, k, Around(1));
      net_.AddResistor(k, ground, Around(5e4));
      Store(k, 1e-13);
    }
  }

  void MakePads()
  {
    const PetscInt first = std::min(side_, pad_distance) / 2;
    for (PetscInt i = first; i < side_; i += pad_distance) {
      for (PetscInt j = first; j < side_; j += pad_distance) {
        const PetscInt pad = NewNode();
        net_.AddSource(pad, ground, {Waveform::Shape::Constant, supply, 0, 0, 0, 0, 0});
        net_.AddResistor(pad, i * side_ + j, Around(0.1));
      }
    }
  }

  /// A new node at the end of a wire.
  PetscInt Wire(PetscInt from)
  {
    const PetscInt to = NewNode();
    net_.AddResistor(from, to, Around(500));
    Store(to, 5e-15);
    return to;
  }

  /// A pulse from outside, with diodes that keep it between ground and supply.
  Signal Input(PetscInt at)
  {
    const PetscInt outside = NewNode();
    const PetscReal delay = 1e-9 * random_.Uniform();
    net_.AddSource(outside, ground, {Waveform::Shape::Pulse, 0, supply + 0.4, delay, 2e-9, 1e-10, 8e-10});
    const PetscInt inside = Wire(outside);
    net_.AddDiode(inside, at, 1e-14, 0.026);
    net_.AddDiode(ground, inside, 1e-14, 0.026);
    return {inside, 0};
  }

  /// The signal that drives a chain: of a chain nearby or anywhere; otherwise one from outside. The connections across
  /// the grid are as many as rows of it, so that they do not make the matrix one of another kind.
  Signal Driver(PetscInt at)
  {
    if (random_.Uniform() * side_ < 2 && !signals_.empty()) {
      const Signal far = signals_[random_.Below(static_cast<PetscInt>(signals_.size()))];
      if (far.depth < most_deep)
        return far;
    }
    for (PetscInt k = std::max<PetscInt>(at - 12, 0); k < at; ++k)
      if (near_[k].node != ground && near_[k].depth < most_deep)
        return near_[k];
    return Input(at);
  }

  PetscInt Inverter(PetscInt input, PetscInt rail)
  {
    const PetscInt output = NewNode();
    const PetscReal threshold = 0.4 + 0.1 * random_.Uniform();
    net_.AddTransistor(output, input, ground, 1, Around(5e-4), threshold, 0.05);
    net_.AddTransistor(output, input, rail, -1, Around(5e-4), threshold, 0.05);
    net_.AddCapacitor(input, output, Around(2e-16));
    Store(output, 2e-15);
    return output;
  }

  void MakeChain(PetscInt at)
  {
    Signal signal = Driver(at);
    const PetscInt stages = 2 + random_.Below(most_stages - 1);
    for (PetscInt k = 0; k < stages; ++k) {
      signal = {Inverter(signal.node, at), signal.depth + 1};
      if (random_.Uniform() < 0.5)
        signal.node = Wire(signal.node);
    }
    near_[at] = signal;
    signals_.push_back(signal);
  }

  /// Four diodes behind a source that no end of is grounded; what comes out supports the grid.
  void MakeRectifier(PetscInt at)
  {
    const PetscInt a = NewNode(), b = NewNode(), output = NewNode();
    const PetscReal amplitude = Around(3), delay = 1e-9 * random_.Uniform();
    net_.AddSource(a, b, {Waveform::Shape::Sine, 0, amplitude, delay, 2e-9, 0, 0});
    net_.AddResistor(a, ground, 1e6);
    for (const PetscInt end : {a, b}) {
      net_.AddDiode(ground, end, 1e-14, 0.026);
      net_.AddDiode(end, output, 1e-14, 0.026);
    }
    Store(output, 1e-12);
    net_.AddResistor(output, ground, Around(1e4));
    net_.AddResistor(output, at, Around(1e3));
  }

  const PetscInt unknowns_;
  Random random_;
  Network &net_;
  const PetscInt side_;
  std::vector<Signal> near_;    // [side_ * side_], the last chain at a node of the grid
  std::vector<Signal> signals_; // of all chains
};

} // namespace

void GenerateNetwork(PetscInt unknowns, PetscInt64 seed, Network *network)
{
  network->name = "circuit_" + std::to_string(unknowns);
  Generator(unknowns, seed, network).Run();
}

} // namespace examples

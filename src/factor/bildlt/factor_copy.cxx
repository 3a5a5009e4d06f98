#include "factor/bildlt/factor_copy.hpp"

#include "factor/same_bits.hpp"

namespace tessera {
namespace {

std::string in_block(Index b, const std::string &what)
{
  return "block " + std::to_string(b) + ", " + what;
}

/// The differences of block b but for the values it keeps above its diagonal tile.
std::string diagonal_difference(const BlockStructure &s, Index b, Offset inverse_start, const FactorCopy &one,
                                const FactorCopy &other)
{
  const Index k = s.block_rows(b);
  for (Index r = 0; r < k; ++r) {
    const Index row = s.block_start[b] + r;
    if (!same_bits(one.d[row], other.d[row]))
      return in_words(in_block(b, "pivot " + std::to_string(r) + " of D"), one.d[row], other.d[row]);
    if (!same_bits(one.e[row], other.e[row]))
      return in_words(in_block(b, "entry beside pivot " + std::to_string(r) + " of D"), one.e[row], other.e[row]);
  }
  for (Index c = 0; c < k; ++c)
    for (Index r = 0; r < k; ++r) {
      const Offset at = inverse_start + Offset(c) * k + r;
      if (!same_bits(one.inverse[at], other.inverse[at]))
        return in_words(
            in_block(b, "entry (" + std::to_string(r) + "," + std::to_string(c) + ") of the diagonal tile's inverse"),
            one.inverse[at], other.inverse[at]);
    }
  return {};
}

/// The differences in what tile t of block row b keeps; `before`: kept columns of earlier block rows, `values` their
/// entries.
std::string tile_difference(const BlockStructure &s, Index b, Offset t, Offset before, Offset values,
                            const FactorCopy &one, const FactorCopy &other)
{
  const Index k = s.block_rows(b), begin = one.first[t + b], end = one.first[t + b + 1];
  const std::string tile = in_block(b, "tile with block " + std::to_string(s.tiles.upper.column[t]));
  if (end - begin != other.first[t + b + 1] - other.first[t + b])
    return in_words(tile + ", number of kept columns", end - begin, other.first[t + b + 1] - other.first[t + b]);
  for (Index n = begin; n < end; ++n) {
    const int column = one.column[before + n];
    if (column != other.column[before + n])
      return in_words(tile + ", kept column", column, other.column[before + n]);
    for (Index r = 0; r < k; ++r) {
      const Offset at = values + Offset(n) * k + r;
      if (!same_bits(one.value[at], other.value[at]))
        return in_words(tile + ", entry (" + std::to_string(r) + "," + std::to_string(column) + ")", one.value[at],
                        other.value[at]);
    }
  }
  return {};
}

} // namespace

template <class T>
FactorCopy copy_of(const BlockStructure &structure, const FactorView<T> &f)
{
  const Index blocks = structure.blocks();
  const Offset tiles = structure.tiles.upper.entries();
  FactorCopy copy;
  copy.inverse.assign(f.inverse, f.inverse + f.inverse_start[blocks]);
  copy.d.assign(f.d, f.d + structure.rows);
  copy.e.assign(f.e, f.e + structure.rows);
  copy.first.assign(f.first, f.first + tiles + blocks);
  for (Index b = 0; b < blocks; ++b) {
    const Index kept = f.first[structure.tiles.upper.start[b + 1] + b];
    copy.column.insert(copy.column.end(), f.column[b], f.column[b] + kept);
    copy.value.insert(copy.value.end(), f.value[b], f.value[b] + Offset(kept) * structure.block_rows(b));
  }
  return copy;
}

template FactorCopy copy_of(const BlockStructure &, const FactorView<double> &);
template FactorCopy copy_of(const BlockStructure &, const FactorView<float> &);

std::string difference(const BlockStructure &s, const FactorCopy &one, const FactorCopy &other)
{
  Offset before = 0, values = 0, inverse_start = 0;
  for (Index b = 0; b < s.blocks(); ++b) {
    std::string found = diagonal_difference(s, b, inverse_start, one, other);
    for (Offset t = s.tiles.upper.start[b]; t < s.tiles.upper.start[b + 1] && found.empty(); ++t)
      found = tile_difference(s, b, t, before, values, one, other);
    if (!found.empty())
      return found;
    const Index kept = one.first[s.tiles.upper.start[b + 1] + b], k = s.block_rows(b);
    before += kept;
    values += Offset(kept) * k;
    inverse_start += Offset(k) * k;
  }
  return {};
}

} // namespace tessera

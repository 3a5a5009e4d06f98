#ifndef TESSERA_BASE_SYMMETRY_HPP
#define TESSERA_BASE_SYMMETRY_HPP

#include "base/scalar.hpp"
#include "base/types.hpp"

#include <type_traits>

namespace tessera {

/// How the two triangles of a matrix go together. A real matrix is said to be Symmetric.
enum class Symmetry {
  Symmetric, ///< A = Aᵀ
  Hermitian  ///< A = Aᴴ: what is below the diagonal is conjugated, and the diagonal is real
};

/// Whether eigenvalues are real, so that pivots have signs.
template <class T, Symmetry S>
constexpr bool has_signs = std::is_same_v<T, double> || S == Symmetry::Hermitian;

inline double conjugate(double x)
{
  return x;
}
inline Complex conjugate(Complex x)
{
  return std::conj(x);
}

inline double real_part(double x)
{
  return x;
}
inline double real_part(Complex x)
{
  return x.real();
}

/// The entry (j, i) where (i, j) is x.
template <Symmetry S, class T>
T mirrored(T x)
{
  return S == Symmetry::Hermitian ? conjugate(x) : x;
}

/// The entry (i, i) where rounding or the caller has left x, which may have an imaginary part.
template <Symmetry S, class T>
T on_diagonal(T x)
{
  return S == Symmetry::Hermitian ? T(real_part(x)) : x;
}

/// What the square of an entry is that stands for it and its mirror image: x², or |x|², as that of this number.
template <Symmetry S, class T>
T without_argument(T x)
{
  return S == Symmetry::Hermitian ? T(magnitude(x)) : x;
}

/// A source says where a caller stores the value of an entry: at this place, or as its conjugate at the place ~source,
/// which a real matrix has no need for.
template <class T>
Offset stored_at(Offset source)
{
  return !std::is_same_v<T, double> && source < 0 ? ~source : source;
}
template <class T>
T entry_at(const T *values, Offset source)
{
  return !std::is_same_v<T, double> && source < 0 ? conjugate(values[~source]) : values[source];
}

} // namespace tessera
#endif

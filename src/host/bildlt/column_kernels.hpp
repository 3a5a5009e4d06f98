#ifndef TESSERA_HOST_BILDLT_COLUMN_KERNELS_HPP
#define TESSERA_HOST_BILDLT_COLUMN_KERNELS_HPP

#include "base/types.hpp"

#include <cstring>

namespace tessera {

/// Products of columns of K rows with vectors, K known to the compiler so that vectors stay in registers: what a
/// triangular solve is made of. Columns lie one after the other, in double or single precision. They are taken four
/// rows at a time; the last vector ends with the column and shares rows with the one before.
template <int K>
struct Columns {
  typedef double Vector __attribute__((vector_size(32)));
  static constexpr int full = K / 4;
  static constexpr bool tail = full > 0 && K % 4 != 0;
  static constexpr int single = full > 0 ? 0 : K; ///< rows that are taken one by one

  template <class T>
  static Vector load(const T *p)
  {
    typedef T Packed __attribute__((vector_size(4 * sizeof(T))));
    Packed packed;
    std::memcpy(&packed, p, sizeof packed);
    return __builtin_convertvector(packed, Vector);
  }

  /// A vector x [K] for products with columns.
  class Dot {
  public:
    explicit Dot(const double *x)
    {
      for (int i = 0; i < full; ++i)
        vector_[i] = load(x + 4 * i);
      if constexpr (tail) { // rows that were there before count as 0
        double last[4] = {0, 0, 0, 0};
        for (int r = 4 * full; r < K; ++r)
          last[r - K + 4] = x[r];
        vector_[full] = load(last);
      }
      for (int r = 0; r < single; ++r)
        single_[r] = x[r];
    }

    /// uᵀ x
    template <class T>
    double operator()(const T *u) const
    {
      if constexpr (full > 0) {
        Vector sum = load(u) * vector_[0];
        for (int i = 1; i < full; ++i)
          sum += load(u + 4 * i) * vector_[i];
        if constexpr (tail)
          sum += load(u + K - 4) * vector_[full];
        return (sum[0] + sum[2]) + (sum[1] + sum[3]);
      } else {
        double sum = double(u[0]) * single_[0];
        for (int r = 1; r < K; ++r)
          sum += double(u[r]) * single_[r];
        return sum;
      }
    }

  private:
    Vector vector_[full + 1];
    double single_[single + 1];
  };

  /// A sum of columns with coefficients.
  class Sum {
  public:
    Sum()
    {
      for (Vector &v : vector_)
        v = Vector{0, 0, 0, 0};
      for (double &x : single_)
        x = 0;
    }

    /// Adds u times x.
    template <class T>
    void add(const T *u, double x)
    {
      const Vector all = {x, x, x, x};
      for (int i = 0; i < full; ++i)
        vector_[i] += load(u + 4 * i) * all;
      if constexpr (tail)
        vector_[full] += load(u + K - 4) * all;
      for (int r = 0; r < single; ++r)
        single_[r] += double(u[r]) * x;
    }

    /// y [K] = the sum
    void store(double *y) const
    {
      if constexpr (tail)
        std::memcpy(y + K - 4, &vector_[full], sizeof(Vector));
      std::memcpy(y, vector_, full * sizeof(Vector));
      for (int r = 0; r < single; ++r)
        y[r] = single_[r];
    }

  private:
    Vector vector_[full + 1];
    double single_[single + 1];
  };
};

} // namespace tessera
#endif

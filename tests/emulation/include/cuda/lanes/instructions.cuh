#ifndef TESSERA_EMULATION_INSTRUCTIONS_CUH
#define TESSERA_EMULATION_INSTRUCTIONS_CUH

#include <cuda_awbarrier_primitives.h>
#include <cuda_runtime.h>
#include <limits>

namespace tessera {

inline int opaque(int x)
{
  return x;
}

// Who reads what others write, may be waiting for it.

inline int load_acquire(const int *x)
{
  emulation::let_others_run();
  return __atomic_load_n(x, __ATOMIC_ACQUIRE);
}

inline void store_release(int *x, int value)
{
  __atomic_store_n(x, value, __ATOMIC_RELEASE);
}

inline void increment_release(int *x)
{
  __atomic_fetch_add(x, 1, __ATOMIC_ACQ_REL);
}

inline int fetch_increment(int *x)
{
  return __atomic_fetch_add(x, 1, __ATOMIC_ACQ_REL);
}

inline double load_relaxed(const double *x)
{
  emulation::let_others_run();
  double value;
  __atomic_load(x, &value, __ATOMIC_RELAXED);
  return value;
}

inline void store_relaxed(double *x, double value)
{
  __atomic_store(x, &value, __ATOMIC_RELAXED);
}

inline double load_if(bool wanted, const double *x)
{
  return wanted ? *x : 0;
}

inline void prefetch_to_l2(const void *) {}

// Here a launch begins when the one before has ended.
inline void let_next_launch_begin() {}
inline void wait_for_launch_before() {}

/// x without subnormal numbers.
template <class T>
T without_subnormal(T x)
{
  return std::fabs(x) < std::numeric_limits<T>::min() ? std::copysign(T(0), x) : x;
}

/// The leading 20 bits of x.
inline double with_20_bits(double x)
{
  return __hiloint2double(__double2hiint(without_subnormal(x)), 0);
}

inline double guess_reciprocal(double x)
{
  return with_20_bits(1 / without_subnormal(x));
}

inline float guess_reciprocal(float x)
{
  return without_subnormal(1 / without_subnormal(x));
}

inline double guess_rsqrt(double x)
{
  return with_20_bits(1 / std::sqrt(without_subnormal(x)));
}

inline void multiply_by_tensor_cores(double (&c)[2], double a, double b)
{
  const int lane = emulation::lane();
  double row[4];
  const emulation::Met &rows = emulation::meet(~0u, emulation::Call::Shuffle, emulation::pack(a));
  for (int k = 0; k < 4; ++k)
    row[k] = emulation::unpack<double>(rows.own[lane / 4 * 4 + k]);
  const emulation::Met &columns = emulation::meet(~0u, emulation::Call::Shuffle, emulation::pack(b));
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 2; ++i)
      c[i] = std::fma(row[k], emulation::unpack<double>(columns.own[lane % 4 * 8 + 4 * i + k]), c[i]);
}

inline void multiply_by_tensor_cores(double (&upper)[2], double (&lower)[2], double a_upper, double a_lower, double b,
                                     int wanted)
{
  if (wanted) {
    multiply_by_tensor_cores(upper, a_upper, b);
    multiply_by_tensor_cores(lower, a_lower, b);
  }
}

inline bool has_phase_ended(__mbarrier_t *barrier, unsigned phase)
{
  if ((barrier->phase & 1) == (phase & 1)) {
    emulation::end_copies();
    emulated_end_phase(barrier);
  }
  if ((barrier->phase & 1) == (phase & 1))
    emulation::let_others_run();
  return (barrier->phase & 1) != (phase & 1);
}

inline void copy_16_bytes(void *to, const void *from)
{
  std::memcpy(to, from, 16);
}

template <class T>
void copy_if(bool wanted, T *to, const T *from)
{
  *to = wanted ? *from : T(0);
}

inline void arrive_after_copies(__mbarrier_t *barrier)
{
  __mbarrier_arrive(barrier);
}

inline void arrive_and_expect(__mbarrier_t *barrier, unsigned bytes)
{
  barrier->bytes += int(bytes);
  __mbarrier_arrive(barrier);
}

inline void copy_by_engine(void *to, const void *from, unsigned bytes, __mbarrier_t *barrier)
{
  emulation::begin_copy(to, from, bytes, &barrier->bytes);
}

inline void fence_engine_writes() {}

inline void fence_engine_reads() {}

} // namespace tessera
#endif

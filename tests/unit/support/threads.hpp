#ifndef TESSERA_TESTS_SUPPORT_THREADS_HPP
#define TESSERA_TESTS_SUPPORT_THREADS_HPP

#include <omp.h>

namespace tessera::test {

/// Sets the number of threads while it lives, also where an assertion ends a test.
class Threads {
public:
  explicit Threads(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
  ~Threads() { omp_set_num_threads(before_); }

private:
  int before_;
};

} // namespace tessera::test
#endif

#ifndef TESSERA_HOST_FRONT_BLAS_THREADS_HPP
#define TESSERA_HOST_FRONT_BLAS_THREADS_HPP

extern "C" {
// Where the BLAS has them; null elsewhere.
__attribute__((weak)) void openblas_set_num_threads(int);
__attribute__((weak)) int openblas_get_num_threads(void);
}

namespace tessera {

/// While it lives each call of OpenBLAS uses one thread: calls come from several threads at the same time, and the
/// result of a call must not depend on how many there are.
class OneThreadBlas {
public:
  OneThreadBlas()
  {
    if (openblas_set_num_threads && openblas_get_num_threads) {
      before_ = openblas_get_num_threads();
      openblas_set_num_threads(1);
    }
  }
  ~OneThreadBlas()
  {
    if (before_ > 0)
      openblas_set_num_threads(before_);
  }
  OneThreadBlas(const OneThreadBlas &) = delete;
  OneThreadBlas &operator=(const OneThreadBlas &) = delete;

private:
  int before_ = 0;
};

} // namespace tessera
#endif

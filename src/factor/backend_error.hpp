#ifndef TESSERA_FACTOR_BACKEND_ERROR_HPP
#define TESSERA_FACTOR_BACKEND_ERROR_HPP

#include <stdexcept>

namespace tessera {

/// A call of a backend's runtime failed in a way that no factorization causes. Lack of memory is a std::bad_alloc.
class BackendError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace tessera
#endif

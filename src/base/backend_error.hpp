#ifndef TESSERA_BASE_BACKEND_ERROR_HPP
#define TESSERA_BASE_BACKEND_ERROR_HPP

#include <stdexcept>

namespace tessera {

/// A call of a backend's runtime failed in a way that no factorization causes. Lack of memory is a std::bad_alloc.
class BackendError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The device is not one that the backend can use; another backend may.
class UnsupportedDevice : public BackendError {
public:
  using BackendError::BackendError;
};

} // namespace tessera
#endif

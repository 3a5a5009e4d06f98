// Ends with 77 where there is no GPU: for tests that are no programs of their own.
#include "factor/operator.hpp"

int main()
{
  return tessera::visible_cuda_devices().empty() ? 77 : 0;
}

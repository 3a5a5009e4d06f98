#include "tile/ldlt.hpp"

#ifndef TESSERA_SEAM_ENUMERATIONS_HPP
#define TESSERA_SEAM_ENUMERATIONS_HPP

#include "analysis/analysis.hpp"
#include "tessera.h"

// What the values of tessera.h's enumerations mean to the analysis, in their order there.

inline tessera::Preprocessing TesseraPreprocessingOf(TesseraPreprocessing preprocessing)
{
  using tessera::Preprocessing;
  constexpr Preprocessing all[] = {Preprocessing::Matching, Preprocessing::Equilibrate, Preprocessing::None};
  return all[preprocessing];
}

inline tessera::Ordering TesseraOrderingOf(TesseraOrdering ordering)
{
  using tessera::Ordering;
  constexpr Ordering all[] = {Ordering::Automatic, Ordering::Natural, Ordering::AMD,  Ordering::ND,
                              Ordering::METIS,     Ordering::RCM,     Ordering::Color};
  return all[ordering];
}

#endif

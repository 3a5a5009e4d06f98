#ifndef TESSERA_ANALYSIS_PREPROCESSING_HPP
#define TESSERA_ANALYSIS_PREPROCESSING_HPP

namespace tessera {

/// What is done to a matrix before it is ordered.
enum class Preprocessing {
  Matching,    ///< maximum-product matching: scaling, and pairs kept together
  Equilibrate, ///< Ruiz equilibration only
  None
};

} // namespace tessera
#endif

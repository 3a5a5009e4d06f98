#ifndef TESSERA_ANALYSIS_INPUT_MIRROR_IMAGES_HPP
#define TESSERA_ANALYSIS_INPUT_MIRROR_IMAGES_HPP

#include "base/types.hpp"

namespace tessera {

/// [entries] where the caller stores the mirror image of each entry, if the matrix is symmetric to the last bit; else
/// empty. Rows of the pattern ascend. source: [entries] where the caller stores the entries. T: double or Complex.
template <class T>
std::vector<Offset> mirror_images(const Pattern &pattern, const std::vector<Offset> &source, const T *value);

/// The first row with an entry that is not equal to its mirror image, or -1.
template <class T>
Index first_asymmetric_row(const Pattern &pattern, const std::vector<Offset> &source, const std::vector<Offset> &mirror,
                           const T *value);

} // namespace tessera
#endif

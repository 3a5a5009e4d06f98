#ifndef TESSERA_BASE_BUNCH_KAUFMAN_HPP
#define TESSERA_BASE_BUNCH_KAUFMAN_HPP

namespace tessera {

/// (1 + sqrt(17)) / 8 balances the growth bounds of two 1x1 steps and of one 2x2 step of LDLᵀ (Bunch & Parlett 1971;
/// Bunch & Kaufman 1977).
template <class T>
constexpr T bunch_kaufman_constant = T(0.6403882032022076);

} // namespace tessera
#endif

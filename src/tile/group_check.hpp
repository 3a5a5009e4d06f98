#ifndef TESSERA_TILE_GROUP_CHECK_HPP
#define TESSERA_TILE_GROUP_CHECK_HPP

#include "tile/group.hpp"

#include <cstdint>
#include <type_traits>
#include <utility>

// Whether a type is a group or a team as tile/group.hpp describes them: IsGroup<G, T>, IsTeam<G>. GroupOperations<G, T>
// and TeamOperations<G> by themselves are an error that names what is missing.

namespace tessera {
namespace group_check {

/// A value of type T, for expressions that are not evaluated.
template <class T>
const T &a();

/// One that may be changed.
template <class T>
T &changed();

/// Void if an expression has the type wanted.
template <class Wanted, class Has>
using Is = std::enable_if_t<std::is_same_v<Wanted, std::decay_t<Has>>>;

template <class G, class T, class Lane, class Mask, class Number>
using LaneOperations =
    std::void_t<Is<int, decltype(G::width)>, Is<bool, decltype(G::columns_are_registers)>,
                Is<int, decltype(G::product_columns)>, Is<int, decltype(G::template strip<T>::width)>,
                // arithmetic and comparisons, lane by lane
                Is<Lane, decltype(a<Lane>() + T(1))>, Is<Lane, decltype(fma(a<Lane>(), a<Lane>(), a<Lane>()))>,
                Is<Mask, decltype(a<Lane>() < a<Lane>())>, Is<Mask, decltype(a<Number>() == a<Number>())>,
                Is<Mask, decltype(!a<Mask>())>, Is<Lane, decltype(select(a<Mask>(), a<Lane>(), a<Lane>()))>,
                Is<Lane, decltype(abs(a<Lane>()))>, Is<Lane, decltype(max(a<Lane>(), a<Lane>()))>,
                Is<Lane, decltype(sqrt(a<Lane>()))>, Is<Mask, decltype(finite(a<Lane>()))>,
                Is<Lane, decltype(a<G>().add_product(a<Mask>(), a<Lane>(), a<Lane>(), a<Lane>()))>,
                Is<Lane, decltype(a<G>().reciprocal(a<Lane>()))>, Is<T, decltype(a<G>().reciprocal(T(1)))>,
                Is<Mask, decltype(a<G>().template at_least_half<T>(a<Lane>(), a<Lane>()))>>;

template <class G, class T, class Lane, class Mask, class Number>
using MemoryOperations =
    std::void_t<Is<Number, decltype(a<G>().template id<T>())>, Is<Lane, decltype(a<G>().load(a<const T *>()))>,
                Is<Lane, decltype(a<G>().load(a<Mask>(), a<const T *>()))>,
                Is<Lane, decltype(a<G>().load(a<Mask>(), a<const T *>(), 1))>,
                decltype(a<G>().store(a<T *>(), a<Lane>())), decltype(a<G>().store(a<Mask>(), a<T *>(), a<Lane>())),
                decltype(a<G>().template scatter<T>(a<Mask>(), a<T *>(), a<Number>(), a<Lane>())),
                Is<Number, decltype(a<G>().template load_index<T>(a<Mask>(), a<const std::int32_t *>()))>,
                decltype(a<G>().template scatter_index<T>(a<Mask>(), a<std::int32_t *>(), a<Number>(), a<Number>())),
                decltype(a<G>().sync()), Is<bool, decltype(a<G>().leads())>>;

template <class G, class T, class Lane, class Mask, class Number>
using ExchangeOperations =
    std::void_t<Is<T, decltype(a<G>().broadcast(a<Lane>(), 0))>,
                Is<Lane, decltype(a<G>().shuffle(a<Lane>(), a<Number>()))>, Is<T, decltype(a<G>().sum(a<Lane>()))>,
                Is<Largest<T>, decltype(a<G>().argmax(a<Lane>()))>, Is<T, decltype(a<G>().max_of(a<Lane>()))>,
                Is<bool, decltype(a<G>().any(a<Mask>()))>, Is<bool, decltype(a<G>().all(a<Mask>()))>,
                Is<int, decltype(a<G>().count(a<Mask>()))>, Is<unsigned, decltype(a<G>().bits(a<Mask>()))>,
                Is<Mask, decltype(a<G>().template from_bits<T>(0u))>, Is<int, decltype(a<G>().first(a<Mask>()))>,
                Is<bool, decltype(a<G>().anywhere(a<Mask>()))>, Is<bool, decltype(a<G>().any_group(true))>>;

template <class G, class T, class Lane, class Mask, class Number, class S = typename G::template schur<T>>
using SchurOperations =
    std::void_t<Is<int, decltype(S::fewest)>,
                Is<Lane, decltype(changed<S>().load(a<const T *>(), 1, 1, changed<Lane>()))>,
                decltype(changed<S>().scale(T(1))), Is<Lane, decltype(a<S>().template maxima<G::width>())>,
                Is<Lane, decltype(a<S>().template column<G::width>(0))>, decltype(changed<S>().share(a<Lane>(), 0)),
                Is<Lane, decltype(changed<S>().template subtract<G::width>(a<Lane>(), 0))>,
                decltype(changed<S>().template mirror<G::width>(0, 0)), decltype(changed<S>().retire(0)),
                decltype(changed<S>().record(0, a<Lane>())), Is<Lane, decltype(a<S>().recorded(0))>,
                decltype(changed<S>().template compact<G::width / 2>(a<Mask>(), 0)),
                decltype(changed<S>().store(a<T *>(), 1, 1, a<Number>()))>;

template <class G, class T, class Lane, class C = typename G::template columns<T>>
using ColumnOperations =
    std::void_t<decltype(changed<C>().load(a<const T *>(), 1, 1)), Is<Lane, decltype(a<C>().first())>,
                Is<Lane, decltype(a<C>().second())>, decltype(changed<C>().share(0)),
                decltype(changed<C>().template subtract<G::width>(a<Lane>(), true)),
                decltype(changed<C>().record(0, a<Lane>())), decltype(a<C>().store(a<T *>(), 1, 1))>;

template <class G, class T, class Lane, class Mask, class Number>
using Operations = std::void_t<LaneOperations<G, T, Lane, Mask, Number>, MemoryOperations<G, T, Lane, Mask, Number>,
                               ExchangeOperations<G, T, Lane, Mask, Number>, SchurOperations<G, T, Lane, Mask, Number>,
                               ColumnOperations<G, T, Lane>>;

template <class G, class Lane>
using TeamOnly = std::void_t<Is<int, decltype(G::columns_at_once)>, Is<int, decltype(a<G>().group())>,
                             Is<int, decltype(a<G>().groups())>, Is<int, decltype(a<G>().first_item())>,
                             Is<int, decltype(a<G>().item_step())>, Is<float, decltype(a<G>().largest(a<Lane>()))>>;

} // namespace group_check

template <class G, class T>
using GroupOperations = group_check::Operations<G, T, typename G::template lane<T>, typename G::template mask<T>,
                                                typename G::template index<T>>;

template <class G>
using TeamOperations =
    std::void_t<GroupOperations<G, double>, group_check::TeamOnly<G, typename G::template lane<double>>>;

template <class G, class T, class = void>
struct IsGroup : std::false_type {
};
template <class G, class T>
struct IsGroup<G, T, GroupOperations<G, T>> : std::true_type {
};

template <class G, class = void>
struct IsTeam : std::false_type {
};
template <class G>
struct IsTeam<G, TeamOperations<G>> : std::true_type {
};

} // namespace tessera
#endif

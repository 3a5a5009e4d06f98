#ifndef TESSERA_TILE_GROUP_HPP
#define TESSERA_TILE_GROUP_HPP

#include "base/portable.hpp"
#include "tile/scalars.hpp"

/// The collective layer: what a tile kernel may use.
///
/// A group of W lanes (W = 4, 8, 16, 32) owns one tile, lane i holds row i, and a column of the tile is one lane value.
/// A kernel is a function template over the group type G and is called by all lanes of the group together; it compiles
/// to SIMD on a core (HostGroup, a lane is an element of a vector) and to a part of a warp (CudaGroup, a lane is a
/// thread). The register cache idiom of the thesis, ch. 6.3 and 7.1.1. A kernel uses
///
///   G::width                          W
///   G::columns_are_registers          an array of columns is registers: loops over it need constant bounds
///   G::product_columns                columns of a product that are worked on at a time
///   typename G::template strip<T>     the group of fewer lanes that fits the registers of a core, or the group itself
///   typename G::template lane<T>      one T in every lane; + - * / < <= > >= == != work lane by lane and with scalars
///   typename G::template mask<T>      one truth value in every lane, made by comparing lane<T>; & | ! combine masks
///   typename G::template index<T>     one integer in every lane, whose comparisons give mask<T>
///   g.id<T>()                         the number of the lane, an index<T>
///   g.load(p), g.load(m, p)           lane i reads p[i]; with a mask only its lanes read, the others get 0
///   g.load(m, p, stride)              lane i reads p[i * stride]
///   g.store(p, x), g.store(m, p, x)   lane i writes p[i]
///   g.scatter(m, p, place, x)         lane i writes p[place of lane i]
///   g.load_index<T>(m, p), g.scatter_index<T>(m, p, place, x)     the same for an index<T>, int32 in memory
///   *p, p[i]                          a scalar in memory may be read by all lanes
///   g.broadcast(x, i)                 the value of lane i, a scalar equal in all lanes
///   g.shuffle(x, from)                lane i gets the value of lane from[i]; from is an index<T>
///   g.sum(x)                          sum over the lanes by halving: lanes i and i + W/2 first, then W/4, ...
///   g.argmax(x)                       {value, lane} of the largest x; x >= 0 or NaN, or -1 to stay out; see Largest
///   g.max_of(x)                       the largest x exactly; NaN if a lane has one
///   g.any(m), g.all(m), g.count(m)    over the lanes of the group
///   g.bits(m), g.from_bits<T>(bits)   the truth value of lane i in bit i, and back
///   g.first(m)                        the lowest lane whose truth value is set; -1 if there is none
///   g.anywhere(m)                     m of any lane of any group that runs in step with this one, as any_group
///   g.any_group(b)                    b of any group that runs in step with this one: the only condition a loop or a
///                                     branch that contains collective operations may have, besides launch constants
///   g.sync()                          what lanes wrote to memory before it, all lanes read after it; every kernel of
///                                     src/tile that writes ends with one, so kernels can follow each other
///   g.leads()                         true in one lane of the group, which writes what belongs to the tile as a whole
///   select(m, a, b), fma(a, b, c), abs(x), max(a, b), sqrt(x), finite(x)     lane by lane; fma and abs also of scalars
///   g.add_product(m, x, a, b)         fma(a, b, x) where m is set, x elsewhere
///   g.reciprocal(x)                   1 / x, rounded as a division, for 1 / x and x normal numbers and x < 2^1021
///                                     (2^125 in float); anything for other x. Of lanes and of scalars
///   g.at_least_half<T>(x, y)          |x| >= y / 2 by leading words (see Largest), for y >= 0; true for a NaN x
///   typename G::template schur<T>     the Schur complement of a symmetric tile, see below
///   typename G::template columns<T>   the columns of a symmetric tile that leave it in their order, see below
///
/// Rules. Every collective operation is called by all groups that run in step: never behind a condition other than
/// any_group or anywhere, nor in a branch of ?: or to the right of && or ||. Control flow is uniform over the group:
/// use masks and select instead of branches on lane values. Index an array of columns with constants: where
/// columns_are_registers they have no run-time index. No operation is contracted, so write fma where one is meant;
/// with that and the fixed order of sum, all groups give the same bits.
///
/// The Schur complement S of a symmetric n x n tile whose rows leave it one by one, row i in lane i. Both triangles are
/// there and are updated by the same formula, but rounding makes them differ; the diagonal is not part of it. Entries
/// on the diagonal, in rows that have left and outside the tile are NaN. It has W + 1 slots of one lane value each.
///   fewest                            compact<Columns / 2> is called where Columns is larger than this
///   load(p, ld, n, diagonal)          loads it from the lower triangle. Returns the leading words (see Largest) of the
///                                     largest magnitudes that each lane has read
///   scale(x)                          times x
///   maxima<Columns>()                 for every row the leading word of its largest magnitude, 0 if there is none
///   column<Columns>(j)                column j; lanes have any value if j is not a row of S
///   share(c, k)                       column c into slot k, for the following subtract and mirror
///   subtract<Columns>(l, k)           S -= l cᵀ for the shared column c. Returns maxima
///   mirror<Columns>(j, k)             row j becomes the shared column, which is column j; nothing if j < 0
///   retire(j)                         row and column j leave S with the next subtract; nothing if j < 0
///   record(k, l), recorded(k)         slot k keeps column l of L; what l is in rows that left before does not matter
///   compact<Columns>(open, k)         the open rows, of which there are at most Columns, are all that is left; slots
///                                     from k on are free. From now on Columns is to be given to what takes it, first W
///   store(L, ld, n, place)            L from the recorded columns: lane i has row place[i] of it, with its unit
///
/// The columns of a symmetric n x n tile that leave it in their order, row i in lane i; of the lower triangle, so that
/// rows of columns that have left are of no use. It has W slots of one lane value each for columns of L.
///   load(p, ld, n)                    loads them from the lower triangle
///   first(), second()                 the next column and the one after it; anything where there is none
///   share(k)                          shows the first column, which is column k, to all lanes, for the next subtract
///   subtract<Columns>(l, keep)        the first column leaves, and of the others, of which there are at most Columns,
///                                     l times their entry of it is subtracted; not of the next one if keep
///   record(k, l)                      slot k keeps column l of L; what is above its diagonal does not matter
///   store(L, ld, n)                   L from the recorded columns, with its units; zeros above
///
/// A team is g.groups() groups of lanes that share the work on a panel: one on the host, a warp or several on a GPU.
/// Besides what its groups have, it has
///
///   g.group(), g.groups()             which group of the team this is, of how many; groups take different tiles
///   g.first_item(), g.item_step()     a loop over independent items from the one in steps of the other is shared by
///                                     all lanes where lanes are threads, and runs over all items where they are not
///   g.columns_at_once                 that a group works on, so that they hide each other's latency
///   g.largest(x)                      the largest of magnitudes in the lanes of a group, rounded to a float, and
///                                     0 only if all are
///   g.sync()                          what lanes of the team wrote before is read after
///
/// tile/group_check.hpp asks a compiler whether a type has all this.
///
/// TESSERA_COLLECTIVE comes before every kernel, TESSERA_UNROLL before every loop over columns and TESSERA_ROLL before
/// one that is seldom needed (base/portable.hpp).

namespace tessera {

/// Result of an argmax over lanes. Magnitudes are compared by their leading word, the 32 bits of sign, exponent and 20
/// (double) or 23 (float) bits of the mantissa, less the last 5, so that magnitude and lane fit one word and a search
/// is one reduction of words. Of equal ones the lowest lane wins. The value returned is therefore the largest up to a
/// factor 1 + 2^-15, which a pivot search does not notice; a NaN or an infinity anywhere gives a value that is not
/// finite; values below 2^-1042 (double) or 2^-144 (float) count as 0.
template <class T>
struct Largest {
  T value;
  int lane;
};

} // namespace tessera
#endif

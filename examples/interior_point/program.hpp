#ifndef EXAMPLES_INTERIOR_POINT_PROGRAM_HPP
#define EXAMPLES_INTERIOR_POINT_PROGRAM_HPP

#include "../common/csr.hpp"
#include <limits>
#include <string>
#include <vector>

namespace examples {

using Values = std::vector<PetscReal>;

constexpr PetscReal unbounded = std::numeric_limits<PetscReal>::infinity();

/// Lower and upper bounds; -unbounded and +unbounded where there is none.
struct Bounds {
  Values lower, upper;

  PetscInt size() const { return static_cast<PetscInt>(lower.size()); }

  void Append(PetscReal l, PetscReal u)
  {
    lower.push_back(l);
    upper.push_back(u);
  }
};

/// A linear or convex quadratic program:
///   minimize  constant + c^T x + x^T Q x / 2   subject to   row.lower <= A x <= row.upper, variable bounds on x.
/// A program that maximizes is held with the signs of its objective turned around.
struct Program {
  PetscReal sign = 1; ///< -1: the program maximizes the negative of this objective
  PetscReal constant = 0;
  Values cost;     ///< [variables]
  Csr q;           ///< [variables x variables], both triangles
  Csr a;           ///< [rows x variables]
  Bounds row;      ///< [rows]
  Bounds variable; ///< [variables]

  PetscInt variables() const { return a.cols; }
  PetscInt rows() const { return a.rows; }
};

/// Value of the objective, of the minimization.
PetscReal Objective(const Program &program, const Values &x);

/// y += factor * A x.
void AddProduct(const Csr &a, PetscReal factor, const Values &x, Values *y);

/// y += factor * A^T x.
void AddTransposedProduct(const Csr &a, PetscReal factor, const Values &x, Values *y);

/// Turns the signs of the objective around, of a program that says to maximize.
void Maximize(Program *program);

/// Reads a linear program in MPS form, free or fixed, maybe gzipped. Integer variables are relaxed.
PetscErrorCode ReadMpsProgram(const std::string &file, Program *program);

/// Reads a program in the text format of docs/examples.md.
PetscErrorCode ReadQpProgram(const std::string &file, Program *program);

/// Makes a random convex quadratic program of `variables` variables and half as many rows that has every kind of row
/// and bound. Its solution and multipliers are chosen first, so that the optimal objective is known.
PetscErrorCode GenerateProgram(PetscInt variables, PetscInt64 seed, Program *program, PetscReal *optimum);

} // namespace examples
#endif

// MATSOLVERTESSERA with a device that is not there: memory of its own that only a vector of the type of CUDA's copies
// to and from, and a factorization that takes no other numbers. What goes over is what is wanted there; a factorization
// that needs the host is done there. Compiled with the library's own objects. Prints what is wrong.
#include "fake_device.hpp"
#include "base/backend_error.hpp"
#include "factor/bildlt/factorization.hpp"
#include "factor/front/direct_factorization.hpp"
#include "factor/jldlt/factorization.hpp"
#include "factor/lu/lu_factorization.hpp"
#include "tessera.h"

#include <petsc/private/vecimpl.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>

Device device;
int factorizations;

namespace {

// ---- Memory of the device, and vectors that are there

struct OnDevice {
  std::vector<PetscScalar> value;
  bool ahead = false; ///< of the host
};

std::map<Vec, OnDevice> vectors;

bool is_on_device(const double *p)
{
  return std::any_of(vectors.begin(), vectors.end(), [&](const auto &v) {
    const std::vector<PetscScalar> &value = v.second.value;
    return value.empty() || (p >= value.data() && p < value.data() + value.size());
  });
}

PetscScalar *&host_array(Vec v)
{
  return *static_cast<PetscScalar **>(v->data); // Vec_Seq begins with it
}

PetscErrorCode Get(Vec v, PetscScalar **a, PetscMemType *type)
{
  PetscFunctionBegin;
  OnDevice &device = vectors[v];
  device.value.assign(host_array(v), host_array(v) + v->map->n);
  *a = device.value.data();
  if (type)
    *type = PETSC_MEMTYPE_CUDA;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetWrite(Vec v, PetscScalar **a, PetscMemType *type)
{
  PetscFunctionBegin;
  PetscCall(Get(v, a, type));
  std::fill(vectors[v].value.begin(), vectors[v].value.end(), NAN); // what was there is lost
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Restore(Vec v, PetscScalar **)
{
  PetscFunctionBegin;
  vectors[v].ahead = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetRead(Vec v, const PetscScalar **a, PetscMemType *type)
{
  PetscFunctionBegin;
  PetscCall(Get(v, const_cast<PetscScalar **>(a), type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RestoreRead(Vec, const PetscScalar **)
{
  PetscFunctionBegin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetOnHost(Vec v, const PetscScalar **a)
{
  PetscFunctionBegin;
  OnDevice &device = vectors[v];
  if (device.ahead)
    std::copy(device.value.begin(), device.value.end(), host_array(v));
  device.ahead = false;
  *a = host_array(v);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode (*destroy)(Vec);

PetscErrorCode Destroy(Vec v)
{
  PetscFunctionBegin;
  vectors.erase(v);
  PetscCall(destroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Create(Vec v)
{
  PetscFunctionBegin;
  PetscCall(VecSetType(v, VECSEQ));
  PetscCall(PetscObjectChangeTypeName((PetscObject)v, VECSEQCUDA));
  destroy = v->ops->destroy;
  v->ops->destroy = Destroy;
  v->ops->getarrayandmemtype = Get;
  v->ops->getarraywriteandmemtype = GetWrite;
  v->ops->restorearrayandmemtype = Restore;
  v->ops->getarrayreadandmemtype = GetRead;
  v->ops->restorearrayreadandmemtype = RestoreRead;
  v->ops->getarrayread = GetOnHost;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// ---- The factorization

long long power; ///< of 2, by which its determinants are larger than those of the matrix

class OnFakeDevice : public tessera::DirectFactorization {
public:
  explicit OnFakeDevice(std::unique_ptr<tessera::DirectFactorization> host) : host_(std::move(host)) {}
  tessera::Place place() const override { return tessera::Place::Device; }
  tessera::DirectReport factor(const double *values, const tessera::DirectOptions &options) override
  {
    ++factorizations;
    (void)Expect("values are on the device", is_on_device(values));
    (void)Expect("a device keeps pivots in its own way", !options.keep_pivots);
    tessera::DirectReport report = host_->factor(values, options);
    if (options.other_values && (device == Device::GivesUp || device == Device::GivesUpForHost))
      report.status = tessera::DirectReport::Cascade;
    else if (device == Device::NeedsHost || device == Device::GivesUpForHost)
      report.status = tessera::DirectReport::NeedsHost;
    return report;
  }
  tessera::SolveReport solve(tessera::Index columns, const double *b, tessera::Offset b_leading, double *x,
                             tessera::Offset x_leading, const tessera::RefinementOptions &refinement) override
  {
    ExpectOnDevice(b, x);
    return host_->solve(columns, b, b_leading, x, x_leading, refinement);
  }
  tessera::SolveReport solve_transposed(tessera::Index columns, const double *b, tessera::Offset b_leading, double *x,
                                        tessera::Offset x_leading,
                                        const tessera::RefinementOptions &refinement) override
  {
    ExpectOnDevice(b, x);
    return host_->solve_transposed(columns, b, b_leading, x, x_leading, refinement);
  }
  tessera::ScaledProduct determinant() const override
  {
    tessera::ScaledProduct product = host_->determinant();
    product.exponent += power;
    return product;
  }
  double norm() const override { return host_->norm(); }
  double inverse_norm() override { return host_->inverse_norm(); }
  tessera::Offset bytes() const override { return host_->bytes(); }

private:
  static void ExpectOnDevice(const double *b, const double *x)
  {
    (void)Expect("right-hand sides are on the device", is_on_device(b));
    (void)Expect("solutions are on the device", is_on_device(x));
  }

  std::unique_ptr<tessera::DirectFactorization> host_;
};

/// The factorization, if the device is one that makes it.
template <class MakeHost>
std::unique_ptr<tessera::DirectFactorization> MakeOnDevice(const MakeHost &make_host)
{
  if (device == Device::Unsupported)
    throw tessera::UnsupportedDevice("The device is too old");
  if (device == Device::NoMemory)
    throw std::bad_alloc();
  return std::make_unique<OnFakeDevice>(make_host());
}

// ---- The test

/// An indefinite tridiagonal matrix, symmetric where `above` is 2.
PetscErrorCode CreateMatrix(PetscInt n, PetscScalar above, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 3, nullptr, A));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(MatSetValue(*A, i, i, i % 3 ? 1 : -0.5, INSERT_VALUES));
    if (i > 0)
      PetscCall(MatSetValue(*A, i, i - 1, 2, INSERT_VALUES));
    if (i < n - 1)
      PetscCall(MatSetValue(*A, i, i + 1, above, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A device that gives up is asked again after a while, and for another analysis. before: factorizations that were left
/// to the host.
PetscErrorCode NeedHost(Mat A, Mat F, int before)
{
  MatFactorType type;
  PetscBool has;

  PetscFunctionBeginUser;
  device = Device::NeedsHost;
  factorizations = 0;
  PetscCall(MatTesseraSetReusePivots(F, PETSC_TRUE));
  PetscCall(FactorNumeric(F, A));
  PetscCall(Solve(A, F));
  PetscCall(ExpectView(F, "backend host: the GPU could not take the pivots\n"));
  PetscCall(MatHasOperation(F, MATOP_FORWARD_SOLVE, &has));
  PetscCall(MatGetFactorType(F, &type));
  PetscCall(Expect("the host has halves of solves, but for LU", has == (type != MAT_FACTOR_LU)));
  for (int asked : {2, 2, 3, 3, 3, 3, 4}) {
    PetscCall(MatShift(A, 0.25));
    PetscCall(FactorNumeric(F, A));
    PetscCall(Solve(A, F));
    PetscCall(Expect("the device is asked again after 1, 2 and 4 matrices", factorizations == asked));
    PetscCall(ExpectView(F, "backend host: the GPU could not take the pivots\n"));
    PetscCall(ExpectLeftToHost(before + asked));
  }
  PetscCall(FactorSymbolic(F, A));
  PetscCall(FactorNumeric(F, A));
  PetscCall(Expect("and after a symbolic factorization", factorizations == 5));
  PetscCall(ExpectLeftToHost(before + 5));
  device = Device::Works;
  PetscCall(MatShift(A, -1.75));
  PetscCall(FactorNumeric(F, A));
  PetscCall(Solve(A, F));
  PetscCall(Expect("with whose matrix it begins anew", factorizations == 6));
  PetscCall(ExpectView(F, "backend cuda\n"));
  PetscCall(FactorSymbolic(F, A));
  PetscCall(FactorNumeric(F, A));
  PetscCall(Solve(A, F));
  PetscCall(ExpectView(F, "backend cuda\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A device that gives up other values than those that were analysed. before: factorizations that were left to the
/// host.
PetscErrorCode AnalyzeAnew(Mat A, Mat F, int before)
{
  PetscFunctionBeginUser;
  device = Device::GivesUp;
  factorizations = 0;
  PetscCall(FactorNumeric(F, A));
  PetscCall(Expect("values that were analysed are not given up", factorizations == 1));
  PetscCall(MatShift(A, 0.25));
  PetscCall(FactorNumeric(F, A));
  PetscCall(Expect("others are analysed, and factored again", factorizations == 3));
  PetscCall(ExpectView(F, "backend cuda\n"));
  PetscCall(ExpectView(F, "pivots failed: 1 analyses anew\n"));
  PetscCall(Solve(A, F));
  PetscCall(FactorNumeric(F, A));
  PetscCall(Expect("and are those that were analysed", factorizations == 4));
  PetscCall(ExpectLeftToHost(before));
  device = Device::GivesUpForHost;
  PetscCall(MatShift(A, -0.25));
  PetscCall(FactorNumeric(F, A));
  PetscCall(Expect("then the device is asked once", factorizations == 6));
  PetscCall(ExpectView(F, "backend host: the GPU could not take the pivots\n"));
  PetscCall(Solve(A, F));
  PetscCall(ExpectLeftToHost(before + 1));
  device = Device::Works;
  PetscCall(FactorSymbolic(F, A));
  PetscCall(FactorNumeric(F, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A device that cannot be used.
PetscErrorCode Refuse(Mat A, Mat F)
{
  MatFactorError failed;
  PetscErrorCode error;

  PetscFunctionBeginUser;
  device = Device::Unsupported;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  error = FactorSymbolic(F, A);
  PetscCall(PetscPopErrorHandler());
  PetscCall(Expect("a device that is not supported is an error", error == PETSC_ERR_SUP));
  device = Device::NoMemory;
  PetscCall(FactorSymbolic(F, A));
  PetscCall(MatFactorGetError(F, &failed));
  PetscCall(Expect("one without memory is a failure", failed == MAT_FACTOR_OUTMEMORY));
  device = Device::Works;
  PetscCall(FactorNumeric(F, A));
  PetscCall(Solve(A, F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Determinants whose power of 2 PetscInt just holds, and cannot hold, which takes millions of pivots.
PetscErrorCode GetDeterminants(Mat F)
{
  PetscScalar mantissa, same;
  PetscInt exponent, told;
  PetscErrorCode error;

  PetscFunctionBeginUser;
  if (sizeof(PetscInt) == sizeof(power))
    PetscFunctionReturn(PETSC_SUCCESS); // there is none that it cannot hold
  PetscCall(MatTesseraGetDeterminant(F, &mantissa, &exponent));
  for (PetscInt last : {PETSC_INT_MAX, PETSC_INT_MIN}) {
    power = (long long)last - exponent;
    PetscCall(MatTesseraGetDeterminant(F, &same, &told));
    PetscCall(Expect("the largest and least power of 2 are told", same == mantissa && told == last));
    power += last > 0 ? 1 : -1;
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
    error = MatTesseraGetDeterminant(F, &same, &told);
    PetscCall(PetscPopErrorHandler());
    PetscCall(Expect("a power of 2 beyond PetscInt is an error", error == PETSC_ERR_ARG_OUTOFRANGE));
  }
  power = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode Expect(const char what[], bool good)
{
  PetscFunctionBeginUser;
  if (!good)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "WARNING: %s\n", what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FactorSymbolic(Mat F, Mat A)
{
  MatFactorType type;

  PetscFunctionBeginUser;
  PetscCall(MatGetFactorType(F, &type));
  PetscCall(type == MAT_FACTOR_LU ? MatLUFactorSymbolic(F, A, nullptr, nullptr, nullptr)
                                  : MatCholeskyFactorSymbolic(F, A, nullptr, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FactorNumeric(Mat F, Mat A)
{
  MatFactorType type;

  PetscFunctionBeginUser;
  PetscCall(MatGetFactorType(F, &type));
  PetscCall(type == MAT_FACTOR_LU ? MatLUFactorNumeric(F, A, nullptr) : MatCholeskyFactorNumeric(F, A, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Solve(Mat A, Mat F)
{
  const PetscInt columns = 3, gap = 2;
  Mat whole, B, X, R;
  Vec b, x, r;
  PetscInt n;
  PetscReal norm, size;
  PetscScalar *value;
  bool kept = true;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1.0));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatSolve(F, b, x));
  PetscCall(MatResidual(A, b, x, r));
  PetscCall(VecNorm(r, NORM_INFINITY, &norm));
  PetscCall(VecNorm(x, NORM_INFINITY, &size));
  PetscCall(Expect("MatSolve() solves", norm < 1e-12 * (1 + size)));
  PetscCall(MatSolveTranspose(F, b, x));
  PetscCall(MatMultTranspose(A, x, r));
  PetscCall(VecAXPY(r, -1.0, b));
  PetscCall(VecNorm(r, NORM_INFINITY, &norm));
  PetscCall(VecNorm(x, NORM_INFINITY, &size));
  PetscCall(Expect("MatSolveTranspose() solves", norm < 1e-12 * (1 + size)));
  PetscCall(VecDestroy(&r));
  PetscCall(MatGetSize(A, &n, nullptr));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, n, columns, nullptr, &B));
  PetscCall(MatShift(B, 1.0));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, n + gap, columns, nullptr, &whole));
  PetscCall(MatDenseGetArray(whole, &value));
  std::fill(value, value + (n + gap) * columns, 7.0);
  PetscCall(MatDenseRestoreArray(whole, &value));
  PetscCall(MatDenseGetSubMatrix(whole, 0, n, 0, columns, &X));
  PetscCall(MatMatSolve(F, B, X));
  PetscCall(MatMatMult(A, X, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &R));
  PetscCall(MatAXPY(R, -1.0, B, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(R, NORM_FROBENIUS, &norm));
  PetscCall(MatNorm(X, NORM_FROBENIUS, &size));
  PetscCall(Expect("MatMatSolve() solves", norm < 1e-12 * (1 + size)));
  PetscCall(MatDenseRestoreSubMatrix(whole, &X));
  PetscCall(MatDenseGetArray(whole, &value));
  for (PetscInt j = 0; j < columns; j++)
    kept = kept && value[j * (n + gap) + n] == 7.0 && value[j * (n + gap) + n + 1] == 7.0;
  PetscCall(MatDenseRestoreArray(whole, &value));
  PetscCall(Expect("what is between columns stays", kept));
  PetscCall(MatDestroy(&R));
  PetscCall(MatDestroy(&whole));
  PetscCall(MatDestroy(&B));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(Expect("no vector is left on the device", vectors.empty()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ExpectView(Mat F, const char text[])
{
  char *shown = nullptr;
  size_t size = 0;
  FILE *file = open_memstream(&shown, &size);
  PetscViewer viewer;

  PetscFunctionBeginUser;
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, file, &viewer));
  PetscCall(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO));
  PetscCall(MatView(F, viewer));
  PetscCall(PetscViewerPopFormat(viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  fclose(file);
  PetscCall(Expect(text, std::strstr(shown, text)));
  free(shown);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ExpectLeftToHost(int expected)
{
  PetscLogEvent event;
  PetscEventPerfInfo info;

  PetscFunctionBeginUser;
  PetscCall(PetscLogEventGetId("MatTesseraToHost", &event));
  PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info));
  PetscCall(Expect("the log counts what was left to the host", info.count == expected));
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace tessera {

std::unique_ptr<DirectFactorization> make_cuda_direct(const FrontPlan &plan, FactorKind kind)
{
  return MakeOnDevice([&] { return make_host_direct(plan, kind); });
}

std::unique_ptr<DirectFactorization> make_cuda_lu(const LuPlan &plan)
{
  return MakeOnDevice([&] { return make_host_lu(plan); });
}

std::unique_ptr<BlockFactorization> make_cuda_factorization(const Analysis &, Precision)
{
  return nullptr;
}

std::unique_ptr<JacobiFactorization> make_cuda_jacobi(const Analysis &)
{
  return nullptr;
}

std::vector<std::uint64_t> visible_cuda_devices()
{
  return {1};
}

void free_pinned_memory() {}

} // namespace tessera

/// A factor of A with -mat_tessera_backend cuda.
static PetscErrorCode TestDevice(Mat A, MatFactorType type, int before)
{
  Mat F;
  PetscBool has;

  PetscFunctionBeginUser;
  factorizations = 0;
  PetscCall(MatGetFactor(A, MATSOLVERTESSERA, type, &F));
  PetscCall(FactorSymbolic(F, A));
  PetscCall(FactorNumeric(F, A));
  PetscCall(Solve(A, F));
  PetscCall(Expect("the device has factored", factorizations == 1));
  PetscCall(ExpectView(F, "backend cuda\n"));
  PetscCall(MatHasOperation(F, MATOP_FORWARD_SOLVE, &has));
  PetscCall(Expect("the device has no halves of solves", !has));
  PetscCall(GetDeterminants(F));
  PetscCall(NeedHost(A, F, before));
  PetscCall(AnalyzeAnew(A, F, before + 5));
  PetscCall(Refuse(A, F));
  PetscCall(MatDestroy(&F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A device is asked for static pivoting; LLᵀ, which has no pivots to choose, says nothing of it.
static PetscErrorCode TestStaticPivoting(Mat A, MatFactorType type, bool definite)
{
  Mat F;

  PetscFunctionBeginUser;
  factorizations = 0;
  PetscCall(MatSetOption(A, MAT_SPD, (PetscBool)definite));
  PetscCall(PetscOptionsSetValue(nullptr, "-mat_tessera_pivot_threshold", "0"));
  PetscCall(MatGetFactor(A, MATSOLVERTESSERA, type, &F));
  PetscCall(FactorSymbolic(F, A));
  PetscCall(FactorNumeric(F, A));
  PetscCall(Solve(A, F));
  PetscCall(Expect("the device has factored", factorizations == 1));
  PetscCall(ExpectView(F, definite ? "backend cuda\n" : "static pivoting: 0 perturbed pivots\n"));
  PetscCall(MatDestroy(&F));
  PetscCall(PetscOptionsClearValue(nullptr, "-mat_tessera_pivot_threshold"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A, unsymmetric, host;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(TesseraInitializePackage());
  PetscCall(PetscLogDefaultBegin());
  PetscCall(VecRegister(VECSEQCUDA, Create));
  PetscCall(CreateMatrix(200, 2, &A));
  PetscCall(CreateMatrix(200, 1.9, &unsymmetric));
  PetscCall(MatGetFactor(A, MATSOLVERTESSERA, MAT_FACTOR_CHOLESKY, &host));
  PetscCall(FactorSymbolic(host, A));
  PetscCall(FactorNumeric(host, A));
  PetscCall(Expect("a matrix of the host is factored there", factorizations == 0));
  PetscCall(ExpectView(host, "backend host\n"));

  PetscCall(PetscOptionsSetValue(nullptr, "-mat_tessera_backend", "cuda"));
  PetscCall(TestDevice(A, MAT_FACTOR_CHOLESKY, 0));
  PetscCall(FactorNumeric(host, A)); // with the values that the test has left
  PetscCall(Solve(A, host));
  PetscCall(TestDevice(unsymmetric, MAT_FACTOR_LU, 6));
  PetscCall(TestBlocksOnManyLevels(12));
  PetscCall(TestSingularBlock(14));
  PetscCall(TestPlanOfHost());
  PetscCall(TestSymmetric(17));
  PetscCall(TestStaticPivoting(unsymmetric, MAT_FACTOR_LU, false));
  PetscCall(TestStaticPivoting(A, MAT_FACTOR_CHOLESKY, false));
  PetscCall(MatShift(A, 10.0));
  PetscCall(TestStaticPivoting(A, MAT_FACTOR_CHOLESKY, true));
  PetscCall(MatDestroy(&host));
  PetscCall(MatDestroy(&unsymmetric));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

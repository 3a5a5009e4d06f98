#ifndef TESSERA_CUDA_TENSOR_CORES_CUH
#define TESSERA_CUDA_TENSOR_CORES_CUH

namespace tessera {

/// C += A B by a tensor core, A [8 x 4], B [4 x 8], C [8 x 8], all lanes of a warp. Lane l gives a = A(l / 4, l % 4)
/// and b = B(l % 4, l / 4), and has c[i] = C(l / 4, 2 (l % 4) + i). Every entry becomes fma(a₃, b₃, fma(a₂, b₂, fma(a₁,
/// b₁, fma(a₀, b₀, c)))), each rounded, as on a core: that is not documented, but so on an H200
/// (tests/unit/tensor_bits.cu). Zeros in A or B leave C as it is, but for the sign of a zero.
inline __device__ void multiply_tensor(double (&c)[2], double a, double b)
{
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(c[0]), "+d"(c[1])
      : "d"(a), "d"(b));
}

} // namespace tessera
#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/* A list of operations, of which macros make an enumeration, device functions and a kernel each. */
#define OPS(X) X (add, a + b) X (sub, a - b) X (mix, (a ^ b) + (a & 7))
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_ (a, b)
#define AS_ENUM(name, ...) OP_##name,
enum op { OPS (AS_ENUM) OP_COUNT };
#define AS_FUNCTION(name, ...) static __device__ __inline__ int CAT (do_, name) (int a, int b) { return __VA_ARGS__; }
OPS (AS_FUNCTION)
#define BEGIN_KERNEL(name) \
  __global__ void CAT (name, _kernel) (const int *x, int *y, int x_count) \
  { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < x_count) {
#define END_KERNEL } }
#define AS_KERNEL(name, ...) BEGIN_KERNEL (name) y[i] = CAT (do_, name) (x[i], OP_COUNT); END_KERNEL
OPS (AS_KERNEL)
#define AS_CASE(name, ...) case OP_##name: name##_kernel<<<1, 1>>> (0, 0, 0); break;
void launch (op o) { switch (o) { OPS (AS_CASE) default: break; } }

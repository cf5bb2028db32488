// Mean, variance, least and greatest value of an array. Two kernels: every block sums up its part, one block the parts.
// The order of the additions depends on nothing but the sizes, so the result does not either.

__device__ void combine(double *sum, double *square, double *least, double *greatest, int n)
{
    int t = threadIdx.x;
    for (int half = n / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            sum[t] += sum[t + half];
            square[t] += square[t + half];
            least[t] = least[t + half] < least[t] ? least[t + half] : least[t];
            greatest[t] = greatest[t + half] > greatest[t] ? greatest[t + half] : greatest[t];
        }
    }
    __syncthreads();
}

// 64 blocks of 256 threads; part b of the result is block b's.
__global__ void partials(const float *x, uint64_t x_count, double *part)
{
    __shared__ double sum[256], square[256], least[256], greatest[256];
    int t = threadIdx.x;
    double s = 0, q = 0, lo = 1e300, hi = -1e300;
    for (uint64_t i = blockIdx.x * blockDim.x + t; i < x_count; i += gridDim.x * blockDim.x) {
        double v = x[i];
        s += v;
        q += v * v;
        lo = v < lo ? v : lo;
        hi = v > hi ? v : hi;
    }
    sum[t] = s;
    square[t] = q;
    least[t] = lo;
    greatest[t] = hi;
    combine(sum, square, least, greatest, 256);
    if (t == 0) {
        part[4 * blockIdx.x] = sum[0];
        part[4 * blockIdx.x + 1] = square[0];
        part[4 * blockIdx.x + 2] = least[0];
        part[4 * blockIdx.x + 3] = greatest[0];
    }
}

// One block of 64 threads. The array comes along for its length alone.
__global__ void finish(const double *part, const float *x, uint64_t x_count, double *result)
{
    __shared__ double sum[64], square[64], least[64], greatest[64];
    int t = threadIdx.x;
    sum[t] = part[4 * t];
    square[t] = part[4 * t + 1];
    least[t] = part[4 * t + 2];
    greatest[t] = part[4 * t + 3];
    combine(sum, square, least, greatest, 64);
    if (t == 0) {
        double mean = sum[0] / x_count;
        result[0] = mean;
        result[1] = square[0] / x_count - mean * mean;
        result[2] = least[0];
        result[3] = greatest[0];
    }
}

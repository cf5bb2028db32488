// Edges of a picture: gray, blur, Sobel, threshold. Plain CUDA; every kernel takes one pixel a thread in 16 x 16 blocks.

__global__ void gray(const unsigned char *rgb, float *out, int rgb_dim0, int rgb_dim1)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= rgb_dim1 || y >= rgb_dim0)
        return;
    const unsigned char *p = rgb + 3 * (y * rgb_dim1 + x);
    out[y * rgb_dim1 + x] = 0.299f * p[0] + 0.587f * p[1] + 0.114f * p[2];
}

__device__ int clamp_to(int value, int size)
{
    return value < 0 ? 0 : value >= size ? size - 1 : value;
}

__constant__ float weights[5] = { 0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f };

// 5 x 5 binomial blur; the border is repeated.
__global__ void blur(const float *in, float *out, int in_dim0, int in_dim1)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= in_dim1 || y >= in_dim0)
        return;
    float sum = 0.0f;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++)
            sum += weights[dy + 2] * weights[dx + 2] * in[clamp_to(y + dy, in_dim0) * in_dim1 + clamp_to(x + dx, in_dim1)];
    out[y * in_dim1 + x] = sum;
}

// The same through a tile in shared memory: every pixel is read from memory once a block.
__global__ void blur_tiled(const float *in, float *out, int in_dim0, int in_dim1)
{
    __shared__ float tile[20][20];
    int left = blockIdx.x * 16 - 2, top = blockIdx.y * 16 - 2;
    for (int i = threadIdx.y * 16 + threadIdx.x; i < 400; i += 256)
        tile[i / 20][i % 20] = in[clamp_to(top + i / 20, in_dim0) * in_dim1 + clamp_to(left + i % 20, in_dim1)];
    __syncthreads();
    int x = left + 2 + threadIdx.x, y = top + 2 + threadIdx.y;
    if (x >= in_dim1 || y >= in_dim0)
        return;
    float sum = 0.0f;
    for (int dy = 0; dy < 5; dy++)
        for (int dx = 0; dx < 5; dx++)
            sum += weights[dy] * weights[dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
    out[y * in_dim1 + x] = sum;
}

__global__ void sobel(const float *in, float *out, int in_dim0, int in_dim1)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= in_dim1 || y >= in_dim0)
        return;
    int w = in_dim1, l = clamp_to(x - 1, w), r = clamp_to(x + 1, w);
    const float *above = in + clamp_to(y - 1, in_dim0) * w, *here = in + y * w, *below = in + clamp_to(y + 1, in_dim0) * w;
    float gx = (above[r] + 2.0f * here[r] + below[r]) - (above[l] + 2.0f * here[l] + below[l]);
    float gy = (below[l] + 2.0f * below[x] + below[r]) - (above[l] + 2.0f * above[x] + above[r]);
    out[y * w + x] = sqrtf(gx * gx + gy * gy);
}

__global__ void threshold(const float *in, unsigned char *out, uint64_t in_count, float limit)
{
    for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < in_count; i += gridDim.x * blockDim.x)
        out[i] = in[i] > limit ? 255 : 0;
}

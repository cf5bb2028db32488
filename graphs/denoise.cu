// Grain flows away and edges stay: one step of diffusion after Perona and Malik, "Scale-space and edge detection using
// anisotropic diffusion" (1990). A neighbour that differs by much more than `edge` is on the other side of an edge, and
// hardly anything flows there. The border is repeated. `change` is how far each pixel has moved.
__device__ float flow(float difference, float edge)
{
    float steepness = difference / edge;
    return difference / (1.0f + steepness * steepness);
}

__global__ void diffuse(const float *in, float *out, float *change, int in_dim0, int in_dim1, float edge)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= in_dim1 || y >= in_dim0)
        return;
    float here = in[y * in_dim1 + x];
    float up = in[(y > 0 ? y - 1 : y) * in_dim1 + x];
    float down = in[(y < in_dim0 - 1 ? y + 1 : y) * in_dim1 + x];
    float left = in[y * in_dim1 + (x > 0 ? x - 1 : x)];
    float right = in[y * in_dim1 + (x < in_dim1 - 1 ? x + 1 : x)];
    float sum = flow(up - here, edge) + flow(down - here, edge) + flow(left - here, edge) + flow(right - here, edge);
    float moved = 0.2f * sum;
    out[y * in_dim1 + x] = here + moved;
    change[y * in_dim1 + x] = moved < 0.0f ? -moved : moved;
}

// A picture in another size. The texture is asked at the middle of each new pixel and mixes the pixels around that place;
// its coordinates go from 0 to 1, so the kernel need not know how large the picture was.
__global__ void resize(cudaTextureObject_t picture, uchar4 *out, int out_dim0, int out_dim1)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out_dim1 || y >= out_dim0)
        return;
    float4 color = tex2D<float4>(picture, (x + 0.5f) / out_dim1, (y + 0.5f) / out_dim0);
    out[y * out_dim1 + x] = make_uchar4(color.x * 255 + 0.5f, color.y * 255 + 0.5f, color.z * 255 + 0.5f,
                                        color.w * 255 + 0.5f);
}

// The Mandelbrot set by areas: one whose border is all alike is filled, any other is cut in four. How much work an area
// is shows only when it is looked at, so areas wait in a queue, and whichever thread is free takes the next one.
//
// Which thread has which area, and when, changes nothing: an area writes pixels of its own alone.

struct Picture {
    uint8_t *pixels;
    int width;
    double left, top, step;
    int most;
};

// Steps until the point runs away, or `most`.
__device__ int steps(double re, double im, int most)
{
    double x = 0, y = 0;
    int n = 0;

    while (n < most && x * x + y * y <= 4) {
        double next = x * x - y * y + re;
        y = 2 * x * y + im;
        x = next;
        n++;
    }
    return n;
}

__device__ int paint(Picture p, int x, int y)
{
    int value = steps(p.left + x * p.step, p.top + y * p.step, p.most);

    p.pixels[(size_t) y * p.width + x] = value;
    return value;
}

// Paints the border of an area (x, y, width, height); whether all of it is alike.
__device__ bool paint_border(Picture p, ushort4 a)
{
    int first = paint(p, a.x, a.y);
    bool alike = true;

    for (int x = 1; x < a.z; x++)
        alike = (paint(p, a.x + x, a.y) == first) && alike;
    for (int x = 0; x < a.z && a.w > 1; x++)
        alike = (paint(p, a.x + x, a.y + a.w - 1) == first) && alike;
    for (int y = 1; y < a.w - 1; y++) {
        alike = (paint(p, a.x, a.y + y) == first) && alike;
        alike = (paint(p, a.x + a.z - 1, a.y + y) == first) && alike;
    }
    return alike;
}

__device__ ushort4 quarter(ushort4 a, int which)
{
    int w = a.z / 2, h = a.w / 2;
    bool right = which & 1, lower = which & 2;

    return make_ushort4(a.x + (right ? w : 0), a.y + (lower ? h : 0), right ? a.z - w : w, lower ? a.w - h : h);
}

// Areas for which the queue has no room stay with the thread: an area is cut at most 4 times from 64 pixels to 4, and
// of each cut three quarters wait.
__device__ void paint_area(Picture p, ushort4 area, LeatQueue<ushort4> areas)
{
    ushort4 kept[16];
    int n = 0;

    for (;;) {
        uint8_t inner = 0;
        bool alike = paint_border(p, area);

        if (alike)
            inner = p.pixels[(size_t) area.y * p.width + area.x];
        if (alike || area.z <= 4 || area.w <= 4) {
            for (int y = area.y + 1; y < area.y + area.w - 1; y++)
                for (int x = area.x + 1; x < area.x + area.z - 1; x++)
                    if (alike)
                        p.pixels[(size_t) y * p.width + x] = inner;
                    else
                        paint(p, x, y);
        } else {
            for (int i = 0; i < 4; i++)
                if (!leat_queue_try_push(areas, quarter(area, i)))
                    kept[n++] = quarter(area, i);
        }
        if (n == 0)
            return;
        area = kept[--n];
    }
}

__global__ void mandelbrot(uint8_t *pixels, int pixels_dim0, int pixels_dim1, LeatQueue<ushort4> areas, double left,
                           double top, double step, int most)
{
    Picture p = { pixels, pixels_dim1, left, top, step, most };
    int across = (pixels_dim1 + 63) / 64, down = (pixels_dim0 + 63) / 64;

    QUEUE_FOR(i, across * down, areas) {
        int x = i % across * 64, y = i / across * 64;
        ushort4 area = make_ushort4(x, y, min(64, pixels_dim1 - x), min(64, pixels_dim0 - y));
        if (!leat_queue_try_push(areas, area))
            paint_area(p, area, areas);
    }
    QUEUE_EACH(area, areas) {
        paint_area(p, area, areas);
        leat_queue_done(areas);
    }
}

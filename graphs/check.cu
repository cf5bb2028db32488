// Hands an array on as it is, and says which of its numbers nobody wants: the first of each kind, and how many.
LEAT_REPORT (NOT_A_NUMBER, error, "not a number")
LEAT_REPORT (ENDLESS, warning, "infinite")
LEAT_REPORT (TOO_LARGE, warning, "beyond the limit")

__global__ void check(const float *x, float *y, uint64_t x_count, float limit)
{
    GRID_FOR(i, x_count) {
        float v = x[i];
        if (isnan(v))
            leat_report_at(NOT_A_NUMBER, i, v);
        else if (isinf(v))
            leat_report_at(ENDLESS, i, v);
        else if (fabsf(v) > limit)
            leat_report_at(TOO_LARGE, i, v);
        y[i] = v;
    }
}

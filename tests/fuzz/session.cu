// What a session of fuzz-session tells of: a warning and an error, by what an item is.
LEAT_REPORT (ODD = 1, warning, "an odd one")
LEAT_REPORT (WRONG = 2, error, "a wrong one")

__global__ void
tell (const unsigned int *x, unsigned int *y, uint64_t x_count)
{
  GRID_FOR (i, x_count)
  {
    if (x[i] == 7777)
      leat_report_at (ODD, i, x[i]);
    else if (x[i] == 8888)
      leat_report_at (WRONG, i, x[i]);
    y[i] = x[i] + 1;
  }
}

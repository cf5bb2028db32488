/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Takes rows by their numbers.  What stands before this text, by leat-primitives-gather.c:
 *
 *   Word, ROW                  a row is ROW of these, the widest that divide it
 *   Index                      type of a number
 *   AT_ROW                     numbers to a step of the leading dimension of `at`
 *   tell_outside (k, index)    what is done about a number that no row has */

__global__ void
gather (const Word *items, uint64_t items_count, const Index *at, uint64_t at_count, Word *out, uint64_t *live)
{
  GRID_FOR (i, at_count * ROW)
    {
      uint64_t k = i / ROW, word = i % ROW, row = (uint64_t) at[k];

      if (row < items_count)
        out[i] = items[row * ROW + word];
      else
        {
          out[i] = Word ();
          if (word == 0)
            tell_outside (k, at[k]);
        }
    }
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *live = at_count / AT_ROW;
}

/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Puts rows where their numbers say.  What stands before this text, by leat-primitives-scatter.c:
 *
 *   Word, ROW                  a row is ROW of these: items where they are added, else the widest that divide it
 *   Index                      type of a number
 *   tell_outside (k, index)    what is done about a number that no row has
 *   add_word (p, v)            adds
 *
 * Of several rows for one place the last stays.  For that each place has a word in `last`, which is a zero before and
 * after: first each row leaves its number + 1 there, the greatest stays, and whoever finds its own stores.  When all
 * have looked the words are set back. */

static __device__ uint64_t
get_live (uint64_t items_count, uint64_t at_count)
{
  return items_count < at_count ? items_count : at_count;
}

__global__ void
scatter_claim (const Word *items, uint64_t items_count, const Index *at, uint64_t at_count, uint64_t rows,
               uint64_t *last)
{
  GRID_FOR (k, get_live (items_count, at_count))
    if ((uint64_t) at[k] < rows)
      atomicMax (last + (uint64_t) at[k], k + 1);
}

__global__ void
scatter_store_last (const Word *items, uint64_t items_count, const Index *at, uint64_t at_count, uint64_t rows,
                    const uint64_t *last, Word *out)
{
  GRID_FOR (i, get_live (items_count, at_count) * ROW)
    {
      uint64_t k = i / ROW, word = i % ROW, row = (uint64_t) at[k];

      if (row >= rows)
        {
          if (word == 0)
            tell_outside (k, at[k]);
        }
      else if (last[row] == k + 1)
        out[row * ROW + word] = items[i];
    }
}

__global__ void
scatter_forget (const Word *items, uint64_t items_count, const Index *at, uint64_t at_count, uint64_t rows,
               uint64_t *last)
{
  GRID_FOR (k, get_live (items_count, at_count))
    if ((uint64_t) at[k] < rows)
      leat_store_relaxed (last + (uint64_t) at[k], (uint64_t) 0);
}

/* Where no place has two rows, or it does not matter which of them stays. */
__global__ void
scatter_store (const Word *items, uint64_t items_count, const Index *at, uint64_t at_count, uint64_t rows, Word *out)
{
  GRID_FOR (i, get_live (items_count, at_count) * ROW)
    {
      uint64_t k = i / ROW, word = i % ROW, row = (uint64_t) at[k];

      if (row < rows)
        out[row * ROW + word] = items[i];
      else if (word == 0)
        tell_outside (k, at[k]);
    }
}

__global__ void
scatter_add (const Word *items, uint64_t items_count, const Index *at, uint64_t at_count, uint64_t rows, Word *out)
{
  GRID_FOR (i, get_live (items_count, at_count) * ROW)
    {
      uint64_t k = i / ROW, word = i % ROW, row = (uint64_t) at[k];

      if (row < rows)
        add_word (out + row * ROW + word, items[i]);
      else if (word == 0)
        tell_outside (k, at[k]);
    }
}

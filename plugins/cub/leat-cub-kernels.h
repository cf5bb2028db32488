/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The functions that nvcc compiles, as C sees them.  Only plain C types: nvcc's side knows nothing of GLib. */

typedef enum
{
  LEAT_CUB_KEYS_UNSIGNED,
  LEAT_CUB_KEYS_SIGNED,
  LEAT_CUB_KEYS_REAL,
} LeatCubKeys;

/* All addresses are of the device. */
typedef struct
{
  LeatCubKeys kind;
  int descending;
  uint64_t n; /* keys, or the most that there may be */

  const void *keys;
  const uint64_t *count; /* how many of them are live; NULL: all */
  void *sorted;
  uint64_t *sorted_count; /* with `count` */
  uint32_t *from;         /* NULL: it is not asked for */
  uint64_t *from_count;   /* with both */

  void *staged;      /* room for the keys; needed unless they are unsigned, ascending and all live */
  uint32_t *numbers; /* and for as many numbers; with `from` */
  void *temp;
  size_t temp_bytes;
  void *stream;
} LeatCubSort;

/* Is the temporary storage too small?  Then @wanted is what CUB asks for. */
#define LEAT_CUB_NO_ROOM (-1)

#ifdef __cplusplus
extern "C"
{
#endif

  /* Puts it on the stream.  0, LEAT_CUB_NO_ROOM, or a cudaError_t. */
  int leat_cub_sort_words (const LeatCubSort *sort, size_t *wanted);
  int leat_cub_sort_long_words (const LeatCubSort *sort, size_t *wanted);
  const char *leat_cub_get_error (int error);

#ifdef __cplusplus
}
#endif

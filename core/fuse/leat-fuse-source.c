/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The text of one kernel out of several: the files, and a kernel that calls what was made of theirs. */

#include "leat-fuse-file-private.h"

#include <string.h>

struct _LeatKernelFuse
{
  guint threads;
  char *entry;      /* NULL until it is made */
  GPtrArray *files; /* LeatFuseFile */
  GString *declarations;
  GString *params;
  GString *steps;
  char *calls_with; /* between begin and end: what every call begins with */
  guint grid[3];    /* of the tiles that they are about */
  guint tile_items; /* threads of one */
  guint active;     /* between begin and end: threads of a block that have something to do */
  gboolean leaves;  /* threads return while others wait for each other */
};

/* `leat_fuse_any` becomes whatever pointer a parameter wants; a `leat_fuse_cell` is a local variable in the place of
 * the one item of memory that a function has to do with. */
static const char leat_fuse_leaving_prelude[] = "__device__ __forceinline__ LeatBlockMeeting *leat_fuse_meeting ()\n"
                                                "{\n"
                                                "  __shared__ LeatBlockMeeting meeting;\n"
                                                "  return &meeting;\n"
                                                "}\n"
                                                "__device__ __forceinline__ void leat_fuse_sync ()\n"
                                                "{\n"
                                                "  unsigned int phase = leat_block_arrive (leat_fuse_meeting ());\n"
                                                "  while (!leat_block_has_met (leat_fuse_meeting (), phase))\n"
                                                "    ;\n"
                                                "}\n";

static const char leat_fuse_prelude[] =
  "struct leat_fuse_any\n"
  "{\n"
  "  const void *at;\n"
  "  template <class T> __device__ __forceinline__ operator T * () const { return (T *) at; }\n"
  "};\n"
  "template <class T> struct leat_fuse_cell\n"
  "{\n"
  "  T *at;\n"
  "  template <class I> __device__ __forceinline__ T &operator[] (I) const { return *at; }\n"
  "};\n"
  "template <class T> struct leat_fuse_window\n"
  "{\n"
  "  T *at;\n"
  "  unsigned int first;\n"
  "  template <class I> __device__ __forceinline__ T &operator[] (I i) const { return at[(unsigned int) i - first]; }\n"
  "};\n"
  "template <class T, class P> struct leat_fuse_checked\n"
  "{\n"
  "  P at;\n"
  "  uint64_t item, reach;\n"
  "  uint64_t *wrong;\n"
  "  template <class I> __device__ __forceinline__ T &operator[] (I i) const\n"
  "  {\n"
  "    if ((uint64_t) i > item + reach || (uint64_t) i + reach < item)\n"
  "      *wrong = (uint64_t) i + 1;\n"
  "    return at[i];\n"
  "  }\n"
  "};\n"
  "__device__ __forceinline__ uint3 leat_fuse_place (unsigned int at, unsigned int width, unsigned int height)\n"
  "{\n"
  "  uint3 place;\n"
  "  place.x = at % width;\n"
  "  place.y = at / width % height;\n"
  "  place.z = at / width / height;\n"
  "  return place;\n"
  "}\n"
  "__device__ __forceinline__ uint3 leat_fuse_along (unsigned int at)\n"
  "{\n"
  "  uint3 place;\n"
  "  place.x = at;\n"
  "  place.y = place.z = 0;\n"
  "  return place;\n"
  "}\n"
  "template <class T> __device__ __forceinline__ T leat_fuse_load (const T *p) { return *p; }\n"
  "template <class T> __device__ __forceinline__ T leat_fuse_as (T, uint64_t item) { return (T) item; }\n"
  "template <class T> __device__ __forceinline__ T leat_fuse_first (T, uint3 block, dim3 grid, uint3 thread, dim3 "
  "size)\n"
  "{\n"
  "  uint64_t before = block.x + (uint64_t) grid.x * (block.y + (uint64_t) grid.y * block.z);\n"
  "  return (T) (before * (size.x * size.y * size.z) + thread.x + size.x * (thread.y + size.y * thread.z));\n"
  "}\n"
  "template <class T> __device__ __forceinline__ T leat_fuse_step (T, dim3 grid, dim3 size)\n"
  "{\n"
  "  return (T) ((uint64_t) grid.x * grid.y * grid.z * (size.x * size.y * size.z));\n"
  "}\n"
  "template <class T> __device__ __forceinline__ void leat_fuse_fill (T *to, uint64_t n, T value)\n"
  "{\n"
  "  GRID_FOR (i, n)\n"
  "    to[i] = value;\n"
  "}\n"
  "template <class T> __device__ __forceinline__ void leat_fuse_copy (T *to, const T *from, uint64_t n)\n"
  "{\n"
  "  GRID_FOR (i, n)\n"
  "    to[i] = from[i];\n"
  "}\n"
  /* Of the items of a tile, and so many to either side. */
  "template <class T> __device__ __forceinline__ T leat_fuse_from (T, unsigned int tile, unsigned int size, unsigned "
  "int "
  "halo)\n"
  "{\n"
  "  uint64_t from = (uint64_t) tile * size;\n"
  "  return (T) (from > halo ? from - halo : 0);\n"
  "}\n"
  "template <class T> __device__ __forceinline__ T leat_fuse_to (T n, unsigned int tile, unsigned int size, unsigned "
  "int "
  "halo)\n"
  "{\n"
  "  uint64_t to = ((uint64_t) tile + 1) * size + halo;\n"
  "  return to < n ? (T) to : n;\n"
  "}\n"
  /* Block @tile is done, by the number of the launch; @near either side of it along each axis are waited for. */
  "__device__ __forceinline__ unsigned int leat_fuse_begin (const unsigned int *told, unsigned int n)\n"
  "{\n"
  "  return blockIdx.x < n ? leat_load_relaxed (told + blockIdx.x) + 1 : 0;\n"
  "}\n"
  "__device__ __forceinline__ void leat_fuse_tell (unsigned int *told, unsigned int turn, unsigned int tile)\n"
  "{\n"
  "  __syncthreads ();\n"
  "  if (threadIdx.x == 0)\n"
  "    leat_store_release (told + tile, turn);\n"
  "}\n"
  "__device__ __forceinline__ void leat_fuse_await (const unsigned int *told, unsigned int turn, unsigned int tile, "
  "dim3 "
  "grid, uint3 near)\n"
  "{\n"
  "  unsigned int width = 2 * near.x + 1, height = 2 * near.y + 1, n = width * height * (2 * near.z + 1);\n"
  "  uint3 own = leat_fuse_place (tile, grid.x, grid.y), other = leat_fuse_place (threadIdx.x, width, height);\n"
  "  unsigned int x = own.x + other.x - near.x, y = own.y + other.y - near.y, z = own.z + other.z - near.z;\n"
  "  if (threadIdx.x < n && threadIdx.x != n / 2 && x < grid.x && y < grid.y && z < grid.z)\n"
  "    while (leat_load_acquire (told + x + grid.x * (y + grid.y * z)) != turn)\n"
  "      __nanosleep (20);\n"
  "}\n"
  "#define LEAT_FUSE_FOR(i, n) for (auto i = leat_fuse_first (n, leat_fuse_block, leat_fuse_grid, leat_fuse_thread, "
  "leat_fuse_size); i < (n); i += leat_fuse_step (n, leat_fuse_grid, leat_fuse_size))\n"
  /* That the item is one of the n is known, and that compilers need not ask again halves the registers of a chain. */
  "#define LEAT_FUSE_ITEM(i, n) for (auto i = leat_fuse_as (n, leat_fuse_item), leat_fuse_left = leat_fuse_as (n, 1); "
  "leat_fuse_left != 0; leat_fuse_left = 0)\n";

LeatKernelFuse *
leat_kernel_fuse_new (guint threads)
{
  LeatKernelFuse *self = g_new0 (LeatKernelFuse, 1);

  self->threads = threads;
  self->files = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_fuse_file_free);
  self->declarations = g_string_new (NULL);
  self->params = g_string_new (NULL);
  self->steps = g_string_new (NULL);
  return self;
}

void
leat_kernel_fuse_free (LeatKernelFuse *self)
{
  g_ptr_array_unref (self->files);
  g_string_free (self->declarations, TRUE);
  g_string_free (self->params, TRUE);
  g_string_free (self->steps, TRUE);
  g_free (self->calls_with);
  g_free (self->entry);
  g_free (self);
}

void
leat_kernel_fuse_add_declaration (LeatKernelFuse *self, const char *text)
{
  g_string_append (self->declarations, text);
}

void
leat_kernel_fuse_add_param (LeatKernelFuse *self, const char *declaration)
{
  g_string_append_printf (self->params, "%s%s", self->params->len > 0 ? ", " : "", declaration);
}

char *
leat_kernel_fuse_add_function (LeatKernelFuse *self, LeatKernelSource *source, const char *entry, LeatFuseForm form)
{
  for (guint i = 0; i < self->files->len; i++)
    if (leat_fuse_file_is_of (g_ptr_array_index (self->files, i), source))
      return leat_fuse_file_use (g_ptr_array_index (self->files, i), entry, form);
  g_ptr_array_add (self->files, leat_fuse_file_new (source, self->files->len));
  return leat_fuse_file_use (g_ptr_array_index (self->files, self->files->len - 1), entry, form);
}

void
leat_kernel_fuse_add_sync (LeatKernelFuse *self)
{
  g_string_append (self->steps, "  leat_grid_sync ();\n");
}

void
leat_kernel_fuse_add_comment (LeatKernelFuse *self, const char *text)
{
  g_string_append_printf (self->steps, "  // %s\n", text);
}

void
leat_kernel_fuse_add_statement (LeatKernelFuse *self, const char *statement)
{
  g_string_append_printf (self->steps, "  %s\n", statement);
}

void
leat_kernel_fuse_add_free (LeatKernelFuse *self, const char *function, const char *arguments)
{
  g_string_append_printf (self->steps, "  %s (%s);\n", function, arguments);
}

void
leat_kernel_fuse_begin_tile (LeatKernelFuse *self, const guint grid[3], const guint block[3])
{
  g_string_append_printf (self->steps,
                          "  for (unsigned int leat_tile = blockIdx.x; leat_tile < %" G_GUINT64_FORMAT
                          "u; leat_tile += gridDim.x)\n    {\n",
                          (guint64) grid[0] * grid[1] * grid[2]);
  memcpy (self->grid, grid, sizeof self->grid);
  self->tile_items = self->active = block[0] * block[1] * block[2];
}

/* Two rounds at the most: more of them in the text would only be more instructions to fetch. */
void
leat_kernel_fuse_begin_tile_items (LeatKernelFuse *self, const char *n, guint halo)
{
  g_string_append_printf (self->steps,
                          "#pragma unroll 1\n"
                          "      for (auto leat_at = leat_fuse_from (%s, leat_tile, %uu, %uu) + threadIdx.x; leat_at < "
                          "leat_fuse_to (%s, leat_tile, %uu, %uu); leat_at += blockDim.x)\n    {\n",
                          n, self->tile_items, halo, n, self->tile_items, halo);
  self->calls_with = g_strdup ("leat_at");
  self->active = self->threads;
}

void
leat_kernel_fuse_end_tile_items (LeatKernelFuse *self)
{
  g_string_append (self->steps, "    }\n");
  g_clear_pointer (&self->calls_with, g_free);
}

void
leat_kernel_fuse_begin_turns (LeatKernelFuse *self, const char *words, guint word, guint n_tiles)
{
  g_string_append_printf (self->steps,
                          "  const unsigned int leat_turn = leat_fuse_begin ((const unsigned int *) %s + %uu, %uu);\n",
                          words, word, n_tiles);
}

void
leat_kernel_fuse_add_wait (LeatKernelFuse *self, const char *words, guint word, const guint blocks[3])
{
  g_string_append_printf (self->steps,
                          "      leat_fuse_await ((const unsigned int *) %s + %uu, leat_turn, leat_tile, dim3 (%u, %u, "
                          "%u), uint3 { %u, %u, %u });\n",
                          words, word, self->grid[0], self->grid[1], self->grid[2], blocks[0], blocks[1], blocks[2]);
}

void
leat_kernel_fuse_add_meeting (LeatKernelFuse *self)
{
  g_string_append (self->steps, "      __syncthreads ();\n");
}

void
leat_kernel_fuse_begin_leaving (LeatKernelFuse *self)
{
  g_string_append (self->steps, "      leat_block_begin (leat_fuse_meeting ());\n");
  self->leaves = TRUE;
}

void
leat_kernel_fuse_end_leaving (LeatKernelFuse *self)
{
  g_string_append (self->steps, "      leat_block_end (leat_fuse_meeting ());\n");
}

void
leat_kernel_fuse_add_tell (LeatKernelFuse *self, const char *words, guint word)
{
  g_string_append_printf (self->steps, "      leat_fuse_tell ((unsigned int *) %s + %uu, leat_turn, leat_tile);\n",
                          words, word);
}

/* A thread's place in a block of another shape follows from its number; warps are the same then. */
void
leat_kernel_fuse_begin_blocks (LeatKernelFuse *self, const guint grid[3], const guint block[3])
{
  g_autofree char *thread = block[1] * block[2] == 1
                              ? g_strdup ("threadIdx")
                              : g_strdup_printf ("leat_fuse_place (threadIdx.x, %u, %u)", block[0], block[1]);

  self->calls_with =
    g_strdup_printf ("leat_fuse_place (leat_tile, %u, %u), dim3 (%u, %u, %u), %s, dim3 (%u, %u, %u)", grid[0], grid[1],
                     grid[0], grid[1], grid[2], thread, block[0], block[1], block[2]);
}

void
leat_kernel_fuse_begin_items (LeatKernelFuse *self, const char *n)
{
  g_string_append_printf (self->steps, "  GRID_FOR (leat_at, %s)\n    {\n", n);
  self->calls_with = g_strdup ("leat_at");
  self->active = self->threads;
}

void
leat_kernel_fuse_add_local (LeatKernelFuse *self, const char *type, const char *name)
{
  g_string_append_printf (self->steps, "      %s %s = 0;\n", type, name);
}

void
leat_kernel_fuse_add_call (LeatKernelFuse *self, const char *function, const char *arguments, gboolean meets)
{
  if (self->active < self->threads)
    g_string_append_printf (self->steps, "      if (threadIdx.x < %u)\n  ", self->active);
  g_string_append_printf (self->steps, "      %s (%s%s%s);\n", function, self->calls_with,
                          arguments[0] != '\0' ? ", " : "", arguments);
  if (meets)
    g_string_append (self->steps, "      __syncthreads ();\n");
}

void
leat_kernel_fuse_add_thread_call (LeatKernelFuse *self, const char *function, const char *arguments, guint grid,
                                  guint block)
{
  g_string_append_printf (
    self->steps,
    "      %s (leat_fuse_along (leat_at / %uu), dim3 (%u, 1, 1), leat_fuse_along (leat_at %% %uu), "
    "dim3 (%u, 1, 1), %s);\n",
    function, block, grid, block, block, arguments);
}

void
leat_kernel_fuse_end (LeatKernelFuse *self)
{
  g_string_append (self->steps, "    }\n");
  g_clear_pointer (&self->calls_with, g_free);
}

static char *
leat_kernel_fuse_dup_text (gpointer data, const LeatKernelTarget *target, GError **error)
{
  LeatKernelFuse *self = data;
  g_autoptr (GString) text = g_string_new (leat_fuse_prelude);

  if (self->leaves)
    g_string_append (text, leat_fuse_leaving_prelude);
  g_string_append (text, self->declarations->str);
  for (guint i = 0; i < self->files->len; i++)
    {
      g_autofree char *file = leat_fuse_file_dup_text (g_ptr_array_index (self->files, i), target, error);
      g_autofree char *brought = leat_fuse_file_dup_brought (g_ptr_array_index (self->files, i));

      if (file == NULL)
        return NULL;
      g_string_prepend (text, brought);
      g_string_append (text, file);
    }
  g_string_append (text, "#line 1 \"leat-fused\"\n");
  g_string_append_printf (text, "__global__ __launch_bounds__ (%u) void %s (%s)\n{\n%s}\n", self->threads, self->entry,
                          self->params->str, self->steps->str);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

LeatKernelSource *
leat_kernel_fuse_make (LeatKernelFuse *self, const char *name, const char *entry, GError **error)
{
  guint asks = 0;

  self->entry = g_strdup (entry);
  for (guint i = 0; i < self->files->len; i++)
    asks |= leat_fuse_file_get_asks (g_ptr_array_index (self->files, i));
  return leat_kernel_source_new_made (name, NULL, leat_kernel_fuse_dup_text, self,
                                      (GDestroyNotify) leat_kernel_fuse_free, asks, error);
}

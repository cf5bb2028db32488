/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Memory and threads of a block on the CPU: the heap, static shared memory, how its threads are run.  Behind
 * leat-dialect-host-thread.h. */

/* As in CUDA `new` gives NULL where there is no room. */
#ifdef __clang__
#define LEAT_MAY_BE_NULL /* it takes no other declaration than its own */
#else
#define LEAT_MAY_BE_NULL noexcept
#endif
void *operator new (size_t bytes) LEAT_MAY_BE_NULL { return leat_heap_take (bytes); }
void *operator new[] (size_t bytes) LEAT_MAY_BE_NULL { return leat_heap_take (bytes); }
void operator delete (void *memory) noexcept { leat_heap_give (memory); }
void operator delete[] (void *memory) noexcept { leat_heap_give (memory); }
void operator delete (void *memory, size_t) noexcept { leat_heap_give (memory); }
void operator delete[] (void *memory, size_t) noexcept { leat_heap_give (memory); }

namespace {

/* Static shared memory: each declaration registers itself when the image is loaded and gets its place in the arena of a
 * block.  Declarations in a kernel's own text come first.  Those in the functions it calls follow, at one place for
 * all kernels. */
struct leat_slot
{
  unsigned int number, size, align, offset;
  leat_slot *next;

  leat_slot (unsigned int number, unsigned int size, unsigned int align);
};
leat_slot *leat_slots;
void leat_place_slots ();

inline leat_slot::leat_slot (unsigned int n, unsigned int s, unsigned int a)
    : number (n), size (s), align (a), offset (0), next (leat_slots)
{
  leat_slots = this;
  leat_place_slots ();
}

/* @Instance is a type that the declaring function declares for itself: each instance of a template has its own. */
template <unsigned int Number, class Instance, class T, unsigned int Align> struct leat_shared
{
  static leat_slot slot;

  LEAT_MEMBER static T *at (unsigned char *arena) { return (T *) (arena + slot.offset); }
};
template <unsigned int Number, class Instance, class T, unsigned int Align>
leat_slot leat_shared<Number, Instance, T, Align>::slot (Number, sizeof (T), Align);

template <class E>
LEAT_INLINE E *
leat_dynamic (LeatHostBlock *block, E (*)[])
{
  return (E *) (block->shared + block->dynamic_offset);
}

/* Places the slots of the @wanted functions from @at on, in the order of the text; returns where they end. */
unsigned int
leat_place (unsigned int at, const unsigned char *wanted, const unsigned char *owners, unsigned int n_slots)
{
  for (unsigned int number = 0; number < n_slots; number++)
    for (leat_slot *slot = leat_slots; slot != nullptr; slot = slot->next)
      if (slot->number == number && wanted[owners[number]])
        {
          slot->offset = (at + slot->align - 1) / slot->align * slot->align;
          at = slot->offset + slot->size;
        }
  return at;
}

unsigned int
leat_place_end (const unsigned char *wanted, const unsigned char *owners)
{
  unsigned int end = 0;

  for (leat_slot *slot = leat_slots; slot != nullptr; slot = slot->next)
    if (wanted[owners[slot->number]] && slot->offset + slot->size > end)
      end = slot->offset + slot->size;
  return end;
}

LEAT_INLINE void
leat_enter (leat_thread &t, LeatHostBlock *block, unsigned int x, unsigned int y, unsigned int z)
{
  t.leat_block = block;
  t.threadIdx = { x, y, z };
  t.blockIdx = { block->index.x, block->index.y, block->index.z };
  t.blockDim = dim3 (block->block.x, block->block.y, block->block.z);
  t.gridDim = dim3 (block->grid.x, block->grid.y, block->grid.z);
  t.leat_trimmed = false;
#ifdef LEAT_ANYWHERE
  LEAT_RUN_NOW (&t);
#endif
#ifdef LEAT_WIDE
  t.blockIdx.z = 0;
  t.gridDim.z = 1;
#endif
}

/* Whether a thread's index in the grid may pass 2^31: the flat loops assume that it does not, so that the compiler sees
 * neighbouring threads touch neighbouring items. */
LEAT_INLINE bool
leat_is_wide (const LeatHostBlock *block)
{
  return (uint64_t) block->grid.x * block->block.x > 0x7fffffffu || (uint64_t) block->grid.y * block->block.y > 0x7fffffffu
         || (uint64_t) block->grid.z * block->block.z > 0x7fffffffu;
}

/* How many of @count threads, numbered from @start in the grid, pass the guard `number < n`, the number being an I. */
template <class I, class N>
LEAT_INLINE unsigned int
leat_trim (N n, unsigned int start, unsigned int count)
{
  auto compared = static_cast<decltype (I () + N ())> (n);
  uint64_t end = compared > 0 ? (uint64_t) compared : 0;

  return end <= start ? 0 : end - start < count ? (unsigned int) (end - start) : count;
}

static __attribute__ ((noinline)) void
leat_run_wide (LeatHostBlock *block, const void *params, void (*thread) (LeatHostBlock *, const void *, LeatHostDim3))
{
  for (unsigned int z = 0; z < block->block.z; z++)
    for (unsigned int y = 0; y < block->block.y; y++)
      for (unsigned int x = 0; x < block->block.x; x++)
        thread (block, params, LeatHostDim3{ x, y, z });
}

} // namespace

#define LEAT_ASSUME(x) ((x) ? (void) 0 : __builtin_unreachable ())
#define LEAT_RUN_FLAT(block, width, height, depth, kernel)                                                             \
  LeatHostBlock leat_b = *(block);                                                                                     \
  LEAT_ASSUME (leat_b.block.x - 1 < 1024 && leat_b.block.y - 1 < 1024 && leat_b.block.z - 1 < 64);                     \
  LEAT_ASSUME (leat_b.index.x * leat_b.block.x <= 0x7fffffffu - 1024);                                                 \
  LEAT_ASSUME (leat_b.index.y * leat_b.block.y <= 0x7fffffffu - 1024);                                                 \
  const unsigned int leat_w = width, leat_h = height, leat_d = depth;                                                  \
  for (unsigned int leat_z = 0; leat_z < leat_d; leat_z++)                                                             \
    for (unsigned int leat_y = 0; leat_y < leat_h; leat_y++)                                                           \
      for (unsigned int leat_x = 0; leat_x < leat_w; leat_x++)                                                         \
        {                                                                                                              \
          leat_module leat_t;                                                                                          \
                                                                                                                       \
          leat_enter (leat_t, &leat_b, leat_x, leat_y, leat_z);                                                        \
          leat_t.leat_block = (block);                                                                                 \
          leat_t.leat_trimmed = true;                                                                                  \
          kernel;                                                                                                      \
        }

#define __trap() leat_me (leat_self)->leat_trap ("__trap ()", nullptr, 0)
#define assert(x) ((x) ? (void) 0 : leat_me (leat_self)->leat_trap (#x, __FILE__, __LINE__))
#define GRID_FOR(i, n)                                                                                                 \
  for (auto i = leat_me (leat_self)->leat_grid_piece (n, false),                                                       \
            leat_end_of_##i = leat_me (leat_self)->leat_grid_piece (n, true);                                          \
       i < leat_end_of_##i; i++)

/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "queue-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

static char *queue_folder, *queue_path;

static const char kernels[] =
  "__device__ uint32_t mix (uint32_t v)\n"
  "{\n"
  "  v = (v ^ (v >> 16)) * 0x7feb352du;\n"
  "  v = (v ^ (v >> 15)) * 0x846ca68bu;\n"
  "  return v ^ (v >> 16);\n"
  "}\n"
  "struct Walk { uint64_t *sums; int depth, how; };\n"
  "__device__ void rest (uint32_t v, int how)\n"
  "{\n"
  "  if ((how & 4) && mix (v + threadIdx.x) % 4 == 0)\n"
  "    __nanosleep (mix (v) % 500);\n"
  "}\n"
  /* x: the node; y: how deep it is, and from bit 16 on how often it was put back */
  "__device__ void look_at (uint2 node, const Walk &walk, LeatQueue<uint2> work)\n"
  "{\n"
  "  uint2 kept[96];\n"
  "  int n = 0;\n"
  "  for (;;)\n"
  "    {\n"
  "      uint32_t hash = mix (node.x);\n"
  "      int children = (int) node.y < walk.depth ? hash % 4 : 0;\n"
  "      atomicAdd (&walk.sums[0], (uint64_t) 1);\n"
  "      atomicAdd (&walk.sums[1], (uint64_t) hash);\n"
  "      for (int i = 0; i < children; i++)\n"
  "        {\n"
  "          uint2 child = make_uint2 (hash + i, node.y + 1);\n"
  "          rest (child.x, walk.how);\n"
  "          if (walk.how & 1)\n"
  "            leat_queue_push (work, child);\n"
  "          else if (!leat_queue_try_push (work, child))\n"
  "            kept[n++] = child;\n"
  "        }\n"
  "      if (n == 0)\n"
  "        return;\n"
  "      node = kept[--n];\n"
  "    }\n"
  "}\n"
  "__device__ void begin (const uint32_t *x, uint64_t x_count, const Walk &walk, LeatQueue<uint2> work)\n"
  "{\n"
  "  QUEUE_FOR (i, x_count, work)\n"
  "    {\n"
  "      uint2 root = make_uint2 (x[i], 0);\n"
  "      if (walk.how & 1)\n"
  "        leat_queue_push (work, root);\n"
  "      else if (!leat_queue_try_push (work, root))\n"
  "        look_at (root, walk, work);\n"
  "    }\n"
  "}\n"
  "__global__ void visit (const uint32_t *x, uint64_t x_count, uint64_t *sums, LeatQueue<uint2> work, int depth, int "
  "how)\n"
  "{\n"
  "  Walk walk = { sums, depth, how };\n"
  "  uint2 node;\n"
  "  begin (x, x_count, walk, work);\n"
  "  while (leat_queue_next (work, node))\n"
  "    {\n"
  "      rest (node.x + 1, how);\n"
  "      if ((how & 2) && node.y >> 16 < 2)\n"
  "        {\n"
  "          node.y += 1 << 16;\n"
  "          leat_queue_requeue (work, node);\n"
  "          continue;\n"
  "        }\n"
  "      node.y &= 0xffff;\n"
  "      look_at (node, walk, work);\n"
  "      leat_queue_done (work);\n"
  "    }\n"
  "}\n"
  "__global__ void visit_by_blocks (const uint32_t *x, uint64_t x_count, uint64_t *sums, LeatQueue<uint2> work,\n"
  "                                 int depth, int how)\n"
  "{\n"
  "  Walk walk = { sums, depth, how };\n"
  "  uint2 node;\n"
  "  bool mine;\n"
  "  begin (x, x_count, walk, work);\n"
  "  while (leat_queue_next_of_block (work, node, mine))\n"
  "    if (mine)\n"
  "      {\n"
  "        look_at (node, walk, work);\n"
  "        leat_queue_done (work);\n"
  "      }\n"
  "}\n"
  "__global__ void visit_by_handfuls (const uint32_t *x, uint64_t x_count, uint64_t *sums, LeatQueue<uint2> work,\n"
  "                                   int depth, int how)\n"
  "{\n"
  "  Walk walk = { sums, depth, how };\n"
  "  uint2 nodes[7];\n"
  "  begin (x, x_count, walk, work);\n"
  "  do\n"
  "    {\n"
  "      unsigned int n = leat_queue_claim_some (work, nodes, 1 + mix (threadIdx.x + how) % 7);\n"
  "      for (unsigned int i = 0; i < n; i++)\n"
  "        {\n"
  "          look_at (nodes[i], walk, work);\n"
  "          leat_queue_done (work);\n"
  "        }\n"
  "      __nanosleep (20);\n"
  "    }\n"
  "  while (!leat_queue_is_finished (work));\n"
  "}\n"
  /* Each thread that has an item pushes it and leaves; how many had room, and the sum of what was left from before. */
  "__global__ void leave (const uint32_t *x, uint64_t x_count, uint64_t *sums, LeatQueue<uint32_t> work)\n"
  "{\n"
  "  GRID_FOR (i, x_count)\n"
  "    if (leat_queue_push (work, x[i]))\n"
  "      atomicAdd (&sums[0], (uint64_t) 1);\n"
  "}\n"
  "__global__ void collect (const uint32_t *x, uint64_t x_count, uint64_t *sums, LeatQueue<uint32_t> work)\n"
  "{\n"
  "  uint32_t item;\n"
  "  while (x_count == 0 && leat_queue_next (work, item))\n"
  "    {\n"
  "      atomicAdd (&sums[0], (uint64_t) 1);\n"
  "      atomicAdd (&sums[1], (uint64_t) item);\n"
  "      leat_queue_done (work);\n"
  "    }\n"
  "  GRID_FOR (i, x_count)\n"
  "    leat_queue_push (work, x[i]);\n"
  "}\n"
  /* One thread: what comes out is in the order in which it came in. 0 in sums[0]: it was. */
  "__global__ void in_order (const uint32_t *x, uint64_t x_count, uint64_t *sums, LeatQueue<uint32_t> work)\n"
  "{\n"
  "  uint32_t item;\n"
  "  if (threadIdx.x + blockIdx.x > 0)\n"
  "    return;\n"
  "  for (uint64_t i = 0, out = 0; out < x_count;)\n"
  "    {\n"
  "      while (i < x_count && leat_queue_try_push (work, x[i]))\n"
  "        i++;\n"
  "      sums[1] += leat_queue_room (work);\n"
  "      while (leat_queue_claim (work, item))\n"
  "        {\n"
  "          sums[0] += item != x[out++];\n"
  "          leat_queue_done (work);\n"
  "        }\n"
  "    }\n"
  "}\n"
  /* From one queue to another, which is emptied when the first has nothing outstanding any more. */
  "__global__ void through_two (const uint32_t *x, uint64_t x_count, uint64_t *sums, LeatQueue<uint32_t> first,\n"
  "                             LeatQueue<ulonglong4> second)\n"
  "{\n"
  "  uint32_t item;\n"
  "  ulonglong4 wide;\n"
  "  QUEUE_FOR (i, x_count, first)\n"
  "    leat_queue_push (first, x[i]);\n"
  "  while (leat_queue_next (first, item))\n"
  "    {\n"
  "      leat_queue_push (second, make_ulonglong4 (item, item + 1ull, item + 2ull, 1ull << 40));\n"
  "      leat_queue_done (first);\n"
  "    }\n"
  "  while (leat_queue_next (second, wide))\n"
  "    {\n"
  "      atomicAdd (&sums[0], (uint64_t) 1);\n"
  "      atomicAdd (&sums[1], (uint64_t) (wide.x + wide.y + wide.z + wide.w));\n"
  "      leat_queue_done (second);\n"
  "    }\n"
  "}\n"
  /* x[0]: 0, all is well; 1, an item is claimed and forgotten; 2, one more is done than there were */
  "__global__ void careless (const uint32_t *x, uint64_t x_count, uint64_t *sums, LeatQueue<uint32_t> work)\n"
  "{\n"
  "  uint32_t item;\n"
  "  if (threadIdx.x + blockIdx.x == 0)\n"
  "    for (uint64_t i = 0; i < x_count; i++)\n"
  "      leat_queue_push (work, x[i]);\n"
  "  while (leat_queue_next (work, item))\n"
  "    {\n"
  "      atomicAdd (&sums[0], (uint64_t) 1);\n"
  "      if (item != 1)\n"
  "        leat_queue_done (work);\n"
  "      if (item == 2)\n"
  "        leat_queue_done (work);\n"
  "    }\n"
  "}\n"
  "__global__ void pointed (const uint32_t *x, uint64_t *sums, LeatQueue<uint32_t> *work) {}\n"
  "struct Big { int parts[40]; };\n"
  "__global__ void of_what (const uint32_t *x, uint64_t *sums, LeatQueue<Big> work) {}\n"
  "__global__ void many (const uint32_t *x, uint64_t *sums, LeatQueue<int> a, LeatQueue<int> b, LeatQueue<int> c,\n"
  "                      LeatQueue<int> d, LeatQueue<int> e) {}\n"
  "__global__ void none (const uint32_t *x, uint64_t *sums) { sums[0] = x[0]; }\n";

void
queue_fixture_init (void)
{
  g_autoptr (GError) error = NULL;

  queue_folder = g_dir_make_tmp ("leat-queue-XXXXXX", &error);
  g_assert_no_error (error);
  queue_path = g_build_filename (queue_folder, "kernels.cu", NULL);
  g_file_set_contents (queue_path, kernels, -1, &error);
  g_assert_no_error (error);
}

void
queue_fixture_clear (void)
{
  g_unlink (queue_path);
  g_rmdir (queue_folder);
  g_free (queue_path);
  g_free (queue_folder);
}

static char *
queue_fixture_dup_text (const char *source, const char *kernel)
{
  return g_strdup_printf ("app name=source %s -> upload -> kernel name=work source=\"%s\" sums=u64[2] clear=sums %s "
                          "-> readback -> app name=sink\n",
                          source, queue_path, kernel);
}

void
queue_fixture_open (SessionFixture *self, const char *kernel, LeatExecutor executor)
{
  g_autofree char *source = g_strdup_printf ("spec=u32[<=%d]", QUEUE_ITEMS);
  g_autofree char *text = queue_fixture_dup_text (source, kernel);

  session_fixture_open (self, text, executor);
}

void
queue_fixture_open_bound (SessionFixture *self, const char *kernel, LeatExecutor executor)
{
  g_autofree char *source = g_strdup_printf ("memory=user spec=u32[%d]", QUEUE_ITEMS);
  g_autofree char *text = queue_fixture_dup_text (source, kernel);

  session_fixture_open (self, text, executor);
}

GError *
queue_fixture_refuse (const char *kernel)
{
  g_autofree char *text = queue_fixture_dup_text ("spec=u32[4]", kernel);
  g_autofree char *whole = g_strconcat ("leat 1\n", text, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (whole, LEAT_TEXT_STYLE_FILE, NULL, &error);

  return pipeline != NULL ? session_fixture_fail (text, NULL) : g_steal_pointer (&error);
}

GBytes *
queue_fixture_run (SessionFixture *self, const guint32 *roots, guint n, GError **error)
{
  return session_fixture_try (self, roots, n * sizeof *roots, error);
}

QueueSums
queue_fixture_walk (SessionFixture *self, const guint32 *roots, guint n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) output = queue_fixture_run (self, roots, n, &error);
  QueueSums sums;

  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (output), ==, sizeof sums);
  memcpy (&sums, g_bytes_get_data (output, NULL), sizeof sums);
  return sums;
}

static guint32
queue_mix (guint32 v)
{
  v = (v ^ (v >> 16)) * 0x7feb352du;
  v = (v ^ (v >> 15)) * 0x846ca68bu;
  return v ^ (v >> 16);
}

static void
queue_visit (QueueSums *sums, guint32 node, guint level, guint depth)
{
  guint32 hash = queue_mix (node);

  sums->visits++;
  sums->sum += hash;
  for (guint i = 0; level < depth && i < hash % 4; i++)
    queue_visit (sums, hash + i, level + 1, depth);
}

QueueSums
queue_fixture_expect (const guint32 *roots, guint n, guint depth)
{
  QueueSums sums = { 0, 0 };

  for (guint i = 0; i < n; i++)
    queue_visit (&sums, roots[i], 0, depth);
  return sums;
}

void
queue_fixture_assert_equal (QueueSums got, QueueSums expected)
{
  g_assert_cmpuint (got.visits, ==, expected.visits);
  g_assert_cmpuint (got.sum, ==, expected.sum);
}

/* The text for Prometheus has the same number. */
static void
queue_fixture_check_told (SessionFixture *self, const char *queue, const char *name, guint64 total)
{
  g_autofree char *text = leat_session_to_prometheus (self->session, "p");
  g_autofree char *begin = g_strdup_printf ("leat_queue_%s_", name);
  g_autofree char *end = g_strdup_printf (",queue=\"%s\"} %" G_GUINT64_FORMAT, queue, total);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint n = 0;

  for (guint i = 0; lines[i] != NULL; i++)
    n += g_str_has_prefix (lines[i], begin) && g_str_has_suffix (lines[i], end);
  g_assert_cmpuint (n, ==, 1);
}

guint64
queue_fixture_get_total (SessionFixture *self, const char *queue, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) queues = leat_session_dup_queues (self->session, &error);

  g_assert_no_error (error);
  for (gsize i = 0; i < g_variant_n_children (queues); i++)
    {
      g_autoptr (GVariant) totals = g_variant_get_child_value (queues, i);
      const char *is = NULL;
      guint64 total = 0;

      g_assert_true (g_variant_lookup (totals, "queue", "&s", &is));
      if (!g_str_equal (is, queue))
        continue;
      g_assert_true (g_variant_lookup (totals, name, "t", &total));
      queue_fixture_check_told (self, queue, name, total);
      return total;
    }
  g_assert_not_reached ();
}

void
queue_fixture_fill (guint32 *roots, guint n, guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  for (guint i = 0; i < n; i++)
    roots[i] = g_rand_int (rand);
}

void
queue_fixture_add_for_executors (const char *name, GTestDataFunc test)
{
  g_autofree char *graph = g_strdup_printf ("/leat/session/queue/%s/graph", name);
  g_autofree char *eager = g_strdup_printf ("/leat/session/queue/%s/eager", name);

  g_test_add_data_func (graph, GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH), test);
  g_test_add_data_func (eager, GINT_TO_POINTER (LEAT_EXECUTOR_EAGER), test);
}

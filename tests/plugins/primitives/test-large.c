/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat.h"

#include <glib/gstdio.h>
#include <string.h>

/* More than 2^32 items, whose numbers and counts take 64 bits.  They are made on the device, all zeros but for one of
 * each 2^20, so that what must come is known without looking at them. */

#define ITEMS        ((G_GUINT64_CONSTANT (1) << 32) + (1 << 20))
#define ITEMS_TEXT   "4296015872"
#define STEP         (1 << 20)
#define FIRST        5
#define CHOSEN       (ITEMS / STEP)
#define NEEDED_BYTES (G_GUINT64_CONSTANT (14) << 30) /* two such arrays, and what belongs to them */

static const char test_large_kernel[] = "__global__ void\n"
                                        "make (unsigned char *out, uint64_t n)\n"
                                        "{\n"
                                        "  for (uint64_t i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x; i < n; "
                                        "i += (uint64_t) gridDim.x * blockDim.x)\n"
                                        "    out[i] = (i & 0xfffff) == 5 ? (unsigned char) (1 + (i >> 20) % 200) : 0;\n"
                                        "}\n";

typedef struct
{
  char *folder, *path;
  LeatPipeline *pipeline;
  LeatSession *session;
} Large;

static guint8
test_large_get_item (guint64 chosen)
{
  return (guint8) (1 + chosen % 200);
}

/* On a CPU its memory is that of the machine, which others use too. */
static gboolean
test_large_has_room (void)
{
  const char *selector = g_getenv ("LEAT_DEVICE");
  g_autoptr (LeatDevice) device = leat_device_open (selector != NULL ? selector : "auto", NULL);
  g_autofree char *text = NULL;
  const char *found = NULL;

  if (device == NULL)
    return FALSE;
  if (!leat_device_is_cpu (device))
    return leat_device_get_memory_bytes (device) >= NEEDED_BYTES;
  if (g_file_get_contents ("/proc/meminfo", &text, NULL, NULL))
    found = strstr (text, "MemAvailable:");
  return found != NULL && g_ascii_strtoull (found + strlen ("MemAvailable:"), NULL, 10) * 1024 >= NEEDED_BYTES;
}

static gboolean
test_large_init (Large *self)
{
  GError *error = NULL;

  if (!test_large_has_room ())
    {
      g_test_skip ("14 GiB of the device's memory are not free");
      return FALSE;
    }
  self->folder = g_dir_make_tmp ("leat-large-XXXXXX", &error);
  g_assert_no_error (error);
  self->path = g_build_filename (self->folder, "make.cu", NULL);
  g_file_set_contents (self->path, test_large_kernel, -1, &error);
  g_assert_no_error (error);
  return TRUE;
}

static void
test_large_close (Large *self)
{
  leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
}

static void
test_large_clear (Large *self)
{
  g_unlink (self->path);
  g_rmdir (self->folder);
  g_free (self->path);
  g_free (self->folder);
}

static LeatPipeline *
test_large_parse (Large *self, const char *rest, GError **error)
{
  g_autofree char *text = g_strdup_printf ("leat 1\nmake = kernel source=\"%s\" n=" ITEMS_TEXT
                                           " block=256 grid=4096 out=u8[" ITEMS_TEXT "]\n%s",
                                           self->path, rest);

  return leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, error);
}

/* @rest: of a pipeline that has the items from "make" */
static void
test_large_run (Large *self, const char *rest)
{
  GError *error = NULL;

  self->pipeline = test_large_parse (self, rest, &error);
  g_assert_no_error (error);
  self->session = leat_session_new (self->pipeline, NULL);
  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
  leat_session_replay (self->session, TRUE, NULL, &error);
  g_assert_no_error (error);
}

static GBytes *
test_large_pull (Large *self, const char *name)
{
  GError *error = NULL;
  GBytes *bytes = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (self->pipeline, name, NULL)), 0, &error);

  g_assert_no_error (error);
  g_assert_nonnull (bytes);
  return bytes;
}

static void
test_large_assert_number (Large *self, const char *name, guint64 wanted)
{
  g_autoptr (GBytes) found = test_large_pull (self, name);
  guint64 number;

  g_assert_cmpuint (g_bytes_get_size (found), ==, sizeof number);
  memcpy (&number, g_bytes_get_data (found, NULL), sizeof number);
  g_assert_cmpuint (number, ==, wanted);
}

static void
test_large_assert_chosen (Large *self, const char *items, const char *numbers)
{
  g_autoptr (GBytes) rows = test_large_pull (self, items), indices = test_large_pull (self, numbers);
  const guint8 *row = g_bytes_get_data (rows, NULL);
  const guint64 *index = g_bytes_get_data (indices, NULL);

  g_assert_cmpuint (g_bytes_get_size (rows), ==, CHOSEN);
  g_assert_cmpuint (g_bytes_get_size (indices), ==, CHOSEN * sizeof *index);
  for (guint64 i = 0; i < CHOSEN; i++)
    {
      g_assert_cmpuint (row[i], ==, test_large_get_item (i));
      g_assert_cmpuint (index[i], ==, i * STEP + FIRST);
    }
}

static void
test_large_compact (void)
{
  Large self = { 0 };

  if (!test_large_init (&self))
    return;
  test_large_run (&self, "c = compact where=x>0 emit=both index=u64 out=u8[<=5000]\nmake -> c\n"
                         "c.out -> readback -> app name=rows\nc.indices -> readback -> app name=numbers\n");
  test_large_assert_chosen (&self, "rows", "numbers");
  test_large_close (&self);
  test_large_clear (&self);
}

/* Nearly all are in the first bin, more than 2^32. */
static void
test_large_reduce (void)
{
  Large self = { 0 };
  guint64 sum = 0;

  if (!test_large_init (&self))
    return;
  for (guint64 i = 0; i < CHOSEN; i++)
    sum += test_large_get_item (i);
  test_large_run (&self, "s = reduce\nmake -> s\ns -> readback -> app name=sum\n"
                         "n = reduce op=count\nmake -> n\nn -> readback -> app name=count\n"
                         "z = reduce op=expr expr=\"a+b\" type=u64\nmake -> z\nz -> readback -> app name=same\n"
                         "h = histogram bins=256\nmake -> h\nh -> readback -> app name=bins\n");
  test_large_assert_number (&self, "sum", sum);
  test_large_assert_number (&self, "count", CHOSEN);
  test_large_assert_number (&self, "same", sum);
  {
    g_autoptr (GBytes) bins = test_large_pull (&self, "bins");

    g_assert_cmpuint (((const guint64 *) g_bytes_get_data (bins, NULL))[0], ==, ITEMS - CHOSEN);
  }
  test_large_close (&self);
  test_large_clear (&self);
}

/* With a table of places: before the first item, in the middle, on both sides of 2^32, the last. */
static void
test_large_scan_and_gather (void)
{
  static const guint64 places[] = {
    0, FIRST, STEP + FIRST, G_MAXUINT32, G_MAXUINT32 + G_GUINT64_CONSTANT (1) + FIRST, ITEMS - 1
  };
  Large self = { 0 };
  GError *error = NULL;
  g_autofree char *table = NULL, *rest = NULL;
  g_autoptr (GBytes) found = NULL;

  if (!test_large_init (&self))
    return;
  table = g_build_filename (self.folder, "places.bin", NULL);
  g_file_set_contents (table, (const char *) places, sizeof places, &error);
  g_assert_no_error (error);
  rest = g_strdup_printf ("at = const path=\"%s\" spec=u64[%u]\ns = scan type=u8\nmake -> s\ng = gather\ns -> g.items\n"
                          "at -> g.at\ng -> readback -> app name=sums\n",
                          table, (guint) G_N_ELEMENTS (places));
  test_large_run (&self, rest);
  found = test_large_pull (&self, "sums");
  g_assert_cmpuint (g_bytes_get_size (found), ==, G_N_ELEMENTS (places));
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      guint8 sum = 0;

      for (guint64 k = 0; k * STEP + FIRST <= places[i]; k++)
        sum = (guint8) (sum + test_large_get_item (k));
      g_assert_cmpuint (((const guint8 *) g_bytes_get_data (found, NULL))[i], ==, sum);
    }
  g_unlink (table);
  test_large_close (&self);
  test_large_clear (&self);
}

/* What partition brings to the front is all that compact finds. */
static void
test_large_partition (void)
{
  Large self = { 0 };
  g_autoptr (GBytes) rows = NULL;

  if (!test_large_init (&self))
    return;
  test_large_run (&self, "p = partition where=x>0\nmake -> p\np.front -> readback -> app name=front\n"
                         "c = compact where=x>0 emit=both index=u64 out=u8[<=5000]\np.out -> c\n"
                         "c.out -> readback -> app name=rows\nc.indices -> readback -> app name=numbers\n");
  test_large_assert_number (&self, "front", CHOSEN);
  rows = test_large_pull (&self, "rows");
  g_assert_cmpuint (g_bytes_get_size (rows), ==, CHOSEN);
  for (guint64 i = 0; i < CHOSEN; i++)
    g_assert_cmpuint (((const guint8 *) g_bytes_get_data (rows, NULL))[i], ==, test_large_get_item (i));
  test_large_close (&self);
  test_large_clear (&self);
}

/* Before anything is allocated. */
static void
test_large_refuses (void)
{
  static const struct
  {
    const char *rest, *word;
  } cases[] = {
    { "c = compact where=x>0 emit=indices\nmake -> c\nc -> discard\n", "set index=u64" },
    { "h = histogram type=u32\nmake -> h\nh -> discard\n", "so many items need type=u64" },
    { "s = sort\nmake -> s.keys\ns.sorted -> discard\n", "less than 2^32" },
  };
  Large self = { .path = (char *) "make.cu" };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *folder = g_dir_make_tmp ("leat-large-XXXXXX", NULL),
                      *path = g_build_filename (folder, "make.cu", NULL);
      g_autoptr (LeatPipeline) pipeline = NULL;
      g_autoptr (LeatPlan) plan = NULL;
      g_autoptr (GError) error = NULL;

      g_file_set_contents (path, test_large_kernel, -1, NULL);
      self.path = path;
      pipeline = test_large_parse (&self, cases[i].rest, &error);
      plan = pipeline != NULL ? leat_plan_new (pipeline, &error) : NULL;
      g_assert_null (plan);
      g_assert_nonnull (error);
      if (strstr (error->message, cases[i].word) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, cases[i].word);
      g_unlink (path);
      g_rmdir (folder);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/primitives/large/refuses", test_large_refuses);
  g_test_add_func ("/leat/primitives/large/compact", test_large_compact);
  g_test_add_func ("/leat/primitives/large/reduce-and-histogram", test_large_reduce);
  g_test_add_func ("/leat/primitives/large/scan-and-gather", test_large_scan_and_gather);
  g_test_add_func ("/leat/primitives/large/partition", test_large_partition);
  return g_test_run ();
}

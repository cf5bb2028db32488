/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"

#include <glib/gstdio.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Arrays of structures on their way through a pipeline, beside plain C with the same structures. */

#define N 1000

/* The same for this program's compiler and for a kernel. */
#define BOTH(...)                                                                                                      \
  __VA_ARGS__                                                                                                          \
  static const char declarations[] = #__VA_ARGS__

BOTH (
  struct Spin {
    signed char up;
    double rate;
  };
  struct Particle {
    float pos[3];
    float mass;
    unsigned char tag;
    struct Spin spin[2];
    short s;
    bool dead;
  };);

typedef struct Particle Particle;

static const char kernel[] = "__global__ void move (const Particle *p, Particle *q, uint64_t p_count, float dt)\n"
                             "{\n"
                             "  GRID_FOR (i, p_count)\n"
                             "    {\n"
                             "      Particle one = p[i];\n"
                             "      one.pos[1] += dt * one.mass;\n"
                             "      one.spin[1].rate = one.spin[0].rate * 2;\n"
                             "      one.s = (short) (one.s + one.tag + one.spin[0].up);\n"
                             "      one.dead = one.s < 0;\n"
                             "      q[i] = one;\n"
                             "    }\n"
                             "}\n"
                             "__global__ void weigh (const float *x, Particle *q, uint64_t x_count)\n"
                             "{\n"
                             "  GRID_FOR (i, x_count)\n"
                             "    {\n"
                             "      q[i] = Particle ();\n"
                             "      q[i].mass = x[i];\n"
                             "    }\n"
                             "}\n";

static void
move (const Particle *p, Particle *q, float dt)
{
  *q = *p;
  q->pos[1] += dt * p->mass;
  q->spin[1].rate = p->spin[0].rate * 2;
  q->s = (short) (p->s + p->tag + p->spin[0].up);
  q->dead = q->s < 0;
}

static Particle *
make_particles (void)
{
  Particle *p = g_new0 (Particle, N);

  for (guint i = 0; i < N; i++)
    p[i] = (Particle){ .pos = { (float) i, 2, 3 },
                       .mass = (float) i / 4,
                       .tag = (unsigned char) i,
                       .spin = { { (signed char) -i, i * 0.1 }, { 1, 2 } },
                       .s = (short) (i * 77) };
  return p;
}

static char *
write_kernel (void)
{
  g_autofree char *text = g_strconcat (declarations, "\n", kernel, NULL);
  char *path = leat_harness_dup_path ("records.cu");

  leat_harness_write_file (path, text, strlen (text));
  return path;
}

/* The record of a structure, as the kernel's port has it. */
static LeatSpec *
dup_record (void)
{
  g_autofree char *path = write_kernel ();
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new_from_file (path, NULL);
  g_autoptr (LeatSpec) spec =
    leat_spec_parse (leat_kernel_source_get_prototype (source, "move", NULL)->params[0].dtype, NULL);

  return g_steal_pointer (&spec);
}

static char *
dup_text (const char *shape)
{
  g_autoptr (LeatSpec) record = dup_record ();
  g_autofree char *text = leat_spec_to_string (record, LEAT_SPEC_STYLE_FILE);

  return g_strconcat (text, shape, NULL);
}

/* Opens a pipeline of these lines, runs it once with @size bytes for "a", and gives what "b" got. */
static GBytes *
run (const char *lines, gconstpointer data, gsize size, GError **error)
{
  g_autofree char *kernel_path = write_kernel (), *path = leat_harness_dup_path ("records.leat");
  g_autofree char *text = g_strconcat ("leat 1\n", lines, NULL);
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  GBytes *result = NULL;

  leat_harness_write_file (path, text, strlen (text));
  pipeline = leat_parse_file (path, NULL, error);
  session = pipeline != NULL ? leat_session_new (pipeline, NULL) : NULL;
  if (session == NULL || !leat_session_open (session, NULL, error))
    return NULL;
  if (leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)), bytes, error))
    {
      leat_app_end (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)));
      if (leat_session_run (session, NULL, error))
        result = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "b", NULL)), 0, error);
    }
  leat_session_close (session);
  return result;
}

static GBytes *
run_well (const char *lines, gconstpointer data, gsize size)
{
  g_autoptr (GError) error = NULL;
  GBytes *result = run (lines, data, size, &error);

  if (result == NULL)
    g_error ("%s%s", lines, error->message);
  return result;
}

static void
test_records_have_the_layout_of_c (void)
{
  static const struct
  {
    const char *path;
    gsize offset;
  } fields[] = {
    { "pos.0", offsetof (Particle, pos) },
    { "pos.2", offsetof (Particle, pos[2]) },
    { "mass", offsetof (Particle, mass) },
    { "tag", offsetof (Particle, tag) },
    { "spin.0.up", offsetof (Particle, spin[0].up) },
    { "spin.1", offsetof (Particle, spin[1]) },
    { "spin.1.rate", offsetof (Particle, spin[1].rate) },
    { "s", offsetof (Particle, s) },
    { "dead", offsetof (Particle, dead) },
  };
  g_autoptr (LeatSpec) spec = dup_record ();

  g_assert_cmpuint (leat_spec_get_item_bytes (spec), ==, sizeof (Particle));
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      g_autoptr (LeatSpec) field = NULL;
      guint64 offset = 0;

      field = leat_spec_find_field (spec, fields[i].path, &offset, NULL);
      g_assert_nonnull (field);
      g_assert_cmpuint (offset, ==, fields[i].offset);
    }
}

static void
assert_moved (GBytes *result, const Particle *p)
{
  const Particle *q = g_bytes_get_data (result, NULL);

  g_assert_cmpuint (g_bytes_get_size (result), ==, N * sizeof *p);
  for (guint i = 0; i < N; i++)
    {
      Particle wanted;

      move (&p[i], &wanted, 0.5f);
      g_assert_cmpmem (q[i].pos, sizeof wanted.pos, wanted.pos, sizeof wanted.pos);
      g_assert_cmpfloat (q[i].mass, ==, wanted.mass);
      g_assert_cmpint (q[i].tag, ==, wanted.tag);
      for (guint k = 0; k < 2; k++)
        {
          g_assert_cmpint (q[i].spin[k].up, ==, wanted.spin[k].up);
          g_assert_cmpfloat (q[i].spin[k].rate, ==, wanted.spin[k].rate);
        }
      g_assert_cmpint (q[i].s, ==, wanted.s);
      g_assert_cmpint (q[i].dead, ==, wanted.dead);
    }
}

/* As records and as bytes, which have been linked to structures before there were records. */
static void
test_records_run (void)
{
  g_autofree Particle *p = make_particles ();
  g_autofree char *record = dup_text ("[1000]"), *bounded = dup_text ("[<=1000]");
  const char *const specs[] = { record, bounded, "u8[1000,64]", "u8[64000]", "u8[<=1000,64]" };

  g_assert_cmpuint (sizeof *p, ==, 64);
  for (guint i = 0; i < G_N_ELEMENTS (specs); i++)
    {
      g_autofree char *lines = g_strdup_printf ("a = app spec=%s\nb = app\n"
                                                "a -> upload -> kernel source=records.cu entry=move dt=0.5 -> readback "
                                                "-> b\n",
                                                specs[i]);
      g_autoptr (GBytes) result = run_well (lines, p, N * sizeof *p);

      g_test_message ("%s", specs[i]);
      assert_moved (result, p);
    }
}

static void
test_records_go_on (void)
{
  g_autofree Particle *p = make_particles ();
  g_autofree char *record = dup_text ("[1000]");
  g_autofree char *lines = g_strdup_printf ("a = app spec=%s\nb = app\n"
                                            "a -> upload -> kernel source=records.cu entry=move dt=0.5 -> map "
                                            "expr=x.pos.1*k+x.spin.0.up k=3 -> readback -> b\n",
                                            record);
  g_autoptr (GBytes) result = run_well (lines, p, N * sizeof *p);
  const float *y = g_bytes_get_data (result, NULL);

  g_assert_cmpuint (g_bytes_get_size (result), ==, N * sizeof *y);
  for (guint i = 0; i < N; i++)
    {
      Particle q;

      move (&p[i], &q, 0.5f);
      g_assert_cmpfloat (y[i], ==, q.pos[1] * 3.0f + (float) q.spin[0].up);
    }
}

/* One output of records for each number; and bytes, where the next node takes no others. */
static void
test_records_come_of_numbers (void)
{
  float x[50];

  for (guint i = 0; i < 50; i++)
    x[i] = (float) i;
  for (guint bytes = 0; bytes < 2; bytes++)
    {
      g_autofree char *lines = g_strdup_printf (
        "a = app spec=f32[50]\nb = app\na -> upload -> kernel source=records.cu entry=weigh -> readback%s "
        "-> b\n",
        bytes ? " in=u8" : "");
      g_autoptr (GBytes) result = run_well (lines, x, sizeof x);
      const Particle *q = g_bytes_get_data (result, NULL);

      g_assert_cmpuint (g_bytes_get_size (result), ==, 50 * sizeof *q);
      for (guint i = 0; i < 50; i++)
        g_assert_true (q[i].mass == x[i] && q[i].pos[2] == 0 && q[i].spin[1].rate == 0);
    }
}

static const char *const dtypes[] = { "u8",  "i8",  "u16",  "i16",    "u32",    "i32", "u64",  "i64", "f16",
                                      "f32", "f64", "bf16", "f8e4m3", "f8e5m2", "c64", "c128", "bool" };

static gsize
size_of (const char *dtype)
{
  return leat_dtype_get_size (leat_dtype_from_name (dtype));
}

/* A record with a field of each type: each where its type may be, or without any space. */
static LeatSpec *
make_record_of_all (gboolean packed)
{
  g_autoptr (GString) text = g_string_new ("{pad:u8");
  guint64 end = 1;

  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      gsize size = size_of (dtypes[i]);

      end = packed ? end : (end + size - 1) / size * size;
      g_string_append_printf (text, ",f_%s:%s@%" G_GUINT64_FORMAT, dtypes[i], dtypes[i], end);
      end += size;
    }
  g_string_append_printf (text, ",@%" G_GUINT64_FORMAT "}[%u]", packed ? end : (end + 15) / 16 * 16, N);
  return leat_spec_parse (text->str, NULL);
}

/* No NaN: small numbers in each byte. */
static guint8 *
make_bytes (gsize size)
{
  guint8 *data = g_malloc (size);

  for (gsize k = 0; k < size; k++)
    data[k] = (guint8) (k * 7 % 50);
  return data;
}

/* Both ways: a field that is taken, and one that gets what an array has. */
static void
check_field (LeatSpec *record, const guint8 *data, const char *dtype)
{
  g_autofree char *text = leat_spec_to_string (record, LEAT_SPEC_STYLE_FILE), *name = g_strconcat ("f_", dtype, NULL);
  g_autofree char *take =
    g_strdup_printf ("a = app spec=%s\nb = app\na -> upload -> map expr=x.%s -> readback -> b\n", text, name);
  g_autofree char *put = g_strdup_printf ("a = app spec=%s\nb = app\nu = upload\nm = map inputs=x,y expr=y into=%s\n"
                                          "a -> u -> m.x\nu -> map expr=x.%s -> m.y\nm -> map expr=1 into=pad -> "
                                          "readback -> b\n",
                                          text, name, name);
  gsize size = size_of (dtype), bytes = leat_spec_get_item_bytes (record);
  g_autofree guint8 *wanted = g_malloc (N * size), *whole = g_memdup2 (data, N * bytes);
  g_autoptr (LeatSpec) field = NULL;
  g_autoptr (GBytes) taken = NULL, changed = NULL;
  guint64 offset;

  field = leat_spec_find_field (record, name, &offset, NULL);
  for (guint k = 0; k < N; k++)
    {
      memcpy (wanted + k * size, data + k * bytes + offset, size);
      if (g_str_equal (dtype, "bool"))
        wanted[k] = whole[k * bytes + offset] = wanted[k] != 0;
      whole[k * bytes] = 1;
    }
  taken = run_well (take, data, N * bytes);
  g_assert_cmpmem (g_bytes_get_data (taken, NULL), g_bytes_get_size (taken), wanted, N * size);
  changed = run_well (put, data, N * bytes);
  g_assert_cmpmem (g_bytes_get_data (changed, NULL), g_bytes_get_size (changed), whole, N * bytes);
}

static void
test_records_map_takes_and_gives_fields (void)
{
  for (guint packed = 0; packed < 2; packed++)
    {
      g_autoptr (LeatSpec) record = make_record_of_all (packed);
      g_autofree guint8 *data = make_bytes (leat_spec_get_bytes (record));

      /* Each is three kernels to compile, so the types take turns; f32 is in both. */
      for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
        if (i % 2 == packed || g_str_equal (dtypes[i], "f32"))
          {
            g_test_message ("%s, packed %u", dtypes[i], packed);
            check_field (record, data, dtypes[i]);
          }
    }
}

static void
test_records_map_takes_fields_of_two (void)
{
  const struct
  {
    gint32 a;
    float b;
  } data[3] = { { 1, 0.5f }, { 2, 1.5f }, { 3, -2 } };
  g_autoptr (GBytes) result =
    run_well ("a = app spec={a:i32,b:f32}[3]\nb = app\nu = upload\nm = map inputs=n,x expr=x.b*n+x.a type=f32\n"
              "a -> u -> m.x\nu -> map expr=x.a+1 -> m.n\nm -> readback -> b\n",
              data, sizeof data);

  g_assert_cmpmem (g_bytes_get_data (result, NULL), g_bytes_get_size (result), ((float[]){ 2, 6.5f, -5 }), 12);
}

/* Two texts with types of one name, one of them aligned, and the functions that read a packed field. */
static void
test_records_in_a_megakernel (void)
{
  static const char packed[] = "\1\0\0\200\77\2\0\0\0\100"; /* { 1, 1.0f }, { 2, 2.0f } */
  g_autofree Particle *p = make_particles ();
  g_autofree char *record = dup_text ("[1000]");
  g_autofree char *lines = g_strdup_printf ("a = app spec=%s\nb = app\n"
                                            "m = megakernel {\n"
                                            "  move = kernel source=records.cu entry=move dt=0.5\n"
                                            "  in.p -> move -> map expr=x.mass+x.s type=f64 -> out.y\n"
                                            "}\n"
                                            "a -> upload -> m.p\nm.y -> readback -> b\n",
                                            record);
  g_autoptr (GBytes) result = run_well (lines, p, N * sizeof *p), sums = NULL;
  const double *y = g_bytes_get_data (result, NULL);

  for (guint i = 0; i < N; i++)
    {
      Particle q;

      move (&p[i], &q, 0.5f);
      g_assert_cmpfloat (y[i], ==, q.mass + q.s);
    }
  sums = run_well ("a = app spec={k:u8,v:f32}[2]\nb = app\n"
                   "m = megakernel {\n"
                   "  sum = map inputs=x,y expr=x+y\n"
                   "  in.p -> map expr=x.v -> sum.x\n"
                   "  in.p -> map expr=x.v+x.k -> sum.y\n"
                   "  sum -> out.s\n"
                   "}\n"
                   "a -> upload -> m.p\nm.s -> readback -> b\n",
                   packed, 10);
  g_assert_cmpmem (g_bytes_get_data (sums, NULL), g_bytes_get_size (sums), ((float[]){ 3, 6 }), 8);
}

/* Nodes that move rows move records as well. */
static void
test_records_are_moved (void)
{
  g_autofree Particle *p = make_particles ();
  g_autofree char *spec = dup_text ("[1000]");
  static const struct
  {
    const char *lines;
    guint first, step; /* of the records that come, by number */
    gboolean backwards, all;
  } table[] = {
    { "u -> map expr=999-x.mass*4 type=u32 -> g.at\ng = gather\nu -> g.items\ng -> readback -> b\n", 999, 1, TRUE,
      TRUE },
    { "u -> map expr=-x.mass -> s.keys\ns = sort\nu -> s.values\ns.carried -> readback -> b\ns.sorted -> readback -> "
      "discard\n",
      999, 1, TRUE, TRUE },
    { "u -> map expr=999-x.mass*4 type=u32 -> s.at\ns = scatter size=1000\nu -> s.items\ns -> readback -> b\n", 999, 1,
      TRUE, TRUE },
    { "u -> map expr=(x.tag&1)==1 type=u8 -> c.flags\nc = compact by=flags\nu -> c.x\nc.out -> readback -> b\n", 1, 2,
      FALSE, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autofree char *lines =
        g_strdup_printf ("a = app spec=%s\nb = app\nu = upload\na -> u\n%s", spec, table[i].lines);
      g_autoptr (GBytes) result = run_well (lines, p, N * sizeof *p);
      const Particle *q = g_bytes_get_data (result, NULL);
      gsize n = g_bytes_get_size (result) / sizeof *q;

      g_test_message ("%s", table[i].lines);
      g_assert_cmpuint (n, ==, table[i].all ? N : N / 2);
      for (guint k = 0; k < n; k++)
        {
          guint from = table[i].backwards ? table[i].first - k : table[i].first + table[i].step * k;

          g_assert_cmpmem (&q[k], sizeof *q, &p[from], sizeof *p);
        }
    }
}

static void
test_records_refused (void)
{
  static const char *const table[][2] = {
    { "app spec={pos:f32[3],mass:f64@16}[4] + upload + kernel source=records.cu entry=move dt=1",
      "field 2 is mass:f64@16 and mass:f32@12" },
    { "app spec={pos:f32[3]}[4] + upload + kernel source=records.cu entry=move dt=1",
      "field 2, mass:f32@12, is in one of them only" },
    { "app spec=f32[4] + upload + kernel source=records.cu entry=move dt=1",
      "give it records with these fields there, as NumPy's structured arrays are" },
    { "app spec={a:f32,b:f32}[4] + upload + kernel source=records.cu entry=weigh",
      "take a field of it, as with \"map expr=x.a type=f32\" right before kernel" },
    { "app spec={a:f32,b:f32}[4] + upload + reduce", "and numbers are expected, not records: take a field before, as "
                                                     "with map expr=x.a" },
    { "app spec={a:f32[2],b:f32}[4] + upload + reduce", "as with map expr=x.a.0" },
    { "app spec={p:{a:f32[2,3]}[4],b:f32}[4] + upload + map expr=2*x", "take a field, as x.p.0.a.0.0" },
    { "app spec={a:f32,b:f32}[4] + upload + scan", "numbers are expected, not records" },
    { "app spec={a:f32,b:f32}[4] + upload + sort", "numbers are expected, not records" },
    { "app spec={a:f32,b:f32}[4] + upload + unique", "numbers are expected, not records" },
    { "app spec={a:f32,b:f32}[4] + upload + histogram min=0 max=1 bins=2", "numbers are expected, not records" },
    { "app spec={a:f32,b:f32}[4] + upload + partition where=x>1", "numbers are expected, not records" },
    { "app spec={a:f32,b:f32}[4] + upload + compact where=x>1", "it does not look into records: let map make flags of "
                                                                "them, as with expr=x.a>0 type=bool" },
    { "app spec={a:f32,b:f32}[4] + upload + compact where=x.a>1", "a field is taken by map" },
    { "app spec={a:f32,b:f32}[4] + upload + map expr=2*x",
      "column 3: input \"x\" is {a:f32,b:f32}[4]: take a field, as "
      "x.a" },
    { "app spec={a:f32,b:f32}[4] + upload + map expr=2*x.c",
      "column 3: input \"x\" is {a:f32,b:f32}[4]: no field \"c\" "
      "(there are a and b)" },
    { "app spec={a:f32[2],b:f32}[4] + upload + map expr=x.a", "f32[2] is an array: a place from .0 to .1 comes next" },
    { "app spec={p:{a:f32}}[4] + upload + map expr=x.p", "x.p is a record; take a field of it, as x.p.a" },
    { "app spec=f32[4] + upload + map expr=x.a", "it has no fields" },
    { "app spec=f32[4] + upload + map expr=x+p.gain p=1",
      "p.gain is a field, and what stands before the dot is none of "
      "the inputs; set inputs=" },
    { "app spec={a:f32,b:f32}[4] + upload + map expr=x.a%2", "% takes whole numbers, and its left side is float" },
    { "app spec={a:f32[2],b:f32}[4] + upload + map expr=x.b into=a",
      "into=a: input \"x\" is {a:f32[2],b:f32}[4]: f32[2] "
      "is an array" },
    { "app spec={a:f32,b:f32}[4] + upload + map expr=x.b into=c", "no field \"c\" (there are a and b)" },
    { "app spec={a:{c:f32},b:f32}[4] + upload + map expr=x.b into=a", "that is a record; name a field of it" },
    { "app spec=f32[4] + upload + map expr=x into=a",
      "into=a: input \"x\" is f32[4]: no field \"a\" (it has no fields)" },
    { "app spec={a:f32,b:f32}[4] + upload + map expr=x.b into=a type=f32", "leave type=f32 out" },
    { "app spec={a:u8,b:c64}[4] + upload + map expr=x.b into=a", "the value is complex, and the result, u8, is not" },
    { "state init=1 spec={a:f32,b:f32}[4] + readback", "init=1 is not a number that a record holds; for other than 0 "
                                                       "use path=" },
  };
  g_autofree char *path = write_kernel (), *folder = g_path_get_dirname (path), *old = g_get_current_dir ();

  g_assert_no_errno (g_chdir (folder));
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autofree char *text = g_strconcat (table[i][0], " + discard", NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_TERMINAL, NULL, &error);
      g_autoptr (LeatPlan) plan = pipeline != NULL ? leat_plan_new (pipeline, &error) : NULL;

      g_test_message ("%s", text);
      g_assert_null (plan);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, table[i][1]));
    }
  g_assert_no_errno (g_chdir (old));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/records/have-the-layout-of-c", test_records_have_the_layout_of_c);
  g_test_add_func ("/leat/records/run", test_records_run);
  g_test_add_func ("/leat/records/go-on", test_records_go_on);
  g_test_add_func ("/leat/records/come-of-numbers", test_records_come_of_numbers);
  g_test_add_func ("/leat/records/map/takes-and-gives-fields", test_records_map_takes_and_gives_fields);
  g_test_add_func ("/leat/records/map/takes-fields-of-two", test_records_map_takes_fields_of_two);
  g_test_add_func ("/leat/records/in-a-megakernel", test_records_in_a_megakernel);
  g_test_add_func ("/leat/records/are-moved", test_records_are_moved);
  g_test_add_func ("/leat/records/refused", test_records_refused);
  return g_test_run ();
}

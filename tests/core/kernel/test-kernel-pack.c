/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <leat.h>

#include "kernel/leat-kernel-source-private.h"

#include <stddef.h>

/* Where the fields of a record are if its structure is packed or aligned, as this test's own compiler has it. */

#pragma pack(push, 1)
struct one
{
  guint8 a;
  float b;
};
#pragma pack(push, 4)
#pragma pack(pop)
struct outer
{
  guint8 a;
  float b;
};
#pragma pack(pop)
#pragma pack(2)
struct two
{
  guint8 a;
  float b;
};
#pragma pack()
struct plain
{
  guint8 a;
  float b;
};
struct __attribute__ ((packed)) attribute
{
  guint8 a;
  float b;
};
struct __attribute__ ((packed, aligned (4))) both
{
  guint8 a;
  float b;
};
struct __attribute__ ((aligned (2 * 8))) wide
{
  guint8 a;
  float b;
};

#define FIELDS " { unsigned char a; float b; };\n"

static const struct
{
  const char *text;
  gsize offset, bytes;
} rows[] = {
  { "#pragma pack(push, 1)\nstruct P" FIELDS "#pragma pack(pop)\n", offsetof (struct one, b), sizeof (struct one) },
  { "#pragma pack (push, 1)\n#  pragma pack(push, name, 4)\n#pragma pack(pop)\nstruct P" FIELDS "#pragma pack(pop)\n",
    offsetof (struct outer, b), sizeof (struct outer) },
  { "#pragma pack(2)\nstruct P" FIELDS, offsetof (struct two, b), sizeof (struct two) },
  { "#pragma pack(1)\nstruct Q" FIELDS "#pragma pack()\nstruct P" FIELDS, offsetof (struct plain, b),
    sizeof (struct plain) },
  { "#pragma pack(push, 1)\nstruct Q" FIELDS "#pragma pack(pop)\n#pragma unroll\nstruct P" FIELDS
    "#pragma pack(1)\nstruct R" FIELDS,
    offsetof (struct plain, b), sizeof (struct plain) },
  { "struct __attribute__ ((packed)) P" FIELDS, offsetof (struct attribute, b), sizeof (struct attribute) },
  { "struct __attribute__ ((__packed__, __aligned__ (4))) P" FIELDS, offsetof (struct both, b), sizeof (struct both) },
  { "constexpr int N = 8;\nstruct alignas (2 * N) P" FIELDS, offsetof (struct wide, b), sizeof (struct wide) },
  { "struct __align__ (16) P" FIELDS, offsetof (struct wide, b), sizeof (struct wide) },
  { "struct alignas (float4) P" FIELDS, offsetof (struct wide, b), sizeof (struct wide) },
};

static char *
dup_spec (gsize offset, gsize bytes)
{
  g_autofree char *at = offset == 1 ? g_strdup ("") : g_strdup_printf ("@%" G_GSIZE_FORMAT, offset);
  g_autofree char *end = bytes == offset + 4 ? g_strdup ("") : g_strdup_printf (",@%" G_GSIZE_FORMAT, bytes);

  return g_strdup_printf ("{a:u8,b:f32%s%s}", at, end);
}

static void
test_pack_rows (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text =
        g_strconcat (rows[i].text, "__global__ void k (const P *x, float *y) { y[0] = x[0].b; }\n", NULL);
      g_autofree char *spec = dup_spec (rows[i].offset, rows[i].bytes);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);
      const LeatPrototype *prototype;

      g_assert_no_error (error);
      g_test_message ("%s", text);
      prototype = leat_kernel_source_get_prototype (source, "k", &error);
      g_assert_no_error (error);
      g_assert_cmpstr (prototype->params[0].dtype, ==, spec);
      g_assert_cmpuint (prototype->params[0].item_bytes, ==, rows[i].bytes);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel/pack/rows", test_pack_rows);
  return g_test_run ();
}

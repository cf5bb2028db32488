/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-fuzz.h"
#include "leat-npy-header.h"

#include <string.h>

const char *const leat_fuzz_words[] = {
  "'descr'",
  "'shape'",
  "'fortran_order'",
  "False",
  "True",
  "(",
  ")",
  ",",
  ":",
  "{",
  "}",
  "'<f4'",
  "'>u8'",
  "'|O'",
  "'<V2'",
  "'|V1'",
  "'<f1'",
  "'>c16'",
  "'|b1'",
  "'bfloat16'",
  "[",
  "]",
  "('x', '<f4'), ",
  "('', '|V3'), ",
  "('v', '<f4', (3,)), ",
  "('p', [('y', '|u1')], 2), ",
  "-1",
  "18446744073709551615",
  " ",
  "\n",
  "\x93NUMPY",
  NULL,
};

/* What is written of a spec says that spec. */
static void
check_again (LeatSpec *spec)
{
  g_autoptr (GBytes) bytes = leat_npy_header_format (spec);
  g_auto (LeatNpyHeader) header = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatSpec) again = NULL;

  if (!leat_npy_header_parse (&header, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), &error))
    {
      /* Types that the file does not tell from each other, in a record. */
      g_assert_nonnull (strstr (error->message, "V1"));
      return;
    }
  again = leat_npy_header_new_spec (&header, 0, &error);
  g_assert_no_error (error);
  g_assert_true (header.nameless || leat_spec_equal (spec, again));
}

/* A header that is read says sizes that agree with each other, and has a spec or says why not. */
int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatSpec) spec = NULL;
  g_auto (LeatNpyHeader) header = { 0 };
  guint64 bytes;

  if (!leat_npy_header_parse (&header, data, size, &error))
    {
      g_assert_nonnull (error);
      return 0;
    }
  g_assert_no_error (error);
  bytes = header.items != NULL ? leat_spec_get_item_bytes (header.items) : leat_dtype_get_size (header.dtype);
  g_assert_cmpuint (header.n_dims, <=, LEAT_SPEC_MAX_DIMS);
  for (guint i = 0; i < header.n_dims; i++)
    g_assert_true (g_uint64_checked_mul (&bytes, bytes, header.dims[i]));
  g_assert_cmpuint (bytes, ==, header.bytes);
  g_assert_cmpuint (header.offset, <=, size);
  spec = leat_npy_header_new_spec (&header, 0, &error);
  g_assert_cmpint (spec == NULL, ==, error != NULL);
  if (spec == NULL)
    return 0;
  g_assert_cmpuint (leat_spec_get_bytes (spec), ==, header.bytes);
  check_again (spec);
  return 0;
}

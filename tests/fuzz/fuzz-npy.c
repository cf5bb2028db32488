/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-fuzz.h"
#include "leat-npy-header.h"

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
  "-1",
  "18446744073709551615",
  " ",
  "\n",
  "\x93NUMPY",
  NULL,
};

/* A header that is read says sizes that agree with each other, and has a spec or says why not. */
int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatSpec) spec = NULL;
  LeatNpyHeader header = { 0 };
  guint64 bytes;

  if (!leat_npy_header_parse (&header, data, size, &error))
    {
      g_assert_nonnull (error);
      return 0;
    }
  g_assert_no_error (error);
  bytes = leat_dtype_get_size (header.dtype);
  g_assert_cmpuint (header.n_dims, <=, LEAT_SPEC_MAX_DIMS);
  for (guint i = 0; i < header.n_dims; i++)
    g_assert_true (g_uint64_checked_mul (&bytes, bytes, header.dims[i]));
  g_assert_cmpuint (bytes, ==, header.bytes);
  g_assert_cmpuint (header.offset, <=, size);
  spec = leat_npy_header_new_spec (&header, 0, &error);
  g_assert_cmpint (spec == NULL, ==, error != NULL);
  if (spec != NULL)
    g_assert_cmpuint (leat_spec_get_bytes (spec), ==, header.bytes);
  return 0;
}

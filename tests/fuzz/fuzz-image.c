/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-fuzz.h"

#include "kernel/leat-kernel-image-private.h"

#include <string.h>

/* Reading which kernels a compiled file has: bytes of any kind, as the kind that they seem to be and as the others. */

const char *const leat_fuzz_words[] = {
  ".version",  ".entry ",
  ".visible ", ".param ",
  ".u64 ",     ".b8 ",
  ".align ",   "(",
  ")",         "[",
  "]",         ",",
  "//",        "/*",
  "*/",        "_Z4",
  "\177ELF",   "\2",
  "\1",        "\x10",
  "\x12",      "99999999999999999999",
  NULL,
};

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  LeatKernelImageKind seems = leat_kernel_image_find_kind (data, size);

  for (LeatKernelImageKind kind = LEAT_KERNEL_IMAGE_NONE; kind <= LEAT_KERNEL_IMAGE_FATBIN; kind++)
    {
      g_autoptr (GPtrArray) entries = leat_kernel_image_list (kind, data, size);

      g_assert_nonnull (leat_kernel_image_get_title (kind));
      g_assert_true (entries == NULL || kind == LEAT_KERNEL_IMAGE_PTX || kind == LEAT_KERNEL_IMAGE_CUBIN);
      g_assert_true (kind != LEAT_KERNEL_IMAGE_PTX || entries != NULL);
      for (guint i = 0; entries != NULL && i < entries->len; i++)
        {
          const LeatKernelImageEntry *entry = g_ptr_array_index (entries, i);
          g_autofree char *plain = leat_kernel_image_dup_plain (entry->name);

          g_assert_cmpuint (strlen (entry->name), <=, size);
          g_assert_true (plain == NULL || strstr (entry->name, plain) != NULL);
        }
    }
  g_assert_cmpint (seems, <=, LEAT_KERNEL_IMAGE_FATBIN);
  return 0;
}

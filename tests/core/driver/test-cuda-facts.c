/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib.h>

#include "cuda-facts.h"

static void
test_cuda_facts_agree_with_toolkit (void)
{
#ifdef HAVE_CUDA_TOOLKIT
  g_test_message ("cuda.h %d", cuda_facts_toolkit_version);
  g_assert_cmpuint (cuda_facts_n_ours, >, 600);
  g_assert_cmpuint (cuda_facts_n_ours, ==, cuda_facts_n_toolkit);
  for (gsize i = 0; i < cuda_facts_n_ours; i++)
    {
      const CudaFact *ours = &cuda_facts_ours[i];
      const CudaFact *theirs = &cuda_facts_toolkit[i];

      g_assert_cmpstr (ours->name, ==, theirs->name);
      if (ours->value != theirs->value || ours->size != theirs->size || ours->offset != theirs->offset)
        {
          g_test_message (
            "%s: value %" G_GUINT64_FORMAT ", size %zu, offset %zu; the toolkit has %" G_GUINT64_FORMAT ", %zu, %zu",
            ours->name, ours->value, ours->size, ours->offset, theirs->value, theirs->size, theirs->offset);
          g_test_fail ();
        }
    }
#else
  g_test_skip ("no CUDA toolkit 13.0 or newer to compare with");
#endif
}

static void
test_cuda_facts_prototypes_agree_with_toolkit (void)
{
#ifdef HAVE_CUDA_TOOLKIT
  g_assert_cmpuint (cuda_prototypes_n, >, 150);
  for (gsize i = 0; i < cuda_prototypes_n; i++)
    {
      const CudaPrototype *entry = &cuda_prototypes[i];

      if (!entry->version_agrees)
        {
          g_test_message ("%s does not have the signature of version %d", entry->name, entry->version);
          g_test_fail ();
        }
    }
#else
  g_test_skip ("no CUDA toolkit 13.0 or newer to compare with");
#endif
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/cuda/facts/agree-with-toolkit", test_cuda_facts_agree_with_toolkit);
  g_test_add_func ("/leat/cuda/facts/prototypes-agree-with-toolkit", test_cuda_facts_prototypes_agree_with_toolkit);
  return g_test_run ();
}

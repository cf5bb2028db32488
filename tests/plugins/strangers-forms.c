/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stranger.h"

/* The forms that a kernel can be run in, and which of them which kernels cannot take. */

#define MOST_NAMES 20

const StrangerForm stranger_forms[] = {
  { "batch", LEAT_EXECUTOR_GRAPH, 5 },
  { "persistent", LEAT_EXECUTOR_PERSISTENT },
  { "megakernel", LEAT_EXECUTOR_GRAPH, 0, TRUE },
  { "fused", LEAT_EXECUTOR_GRAPH, 0, FALSE, TRUE },
  { NULL },
};

/* What no megakernel can have is not fused by fuse=auto either. */
static const struct
{
  const char *form, *says;
  const char *names[MOST_NAMES];
} refusals[] = {
  { "persistent",
    "its file has variables on the device",
    { "prototypes", "function-pointers", "words", "constants", "variables-given" } },
  { "persistent",
    "it is in a namespace",
    { "template-type-argument", "values-nested", "namespace", "namespace-versions" } },
  { "persistent", "calls itself", { "template-packs", "template-aliases", "overloads", "operators", "recursion" } },
  { "persistent", "there is a goto in it", { "statements" } },
  { "persistent", "a type of its file has a loop", { "shared-in-members", "host-members" } },
  { "persistent", "its blocks may wait for each other", { "clocks" } },
  { "persistent",
    "it asks a header of the CUDA toolkit",
    { "cub-warp-reduce", "cub-warp-scan", "cub-block-reduce", "cub-block-scan", "cub-radix-sort", "cub-load-store",
      "groups-block", "groups-tiles", "groups-coalesced", "groups-grid", "barriers", "pipelines", "matrices" } },
  { "persistent", "there is assembly in it", { "assembly" } },
  { "persistent", "does not compile", { "another-does-not-compile" } },
  { "megakernel",
    "of its file outlives a launch",
    { "prototypes", "function-pointers", "words", "constants", "variables-given" } },
  { "megakernel",
    "asks for blockIdx or gridDim, which only the kernel itself can",
    { "template-constant-condition", "template-traits" } },
  { "megakernel",
    "its file has namespaces",
    { "program-types", "template-type-argument", "values-nested", "namespace", "namespace-using",
      "namespace-versions" } },
  { "megakernel", "a lambda within the kernel asks for its thread or block", { "lambda", "lambda-captures" } },
  { "megakernel", "a type within the kernel asks for its thread or block", { "local-structures" } },
  { "megakernel", "its blocks may wait for each other", { "clocks" } },
  { "megakernel",
    "it asks a header of the CUDA toolkit",
    { "cub-warp-reduce", "cub-warp-scan", "cub-block-reduce", "cub-block-scan", "cub-radix-sort", "cub-load-store",
      "groups-block", "groups-tiles", "groups-coalesced", "barriers", "pipelines", "matrices" } },
  { "megakernel", "it is cooperative", { "groups-grid" } },
  { "megakernel", "there is assembly in it", { "assembly" } },
  { "fused", "they are not over the same items", { "rows" } },
};

const char *
stranger_find_refusal (const Stranger *self, const StrangerForm *form)
{
  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++)
    if ((g_str_equal (refusals[i].form, form->name) || (form->may_fuse && g_str_equal (refusals[i].form, "megakernel")))
        && g_strv_contains (refusals[i].names, self->name))
      return refusals[i].says;
  return NULL;
}

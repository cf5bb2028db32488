/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "primitive-fixture.h"

#include "kernel/leat-image-private.h"
#include "kernel/leat-kernel-source-private.h"
#include "bind/leat-bound-plan-private.h"

/* What the nodes write compiles for a GPU, also where there is none.  With a folder in
 * TEST_PRIMITIVE_TEXTS the texts are left there. */

typedef struct
{
  const char *name, *node, *inputs, *outputs;
  gboolean lanes;
} TestImagesCase;

static const TestImagesCase cases[] = {
  { "reduce-f32", "reduce", "x=f32[1048576]", "out" },
  { "reduce-u8", "reduce", "x=u8[1048576]", "out" },
  { "reduce-argmax", "reduce op=argmax empty=error", "x=f32[<=1000000]", "out", TRUE },
  { "histogram-f32", "histogram min=0 max=1", "x=f32[1048576]", "out" },
  { "histogram-u8", "histogram", "x=u8[1048576]", "out", TRUE },
  { "compact-u32", "compact where=x<500", "x=u32[1048576]", "out", TRUE },
  { "compact-u8", "compact where=x<50", "x=u8[67108864]", "out" },
  { "compact-u32-many", "compact where=x<500", "x=u32[268435456]", "out" },
  { "compact-f64-many", "compact where=x<500", "x=f64[67108864]", "out" },
  { "compact-flags", "compact by=flags", "x=u32[1048576] flags=u8[1048576]", "out" },
  { "scatter", "scatter size=100", "items=f32[50,3] at=u64[50]", "out", TRUE },
  { "scatter-add", "scatter size=100 op=add", "items=i64[50] at=u32[50]", "out" },
  { "scan-f32", "scan", "x=f32[1048576]", "out" },
  { "scan-u32", "scan type=u32", "x=u32[16777216]", "out", TRUE },
  { "scan-rows", "scan op=min by=row mode=exclusive", "x=f64[<=100,5000]", "out", TRUE },
  { "partition", "partition where=x>1", "x=u32[1048576]", "out front", TRUE },
  { "unique", "unique", "x=f32[<=1048576]", "out lengths" },
  { "unique-u8", "unique", "x=u8[1048576]", "out", TRUE },
  { "sort-u32", "sort", "keys=u32[1048576]", "sorted" },
  { "sort-f64", "sort order=descending", "keys=f64[1000000] values=u8[1000000,3]", "sorted carried from", TRUE },
};

static void
test_images_compile_op (const TestImagesCase *c, const LeatOp *op)
{
  LeatImageTarget target = { 0 };
  GError *error = NULL;
  g_autoptr (GBytes) image = NULL;

  leat_image_target_parse ("sm_90", &target, &error);
  g_assert_no_error (error);
  target.wide = c->lanes;
  image = leat_image_get (op->source, &target, &error);
  if (g_error_matches (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER))
    {
      g_test_skip (error->message);
      g_clear_error (&error);
      return;
    }
  g_assert_no_error (error);
  if (g_getenv ("TEST_PRIMITIVE_TEXTS") != NULL)
    {
      g_autofree char *path = g_strdup_printf ("%s/%s.cu", g_getenv ("TEST_PRIMITIVE_TEXTS"), c->name);

      g_file_set_contents (path, leat_kernel_source_get_cuda_text (op->source, NULL), -1, NULL);
    }
}

static void
test_images_compile (gconstpointer data)
{
  const TestImagesCase *c = data;
  GError *error = NULL;
  g_autoptr (LeatPipeline) pipeline = primitive_fixture_parse (c->node, c->inputs, c->outputs, &error);
  g_autoptr (LeatPlan) plan = pipeline != NULL ? leat_plan_new (pipeline, &error) : NULL;

  g_assert_no_error (error);
  for (guint i = 0; i < plan->ops->len; i++)
    if (leat_plan_get_op (plan, i)->kind == LEAT_OP_KERNEL)
      {
        test_images_compile_op (c, leat_plan_get_op (plan, i));
        return; /* a node has one text */
      }
  g_assert_not_reached ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/primitives/images/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_images_compile);
    }
  return g_test_run ();
}

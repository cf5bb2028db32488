/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"

#include <string.h>

/* The node `kernel` with PTX: its ports, its run on a GPU, and what a CPU says to it. */

#define ITEMS 1000

/* y[i] = x[i] * by + offset[0] for i < n, one item a thread.  Written by hand. */
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry scale (.param .u64 px, .param .u64 po, .param .u64 py, .param .u32 pn,\n"
                          "                       .param .f32 pb)\n{\n"
                          "  .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %d<8>; .reg .f32 %f<5>;\n"
                          "  ld.param.u64 %d1, [px]; ld.param.u64 %d2, [py]; ld.param.u64 %d6, [po];\n"
                          "  ld.param.u32 %r1, [pn]; ld.param.f32 %f1, [pb];\n"
                          "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
                          "  mad.lo.u32 %r5, %r2, %r3, %r4;\n  setp.ge.u32 %p, %r5, %r1;\n  @%p bra DONE;\n"
                          "  cvta.to.global.u64 %d1, %d1; cvta.to.global.u64 %d2, %d2; cvta.to.global.u64 %d6, %d6;\n"
                          "  mul.wide.u32 %d3, %r5, 4; add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;\n"
                          "  ld.global.f32 %f2, [%d4]; ld.global.f32 %f4, [%d6];\n"
                          "  mul.rn.f32 %f3, %f2, %f1; add.rn.f32 %f3, %f3, %f4;\n"
                          "  st.global.f32 [%d5], %f3;\nDONE:\n  ret;\n}\n";

#define ENTRY "scale(const f32 *x, const f32 *offset, f32 *y, u32 x_count, f32 by)"

static LeatPipeline *
parse (const char *properties, const char *x, GError **error)
{
  g_autofree char *path = leat_harness_dup_path ("scale.ptx");
  g_autofree char *text = g_strdup_printf (
    "leat 1\nk = kernel source=%s %s\na = app spec=%s\no = app spec=f32[1]\nb = app\na -> upload mode=copy -> k.x\n"
    "o -> upload mode=copy -> k.offset\nk.y -> readback mode=copy -> b\n",
    path, properties, x);

  leat_harness_write_file (path, ptx, sizeof ptx - 1);
  return leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, error);
}

/* All that needs no device: what the ports are, and that there is a plan. */
static void
test_kernel_image_plans (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = parse ("entry=\"" ENTRY "\" by=2 block=128", "f32[1000]", &error);
  g_autoptr (LeatPlan) plan = NULL;
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  plan = leat_plan_new (pipeline, &error);
  g_assert_no_error (error);
  text = leat_plan_to_text (plan);
  if (strstr (text, "scale grid 8x1x1 block 128x1x1") == NULL)
    g_error ("no grid in\n%s", text);
}

/* On a GPU each run is beside C; a CPU says what to do. */
static void
test_kernel_image_runs (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = parse ("entry=\"" ENTRY "\" by=2.5", "f32[1000]", &error);
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (LeatDevice) device = leat_device_open (NULL, NULL);
  gboolean is_cpu = device == NULL || leat_device_is_cpu (device);

  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  if (!leat_session_open (session, NULL, &error))
    {
      g_assert_true (is_cpu);
      g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILE);
      g_assert_nonnull (
        strstr (error->message, "scale.ptx is PTX, which runs on a GPU only: use a device such as cuda:0"));
      g_assert_nonnull (strstr (error->message, "kernel \"k\""));
      return;
    }
  g_assert_false (is_cpu);
  for (guint run = 0; run < 3; run++)
    {
      float x[ITEMS], offset = (float) run;
      g_autoptr (GBytes) items = NULL, one = g_bytes_new (&offset, sizeof offset), result = NULL;
      const float *y;

      for (guint i = 0; i < ITEMS; i++)
        x[i] = (float) (i * 7 + run) / 8.0f;
      items = g_bytes_new (x, sizeof x);
      leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)), items, &error);
      leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "o", NULL)), one, &error);
      g_assert_cmpint (leat_session_replay (session, TRUE, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      result = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "b", NULL)), 0, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (g_bytes_get_size (result), ==, sizeof x);
      y = g_bytes_get_data (result, NULL);
      for (guint i = 0; i < ITEMS; i++)
        {
          volatile float product = x[i] * 2.5f;

          g_assert_cmpfloat (y[i], ==, product + offset);
        }
    }
  leat_session_close (session);
}

static void
test_kernel_image_refuses (void)
{
  static const struct
  {
    const char *properties, *x, *says;
  } rows[] = {
    { "", "f32[1000]", "write the prototype, as in entry=\"k(const f32 *x, f32 *y, u32 n)\"; it has scale" },
    { "entry=scale", "f32[1000]", "write the prototype" },
    { "entry=\"scales(f32 *y)\"", "f32[1000]", "no kernel \"scales\" (did you mean \"scale\"?)" },
    { "entry=\"scale(const f32 *x, const f32 *offset, f32 *y)\"", "f32[1000]", "has 5 parameters, and entry= says 3" },
    { "entry=\"scale(const f32 *x, const f32 *offset, f32 *y, u64 x_count, f32 by)\" by=1", "f32[1000]",
      "parameter 4 of kernel \"scale\" has 4 bytes" },
    { "entry=\"" ENTRY "\"", "f32[1000]", "parameter \"by\" (float) of scale is not set" },
    { "entry=\"" ENTRY "\" by=1", "f32[<=1000]",
      "kernel scale came compiled and takes \"x_count\" by value, and how many items \"x\" (f32[<=1000]) has is known "
      "on "
      "the device alone; link data of a fixed shape, or give the kernel as CUDA C" },
    { "entry=\"" ENTRY "\" by=1", "i32[1000]", "f32" },
    { "entry=\"" ENTRY "\" by=1 fp=fast", "f32[1000]", "fp=fast: " },
    { "entry=\"" ENTRY "\" by=1 defines=N=1", "f32[1000]", "came compiled, so this has no effect any more" },
    { "entry=\"" ENTRY "\" by=1 variables=n=1", "f32[1000]", "variables=n=1: " },
    { "entry=\"" ENTRY "\" by=1 block=measured", "f32[1000]", "came compiled, so its text cannot be looked at" },
    { "entry=\"" ENTRY "\" by=1 clear=z", "f32[1000]", "no output \"z\"; its outputs: y" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatPipeline) pipeline = parse (rows[i].properties, rows[i].x, &error);
      g_autoptr (LeatPlan) plan = pipeline != NULL ? leat_plan_new (pipeline, &error) : NULL;

      g_assert_null (plan);
      g_assert_nonnull (error);
      g_test_message ("%s", error->message);
      if (strstr (error->message, rows[i].says) == NULL)
        g_error ("%s: \"%s\" does not say \"%s\"", rows[i].properties, error->message, rows[i].says);
    }
}

/* It is not joined with others: asked for it is an error, and by itself it stays apart. */
static void
test_kernel_image_is_not_fused (void)
{
  g_autofree char *path = leat_harness_dup_path ("scale.ptx");
  g_autofree char *text = g_strdup_printf (
    "leat 1\nm = megakernel {\n  k = kernel source=%s entry=\"" ENTRY "\" by=1\n  s = map expr=x+1\n  in.x -> k.x\n"
    "  in.o -> k.offset\n  k.y -> s -> out.y\n}\na = app spec=f32[8]\no = app spec=f32[1]\nb = app\n"
    "a -> upload -> m.x\no -> upload -> m.o\nm.y -> readback -> b\n",
    path);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatPlan) plan = NULL;

  leat_harness_write_file (path, ptx, sizeof ptx - 1);
  pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  plan = leat_plan_new (pipeline, &error);
  g_assert_null (plan);
  g_assert_nonnull (strstr (error->message, "it came compiled, and only text can be joined: put it outside"));
}

int
main (int argc, char **argv)
{
  int code;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/base/kernel/image/plans", test_kernel_image_plans);
  g_test_add_func ("/leat/base/kernel/image/runs", test_kernel_image_runs);
  g_test_add_func ("/leat/base/kernel/image/refuses", test_kernel_image_refuses);
  g_test_add_func ("/leat/base/kernel/image/is-not-fused", test_kernel_image_is_not_fused);
  code = g_test_run ();
  leat_harness_remove_files ();
  return code;
}

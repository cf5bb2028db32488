/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "megakernel-fixture.h"

#include <string.h>

/* check=true: a kernel that touches other items than its access= says is told, with who is to blame. */

/* Who says that it touches its own items alone and does not is told. */
static void
check_wrong (const char *entry)
{
  const float x[4] = { 1, 2, 3, 4 };
  g_autofree char *text =
    g_strdup_printf (MEGAKERNEL_HEAD "m = megakernel check=true {\n"
                                     "  a = map expr=x*2\n"
                                     "  wrong = kernel source=KERNELS entry=%s access=elementwise\n"
                                     "  in.x -> a -> wrong -> out.y\n"
                                     "}\n" MEGAKERNEL_TAIL ("f32[4]"),
                     entry);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  Megakernel one;

  megakernel_open (&one, text);
  bytes = megakernel_run (&one, x, 4, &error);
  g_assert_null (bytes);
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "\"wrong\" says access=elementwise and touches another item"));
  megakernel_close (&one);
}

/* And who says that it goes on with what its own block did, in each run anew; a run without the fault is good. */
static void
test_megakernel_checks_blocks (void)
{
  static const char *const nodes[] = { "turn access=block", "far k=256 access=block", "far k=-256 access=elementwise" };

  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    {
      g_autofree char *text = g_strdup_printf (MEGAKERNEL_HEAD "m = megakernel check=true {\n"
                                                               "  a = kernel source=KERNELS entry=tile access=block\n"
                                                               "  wrong = kernel source=KERNELS entry=%s\n"
                                                               "  b = kernel source=KERNELS entry=tile access=block\n"
                                                               "  in.x -> a -> wrong -> b -> out.y\n"
                                                               "}\n" MEGAKERNEL_TAIL ("f32[5000]"),
                                               nodes[i]);
      g_autofree char *said = g_strdup_printf ("\"wrong\" says %s and reads an item that its block has not written",
                                               strstr (nodes[i], "access="));
      g_autofree float *x = g_new0 (float, MEGAKERNEL_ITEMS);
      Megakernel one;

      megakernel_open (&one, text);
      for (guint round = 0; round < 3; round++)
        {
          g_autoptr (GError) error = NULL;
          g_autoptr (GBytes) bytes = NULL;
          gboolean good = round == 1 && i > 0;

          if (i > 0)
            g_assert_true (leat_node_set_arg_int64 (leat_pipeline_get_node (one.pipeline, "wrong", NULL), "k",
                                                    good     ? 0
                                                    : i == 1 ? 256
                                                             : -256,
                                                    &error));
          bytes = megakernel_run (&one, x, MEGAKERNEL_ITEMS, &error);
          if (good)
            g_assert_no_error (error);
          else
            g_assert_nonnull (error);
          g_assert_true (good || strstr (error->message, said) != NULL);
        }
      megakernel_close (&one);
    }
}

/* Who leaves items to other blocks is blamed, and not who reads its own. */
static void
test_megakernel_checks_writes (void)
{
  g_autofree float *x = g_new0 (float, MEGAKERNEL_ITEMS);
  Megakernel one;

  megakernel_open (&one, MEGAKERNEL_HEAD "m = megakernel check=true {\n"
                                         "  a = map expr=x*2\n"
                                         "  wrong = kernel source=KERNELS entry=aside k=1 access=block\n"
                                         "  b = map expr=x+1\n"
                                         "  in.x -> a -> wrong -> b -> out.y\n"
                                         "}\n" MEGAKERNEL_TAIL ("f32[5000]"));
  for (guint round = 0; round < 4; round++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) bytes = NULL;

      g_assert_true (
        leat_node_set_arg_int64 (leat_pipeline_get_node (one.pipeline, "wrong", NULL), "k", round % 2 == 0, &error));
      bytes = megakernel_run (&one, x, MEGAKERNEL_ITEMS, &error);
      if (round % 2 == 1)
        g_assert_no_error (error);
      else if (error == NULL
               || strstr (error->message,
                          "kernel \"wrong\" says access=block, and an item that map \"b\" reads was not "
                          "written by the block that has its number: ")
                    == NULL)
        g_error ("\"%s\" does not blame who wrote", error != NULL ? error->message : "");
    }
  megakernel_close (&one);
}

/* What is read behind a barrier may be anybody's. */
static void
test_megakernel_checks_no_more (void)
{
  g_autofree float *x = g_new0 (float, MEGAKERNEL_ITEMS);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  Megakernel one;

  megakernel_open (&one, MEGAKERNEL_HEAD "m = megakernel check=true {\n"
                                         "  a = kernel source=KERNELS entry=tile access=block\n"
                                         "  b = kernel source=KERNELS entry=tile access=block\n"
                                         "  c = kernel source=KERNELS entry=far k=64 block=128 access=block\n"
                                         "  d = kernel source=KERNELS entry=far k=0 block=128 access=block\n"
                                         "  f = kernel source=KERNELS entry=far k=0 block=64\n"
                                         "  in.x -> a -> b -> f -> out.z\n"
                                         "  a -> c -> d -> out.y\n"
                                         "}\n" MEGAKERNEL_TAIL ("f32[5000]") "m.z -> readback -> discard\n");
  bytes = megakernel_run (&one, x, MEGAKERNEL_ITEMS, &error);
  g_assert_no_error (error);
  megakernel_close (&one);
}

/* What cannot be seen is said. */
static void
test_megakernel_says_unchecked (void)
{
  static const struct
  {
    const char *node, *said;
  } rows[] = {
    { "kernel source=KERNELS entry=along access=block", "kernel \"c\" uses x otherwise than as x[...]" },
    { "kernel source=KERNELS entry=guard k=1 access=elementwise", "kernel \"c\" uses x otherwise than as x[...]" },
    { "kernel source=KERNELS entry=pairs grid=20 access=elementwise",
      "the items of x in kernel \"c\" are not plain numbers" },
    { "kernel source=KERNELS entry=tile access=block", NULL },
  };

  for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
    {
      g_autofree char *text = g_strdup_printf (MEGAKERNEL_HEAD "m = megakernel check=true {\n"
                                                               "  a = map expr=x*2\n"
                                                               "  c = %s\n"
                                                               "  in.x -> a -> c -> out.y\n"
                                                               "}\n" MEGAKERNEL_TAIL ("f32[2500,2]"),
                                               rows[r].node);
      g_autofree char *plan_text = NULL;
      g_autoptr (LeatMessage) message = NULL;
      g_autoptr (LeatPlan) plan = NULL;
      Megakernel one;

      megakernel_open (&one, text);
      plan = leat_session_dup_plan (one.session);
      plan_text = leat_plan_to_text (plan);
      message = leat_bus_pop (leat_pipeline_get_bus (one.pipeline), 0);
      if (rows[r].said == NULL)
        {
          g_assert_null (strstr (plan_text, "not checked: "));
          g_assert_null (message);
        }
      else
        {
          g_autofree char *line = g_strconcat ("  not checked: ", rows[r].said, "\n", NULL);
          g_autofree char *told =
            g_strconcat ("check=true cannot tell what kernel \"c\" takes of what \"a\" hands on: ", rows[r].said, NULL);

          if (strstr (plan_text, line) == NULL)
            g_error ("%s does not say \"%s\"", plan_text, line);
          g_assert_nonnull (message);
          g_assert_nonnull (strstr (leat_message_get_error (message)->message, told));
        }
      megakernel_close (&one);
    }
}

static void
test_megakernel_checks_access (void)
{
  const float x[4] = { 1, 2, 3, 4 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) good = NULL;
  Megakernel one;

  check_wrong ("next");
  check_wrong ("other");
  megakernel_open (&one, MEGAKERNEL_HEAD "m = megakernel check=true {\n"
                                         "  a = map expr=x*2\n"
                                         "  b = map expr=x+1\n"
                                         "  in.x -> a -> b -> out.y\n"
                                         "}\n" MEGAKERNEL_TAIL ("f32[4]"));
  good = megakernel_run (&one, x, 4, &error);
  g_assert_no_error (error);
  g_assert_nonnull (good);
  megakernel_close (&one);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  megakernel_files_make ();
  g_test_add_func ("/leat/session/megakernel/checks-access", test_megakernel_checks_access);
  g_test_add_func ("/leat/session/megakernel/checks-blocks", test_megakernel_checks_blocks);
  g_test_add_func ("/leat/session/megakernel/checks-writes", test_megakernel_checks_writes);
  g_test_add_func ("/leat/session/megakernel/checks-no-more", test_megakernel_checks_no_more);
  g_test_add_func ("/leat/session/megakernel/says-unchecked", test_megakernel_says_unchecked);
  status = g_test_run ();
  megakernel_files_remove ();
  return status;
}

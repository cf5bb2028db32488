/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* --compare: finds the first node, run, iteration and item in which two ways to run a pipeline differ.  Results are
 * compared first, with all else as it always is; only if they differ, every output is kept and compared. */

#include "leat-compare.h"

#include "leat-compare-pass.h"

static const char *const leat_compare_titles[] = {
  [LEAT_COMPARE_CPU] = "on the CPU",
  [LEAT_COMPARE_EAGER] = "eager",
  [LEAT_COMPARE_UNFUSED] = "unfused",
  [LEAT_COMPARE_UNOPTIMISED] = "unoptimised",
};

/* FALSE where both would be one way. */
static gboolean
leat_compare_choose_ways (const LeatLaunchOptions *options, LeatCompareWay *ways, GError **error)
{
  LeatCompare compare = options->wrong.compare;
  const char *option = NULL;

  ways[0] = (LeatCompareWay){ "here", options->device, options->executor, options->fuse, options->optimise };
  ways[1] = ways[0];
  ways[1].title = leat_compare_titles[compare];
  switch (compare)
    {
    case LEAT_COMPARE_CPU:
      ways[1].device = "cpu";
      ways[1].executor = LEAT_EXECUTOR_AUTO;
      option = g_strcmp0 (options->device, "cpu") == 0 ? "--device=cpu" : NULL;
      break;
    case LEAT_COMPARE_EAGER:
      /* With auto, the first runs may be eager. */
      ways[0].executor = options->executor == LEAT_EXECUTOR_AUTO ? LEAT_EXECUTOR_GRAPH : options->executor;
      ways[1].executor = LEAT_EXECUTOR_EAGER;
      option = options->executor == LEAT_EXECUTOR_EAGER ? "--executor=eager" : NULL;
      break;
    case LEAT_COMPARE_UNFUSED:
      ways[0].fuse = options->fuse == LEAT_FUSE_MODE_OFF ? LEAT_FUSE_MODE_AUTO : options->fuse;
      ways[1].fuse = LEAT_FUSE_MODE_NEVER;
      option = options->fuse == LEAT_FUSE_MODE_NEVER ? "--fuse=never" : NULL;
      break;
    default:
      ways[1].optimise = FALSE;
      option = options->optimise ? NULL : "--optimise=off";
    }
  if (option != NULL)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                 "--compare with %s would do the same twice: leave one of the two out", option);
  return option == NULL;
}

/* Only the device says whether there is a GPU. */
static gboolean
leat_compare_check_device (const LeatLaunchOptions *options, GError **error)
{
  g_autoptr (LeatDevice) device = NULL;

  if (options->wrong.compare != LEAT_COMPARE_CPU)
    return TRUE;
  device = leat_device_open (options->device, error);
  if (device == NULL)
    return FALSE;
  if (!g_str_equal (leat_device_get_id (device), "cpu"))
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
               "--compare=cpu holds a GPU against the CPU, and the device here is the CPU: run it where a GPU is, or "
               "compare with eager, unfused or unoptimised");
  return FALSE;
}

/* The first iteration in which data differ.  A limit of the loop makes each the last one, whose data can be seen.  A
 * difference that such a limit makes vanish is left with the run alone. */
static gboolean
leat_compare_find_iteration (const LeatLaunchOptions *options, const LeatCompareWay *ways, LeatCompareFound *found,
                             guint64 *iteration, GError **error)
{
  guint64 alike = 0, differs = found->iterations;

  *iteration = 0;
  if (found->loop == NULL || found->iterations == 0)
    return TRUE;
  while (differs - alike > (*iteration > 0))
    {
      const LeatCompareLimit limit = { found->loop, *iteration == 0 ? differs : alike + (differs - alike) / 2 };
      g_auto (LeatCompareFound) probe = { FALSE };

      if (!leat_compare_pass (&probe, options, ways, LEAT_COMPARE_ALL, &limit, error))
        return FALSE;
      if (probe.found && probe.runs <= found->runs && g_strcmp0 (probe.loop, found->loop) == 0)
        {
          LeatCompareFound former = *found;

          probe.iterations = former.iterations;
          *found = probe;
          probe = former;
          *iteration = differs = limit.most;
        }
      else if (*iteration == 0)
        return TRUE;
      else
        alike = limit.most;
    }
  return TRUE;
}

static void
leat_compare_print (const LeatCompareFound *found, const LeatCompareWay *ways, guint64 iteration)
{
  const char *const titles[] = { ways[0].title, ways[1].title };
  g_autofree char *round = iteration > 0
                             ? g_strdup_printf (", iteration %" G_GUINT64_FORMAT " of \"%s\"", iteration, found->loop)
                             : g_strdup ("");
  g_autofree char *text = NULL;

  if (found->failure != NULL)
    {
      leat_tool_print_line ("run %" G_GUINT64_FORMAT " fails %s, and not %s: %s", found->runs, titles[found->failed],
                            titles[1 - found->failed], found->failure);
      return;
    }
  text = leat_difference_to_text (&found->difference, titles);
  leat_tool_print_line ("run %" G_GUINT64_FORMAT "%s: %s \"%s\" gives other data at %s: %s", found->runs, round,
                        found->id, found->node, found->port, text);
}

/* What each node gives differs nowhere, though the results did. */
static void
leat_compare_print_vanished (const LeatCompareFound *results, const LeatCompareWay *ways)
{
  leat_compare_print (results, ways, 0);
  leat_tool_print_line (
    "no difference where all outputs are kept: a kernel may read what nobody wrote, or write behind "
    "an end; run with LEAT_POISON=1");
}

static LeatExit
leat_compare_name (const LeatLaunchOptions *options, const LeatCompareWay *ways, const LeatCompareFound *results,
                   GError **error)
{
  const LeatCompareLimit none = { NULL, 0 };
  g_auto (LeatCompareFound) found = { FALSE };
  guint64 iteration = 0;

  if (!leat_compare_pass (&found, options, ways, LEAT_COMPARE_ALL, &none, error)
      || !leat_compare_find_iteration (options, ways, &found, &iteration, error))
    return leat_tool_exit_from_error (*error);
  if (found.found)
    leat_compare_print (&found, ways, iteration);
  else
    leat_compare_print_vanished (results, ways);
  if (found.found && found.failure == NULL)
    leat_tool_print_line ("all that comes before it is the same; --dump=%s.%s@%" G_GUINT64_FORMAT " writes its data",
                          found.node, found.port, found.runs);
  return LEAT_EXIT_FAILED;
}

LeatExit
leat_launch_compare (const LeatLaunchOptions *options)
{
  const LeatCompareLimit none = { NULL, 0 };
  g_autoptr (GError) error = NULL;
  g_auto (LeatCompareFound) results = { FALSE };
  LeatCompareWay ways[2];
  LeatExit code = LEAT_EXIT_OK;

  if (!leat_compare_choose_ways (options, ways, &error) || !leat_compare_check_device (options, &error))
    return error->domain == G_OPTION_ERROR ? leat_tool_report_usage ("%s", error->message)
                                           : (leat_tool_report (error), leat_tool_exit_from_error (error));
  if (!leat_compare_pass (&results, options, ways, LEAT_COMPARE_RESULTS, &none, &error))
    code = leat_tool_exit_from_error (error);
  else if (results.found)
    code = leat_compare_name (options, ways, &results, &error);
  else
    leat_tool_print_line ("the same %s and %s: %" G_GUINT64_FORMAT " item%s of %u result%s in %" G_GUINT64_FORMAT
                          " run%s",
                          ways[0].title, ways[1].title, results.items, results.items == 1 ? "" : "s", results.n_outputs,
                          results.n_outputs == 1 ? "" : "s", results.runs, results.runs == 1 ? "" : "s");
  if (error != NULL)
    leat_tool_report (error);
  return code;
}

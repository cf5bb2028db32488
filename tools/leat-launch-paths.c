/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-launch-paths.h"

#include "graph/leat-plugin-private.h"

#include <stdlib.h>
#include <sys/stat.h>

typedef struct
{
  const char *option;
  const char *path; /* NULL: not asked for */
} LeatLaunchPath;

/* What names a file that is there or could be; NULL for streams and devices. (transfer full) */
static char *
leat_launch_path_resolve (const char *path)
{
  g_autofree char *folder = NULL, *name = NULL, *real = NULL;
  struct stat info;

  if (path == NULL || g_str_equal (path, "-"))
    return NULL;
  if (stat (path, &info) == 0)
    return S_ISREG (info.st_mode) ? realpath (path, NULL) : NULL;
  folder = g_path_get_dirname (path);
  name = g_path_get_basename (path);
  real = realpath (folder, NULL);
  return real != NULL ? g_build_filename (real, name, NULL) : NULL;
}

static gboolean
leat_launch_path_is (const LeatLaunchPath *self, const char *other)
{
  g_autofree char *mine = leat_launch_path_resolve (self->path);
  g_autofree char *theirs = leat_launch_path_resolve (other);
  struct stat a, b;

  if (mine == NULL || theirs == NULL)
    return FALSE;
  return g_str_equal (mine, theirs)
         || (stat (mine, &a) == 0 && stat (theirs, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

static gboolean
leat_launch_path_check_node (const LeatLaunchPath *self, LeatNode *node, GError **error)
{
  g_autofree GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (node), NULL);

  for (guint i = 0; specs[i] != NULL; i++)
    {
      const LeatProp *prop = leat_prop_from_pspec (specs[i]);
      g_autofree char *given = NULL, *path = NULL;

      if (prop == NULL || prop->type != LEAT_PROP_PATH)
        continue;
      g_object_get (node, prop->name, &given, NULL);
      if (given == NULL || g_str_equal (given, "-"))
        continue;
      path = leat_node_dup_path (node, prop->name);
      if (!leat_launch_path_is (self, path))
        continue;
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                   "%s=%s would write over \"%s\" of node \"%s\": name another file", self->option, self->path,
                   prop->name, leat_node_get_name (node));
      return FALSE;
    }
  return TRUE;
}

static gboolean
leat_launch_path_check (const LeatLaunchPath *self, const LeatLaunchOptions *options, LeatPipeline *pipeline,
                        GError **error)
{
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (pipeline);

  if (leat_launch_options_is_file (options) && leat_launch_path_is (self, options->words[0]))
    {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                   "%s=%s would write over the pipeline: name another file", self->option, self->path);
      return FALSE;
    }
  for (guint i = 0; i < nodes->len; i++)
    if (!leat_launch_path_check_node (self, nodes->pdata[i], error))
      return FALSE;
  return TRUE;
}

gboolean
leat_launch_check_paths (const LeatLaunchOptions *options, LeatPipeline *pipeline, GError **error)
{
  const LeatLaunchPath paths[] = { { "--stats-file", options->stats_path },
                                   { "--trace", options->trace_path },
                                   { "--dot", options->dot_path != NULL ? options->dot_path : options->plan_path } };

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      if (!leat_launch_path_check (&paths[i], options, pipeline, error))
        return FALSE;
      for (guint j = 0; j < i; j++)
        if (leat_launch_path_is (&paths[i], paths[j].path))
          {
            g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                         "%s and %s cannot both write to %s: name two files", paths[j].option, paths[i].option,
                         paths[i].path);
            return FALSE;
          }
    }
  return TRUE;
}

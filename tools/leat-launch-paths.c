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
leat_launch_path_check_pipeline (const LeatLaunchPath *self, const LeatLaunchText *text, LeatPipeline *pipeline,
                                 GError **error)
{
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (pipeline);

  if (text->is_file && leat_launch_path_is (self, text->words[0]))
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

static gboolean
leat_launch_path_check (const LeatLaunchPath *self, const LeatLaunchOptions *options, const GPtrArray *pipelines,
                        GError **error)
{
  for (guint i = 0; i < pipelines->len; i++)
    if (!leat_launch_path_check_pipeline (self, options->texts->pdata[i], pipelines->pdata[i], error))
      return FALSE;
  return TRUE;
}

/* What a source or sink reads or writes; NULL: nothing that has a name. (transfer full) */
static char *
leat_launch_path_dup_file (LeatNode *node, gboolean source)
{
  GParamSpec *property = g_object_class_find_property (G_OBJECT_GET_CLASS (node), "path");
  g_autofree char *given = NULL;

  if (!LEAT_IS_ENDPOINT (node) || leat_endpoint_is_source (LEAT_ENDPOINT (node)) != source || property == NULL
      || property->value_type != G_TYPE_STRING)
    return NULL;
  g_object_get (node, "path", &given, NULL);
  return given != NULL && !g_str_equal (given, "-") ? leat_node_dup_path (node, "path") : g_steal_pointer (&given);
}

/* Does a source, or else a sink, of one of @pipelines before number @end have @path? */
static gboolean
leat_launch_paths_are_used (const GPtrArray *pipelines, guint end, const char *path, gboolean source)
{
  const LeatLaunchPath self = { NULL, path };
  gboolean stream = g_str_equal (path, "-");

  for (guint i = 0; i < end; i++)
    {
      g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (pipelines->pdata[i]);

      for (guint n = 0; n < nodes->len; n++)
        {
          g_autofree char *other = leat_launch_path_dup_file (nodes->pdata[n], source);

          if (other != NULL && (stream ? g_str_equal (other, "-") : leat_launch_path_is (&self, other)))
            return TRUE;
        }
    }
  return FALSE;
}

/* Two that write one file, of which only one would be left, and two that read standard input, each some of it. */
static gboolean
leat_launch_check_shared (const LeatLaunchOptions *options, const GPtrArray *pipelines, guint index, GError **error)
{
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (pipelines->pdata[index]);
  const LeatLaunchText *text = options->texts->pdata[index];

  for (guint i = 0; i < nodes->len; i++)
    {
      g_autofree char *in = leat_launch_path_dup_file (nodes->pdata[i], TRUE);
      g_autofree char *out = leat_launch_path_dup_file (nodes->pdata[i], FALSE);

      if (in != NULL && g_str_equal (in, "-") && leat_launch_paths_are_used (pipelines, index, in, TRUE))
        g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                     "%s: another pipeline reads standard input too: name a file", text->name);
      else if (out != NULL && !g_str_equal (out, "-") && leat_launch_paths_are_used (pipelines, index, out, FALSE))
        g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                     "%s: another pipeline writes %s too: name another file", text->name, out);
      else
        continue;
      return FALSE;
    }
  return TRUE;
}

gboolean
leat_launch_check_paths (const LeatLaunchOptions *options, const GPtrArray *pipelines, GError **error)
{
  const LeatLaunchPath paths[] = { { "--stats-file", options->stats_path },
                                   { "--trace", options->trace_path },
                                   { "--dot", options->dot_path != NULL ? options->dot_path : options->plan_path } };

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      if (!leat_launch_path_check (&paths[i], options, pipelines, error))
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
  for (guint i = 1; i < pipelines->len; i++)
    if (!leat_launch_check_shared (options, pipelines, i, error))
      return FALSE;
  return TRUE;
}

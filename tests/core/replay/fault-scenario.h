/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

/* Sessions of the example graphs, from the first call to the last. */
typedef struct _FaultScenario FaultScenario;

struct _FaultScenario
{
  const char *name;
  /* Adds each result to @outputs (GBytes) as it comes. FALSE with an error: then nothing came but what was added. */
  gboolean (*drive) (const FaultScenario *self, LeatExecutor executor, GPtrArray *outputs, GError **error);
  const char *text;     /* of the pipeline, with GRAPHS for the folder of the graphs */
  gsize bytes;          /* of an input */
  const char *arg_node; /* whose argument is changed, or NULL */
  const char *arg;
  gboolean memo;      /* can its results be remembered? */
  const char *file;   /* of the graph */
  const char *suffix; /* of its files */
};

extern const FaultScenario fault_scenarios[];
extern const guint fault_n_scenarios;

/* A folder for the files. */
void fault_scenario_init (const char *folder);

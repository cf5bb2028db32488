/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

/* Sessions of the example graphs, from the first call to the last. */

/* A property that is set while the session is open. */
typedef struct
{
  const char *node, *prop, *value;
  gsize bytes; /* of an input from then on; 0: as before */
} FaultChange;

typedef struct
{
  const char *name;
  const char *text;     /* of the pipeline, with GRAPHS for the folder of the graphs */
  gsize bytes;          /* of an input */
  const char *arg_node; /* whose argument is changed, or NULL */
  const char *arg;
  gboolean keeps_nothing;     /* from run to run */
  gboolean minds_data;        /* a kernel reports what is not a number: memory that nobody has filled will not do */
  const char *first;          /* takes what was uploaded; NULL: foreign work cannot come between */
  const FaultChange *changes; /* up to one without a node */
  gboolean binds;             /* the program brings the memory of source and sink */
  const char *file;           /* of the graph */
  const char *out;            /* what it writes, when it goes from file to file; else NULL */
  const char *in;             /* what it reads, or NULL */
  const char *also;           /* the variable that names another file of the kind of @out, or NULL */
  const char *set[3];         /* other variables, up to NULL */
} FaultScenario;

/* One way to use a session. */
typedef struct _FaultPart FaultPart;

/* What one is made with, and what comes of it. */
typedef struct
{
  const FaultScenario *scenario;
  const FaultPart *part;
  LeatExecutor executor;
  GPtrArray *outputs; /* GBytes, each as it comes */

  LeatPipeline *pipeline;
  LeatSession *session;
  LeatApp *source, *sink;
  gsize bytes;       /* of an input, now */
  guint64 n_opening; /* driver calls until it was open */
  gboolean given_up; /* a change could not be taken over, and the session had failed after that */
} FaultDrive;

struct _FaultPart
{
  const char *name;
  /* FALSE with an error: then nothing came but what is in the outputs. */
  gboolean (*drive) (FaultDrive *self, GError **error);
  gboolean (*suits) (const FaultScenario *scenario); /* NULL: any with app nodes */
  const char *prop;                                  /* of the session, or NULL */
  int value;                                         /* of it */
  gboolean replans;                                  /* with graphs that not every run takes */
  gboolean opens_as_others;                          /* no use in making the calls of the opening fail once more */
  gboolean foreign;                                  /* does such work come between? */
  const char *outside;                               /* why it is not captured; NULL: it is */
};

/* Runs on memory of the program's: on the host, pinned for it, and in buffers on the device. */
gboolean fault_drive_bound (FaultDrive *self, GError **error);
gboolean fault_drive_bound_buffers (FaultDrive *self, GError **error);

/* Anything, another for each @seed. */
void fault_fill (guint8 *bytes, gsize n, guint seed);

extern const FaultPart fault_parts[];
extern const guint fault_n_parts;
extern const FaultScenario fault_scenarios[];
extern const guint fault_n_scenarios;

/* @folder: for the files. */
void fault_scenario_init (const char *folder);
gboolean fault_part_suits (const FaultPart *self, const FaultScenario *scenario);
/* From the pipeline to the end of the session. */
gboolean fault_drive_run (FaultDrive *self, GError **error);

char *fault_scenario_dup_text (const FaultScenario *self);
/* From file to file. @outputs: the paths of what it writes, two where there is one more */
LeatPipeline *fault_scenario_parse_file (const FaultScenario *self, char **outputs);

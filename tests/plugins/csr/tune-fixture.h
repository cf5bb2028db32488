/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "csr-graphs.h"
#include "primitive-fixture.h"

G_BEGIN_DECLS

/* `csr:bfs` that measures its limits, in graphs of as many vertices and different numbers of edges. */

#define TUNE_AXES    2
#define TUNE_LIMITS  6
#define TUNE_ENTRIES 8

/* As kernels/bfs-tune.cu has it. */
typedef struct
{
  guint64 key, used, runs, work, steps, missed, choice[TUNE_AXES], ns[TUNE_AXES][TUNE_LIMITS];
} TuneEntry;

typedef struct
{
  guint64 magic, runs;
  TuneEntry entries[TUNE_ENTRIES];
} TuneTable;

typedef enum
{
  TUNE_GRID,
  TUNE_PATH,
  TUNE_ONE_WAY, /* a path */
  TUNE_GRAPHS
} TuneGraph;

/* Words of the output `limits`. */
enum
{
  TUNE_IS_ALONE,
  TUNE_IS_FROM,
  TUNE_IS_UNTIL,
  TUNE_IS_DENSITY,
  TUNE_IS_RUNS,
  TUNE_IS_TRIED,
  TUNE_IS_WORDS
};

typedef struct
{
  CsrGraph graphs[TUNE_GRAPHS]; /* with memory for as many edges as the grid has */
  guint64 densities[TUNE_GRAPHS];
  guint64 limits[TUNE_IS_WORDS]; /* of the last search */
  PrimitiveFixture fixture;
} TuneFixture;

/* In place of g_test_init (). (transfer full): the folder that the cache is in */
char *tune_fixture_init (int *argc, char ***argv);
/* That goes. Gives @status. */
int tune_fixture_end (const char *cache, int status);
/* With nothing learned before; with what was. @props: of the node */
void tune_fixture_open (TuneFixture *self, const char *props);
void tune_fixture_open_again (TuneFixture *self, const char *props);
void tune_fixture_close (TuneFixture *self);
/* From vertices @first to @first + @n - 1; its levels are right. */
void tune_fixture_search (TuneFixture *self, TuneGraph graph, guint first, guint n);
TuneTable tune_fixture_load (TuneFixture *self);
void tune_fixture_store (TuneFixture *self, const TuneTable *table);
/* (transfer full): where what was learned lies */
char *tune_fixture_dup_folder (void);
/* (transfer full) (nullable): the one file in it */
char *tune_fixture_dup_path (void);

G_END_DECLS

/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "foreign-node.h"

/* Calls that a capture forbids, or that would not be in the graph.  Outside of a capture each is legal. */
typedef struct
{
  const char *name;
  PlantedCall plant;
  const char *call; /* which call is named; NULL: none */
  gboolean careful; /* only seen where the node looks at what its calls return */
} PlantedCase;

extern const PlantedCase planted_cases[];
extern const guint n_planted_cases;

/* Through @table, with the device's context current. */
void planted_set_up (Planted *planted, const LeatDriverTable *table);
void planted_clear (Planted *planted, const LeatDriverTable *table);

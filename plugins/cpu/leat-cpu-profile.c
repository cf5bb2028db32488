/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The description of the device: the default, replaced in part by LEAT_CPU_PROFILE.  It is made once and never
 * changes. */

#include "leat-cpu-profile.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "leat-cpu-engine.h"

typedef enum
{
  LEAT_CPU_FIELD_UINT,
  LEAT_CPU_FIELD_BYTES32, /* a gsize */
  LEAT_CPU_FIELD_BYTES64,
  LEAT_CPU_FIELD_BOOLEAN
} LeatCpuFieldType;

typedef struct
{
  const char *name;
  LeatCpuFieldType type;
  gsize offset;
} LeatCpuField;

#define LEAT_CPU_FIELD(name, type, field)                                                                              \
  {                                                                                                                    \
    name, LEAT_CPU_FIELD_##type, offsetof (LeatCpuProfile, field)                                                      \
  }

static const LeatCpuField leat_cpu_fields[] = {
  LEAT_CPU_FIELD ("multiprocessors", UINT, multiprocessors),
  LEAT_CPU_FIELD ("blocks-per-multiprocessor", UINT, blocks_per_multiprocessor),
  LEAT_CPU_FIELD ("threads-per-multiprocessor", UINT, threads_per_multiprocessor),
  LEAT_CPU_FIELD ("threads-per-block", UINT, max_threads_per_block),
  LEAT_CPU_FIELD ("grid-x", UINT, max_grid[0]),
  LEAT_CPU_FIELD ("grid-y", UINT, max_grid[1]),
  LEAT_CPU_FIELD ("grid-z", UINT, max_grid[2]),
  LEAT_CPU_FIELD ("block-x", UINT, max_block[0]),
  LEAT_CPU_FIELD ("block-y", UINT, max_block[1]),
  LEAT_CPU_FIELD ("block-z", UINT, max_block[2]),
  LEAT_CPU_FIELD ("shared", BYTES32, shared_per_block),
  LEAT_CPU_FIELD ("shared-optin", BYTES32, shared_per_block_optin),
  LEAT_CPU_FIELD ("shared-per-multiprocessor", BYTES32, shared_per_multiprocessor),
  LEAT_CPU_FIELD ("memory", BYTES64, memory_bytes),
  LEAT_CPU_FIELD ("async-engines", UINT, async_engines),
  LEAT_CPU_FIELD ("integrated", BOOLEAN, integrated),
};

/* The limits that all CUDA devices of today share. */
#define LEAT_CPU_COMMON_LIMITS                                                                                         \
  .warp_size = 32, .max_threads_per_block = 1024, .max_block = { 1024, 1024, 64 },                                     \
  .max_grid = { 2147483647, 65535, 65535 }, .shared_per_block = 48 * 1024

static const struct
{
  const char *key;
  LeatCpuProfile profile;
} leat_cpu_named_profiles[] = {
  { "h100",
    { .name = "Leat CPU as H100",
      .cc_major = 9,
      .cc_minor = 0,
      .multiprocessors = 132,
      .blocks_per_multiprocessor = 32,
      .threads_per_multiprocessor = 2048,
      .shared_per_block_optin = 227 * 1024,
      .shared_per_multiprocessor = 228 * 1024,
      .memory_bytes = G_GUINT64_CONSTANT (80) << 30,
      .async_engines = 3,
      LEAT_CPU_COMMON_LIMITS } },
  { "laptop",
    { .name = "Leat CPU as laptop",
      .cc_major = 8,
      .cc_minor = 6,
      .multiprocessors = 16,
      .blocks_per_multiprocessor = 16,
      .threads_per_multiprocessor = 1536,
      .shared_per_block_optin = 99 * 1024,
      .shared_per_multiprocessor = 100 * 1024,
      .memory_bytes = G_GUINT64_CONSTANT (4) << 30,
      .async_engines = 2,
      LEAT_CPU_COMMON_LIMITS } },
  { "small",
    { .name = "Leat CPU as small device",
      .cc_major = 5,
      .cc_minor = 0,
      .multiprocessors = 2,
      .blocks_per_multiprocessor = 4,
      .threads_per_multiprocessor = 1024,
      .shared_per_block_optin = 48 * 1024,
      .shared_per_multiprocessor = 64 * 1024,
      .memory_bytes = G_GUINT64_CONSTANT (256) << 20,
      .async_engines = 1,
      LEAT_CPU_COMMON_LIMITS } },
};

static LeatCpuProfile leat_cpu_profile;
static gboolean leat_cpu_profile_valid = TRUE;
static pthread_once_t leat_cpu_profile_once = PTHREAD_ONCE_INIT;

static LeatCpuProfile
leat_cpu_profile_new_default (void)
{
  guint workers = leat_cpu_engine_get_workers ();
  LeatCpuProfile profile = {
    .name = "Leat CPU",
    .cc_major = 8,
    .cc_minor = 0,
    .multiprocessors = workers,
    .blocks_per_multiprocessor = 1,
    .threads_per_multiprocessor = 1024,
    .shared_per_block_optin = 163 * 1024,
    .shared_per_multiprocessor = 164 * 1024,
    .memory_bytes = (guint64) sysconf (_SC_PHYS_PAGES) * (guint64) sysconf (_SC_PAGESIZE),
    .async_engines = 2,
    .integrated = TRUE,
    LEAT_CPU_COMMON_LIMITS,
  };

  return profile;
}

gboolean
leat_cpu_profile_parse_bytes (const char *text, guint64 *value)
{
  static const char units[] = "KMGT";
  char *end;
  const char *unit;

  *value = g_ascii_strtoull (text, &end, 10);
  if (end == text)
    return FALSE;
  if (*end == '\0')
    return TRUE;
  unit = strchr (units, g_ascii_toupper (*end));
  if (unit == NULL || end[1] != '\0')
    return FALSE;
  *value <<= 10 * (guint) (unit - units + 1);
  return TRUE;
}

static gboolean
leat_cpu_profile_set_field (LeatCpuProfile *profile, const LeatCpuField *field, const char *text)
{
  guint64 value;
  void *where = (char *) profile + field->offset;

  if (!leat_cpu_profile_parse_bytes (text, &value))
    return FALSE;
  if (field->type == LEAT_CPU_FIELD_BYTES64)
    *(guint64 *) where = value;
  else if (field->type == LEAT_CPU_FIELD_BYTES32)
    *(gsize *) where = value;
  else if (value > G_MAXINT)
    return FALSE;
  else if (field->type == LEAT_CPU_FIELD_BOOLEAN)
    *(gboolean *) where = value != 0;
  else
    *(guint *) where = (guint) value;
  return TRUE;
}

static gboolean
leat_cpu_profile_set (LeatCpuProfile *profile, const char *key, const char *value)
{
  if (strcmp (key, "name") == 0)
    {
      profile->name = g_strdup (value);
      return TRUE;
    }
  if (strcmp (key, "cc") == 0)
    return sscanf (value, "%u.%u", &profile->cc_major, &profile->cc_minor) == 2;
  for (guint i = 0; i < G_N_ELEMENTS (leat_cpu_fields); i++)
    if (strcmp (key, leat_cpu_fields[i].name) == 0)
      return leat_cpu_profile_set_field (profile, &leat_cpu_fields[i], value);
  return FALSE;
}

static gboolean
leat_cpu_profile_take_named (LeatCpuProfile *profile, const char *key)
{
  for (guint i = 0; i < G_N_ELEMENTS (leat_cpu_named_profiles); i++)
    if (strcmp (key, leat_cpu_named_profiles[i].key) == 0)
      {
        *profile = leat_cpu_named_profiles[i].profile;
        return TRUE;
      }
  return FALSE;
}

static void
leat_cpu_profile_load (void)
{
  const char *text = g_getenv ("LEAT_CPU_PROFILE");
  g_auto (GStrv) parts = g_strsplit (text != NULL ? text : "", ",", -1);

  leat_cpu_profile = leat_cpu_profile_new_default ();
  for (guint i = 0; parts[i] != NULL; i++)
    {
      g_auto (GStrv) pair = g_strsplit (parts[i], "=", 2);

      if (pair[0] == NULL || *pair[0] == '\0')
        continue;
      if (pair[1] != NULL ? leat_cpu_profile_set (&leat_cpu_profile, pair[0], pair[1])
                          : leat_cpu_profile_take_named (&leat_cpu_profile, pair[0]))
        continue;
      g_printerr ("LEAT_CPU_PROFILE: cannot understand \"%s\"; use h100, laptop, small, or name=, cc=9.0, "
                  "multiprocessors=, memory=1G and the other fields that the documentation lists\n",
                  parts[i]);
      leat_cpu_profile_valid = FALSE;
    }
}

const LeatCpuProfile *
leat_cpu_profile_get (void)
{
  pthread_once (&leat_cpu_profile_once, leat_cpu_profile_load);
  return &leat_cpu_profile;
}

gboolean
leat_cpu_profile_is_valid (void)
{
  leat_cpu_profile_get ();
  return leat_cpu_profile_valid;
}

/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "leat-cuda.h"
#include "leat-driver-error.h"

G_BEGIN_DECLS

/* Every call that Leat makes to a device goes through one of these tables, as (*table->cuX) (...): a trace may start or
 * stop while other threads call, so each function is written, and must be read, in one piece.  Without the star GCC
 * reads it as if it were not atomic. */
typedef struct
{
#define LEAT_ENTRY(group, need, name, exported, version, params, args) CUresult (*_Atomic name) params;
#include "leat-driver-entries.h"
} LeatDriverTable;

typedef enum
{
#define LEAT_ENTRY(group, need, name, exported, version, params, args) LEAT_DRIVER_ENTRY_##name,
#include "leat-driver-entries.h"
  LEAT_DRIVER_N_ENTRIES
} LeatDriverEntry;

typedef enum
{
  LEAT_DRIVER_CUDA,
  LEAT_DRIVER_CPU,
} LeatDriverKind;

/* A device's attributes and limits, read once. */
typedef struct
{
  guint ordinal;
  CUdevice device;
  int driver_version; /* 12040 for 12.4 */
  char name[256];
  char pci_bus_id[32]; /* empty where there is none */
  guint8 uuid[16];
  guint compute_major;
  guint compute_minor;
  guint64 memory_bytes;
  guint multiprocessors;
  guint warp_size;
  guint max_threads_per_block;
  guint max_threads_per_multiprocessor;
  guint max_blocks_per_multiprocessor;
  guint max_registers_per_block;
  guint max_block[3];
  guint max_grid[3];
  guint max_shared_per_block;       /* without asking for more */
  guint max_shared_per_block_optin; /* with CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
  guint max_shared_per_multiprocessor;
  guint l2_bytes;
  guint async_engines;
  gboolean concurrent_kernels;
  gboolean cooperative_launch;
  gboolean integrated;
  gboolean can_map_host;
  gboolean unified_addressing;
  gboolean memory_pools;
  gboolean stream_priorities;
  gboolean exclusive; /* compute mode lets in one process only */
  gboolean prohibited;
} LeatDeviceFacts;

/* An opened driver library, one per file, never unloaded. */
typedef struct _LeatDriver LeatDriver;

/* Opens @path (a name for the dynamic linker, or a file), or gives the one that is open already. (transfer none) */
LeatDriver *leat_driver_open (LeatDriverKind kind, const char *path, GError **error);
LeatDriverKind leat_driver_get_kind (LeatDriver *self);
const char *leat_driver_get_path (LeatDriver *self);
int leat_driver_get_version (LeatDriver *self);
guint leat_driver_get_device_count (LeatDriver *self);
/* Stays at one address; its functions change when a trace starts or stops. */
const LeatDriverTable *leat_driver_get_table (LeatDriver *self);
gboolean leat_driver_probe (LeatDriver *self, guint ordinal, LeatDeviceFacts *facts, GError **error);

/* Choice of a driver and a device by text: "auto" (or NULL: LEAT_DEVICE, else auto), "cuda:N", "cuda", "cpu". */
typedef struct
{
  LeatDriver *driver;
  guint ordinal;
  const char *note; /* one line for the user when auto did not take a CUDA device, or NULL; static */
} LeatDriverChoice;

gboolean leat_driver_select (const char *selector, LeatDriverChoice *choice, GError **error);
/* The library of the CPU driver: LEAT_CPU_DRIVER, else beside the plugins. (transfer full) */
char *leat_driver_find_cpu (GError **error);

const char *leat_driver_entry_get_name (LeatDriverEntry entry);
const char *leat_driver_entry_get_group (LeatDriverEntry entry);

/* Counts calls; with @log also keeps their order (the first LEAT_DRIVER_TRACE_LOG of them).  Other threads may call the
 * driver meanwhile: a call that is under way at the start or the stop is counted or not.  Costs nothing while off;
 * allocates nothing while on.  As there are two places, a third driver takes that of a trace that has stopped, which is
 * for when no call is under way on that one. */
#define LEAT_DRIVER_TRACE_LOG 65536

gboolean leat_driver_trace_start (LeatDriver *self, gboolean log, GError **error);
void leat_driver_trace_stop (LeatDriver *self); /* counts and log stay until another driver needs the place */
void leat_driver_trace_reset (LeatDriver *self);
guint64 leat_driver_trace_get_count (LeatDriver *self, LeatDriverEntry entry);
/* But for what threads did between these two: setting up and trying out is nothing that a run does. */
guint64 leat_driver_trace_get_run_count (LeatDriver *self, LeatDriverEntry entry);
void leat_driver_trace_begin_aside (void);
void leat_driver_trace_end_aside (void);
guint64 leat_driver_trace_get_run_total (LeatDriver *self); /* the same of all entries */
/* The logged calls in order, "cuMemAlloc cuMemFree", for messages and tests. (transfer full) */
char *leat_driver_trace_print (LeatDriver *self);
/* Copies at most @max logged entries to @entries; returns how many were logged. */
guint leat_driver_trace_get_log (LeatDriver *self, LeatDriverEntry *entries, guint max);

/* "CUDA_ERROR_INVALID_VALUE"; never NULL. */
const char *leat_driver_get_result_name (const LeatDriverTable *table, CUresult result);
LeatDriverError leat_driver_error_from_result (CUresult result);
/* After such a result the context of the whole process is unusable. */
gboolean leat_driver_result_is_sticky (CUresult result);
/* "CALL for WHAT: CUDA_ERROR_X (the driver's text)". Always returns FALSE, so that a failing function can return it. */
gboolean leat_driver_set_error (GError **error, const LeatDriverTable *table, const char *call, CUresult result,
                                const char *format, ...) G_GNUC_PRINTF (5, 6);
gboolean leat_driver_set_error_valist (GError **error, const LeatDriverTable *table, const char *call, CUresult result,
                                       const char *format, va_list args) G_GNUC_PRINTF (5, 0);

G_END_DECLS

/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* NVTX is a protocol and no library: a profiler says in NVTX_INJECTION64_PATH what to load, and that puts its functions
 * into the tables that it is shown here.  Each table is an array of places for functions, by a fixed number, the first
 * unused and a NULL behind the last. */

#include "leat-nvtx-private.h"

#include <dlfcn.h>

#define LEAT_NVTX_VARIABLE (sizeof (gpointer) == 8 ? "NVTX_INJECTION64_PATH" : "NVTX_INJECTION32_PATH")
#define LEAT_NVTX_ENTRY    "InitializeInjectionNvtx2"
#define LEAT_NVTX_MOST     16 /* of the greatest table, with the unused one */
#define LEAT_NVTX_VERSION  3

enum
{
  LEAT_NVTX_TABLE_CALLBACKS = 1,
  LEAT_NVTX_TABLE_VERSION = 3,
};

enum
{
  LEAT_NVTX_CORE = 1,
  LEAT_NVTX_CUDA = 2,
  LEAT_NVTX_N_MODULES = 7,
};

/* The numbers of what is used of them. */
enum
{
  LEAT_NVTX_CORE_RANGE_PUSH = 9,
  LEAT_NVTX_CORE_RANGE_POP = 11,
  LEAT_NVTX_CUDA_NAME_STREAM = 5,
};

typedef void (*LeatNvtxFunction) (void);
typedef const void *(*LeatNvtxGetTable) (guint32 id);
typedef int (*LeatNvtxInitialize) (LeatNvtxGetTable get_table);

typedef struct
{
  gsize size;
  int (*get_module_table) (int module, LeatNvtxFunction ***table, unsigned int *n_places);
} LeatNvtxCallbacks;

typedef struct
{
  gsize size;
  guint32 version;
  guint32 reserved;
  void (*set_tool_version) (guint32 version);
} LeatNvtxVersionInfo;

LeatNvtx leat_nvtx;

/* How many places a module has, with the unused one: core, CUDA, OpenCL, CUDA runtime, core 2, sync. */
static const guint leat_nvtx_sizes[LEAT_NVTX_N_MODULES] = { 0, 16, 9, 15, 7, 16, 7 };
static LeatNvtxFunction leat_nvtx_functions[LEAT_NVTX_N_MODULES][LEAT_NVTX_MOST];
static LeatNvtxFunction *leat_nvtx_places[LEAT_NVTX_N_MODULES][LEAT_NVTX_MOST + 1];

static int
leat_nvtx_get_module_table (int module, LeatNvtxFunction ***table, unsigned int *n_places)
{
  if (module <= 0 || module >= LEAT_NVTX_N_MODULES)
    return FALSE;
  for (guint i = 1; i < leat_nvtx_sizes[module]; i++)
    leat_nvtx_places[module][i] = &leat_nvtx_functions[module][i];
  if (table != NULL)
    *table = leat_nvtx_places[module];
  if (n_places != NULL)
    *n_places = leat_nvtx_sizes[module];
  return TRUE;
}

static void
leat_nvtx_set_tool_version (guint32 version)
{
  g_debug ("a tool for NVTX %u is attached", version);
}

static const void *
leat_nvtx_get_table (guint32 id)
{
  static const LeatNvtxCallbacks callbacks = { sizeof callbacks, leat_nvtx_get_module_table };
  static const LeatNvtxVersionInfo info = { sizeof info, LEAT_NVTX_VERSION, 0, leat_nvtx_set_tool_version };

  if (id == LEAT_NVTX_TABLE_CALLBACKS)
    return &callbacks;
  return id == LEAT_NVTX_TABLE_VERSION ? &info : NULL;
}

/* A push without a pop, or the other way round, would be worse than none. */
static void
leat_nvtx_take (void)
{
  LeatNvtxFunction *core = leat_nvtx_functions[LEAT_NVTX_CORE];

  if (core[LEAT_NVTX_CORE_RANGE_PUSH] == NULL || core[LEAT_NVTX_CORE_RANGE_POP] == NULL)
    return;
  leat_nvtx.name_stream =
    (void (*) (CUstream, const char *)) leat_nvtx_functions[LEAT_NVTX_CUDA][LEAT_NVTX_CUDA_NAME_STREAM];
  leat_nvtx.pop = (int (*) (void)) core[LEAT_NVTX_CORE_RANGE_POP];
  leat_nvtx.push = (int (*) (const char *)) core[LEAT_NVTX_CORE_RANGE_PUSH];
}

static void
leat_nvtx_attach (const char *path)
{
  gpointer library = dlopen (path, RTLD_LAZY);
  LeatNvtxInitialize initialize = library != NULL ? (LeatNvtxInitialize) dlsym (library, LEAT_NVTX_ENTRY) : NULL;

  if (initialize != NULL && initialize (leat_nvtx_get_table) != 0)
    leat_nvtx_take ();
  else if (library != NULL)
    dlclose (library);
  if (leat_nvtx.push == NULL)
    g_debug ("no ranges for a profiler: %s", library == NULL ? dlerror () : "the tool takes none");
}

void
leat_nvtx_load (void)
{
  static gsize done = 0;

  if (!g_once_init_enter (&done))
    return;
  if (g_getenv (LEAT_NVTX_VARIABLE) != NULL)
    leat_nvtx_attach (g_getenv (LEAT_NVTX_VARIABLE));
  g_once_init_leave (&done, 1);
}

/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fake-driver.h"

#include <stdlib.h>
#include <string.h>

/* Every entry of Leat's list, as a function that can do nothing; fake-driver.c has the ones that do something. */
#define LEAT_ENTRY(group, need, name, exported, version, params, args)                                                 \
  FAKE_EXPORT CUresult __attribute__ ((weak)) exported params;                                                         \
  CUresult exported params                                                                                             \
  {                                                                                                                    \
    CUresult planned = fake_driver_planned (#name);                                                                    \
    return planned != CUDA_SUCCESS ? planned : CUDA_ERROR_NOT_SUPPORTED;                                               \
  }
#include "driver/leat-driver-entries.h"

typedef struct
{
  const char *name;
  int version;
  void *function;
} FakeEntry;

static const FakeEntry fake_entries[] = {
#define LEAT_ENTRY(group, need, name, exported, version, params, args) { #name, version, (void *) exported },
#include "driver/leat-driver-entries.h"
};

static int
fake_driver_is_listed (const char *list, const char *name)
{
  size_t length = strlen (name);

  for (const char *at = list; at != NULL && *at != '\0'; at = strchr (at, ','))
    {
      at += *at == ',';
      if (strncmp (at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
        return 1;
    }
  return 0;
}

void *
fake_driver_find (const char *name, int version, CUdriverProcAddressQueryResult *status)
{
  *status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  if (fake_driver_is_listed (getenv ("FAKE_DRIVER_MISSING"), name))
    return NULL;
  for (size_t i = 0; i < sizeof fake_entries / sizeof fake_entries[0]; i++)
    if (strcmp (fake_entries[i].name, name) == 0)
      {
        *status =
          version < fake_entries[i].version ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT : CU_GET_PROC_ADDRESS_SUCCESS;
        return version < fake_entries[i].version ? NULL : fake_entries[i].function;
      }
  return NULL;
}

/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "cupti-stand-in.h"

#include <stddef.h>

typedef struct
{
  int site;
  const char *function;
  const void *params;
  void *result;
} CallbackData;

typedef void (*Callback) (void *data, int domain, unsigned int id, const void *call);

static Callback callback;
static void *callback_data;
static unsigned int domains;
static int n_subscribers;

CUPTI_STAND_IN_EXPORT int
cuptiSubscribe (void **subscriber, Callback function, void *data)
{
  if (callback != NULL)
    return 39; /* multiple subscribers */
  callback = function;
  callback_data = data;
  *subscriber = &callback;
  n_subscribers++;
  return 0;
}

CUPTI_STAND_IN_EXPORT int
cuptiUnsubscribe (void *subscriber)
{
  callback = NULL;
  domains = 0;
  return subscriber == &callback ? 0 : 1;
}

CUPTI_STAND_IN_EXPORT int
cuptiEnableDomain (unsigned int enable, void *subscriber, int domain)
{
  domains = enable ? domains | 1u << domain : domains & ~(1u << domain);
  return subscriber == &callback ? 0 : 1;
}

CUPTI_STAND_IN_EXPORT void
cupti_stand_in_tell (int domain, int site, const char *function, int result)
{
  CallbackData call = { site, function, NULL, site == 1 ? &result : NULL };

  if (callback != NULL && (domains & 1u << domain))
    (*callback) (callback_data, domain, 0, &call);
}

CUPTI_STAND_IN_EXPORT int
cupti_stand_in_count (void)
{
  return callback != NULL ? -n_subscribers : n_subscribers;
}

/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#define CUPTI_STAND_IN_EXPORT __attribute__ ((visibility ("default")))

/* What is used of CUPTI. */
int cuptiSubscribe (void **subscriber, void (*callback) (void *, int, unsigned int, const void *), void *data);
int cuptiUnsubscribe (void *subscriber);
int cuptiEnableDomain (unsigned int enable, void *subscriber, int domain);

/* Tells the subscriber, if there is one, of the beginning or the return of a call. */
void cupti_stand_in_tell (int domain, int site, const char *function, int result);
/* How many subscribers there have been, negative while there is one. */
int cupti_stand_in_count (void);

typedef void (*CuptiStandInTell) (int domain, int site, const char *function, int result);
typedef int (*CuptiStandInCount) (void);

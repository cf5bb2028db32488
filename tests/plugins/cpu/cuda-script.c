/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cuda-script.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda-verbs.h"

#define CUDA_SCRIPT_WORDS 16

typedef struct
{
  CudaObjects *objects;
  char *words[CUDA_SCRIPT_WORDS];
  int n_words;
  int thread;
  const char *expected;
  CUresult result;
} CudaStatement;

/* A second and a third thread that run statements handed to them. */
typedef struct
{
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  CudaStatement *statement;
  CUcontext context;
  int started;
} CudaHelper;

static CudaHelper cuda_helpers[CUDA_SCRIPT_THREADS] = {
  { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER },
  { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER },
};

static void
cuda_statement_run (CudaStatement *statement)
{
  statement->result = cuda_verb_run (statement->objects, statement->words, statement->n_words);
}

static void *
cuda_helper_main (void *data)
{
  CudaHelper *helper = data;

  cuda.cuCtxSetCurrent (helper->context);
  pthread_mutex_lock (&helper->lock);
  for (;;)
    {
      while (helper->statement == NULL)
        pthread_cond_wait (&helper->changed, &helper->lock);
      cuda_statement_run (helper->statement);
      helper->statement = NULL;
      pthread_cond_broadcast (&helper->changed);
    }
  return NULL;
}

static void
cuda_helper_run (CudaHelper *helper, CudaStatement *statement)
{
  pthread_mutex_lock (&helper->lock);
  if (!helper->started)
    {
      helper->started = 1;
      cuda.cuCtxGetCurrent (&helper->context);
      pthread_create (&helper->thread, NULL, cuda_helper_main, helper);
    }
  helper->statement = statement;
  pthread_cond_broadcast (&helper->changed);
  while (helper->statement != NULL)
    pthread_cond_wait (&helper->changed, &helper->lock);
  pthread_mutex_unlock (&helper->lock);
}

static void
cuda_statement_parse (CudaStatement *statement, char *text)
{
  char *position = NULL;

  for (char *word = strtok_r (text, " \t\n", &position); word != NULL; word = strtok_r (NULL, " \t\n", &position))
    if (word[0] == '@' && statement->n_words == 0)
      statement->thread = atoi (word + 1);
    else if (strcmp (word, "=") == 0)
      {
        statement->expected = strtok_r (NULL, " \t\n", &position);
        break;
      }
    else if (statement->n_words < CUDA_SCRIPT_WORDS)
      statement->words[statement->n_words++] = word;
}

static const char *
cuda_code_get_short_name (CUresult code)
{
  const char *name = code == CUDA_VERB_MISMATCH ? "MISMATCH" : cuda_table_get_error_name (code);

  return strncmp (name, "CUDA_ERROR_", 11) == 0 ? name + 11 : strcmp (name, "CUDA_SUCCESS") == 0 ? "SUCCESS" : name;
}

static int
cuda_statement_matches (const CudaStatement *statement)
{
  const char *expected = statement->expected != NULL ? statement->expected : "SUCCESS";

  return strcmp (expected, "?") == 0 || strcmp (expected, cuda_code_get_short_name (statement->result)) == 0;
}

static int
cuda_script_run_statement (CudaObjects *objects, const char *source, char *report, unsigned int size, int record)
{
  char text[256];
  CudaStatement statement = { .objects = objects };

  snprintf (text, sizeof text, "%s", source);
  cuda_statement_parse (&statement, text);
  if (statement.n_words == 0)
    return 0;
  if (statement.thread > 0)
    cuda_helper_run (&cuda_helpers[(statement.thread - 1) % CUDA_SCRIPT_THREADS], &statement);
  else
    cuda_statement_run (&statement);
  if (record)
    printf ("%s  %-64s -> %s %s\n", cuda_statement_matches (&statement) ? "   " : "***", source,
            cuda_code_get_short_name (statement.result), objects->detail);
  if (cuda_statement_matches (&statement))
    return 0;
  snprintf (report, size, "\"%s\" returned %s%s%s", source, cuda_code_get_short_name (statement.result),
            objects->detail[0] != '\0' ? ": " : "", objects->detail);
  return !record;
}

int
cuda_script_run (const char *script, char *report, unsigned int size, int record)
{
  char *copy = strdup (script);
  char *position = NULL;
  CudaObjects *objects = cuda_objects_new ();
  int failed = 0;

  report[0] = '\0';
  for (char *part = strtok_r (copy, ";", &position); part != NULL && !failed; part = strtok_r (NULL, ";", &position))
    {
      while (isspace ((unsigned char) *part))
        part++;
      failed = cuda_script_run_statement (objects, part, report, size, record);
    }
  cuda_objects_free (objects);
  free (copy);
  return failed;
}

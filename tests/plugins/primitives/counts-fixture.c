/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "counts-fixture.h"

#include "primitive-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

#define COUNTS_CANARY 0xa5
#define COUNTS_BEHIND 256 /* bytes that must stay as they are */

static const char kernel[] = "__global__ void says_%s (const %s *in, uint64_t in_count, %s *out, uint64_t *out_count, "
                             "uint64_t says)\n{\n  GRID_FOR (i, in_count)\n    out[i] = in[i];\n"
                             "  if (blockIdx.x == 0 && threadIdx.x == 0)\n    *out_count = says;\n}\n";

static char *
counts_fixture_write_kernels (void)
{
  static const char *const types[][2] = { { "u8", "uint8_t" }, { "u32", "uint32_t" }, { "u64", "uint64_t" } };
  g_autofree char *folder = g_dir_make_tmp ("leat-counts-XXXXXX", NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  char *path = g_build_filename (folder, "says.cu", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    g_string_append_printf (text, kernel, types[i][0], types[i][1], types[i][1]);
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  return path;
}

static void
counts_fixture_remove_kernels (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  g_remove (path);
  g_rmdir (folder);
}

guint64
counts_fixture_get_room (CountsFixture *self, guint input)
{
  return self->room / MAX (self->c->inputs[input].share, 1);
}

static char *
counts_fixture_dup_text (CountsFixture *self, const char *path)
{
  g_autoptr (GString) text = g_string_new ("leat 1\n");
  g_auto (GStrv) outputs = g_strsplit (self->c->outputs, " ", -1);

  g_string_append_printf (text, "n = %s\n", self->c->node);
  for (guint i = 0; i < self->n_inputs; i++)
    {
      const CountsInput *input = &self->c->inputs[i];
      g_autofree char *columns = input->columns > 0 ? g_strdup_printf (",%u", input->columns) : g_strdup ("");
      guint64 room = counts_fixture_get_room (self, i);

      g_string_append_printf (text,
                              "k%u = kernel source=%s entry=says_%s grid=1 block=256 says=0 out=%s[<=%" G_GUINT64_FORMAT
                              "%s]\na%u = app spec=%s[<=%" G_GUINT64_FORMAT "%s]\na%u -> upload -> k%u.in\n"
                              "k%u.out -> n.%s\n",
                              i, path, input->type, input->type, room, columns, i, input->type, room, columns, i, i, i,
                              input->port);
    }
  for (guint i = 0; outputs[i] != NULL; i++)
    g_string_append_printf (text, "n.%s -> readback -> app name=o%u memory=user\n", outputs[i], i);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static LeatNode *
counts_fixture_get_node (CountsFixture *self, const char *kind, guint number)
{
  g_autofree char *name = g_strdup_printf ("%s%u", kind, number);

  return leat_pipeline_get_node (self->pipeline, name, NULL);
}

static void
counts_fixture_make_data (CountsFixture *self)
{
  guint64 seed = 5;

  for (guint i = 0; i < self->n_inputs; i++)
    {
      const CountsInput *input = &self->c->inputs[i];
      guint64 n = counts_fixture_get_room (self, i) * MAX (input->columns, 1);
      guint8 *data = g_malloc (n * input->bytes);

      for (guint64 k = 0; k < n; k++)
        {
          guint64 value = primitive_random (&seed);

          value = input->below > 0 ? value % input->below : value;
          memcpy (data + k * input->bytes, &value, input->bytes);
        }
      self->data[i] = g_bytes_new_take (data, n * input->bytes);
    }
}

static void
counts_fixture_start (CountsFixture *self)
{
  GError *error = NULL;

  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < self->n_outputs; i++)
    {
      LeatNode *app = counts_fixture_get_node (self, "o", i);
      g_autofree char *name = g_strdup (leat_node_get_name (app));

      self->bytes[i] = leat_spec_get_bytes (leat_port_get_spec (leat_node_get_port (app, "in", NULL)));
      self->out[i] =
        leat_device_buffer_new (leat_session_get_device (self->session), self->bytes[i] + COUNTS_BEHIND, &error);
      g_assert_no_error (error);
      leat_session_bind_output_buffer (self->session, name, self->out[i], 0, &error);
      g_assert_no_error (error);
    }
}

static void
counts_fixture_stop (CountsFixture *self)
{
  leat_session_close (self->session);
  for (guint i = 0; i < self->n_outputs; i++)
    g_clear_object (&self->out[i]);
}

void
counts_fixture_open (CountsFixture *self, const CountsCase *c, guint64 room, LeatExecutor executor)
{
  g_autofree char *path = counts_fixture_write_kernels (), *text = NULL;
  g_auto (GStrv) outputs = g_strsplit (c->outputs, " ", -1);
  GError *error = NULL;

  *self = (CountsFixture){ .c = c, .room = room, .n_outputs = g_strv_length (outputs) };
  while (self->n_inputs < COUNTS_INPUTS_MOST && c->inputs[self->n_inputs].port != NULL)
    self->n_inputs++;
  counts_fixture_make_data (self);
  text = counts_fixture_dup_text (self, path);
  self->pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  self->session = leat_session_new (self->pipeline, NULL);
  g_object_set (self->session, "executor", executor, "calibrate", FALSE, NULL);
  counts_fixture_start (self);
  counts_fixture_remove_kernels (path);
}

void
counts_fixture_close (CountsFixture *self)
{
  counts_fixture_stop (self);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
  for (guint i = 0; i < self->n_inputs; i++)
    g_clear_pointer (&self->data[i], g_bytes_unref);
  for (guint i = 0; i < self->n_outputs; i++)
    g_clear_pointer (&self->full[i], g_byte_array_unref);
}

static void
counts_fixture_push (CountsFixture *self, const guint64 *counts)
{
  GError *error = NULL;

  for (guint i = 0; i < self->n_inputs; i++)
    {
      g_autofree char *says = g_strdup_printf ("%" G_GUINT64_FORMAT, counts[i]);

      leat_node_set_from_string (counts_fixture_get_node (self, "k", i), "says", says, &error);
      g_assert_no_error (error);
      leat_app_push_bytes (LEAT_APP (counts_fixture_get_node (self, "a", i)), self->data[i], &error);
      g_assert_no_error (error);
    }
  for (guint i = 0; i < self->n_outputs; i++)
    {
      leat_device_buffer_fill (self->out[i], 0, self->bytes[i] + COUNTS_BEHIND, COUNTS_CANARY, &error);
      g_assert_no_error (error);
    }
}

/* The first input that is said to have more is the one that is told. */
static void
counts_fixture_check_error (CountsFixture *self, const guint64 *counts, LeatFlow flow, GError *error)
{
  guint wrong = 0;
  g_autofree char *says = NULL;

  while (wrong < self->n_inputs && counts[wrong] <= counts_fixture_get_room (self, wrong))
    wrong++;
  if (wrong == self->n_inputs)
    {
      g_assert_no_error (error);
      g_assert_cmpint (flow, ==, LEAT_FLOW_DATA);
      return;
    }
  says = g_strdup_printf (" \"n\": there are %" G_GUINT64_FORMAT " items to take from k%u.out, but it has room for "
                          "%" G_GUINT64_FORMAT "; give that output a larger spec",
                          counts[wrong], wrong, counts_fixture_get_room (self, wrong));
  g_assert_cmpint (flow, ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERFLOW);
  if (!g_str_has_suffix (error->message, says))
    g_error ("\"%s\" does not end with \"%s\"", error->message, says);
  g_error_free (error);
}

/* How much there is, as the session tells it; that of a run that failed it does not tell. */
static guint
counts_fixture_get_length (CountsFixture *self, guint output)
{
  g_autofree char *name = g_strdup (leat_node_get_name (counts_fixture_get_node (self, "o", output)));
  GError *error = NULL;
  LeatView view;

  leat_session_map_output (self->session, name, &view, &error);
  g_assert_no_error (error);
  return (guint) leat_view_get_bytes (&view);
}

static GBytes *
counts_fixture_get_output (CountsFixture *self, guint output)
{
  GError *error = NULL;
  GBytes *found = leat_device_buffer_download (self->out[output], 0, self->bytes[output] + COUNTS_BEHIND, &error);

  g_assert_no_error (error);
  return found;
}

static void
counts_fixture_check_output (CountsFixture *self, guint output, GByteArray *wanted)
{
  g_autoptr (GBytes) found = counts_fixture_get_output (self, output);
  const guint8 *data = g_bytes_get_data (found, NULL);
  guint64 bytes = self->bytes[output] + COUNTS_BEHIND;

  g_assert_cmpuint (wanted->len, <=, self->bytes[output]);
  g_assert_cmpmem (data, wanted->len, wanted->data, wanted->len);
  for (guint64 i = self->bytes[output]; i < bytes; i++)
    g_assert_cmpuint (data[i], ==, COUNTS_CANARY);
}

void
counts_fixture_reopen (CountsFixture *self)
{
  counts_fixture_stop (self);
  counts_fixture_start (self);
}

static GByteArray *
counts_fixture_compute (CountsFixture *self, const guint64 *counts, guint output)
{
  CountsRun run = { 0 };

  if (self->c->compute == NULL)
    return g_byte_array_ref (self->full[output]);
  for (guint i = 0; i < self->n_inputs; i++)
    {
      run.in[i] = g_bytes_get_data (self->data[i], NULL);
      run.n[i] = MIN (counts[i], counts_fixture_get_room (self, i));
    }
  for (guint i = 0; i < self->n_outputs; i++)
    run.out[i] = g_byte_array_new ();
  self->c->compute (&run);
  for (guint i = 0; i < self->n_outputs; i++)
    if (i != output)
      g_byte_array_unref (run.out[i]);
  return run.out[output];
}

/* Of the first run, which has all that there is room for. */
static void
counts_fixture_keep (CountsFixture *self)
{
  for (guint i = 0; i < self->n_outputs && self->c->compute == NULL; i++)
    {
      g_autoptr (GBytes) found = counts_fixture_get_output (self, i);

      if (self->full[i] != NULL)
        continue;
      self->full[i] = g_byte_array_new ();
      g_byte_array_append (self->full[i], g_bytes_get_data (found, NULL), counts_fixture_get_length (self, i));
      g_assert_cmpuint (self->full[i]->len, >, 0);
    }
}

void
counts_fixture_run (CountsFixture *self, const guint64 *counts)
{
  GError *error = NULL;
  LeatFlow flow;

  g_test_message ("room for %" G_GUINT64_FORMAT "; %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT " are said", self->room,
                  counts[0], self->n_inputs > 1 ? counts[1] : 0);
  counts_fixture_push (self, counts);
  flow = leat_session_replay (self->session, FALSE, NULL, &error);
  counts_fixture_check_error (self, counts, flow, error);
  counts_fixture_keep (self);
  for (guint i = 0; i < self->n_outputs; i++)
    {
      g_autoptr (GByteArray) wanted = counts_fixture_compute (self, counts, i);

      if (flow == LEAT_FLOW_DATA)
        g_assert_cmpuint (counts_fixture_get_length (self, i), ==, wanted->len);
      counts_fixture_check_output (self, i, wanted);
    }
  if (flow == LEAT_FLOW_ERROR)
    counts_fixture_reopen (self);
}

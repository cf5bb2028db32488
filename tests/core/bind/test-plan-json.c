/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat.h"
#include "bind/leat-bound-plan-private.h"
#include "bind/leat-bind-private.h"

#include <json-glib/json-glib.h>
#include <string.h>

/* All that a plan is printed as for programs, a line for each member and for each item of those that are lists. */

static const struct
{
  const char *name, *text, *says;
} plans[] = {
  { "state",
    "s = state spec=u32[6] scope=lane\nm = map inputs=x,s expr=x+s\n"
    "app name=source spec=u32[6] -> upload mode=copy -> m.x\ns -> m.s -> s\nm -> readback mode=mapped -> app "
    "name=sink\n",
    "bound: true\n"
    "device-bytes: 512\n"
    "host-bytes: 512\n"
    "flush: false\n"
    "ops: index=0 kind=source node=source reads= writes=1 after=\n"
    "ops: index=1 kind=transfer node=upload0 reads=1 writes=2 bytes=24 mode=copy reason=as asked after=0\n"
    "ops: index=2 kind=kernel node=m reads=2,0 writes=3 source=x+s entry=map grid=1,1,1 block=256,1,1 "
    "shared-bytes=0 reports=false after=1\n"
    "ops: index=3 kind=transfer node=readback0 reads=3 writes=4 bytes=24 mode=copy reason=resident "
    "memory stays on the device after=2\n"
    "ops: index=4 kind=sink node=sink reads=4 writes= after=3\n"
    "buffers: id=0 name=s.out kind=state spec=u32[6] bytes=24 place=own first-op=2 last-op=3\n"
    "buffers: id=1 name=source.out kind=staging spec=u32[6] bytes=24 place=staging first-op=0 last-op=1\n"
    "buffers: id=2 name=upload0.out kind=device spec=u32[6] bytes=24 place=arena offset=0 first-op=1 "
    "last-op=2\n"
    "buffers: id=3 name=m.out kind=device spec=u32[6] bytes=24 place=alias alias-of=0\n"
    "buffers: id=4 name=readback0.out kind=staging spec=u32[6] bytes=24 place=staging first-op=3 "
    "last-op=4\n"
    "states: node=s buffer=0 scope=lane becomes=3 way=in-place\n"
    "pieces: first-op=0 last-op=4 graph=true\n"
    "why-no-early-start: the kernels are not loaded\n"
    "prediction: kernels=1 copies=2 fills=0 foreign=0 early-starts=0 upload-bytes=24 readback-bytes=24 "
    "device-copy-bytes=0 fill-bytes=0 graph-launches=1 waits=1 allocations=2 pinned-allocations=2 "
    "loops=0 iteration-kernels=0 iteration-copies=0 iteration-fills=0\n" },
  { "bounded", "app name=source spec=u8[<=100] -> upload -> map expr=x+1 -> readback -> app name=sink\n",
    "bound: true\n"
    "device-bytes: 512\n"
    "host-bytes: 1280\n"
    "flush: false\n"
    "ops: index=0 kind=source node=source reads= writes=0 after=\n"
    "ops: index=1 kind=transfer node=upload0 reads=0 writes=1 bytes=356 mode=copy reason=the data is as "
    "long as its buffer, or used more than once after=0\n"
    "ops: index=2 kind=copy node=map0 reads=1 writes=2 bytes=8 after=1\n"
    "ops: index=3 kind=kernel node=map0 reads=1 writes=2 source=x+1 entry=map grid=1,1,1 block=256,1,1 "
    "shared-bytes=0 reports=false after=2\n"
    "ops: index=4 kind=transfer node=readback0 reads=2 writes=3 bytes=356 mode=mapped reason=only live "
    "bytes cross the link after=\n"
    "ops: index=5 kind=sink node=sink reads=3 writes= after=3\n"
    "buffers: id=0 name=source.out kind=staging spec=u8[<=100] bytes=356 place=staging first-op=0 "
    "last-op=1\n"
    "buffers: id=1 name=upload0.out kind=device spec=u8[<=100] bytes=356 place=arena offset=0 first-op=1 "
    "last-op=3\n"
    "buffers: id=2 name=map0.out kind=device spec=u8[<=100] bytes=356 place=alias alias-of=3\n"
    "buffers: id=3 name=readback0.out kind=staging spec=u8[<=100] bytes=356 place=staging first-op=2 "
    "last-op=5\n"
    "pieces: first-op=0 last-op=5 graph=true\n"
    "why-no-early-start: the kernels are not loaded\n"
    "prediction: kernels=1 copies=2 fills=0 foreign=0 early-starts=0 upload-bytes=356 readback-bytes=8 "
    "device-copy-bytes=0 fill-bytes=0 graph-launches=1 waits=1 allocations=1 pinned-allocations=3 "
    "loops=0 iteration-kernels=0 iteration-copies=0 iteration-fills=0\n" },
  { "loop",
    "l = loop max-iterations=3 carry=x:y method=host {\n  in.x -> map expr=x+1 -> out.y\n}\n"
    "app name=source spec=u32[6] -> upload -> l.x\nl.y -> readback -> app name=sink\n",
    "bound: true\n"
    "device-bytes: 1024\n"
    "host-bytes: 768\n"
    "flush: false\n"
    "ops: index=0 kind=source node=source reads= writes=0 after=\n"
    "ops: index=1 kind=transfer node=upload0 reads=0 writes=1 bytes=24 mode=copy reason=the data is as "
    "long as its buffer, or used more than once after=0\n"
    "ops: index=2 kind=copy node=l reads=1 writes=3 bytes=24 after=1\n"
    "ops: index=3 kind=fill node=l reads= writes=4 bytes=64 after=\n"
    "ops: index=4 kind=loop node=l reads=4,3,5,2 writes=4,3,5,2 last=6 most=3 method=host reason=as "
    "asked iteration-kernels=2 iteration-copies=0 iteration-fills=0 after=2,3\n"
    "ops: index=5 kind=kernel node=map0 reads=3 writes=6 source=x+1 entry=map grid=1,1,1 block=256,1,1 "
    "shared-bytes=0 reports=false loop=4 after=\n"
    "ops: index=6 kind=kernel node=l reads=4,5,2,3 writes=4,5,2 source=loop_test entry=loop_test "
    "grid=1,1,1 block=1,1,1 shared-bytes=0 reports=false loop=4 after=5\n"
    "ops: index=7 kind=transfer node=readback0 reads=3 writes=7 bytes=24 mode=copy reason=the data is as "
    "long as its buffer, or used more than once after=4\n"
    "ops: index=8 kind=sink node=sink reads=7 writes= after=7\n"
    "buffers: id=0 name=source.out kind=staging spec=u32[6] bytes=24 place=staging first-op=0 last-op=1\n"
    "buffers: id=1 name=upload0.out kind=device spec=u32[6] bytes=24 place=arena offset=256 first-op=1 "
    "last-op=2\n"
    "buffers: id=2 name=l.iterations kind=device bytes=8 place=arena offset=768 first-op=4 last-op=6\n"
    "buffers: id=3 name=l.x kind=device spec=u32[6] bytes=24 place=arena offset=512 first-op=2 last-op=7\n"
    "buffers: id=4 name=l.loop kind=device bytes=64 place=arena offset=0 first-op=3 last-op=6\n"
    "buffers: id=5 name=l.report kind=staging bytes=104 place=staging first-op=4 last-op=6\n"
    "buffers: id=6 name=map0.out kind=device spec=u32[6] bytes=24 place=alias alias-of=3\n"
    "buffers: id=7 name=readback0.out kind=staging spec=u32[6] bytes=24 place=staging first-op=7 "
    "last-op=8\n"
    "pieces: first-op=0 last-op=3 graph=true\n"
    "pieces: first-op=4 last-op=8 graph=false why-not=the host drives the loop\n"
    "why-no-early-start: the kernels are not loaded\n"
    "prediction: kernels=0 copies=3 fills=1 foreign=0 early-starts=0 upload-bytes=24 readback-bytes=24 "
    "device-copy-bytes=24 fill-bytes=64 graph-launches=1 waits=1 allocations=1 pinned-allocations=3 "
    "loops=1 iteration-kernels=2 iteration-copies=0 iteration-fills=0\n" },
};

static void
append_node (JsonNode *node, GString *text)
{
  g_autoptr (GList) names = NULL;
  const char *before = "";

  if (JSON_NODE_HOLDS_OBJECT (node))
    {
      names = json_object_get_members (json_node_get_object (node));
      for (GList *name = names; name != NULL; name = name->next, before = " ")
        {
          g_string_append_printf (text, "%s%s=", before, (const char *) name->data);
          append_node (json_object_get_member (json_node_get_object (node), name->data), text);
        }
    }
  else if (JSON_NODE_HOLDS_ARRAY (node))
    {
      for (guint i = 0; i < json_array_get_length (json_node_get_array (node)); i++, before = ",")
        {
          g_string_append (text, before);
          append_node (json_array_get_element (json_node_get_array (node), i), text);
        }
    }
  else if (json_node_get_value_type (node) == G_TYPE_STRING)
    g_string_append (text, json_node_get_string (node));
  else
    {
      g_autofree char *value = json_to_string (node, FALSE);

      g_string_append (text, value);
    }
}

static char *
dup_lines (const char *json)
{
  g_autoptr (JsonNode) node = json_from_string (json, NULL);
  JsonObject *root = json_node_get_object (node);
  g_autoptr (GList) names = json_object_get_members (root);
  GString *text = g_string_new (NULL);

  for (GList *name = names; name != NULL; name = name->next)
    {
      JsonNode *member = json_object_get_member (root, name->data);
      JsonArray *list = JSON_NODE_HOLDS_ARRAY (member) ? json_node_get_array (member) : NULL;
      guint n = list != NULL ? json_array_get_length (list) : 1;

      for (guint i = 0; i < n; i++)
        {
          g_string_append_printf (text, "%s: ", (const char *) name->data);
          append_node (list != NULL ? json_array_get_element (list, i) : member, text);
          g_string_append_c (text, '\n');
        }
    }
  return g_string_free (text, FALSE);
}

static void
test_plan_json_of (gconstpointer data)
{
  const guint i = GPOINTER_TO_UINT (data);
  g_autofree char *whole = g_strconcat ("leat 1\n", plans[i].text, NULL), *json = NULL, *lines = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (whole, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_autoptr (LeatPlan) plan = NULL;

  g_assert_no_error (error);
  plan = leat_plan_new (pipeline, &error);
  g_assert_no_error (error);
  leat_plan_bind (plan, &(LeatTraits){ .bound = TRUE });
  json = leat_plan_to_json (plan);
  lines = dup_lines (json);
  g_assert_cmpstr (lines, ==, plans[i].says);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (plans); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/plan/json/", plans[i].name, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_plan_json_of);
    }
  return g_test_run ();
}

/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Texts and all that is said about each, a line for each error in the order of the text. */

typedef struct
{
  const char *text;
  const char *errors;
} ErrorCase;

static const ErrorCase file_cases[] = {
  /* syntax */
  { "", "VERSION: line 1, column 1: expected \"leat 1\", the version of the language, before anything else\n" },
  { "# only a comment\n",
    "VERSION: line 1, column 1: expected \"leat 1\", the version of the language, before anything else\n" },
  { "leat 1\n", "EMPTY: there is no node in this pipeline\n" },
  { "leat 1\n"
    "let a = 1\n",
    "EMPTY: there is no node in this pipeline\n" },
  { "t:source path=a -> t:sink\n",
    "VERSION: line 1, column 1: expected \"leat 1\", the version of the language, before anything else\n" },
  { "leat\n",
    "VERSION: line 1, column 1: expected the version of the language after \"leat\"; this library reads \"leat 1\"\n" },
  { "leat 2\n"
    "x -> y\n",
    "VERSION: line 1, column 6: version 2 of the language is not known; this library reads \"leat 1\"\n" },
  { "leat 1 2\n"
    "t:source path=a -> t:sink\n",
    "SYNTAX: line 1, column 8: unexpected \"2\"; expected the end of the line after the version\n" },
  { "\"leat\" 1\n"
    "t:source path=a -> t:sink\n",
    "VERSION: line 1, column 1: expected \"leat 1\", the version of the language, before anything else\n"
    "NAME: line 1, column 1: \"leat\" is not a node; ids and names are written without quotes\n" },
  { "leat 1\n"
    "t:source path=a -> -> t:sink\n",
    "SYNTAX: line 2, column 20: unexpected \"->\"; expected a node\n" },
  { "leat 1\n"
    "t:source path=a ->\n",
    "SYNTAX: line 2, column 19: unexpected end of the statement; expected a node\n" },
  { "leat 1\n"
    "t:source path=a -> # nothing\n"
    "\n",
    "SYNTAX: line 2, column 19: unexpected end of the statement; expected a node\n" },
  { "leat 1\n"
    "= x\n",
    "SYNTAX: line 2, column 1: unexpected \"=\"; expected a node\n" },
  { "leat 1\n"
    "a =\n",
    "SYNTAX: line 2, column 4: unexpected end of the statement; expected the id of a node after =\n" },
  { "leat 1\n"
    "a = -> b\n",
    "SYNTAX: line 2, column 5: unexpected \"->\"; expected the id of a node after =\n" },
  { "leat 1\n"
    "a = 5\n",
    "NAME: line 2, column 5: expected the id of a node after \"a =\", such as text:scan\n" },
  { "leat 1\n"
    "a = t:source path=x -> t:sink\n",
    "SYNTAX: line 2, column 21: unexpected \"->\"; expected the end of the declaration; link the node by its name in a "
    "line of its own\n" },
  { "leat 1\n"
    "a = t:source path\n",
    "SYNTAX: line 2, column 14: unexpected \"path\"; expected PROPERTY=VALUE or the end of the line\n" },
  { "leat 1\n"
    "t:source path = a -> t:sink\n",
    "SYNTAX: line 2, column 10: unexpected \"path\"; expected PROPERTY=VALUE without white space around the =\n" },
  { "leat 1\n"
    "t:source path= a -> t:sink\n",
    "SYNTAX: line 2, column 16: unexpected \"a\"; expected PROPERTY=VALUE without white space around the =\n" },
  { "leat 1\n"
    "t:source path=a t:sink\n",
    "SYNTAX: line 2, column 17: unexpected \"t:sink\"; expected PROPERTY=VALUE or \"->\"\n" },
  { "leat 1\n"
    "t:source path=a + t:sink\n",
    "SYNTAX: line 2, column 17: unexpected \"+\"; expected \"->\", which links nodes in a file\n" },
  { "leat 1\n"
    "+ t:sink\n",
    "SYNTAX: line 2, column 1: unexpected \"+\"; nodes are linked by \"->\" in a file\n" },
  { "leat 1\n"
    "t:source ! t:sink\n",
    "SYNTAX: line 2, column 10: unexpected \"!\"; expected \"->\", which links nodes in a file\n" },
  { "leat 1\n"
    "t:source path=a -> u8[4, 5] -> t:sink\n",
    "SYNTAX: line 2, column 20: the bracket of \"u8[4,\" is not closed; a spec is written without white space\n" },
  { "leat 1\n"
    "k = t:up in=u8[4, 5]\n",
    "SYNTAX: line 2, column 19: unexpected \"5]\"; expected the rest of the value before it; a value with white space "
    "needs quotes\n" },
  { "leat 1\n"
    "t:source path=a -> 7up -> t:sink\n",
    "NAME: line 2, column 20: \"7up\" is not a node; expected the id of a node, NAME.PORT or a spec\n" },
  { "leat 1\n"
    "t:source path=a -> \"t:sink\"\n",
    "NAME: line 2, column 20: \"t:sink\" is not a node; ids and names are written without quotes\n" },
  { "leat 1\n"
    "a..b -> c.d.e\n",
    "NAME: line 2, column 1: \"a..b\" is not the port of a node; expected NAME.PORT\n"
    "NAME: line 2, column 9: \"c.d.e\" is not the port of a node; expected NAME.PORT\n" },
  { "leat 1\n"
    "$x -> t:sink\n",
    "NAME: line 2, column 1: \"$x\" is not a node; expected the id of a node, NAME.PORT or a spec\n" },
  { "leat 1\n"
    "a.out\n",
    "SYNTAX: line 2, column 1: \"a.out\" alone links nothing; expected a link after it\n" },
  { "leat 1\n"
    "u8[4] -> t:sink\n",
    "SYNTAX: line 2, column 1: a spec stands between two nodes; there is no node before this one\n" },
  { "leat 1\n"
    "t:source path=a -> u8[4]\n",
    "SYNTAX: line 2, column 20: a spec stands between two nodes; there is no node right after this one\n" },
  { "leat 1\n"
    "t:source path=a -> u8[4] -> any -> t:sink\n",
    "SYNTAX: line 2, column 20: a spec stands between two nodes; there is no node right after this one\n" },
  { "leat 1\n"
    "t:source path=a -> u8[4 -> t:sink\n",
    "SYNTAX: line 2, column 20: the bracket of \"u8[4\" is not closed; a spec is written without white space\n" },
  { "leat 1\n"
    "t:source path=a -> u8[4] x=1 -> t:sink\n",
    "SYNTAX: line 2, column 26: unexpected \"x=1\"; expected \"->\"; a spec has no properties\n" },
  { "leat 1\n"
    "s = t:sink\n"
    "s title=x -> t:up\n",
    "SYNTAX: line 3, column 1: \"s\" is a node declared at line 2, column 1: its name and properties are set there\n" },
  { "leat 1\n"
    "s = t:sink\n"
    "s.in title=x -> t:up\n",
    "SYNTAX: line 3, column 6: unexpected \"title=x\"; expected \"->\"; properties are set where the node is "
    "declared\n" },
  { "leat 1\n"
    "let = t:up\n"
    "let x y\n"
    "let\n"
    "let 9 = 1\n"
    "let a-b = 1\n"
    "let c =\n"
    "let d = 1 2\n"
    "let e = 1 # fine\n",
    "SYNTAX: line 2, column 5: unexpected \"=\"; expected NAME = VALUE after let\n"
    "SYNTAX: line 3, column 5: unexpected \"x\"; expected NAME = VALUE after let\n"
    "SYNTAX: line 4, column 4: unexpected end of the statement; expected NAME = VALUE after let\n"
    "NAME: line 5, column 5: \"9\" cannot name a variable; a name is a letter, then letters, digits and _\n"
    "NAME: line 6, column 5: \"a-b\" cannot name a variable; a name is a letter, then letters, digits and _\n"
    "SYNTAX: line 7, column 8: unexpected end of the statement; expected a value after =\n"
    "SYNTAX: line 8, column 11: unexpected \"2\"; expected the end of the line after the value; a value with white "
    "space needs quotes\n" },
  { "leat 1\n"
    "  t:source path=a -> t:sink\n",
    "SYNTAX: line 2, column 3: unexpected \"t:source\"; expected the end of the line after the version (an indented "
    "line goes on with the statement above it)\n" },
  { "leat 1\n"
    "include\n"
    "include a b\n"
    "include $x\n",
    "SYNTAX: line 2, column 8: unexpected end of the statement; expected a file name without variables after include\n"
    "INCLUDE: line 3, column 9: cannot include a: no such file\n"
    "SYNTAX: line 3, column 11: unexpected \"b\"; expected the end of the line after the file name\n"
    "SYNTAX: line 4, column 9: unexpected \"$x\"; expected a file name without variables after include\n" },
  { "leat 1\n"
    "include = t:up\n",
    "SYNTAX: line 2, column 9: unexpected \"=\"; expected a file name without variables after include\n" },
  { "leat 1\n"
    "leat = t:up\n"
    "u8 = t:up\n"
    "any = t:up\n"
    "9 = t:up\n"
    "a.b = t:up\n",
    "NAME: line 2, column 1: \"leat\" cannot name a node; it is a word of the language\n"
    "NAME: line 3, column 1: \"u8\" cannot name a node; it is a word of the language\n"
    "NAME: line 4, column 1: \"any\" cannot name a node; it is a word of the language\n"
    "NAME: line 5, column 1: \"9\" cannot name a node; a name is a letter, then letters, digits, - and _\n"
    "NAME: line 6, column 1: \"a.b\" cannot name a node; a name is a letter, then letters, digits, - and _\n" },
  { "leat 1\n"
    "t:sink name=9 -> t:up name=let\n",
    "UNKNOWN_PORT: line 2, column 1: t:sink \"sink0\" has no output\n"
    "NAME: line 2, column 13: \"9\" cannot name a node; a name is a letter, then letters, digits, - and _\n"
    "NAME: line 2, column 28: \"let\" cannot name a node; it is a word of the language\n" },
  /* quotes and encoding */
  { "leat 1\n"
    "t:source path=\"a -> t:sink\n"
    "t:source path=a -> t:sink\n",
    "QUOTE: line 2, column 15: the quote is not closed on its line; write \\n for a line break inside quotes\n" },
  { "leat 1\n"
    "t:source path=\"a\\q\" -> t:sink title=\"\\u{}\"\n",
    "QUOTE: line 2, column 17: unknown escape in quotes; expected \\\" \\\\ \\$ \\n \\r \\t or \\u{HEX}\n"
    "QUOTE: line 2, column 38: unknown escape in quotes; expected \\\" \\\\ \\$ \\n \\r \\t or \\u{HEX}\n" },
  { "leat 1\n"
    "t:source path='a' -> t:sink\n",
    "QUOTE: line 2, column 15: single quotes do not quote in a pipeline file; use \"double quotes\"\n" },
  { "leat 1\n"
    "t:sink title=\"\\u{d800}\" -> t:up\n",
    "QUOTE: line 2, column 15: unknown escape in quotes; expected \\\" \\\\ \\$ \\n \\r \\t or \\u{HEX}\n" },
  { "leat 1\n"
    "t:source path=\377\n",
    "ENCODING: line 2, column 15: the byte 0xff is not UTF-8 text\n" },
  { "leat 1\n"
    "t:source path=a\001b\n",
    "ENCODING: line 2, column 16: control character 0x01 outside quotes\n" },
  { "leat 1\n"
    "t:source path=$ -> t:sink title=${x -> t:up p=${}\n",
    "SYNTAX: line 2, column 15: a variable is written $name or ${name}; write $$ for a dollar sign\n"
    "SYNTAX: line 2, column 33: a variable is written $name or ${name}; write $$ for a dollar sign\n"
    "SYNTAX: line 2, column 47: a variable is written $name or ${name}; write $$ for a dollar sign\n" },
  /* names, variables */
  { "leat 1\n"
    "t:source path=a path=b -> t:sink name=x name=y\n",
    "DUPLICATE: line 2, column 17: \"path\" is set twice (first at line 2, column 10)\n"
    "DUPLICATE: line 2, column 41: this node has a name already: \"x\"\n" },
  { "leat 1\n"
    "a = t:source name=b\n",
    "MISSING: line 2, column 1: t:source \"a\" needs its property \"path\": A path\n"
    "DUPLICATE: line 2, column 14: this node has a name already: \"a\"\n" },
  { "leat 1\n"
    "a = t:source path=x\n"
    "a = t:sink\n"
    "t:sink name=a\n",
    "DUPLICATE_NAME: line 3, column 1: there are two nodes \"a\" (the first at line 2, column 1)\n"
    "DUPLICATE_NAME: line 4, column 1: there are two nodes \"a\" (the first at line 2, column 1)\n" },
  { "leat 1\n"
    "let a = $b\n"
    "let b = $c\n"
    "let a = 1\n"
    "t:source path=$a$d -> t:sink\n",
    "VARIABLE_UNKNOWN: line 2, column 9: variable \"b\" has no value before its let at line 3, column 5\n"
    "VARIABLE_UNKNOWN: line 3, column 9: no variable \"c\" (there is a)\n"
    "VARIABLE_DUPLICATE: line 4, column 5: variable \"a\" is declared twice (first at line 2, column 5)\n"
    "VARIABLE_UNKNOWN: line 5, column 17: no variable \"d\" (there are a and b)\n" },
  { "leat 1\n"
    "let pattern = 1\n"
    "t:source path=$patern -> t:sink\n",
    "VARIABLE_UNKNOWN: line 3, column 15: no variable \"patern\" (did you mean \"pattern\"?)\n" },
  /* the pipeline */
  { "leat 1\n"
    "t:sorce path=a -> t:sink\n",
    "UNKNOWN_NODE: line 2, column 1: no node \"t:sorce\" (did you mean \"t:source\"?)\n" },
  { "leat 1\n"
    "t:source path=a -> nope -> t:sink\n",
    "UNKNOWN_NODE: line 2, column 20: no node \"nope\"; leat-inspect lists all that there are\n" },
  { "leat 1\n"
    "mysink = t:sink\n"
    "t:source path=a -> mysnk\n",
    "UNKNOWN_NODE: line 3, column 20: no node \"mysnk\"; leat-inspect lists all that there are (did you mean the node "
    "\"mysink\" of this text?)\n" },
  { "leat 1\n"
    "mysink = t:sink\n"
    "t:source path=a -> mysnk.in\n",
    "UNKNOWN_NAME: line 3, column 20: there is no node \"mysnk\" (did you mean \"mysink\"?)\n" },
  { "leat 1\n"
    "t:source path=a -> x.in\n",
    "UNKNOWN_NAME: line 2, column 20: there is no node \"x\" (no node here has a name)\n" },
  { "leat 1\n"
    "t:source path=a -> t:up -> t:scan patern=x -> t:down -> t:sink\n",
    "UNKNOWN_PROPERTY: line 2, column 35: t:scan \"scan0\" has no property \"patern\" (did you mean \"patterns\"?)\n" },
  { "leat 1\n"
    "t:source path=a -> t:up -> t:kernel source=x.cu treshold=1 -> t:down -> t:sink\n",
    "UNKNOWN_PROPERTY: line 2, column 49: t:kernel \"kernel0\" has no property \"treshold\" (did you mean "
    "\"threshold\"?)\n" },
  { "leat 1\n"
    "s = t:scan patterns=a radius=x level=9 rate=2 fast=maybe mode=cpoy chunk=2G\n"
    "t:source path=a -> t:up -> s -> t:down -> t:sink\n",
    "TYPE: line 2, column 30: t:scan \"s\": property \"radius\" takes a whole number that is not negative, not \"x\"\n"
    "RANGE: line 2, column 38: t:scan \"s\": property \"level\" is -5 to 5, not 9\n"
    "RANGE: line 2, column 45: t:scan \"s\": property \"rate\" is 0 to 1, not 2\n"
    "TYPE: line 2, column 52: t:scan \"s\": property \"fast\" takes true or false, not \"maybe\"\n"
    "TYPE: line 2, column 63: t:scan \"s\": property \"mode\" is one of auto, copy and mapped, not \"cpoy\" (did you "
    "mean \"copy\"?)\n"
    "RANGE: line 2, column 74: t:scan \"s\": property \"chunk\" is 1 to 1073741824, not 2G\n" },
  { "leat 1\n"
    "s = t:scan patterns=a radius=-1 chunk=0\n"
    "t:source path=a -> t:up -> s -> t:down -> t:sink\n",
    "RANGE: line 2, column 30: t:scan \"s\": property \"radius\" is 1 to 64, not -1\n"
    "RANGE: line 2, column 39: t:scan \"s\": property \"chunk\" is 1 to 1073741824, not 0\n" },
  { "leat 1\n"
    "t:source path=a -> t:up -> t:kernel source=x.cu threshold=high in=f32[ -> t:down -> t:sink\n",
    "TYPE: line 2, column 59: t:kernel \"kernel0\": argument \"threshold\" takes a number, not \"high\"\n"
    "SPEC: line 2, column 67: t:kernel \"kernel0\": port \"in\": spec \"f32[\", column 5: expected a dimension: a "
    "number, a name or *\n" },
  { "leat 1\n"
    "t:source path=a -> t:up -> t:kernel source=bad.cu threshold=high -> t:down -> t:sink\n",
    "DATA: line 2, column 28: t:kernel \"kernel0\": bad.cu:1: no kernel\n" },
  { "leat 1\n"
    "t:source -> t:up -> t:scan -> t:down -> t:sink\n",
    "MISSING: line 2, column 1: t:source \"source0\" needs its property \"path\": A path\n"
    "MISSING: line 2, column 21: t:scan \"scan0\" needs its property \"patterns\": A patterns\n" },
  { "leat 1\n"
    "s = t:split\n"
    "t:source path=a -> t:up -> s\n"
    "s.lo -> t:down -> t:sink\n",
    "UNKNOWN_PORT: line 4, column 1: t:split \"s\" has no port \"lo\" (did you mean \"low\"?)\n" },
  /* Of a node with a fault nothing more is said. */
  { "leat 1\n"
    "s = t:split\n"
    "t:source path=a -> t:up -> s\n"
    "s.lo -> t:down -> t:sink\n"
    "s.hi -> t:down -> t:sink\n",
    "UNKNOWN_PORT: line 4, column 1: t:split \"s\" has no port \"lo\" (did you mean \"low\"?)\n" },
  { "leat 1\n"
    "t:up\n",
    "UNLINKED: line 2, column 1: t:up \"up0\" needs a link to its port \"in\"\n"
    "UNLINKED: line 2, column 1: t:up \"up0\" needs a link from its port \"out\"\n" },
  { "leat 1\n"
    "j = t:join\n"
    "t:source path=a -> t:up -> j.left\n"
    "j -> t:down -> t:sink\n",
    "UNLINKED: line 2, column 1: t:join \"j\" needs a link to its port \"right\"\n" },
  { "leat 1\n"
    "j = t:join\n"
    "t:source path=a -> t:up -> j -> t:down -> t:sink\n",
    "AMBIGUOUS: line 3, column 28: t:join \"j\" has several inputs: say which of left and right is meant, as in "
    "j.left\n" },
  { "leat 1\n"
    "s = t:split\n"
    "t:source path=a -> t:up -> s -> t:down -> t:sink\n",
    "AMBIGUOUS: line 3, column 28: t:split \"s\" has several outputs: say which of low and high is meant, as in "
    "s.low\n" },
  { "leat 1\n"
    "a = t:up\n"
    "b = t:down\n"
    "a -> b -> a\n",
    "CYCLE: line 4, column 11: cannot link b.out (t:down) to a.in (t:up): that would close a cycle: b -> a -> b\n" },
  { "leat 1\n"
    "a = t:join\n"
    "a -> a.left\n",
    "CYCLE: line 3, column 6: cannot link a.out (t:join) to a.left (t:join): that would close a cycle: a -> a\n" },
  { "leat 1\n"
    "x = t:source path=1\n"
    "y = t:source path=2\n"
    "s = t:sink\n"
    "x -> s\n"
    "y -> s\n",
    "TWO_WRITERS: line 6, column 6: cannot link y.out (t:source) to s.in (t:sink): x.out (t:source) feeds it already, "
    "and an input has one link\n" },
  { "leat 1\n"
    "t:sink -> t:source path=a\n",
    "UNKNOWN_PORT: line 2, column 1: t:sink \"sink0\" has no output\n"
    "UNKNOWN_PORT: line 2, column 11: t:source \"source0\" has no input\n" },
  { "leat 1\n"
    "a = t:source path=a\n"
    "b = t:source path=b\n"
    "a.out -> b.out\n",
    "DIRECTION: line 4, column 10: cannot link a.out (t:source) to b.out (t:source): both are outputs\n" },
  { "leat 1\n"
    "a = t:sink\n"
    "b = t:source path=b\n"
    "a.in -> b.out\n",
    "DIRECTION: line 4, column 9: cannot link a.in (t:sink) to b.out (t:source): links go from an output to an input; "
    "write it the other way round\n" },
  { "leat 1\n"
    "t:source path=a -> t:down -> t:sink\n",
    "RESIDENCE: line 2, column 20: cannot link source0.out (t:source) to down0.in (t:down): the first is in host "
    "memory, the second takes device memory: put an upload between\n" },
  { "leat 1\n"
    "t:source path=a -> t:up -> t:sink\n",
    "RESIDENCE: line 2, column 28: cannot link up0.out (t:up) to sink0.in (t:sink): the first is in device memory, the "
    "second takes host memory: put a readback between\n" },
  { "leat 1\n"
    "t:source path=a -> t:up -> f32[4] -> t:scan patterns=x -> t:down -> t:sink\n",
    "SPEC: line 2, column 38: cannot link up0.out (t:up) to scan0.in (t:scan): f32[4] and u8[<=n] do not agree: f32 is "
    "not u8\n" },
  { "leat 1\n"
    "t:source path=a -> u8[4] -> t:up in=f32[4] -> t:down -> t:sink\n",
    "SPEC: line 2, column 29: cannot link source0.out (t:source) to up0.in (t:up): u8[4] and f32[4] do not agree: u8 "
    "is not f32\n" },
  { "leat 1\n"
    "t:source path=a -> u7[4] -> t:up -> t:down -> t:sink\n",
    "SPEC: line 2, column 20: spec \"u7[4]\", column 1: no type \"u7\" (did you mean \"u8\"?)\n" },
  { "leat 1\n"
    "t:source path=a -> u8[4][5] -> t:up -> t:down -> t:sink\n",
    "SPEC: line 2, column 20: spec \"u8[4][5]\", column 6: nothing may follow here\n" },
  { "leat 1\n"
    "t:source path=a out=u8[4] -> u8[5] -> t:up -> t:down -> t:sink\n",
    "SPEC: line 2, column 30: port source0.out (t:source): u8[4] and u8[5] do not agree: dimension 0 is 4 in u8[4] and "
    "5 "
    "in u8[5]\n" },
  /* bodies: what is in one that is not made is not reported */
  { "leat 1\n"
    "u = t:up {\n"
    "  a = t:source path=x\n"
    "  in -> t:nope p=1 -> out.v\n"
    "}\n"
    "t:source path=a -> u -> t:down -> t:sink {\n"
    "  t:up\n"
    "}\n"
    "a -> t:sink\n",
    "SYNTAX: line 2, column 10: t:up \"u\" takes no body\n"
    "SYNTAX: line 6, column 42: t:sink \"sink0\" takes no body\n" },
  { "leat 1\n"
    "t:nope {\n"
    "  t:nope\n"
    "}\n",
    "UNKNOWN_NODE: line 2, column 1: no node \"t:nope\" (did you mean \"t:down\"?)\n" },
  { "leat 1\n"
    "a = t:source path=x\n"
    "t:up {\n"
    "  a = t:source path=x\n"
    "}\n",
    "SYNTAX: line 3, column 6: t:up \"up0\" takes no body\n"
    "DUPLICATE_NAME: line 4, column 3: there are two nodes \"a\" (the first at line 2, column 1)\n" },
  /* several at once, in the order of the text */
  { "leat 1\n"
    "let a = \"x\n"
    "t:source pth=b -> t:sink titel=y\n"
    "nope -> t:sink\n"
    "t:scan patterns=x radius=99 -> = -> t:sink zzz=1\n",
    "QUOTE: line 2, column 9: the quote is not closed on its line; write \\n for a line break inside quotes\n"
    "UNKNOWN_PROPERTY: line 3, column 10: t:source \"source0\" has no property \"pth\" (did you mean \"path\"?)\n"
    "UNKNOWN_PROPERTY: line 3, column 26: t:sink \"sink0\" has no property \"titel\" (did you mean \"title\"?)\n"
    "UNKNOWN_NODE: line 4, column 1: no node \"nope\"; leat-inspect lists all that there are\n"
    "RANGE: line 5, column 26: t:scan \"scan0\": property \"radius\" is 1 to 64, not 99\n"
    "SYNTAX: line 5, column 32: unexpected \"=\"; expected a node\n"
    "UNKNOWN_PROPERTY: line 5, column 44: t:sink \"sink2\" has no property \"zzz\" (there are title, path and in)\n" },
};

static const ErrorCase terminal_cases[] = {
  { "", "EMPTY: there is no node in this pipeline\n" },
  { "  ", "EMPTY: there is no node in this pipeline\n" },
  { "+", "SYNTAX: line 1, column 1: unexpected \"+\"; expected a node\n"
         "SYNTAX: line 1, column 2: unexpected end of the text; expected a node\n" },
  { "t:source path=a +", "SYNTAX: line 1, column 18: unexpected end of the text; expected a node\n" },
  { "t:source path=a + + t:sink", "SYNTAX: line 1, column 19: unexpected \"+\"; expected a node\n" },
  { ", t:source path=a", "SYNTAX: line 1, column 1: unexpected \",\"; expected a node\n" },
  { "t:source path=a , , t:sink", "SYNTAX: line 1, column 19: unexpected \",\"; expected a node\n" },
  { "t:source path=a - t:sink",
    "SYNTAX: line 1, column 17: unexpected \"-\"; expected \"+\" between nodes; the shell takes the > of a ->\n" },
  { "t:source path=a t:sink", "SYNTAX: line 1, column 17: unexpected \"t:sink\"; expected PROPERTY=VALUE or \"+\"\n" },
  { "t:source path='a + t:sink", "MISSING: line 1, column 1: t:source \"source0\" needs its property \"path\": A path\n"
                                 "QUOTE: line 1, column 15: the quote ' is not closed\n" },
  { "t:source path=a + s.in", "UNKNOWN_NAME: line 1, column 19: there is no node \"s\" (no node here has a name)\n" },
  { "t:source path=a + sink", "UNKNOWN_NODE: line 1, column 19: no node \"sink\" (did you mean \"t:sink\"?)\n" },
  { "t:sink name=sink , t:source path=a + sink", "SYNTAX: line 1, column 38: \"sink\" is no id but the name of a node "
                                                 "(at line 1, column 1): a dot after it refers to it\n" },
  { "t:source path=a + t:up + f32:4x4 + t:scan patterns=x + t:down + t:sink",
    "SPEC: line 1, column 36: cannot link up0.out (t:up) to scan0.in (t:scan): f32[4,4] and u8[<=n] do not agree: f32 "
    "is not u8\n" },
  { "t:source path=a + u8:maxx4 + t:sink",
    "SPEC: line 1, column 19: spec \"u8:maxx4\", column 7: expected a dimension: a number, a name or any\n" },
  { "t:source path = a + t:sink",
    "SYNTAX: line 1, column 10: unexpected \"path\"; expected PROPERTY=VALUE or \"+\"\n" },
  { "t:source path=a + s. name=x", "UNKNOWN_NAME: line 1, column 19: there is no node \"s\" (no node here has a name)\n"
                                   "SYNTAX: line 1, column 22: unexpected \"name=x\"; expected \"+\"; properties are "
                                   "set where the node is declared\n" },
  { "t:source path=a + t:up begin t:nope end + t:down + t:sink",
    "SYNTAX: line 1, column 24: t:up \"up0\" takes no body\n" },
  { "let a = 1", "UNKNOWN_NODE: line 1, column 1: no node \"let\"; leat-inspect lists all that there are\n"
                 "SYNTAX: line 1, column 5: unexpected \"a\"; expected PROPERTY=VALUE or \"+\"\n" },
  { "t:source path=\377", "ENCODING: line 1, column 15: the byte 0xff is not UTF-8 text\n" },
  { "t:source path=a\n"
    "+ t:snk",
    "UNKNOWN_NODE: line 2, column 3: no node \"t:snk\" (did you mean \"t:sink\"?)\n" },
};

static const char args_errors[] =
  "UNKNOWN_PROPERTY: argument 7, column 1: t:scan \"scan0\" has no property \"pattern\" (did you mean \"patterns\"?)\n"
  "SYNTAX: argument 3, column 1: unexpected \"-\"; expected \"+\" between nodes; the shell takes the > of a ->\n";

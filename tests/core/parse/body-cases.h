/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Texts with bodies that are wrong as syntax, and all that is said about each. */

typedef struct
{
  const char *text;
  const char *errors;
} BodyCase;

static const BodyCase body_file_cases[] = {
  /* where braces stand */
  { "leat 1\n"
    "a = loop { in -> b -> out }\n"
    "a -> c\n",
    "SYNTAX: line 2, column 10: \"{\" opens a body where it ends a line; put what follows it on the next one\n" },
  { "leat 1\n"
    "a = loop { b -> loop {\n"
    "  in -> 9\n"
    "} }\n"
    "c -> 9\n",
    "SYNTAX: line 2, column 10: \"{\" opens a body where it ends a line; put what follows it on the next one\n"
    "NAME: line 3, column 9: \"9\" is not a node; expected the id of a node, NAME.PORT or a spec\n"
    "NAME: line 5, column 6: \"9\" is not a node; expected the id of a node, NAME.PORT or a spec\n" },
  { "leat 1\n"
    "a = loop {\n"
    "  in -> out }\n"
    "b -> c\n",
    "SYNTAX: line 3, column 13: \"}\" ends a body where it begins a line; put it on the next one\n" },
  { "leat 1\n"
    "a = loop\n"
    "{\n"
    "  in -> 9\n"
    "}\n"
    "c -> 9\n",
    "SYNTAX: line 3, column 1: unexpected \"{\"; expected the node, on the same line, whose body it opens\n"
    "NAME: line 6, column 6: \"9\" is not a node; expected the id of a node, NAME.PORT or a spec\n" },
  { "leat 1\n"
    "let a = {\n"
    "{\n"
    "  b\n"
    "}\n",
    "SYNTAX: line 3, column 1: unexpected \"{\"; expected the node, on the same line, whose body it opens\n" },
  { "leat 1\n"
    "a -> {\n"
    "  b\n"
    "} -> 9\n",
    "SYNTAX: line 2, column 6: unexpected \"{\"; expected the node, on the same line, whose body it opens\n"
    "NAME: line 4, column 6: \"9\" is not a node; expected the id of a node, NAME.PORT or a spec\n" },
  { "leat 1\n"
    "a -> b\n"
    "}\n"
    "c -> d\n"
    "  }\n"
    "e }\n",
    "SYNTAX: line 3, column 1: \"}\" ends no body\n"
    "SYNTAX: line 5, column 3: \"}\" ends no body\n"
    "SYNTAX: line 6, column 3: \"}\" ends no body\n" },
  { "leat 1\n"
    "a -> s.x {\n"
    "  b\n"
    "} -> u8[4] {\n"
    "  b\n"
    "} -> c\n",
    "SYNTAX: line 2, column 10: unexpected \"{\"; expected \"->\"; a body stands where the node is declared\n"
    "SYNTAX: line 4, column 12: unexpected \"{\"; expected \"->\"\n" },
  { "leat 1\n"
    "a = loop {\n"
    "  b\n"
    "} -> c\n",
    "SYNTAX: line 4, column 3: unexpected \"->\"; expected the end of the declaration; link the node by its name in a "
    "line of its own\n" },
  { "leat 1\n"
    "loop {\n"
    "  b\n"
    "} x=1 -> c {\n"
    "  b\n"
    "} {\n"
    "  b\n"
    "} -> 9\n",
    "SYNTAX: line 4, column 3: unexpected \"x=1\"; expected a link or the end of the statement; properties stand "
    "before "
    "the body\n"
    "SYNTAX: line 6, column 3: unexpected \"{\"; expected a link or the end of the statement; properties stand before "
    "the "
    "body\n"
    "NAME: line 8, column 6: \"9\" is not a node; expected the id of a node, NAME.PORT or a spec\n" },
  /* bodies without an end, or without anything */
  { "leat 1\n"
    "a = loop {\n"
    "}\n"
    "loop {\n"
    "  # nothing\n"
    "} -> b\n",
    "SYNTAX: line 3, column 1: unexpected \"}\"; expected a node or a chain in the body\n"
    "SYNTAX: line 6, column 1: unexpected \"}\"; expected a node or a chain in the body\n" },
  { "leat 1\n"
    "a = loop {",
    "SYNTAX: line 2, column 10: the body that \"{\" opens is not ended; expected a line that begins with \"}\" before "
    "the end of the text\n" },
  { "leat 1\n"
    "a = loop {\n"
    "  in -> out\n",
    "SYNTAX: line 2, column 10: the body that \"{\" opens is not ended; expected a line that begins with \"}\" before "
    "the end of the text\n" },
  { "leat 1\n"
    "a = loop {\n"
    "  in -> b\n"
    "c -> 9\n",
    "SYNTAX: line 2, column 10: the body that \"{\" opens is not ended; expected a line that begins with \"}\" before "
    "line 4\n"
    "NAME: line 4, column 6: \"9\" is not a node; expected the id of a node, NAME.PORT or a spec\n" },
  { "leat 1\n"
    "a = loop {\n"
    "  b = loop {\n"
    "    c = loop {\n"
    "      d\n"
    "  e\n"
    "}\n"
    "f -> 9\n",
    "SYNTAX: line 3, column 12: the body that \"{\" opens is not ended; expected a line that begins with \"}\" before "
    "line 6\n"
    "SYNTAX: line 4, column 14: the body that \"{\" opens is not ended; expected a line that begins with \"}\" before "
    "line 6\n"
    "NAME: line 8, column 6: \"9\" is not a node; expected the id of a node, NAME.PORT or a spec\n" },
  /* margins */
  { "leat 1\n"
    "a = loop {\n"
    "in -> b\n"
    "b -> 9\n"
    "}\n",
    "SYNTAX: line 3, column 1: the statements of a body stand deeper than the one that opens it; indent this line\n"
    "NAME: line 4, column 6: \"9\" is not a node; expected the id of a node, NAME.PORT or a spec\n" },
  { "leat 1\n"
    "a = loop {\n"
    "    in -> b\n"
    "  b -> 9\n"
    "    c -> 9\n"
    "}\n",
    "SYNTAX: line 4, column 3: this line is less deep than the first statement of its body; begin it below that, or "
    "end "
    "the body before it with a line that begins with \"}\"\n"
    "NAME: line 4, column 8: \"9\" is not a node; expected the id of a node, NAME.PORT or a spec\n"
    "NAME: line 5, column 10: \"9\" is not a node; expected the id of a node, NAME.PORT or a spec\n" },
  { "leat 1\n"
    "a = loop {\n"
    "  in -> b\n"
    "\tc -> 9\n"
    "}\n",
    "SYNTAX: line 4, column 2: this line is not indented with the same blanks and tabs as those above it; use blanks "
    "in "
    "all\n"
    "NAME: line 4, column 7: \"9\" is not a node; expected the id of a node, NAME.PORT or a spec\n" },
  /* words */
  { "leat 1\n"
    "a = loop {\n"
    "  let x = 1\n"
    "  include no.leat\n"
    "  leat 1\n"
    "  in -> b p=$x -> 9\n"
    "}\n",
    "SYNTAX: line 3, column 3: \"let\" stands at the left margin of a file, not in a body\n"
    "SYNTAX: line 4, column 3: \"include\" stands at the left margin of a file, not in a body\n"
    "SYNTAX: line 5, column 3: \"leat\" stands at the left margin of a file, not in a body\n"
    "NAME: line 6, column 19: \"9\" is not a node; expected the id of a node, NAME.PORT or a spec\n" },
  { "leat 1\n"
    "a = loop {\n"
    "  in = c\n"
    "  d name=out -> in x=1 -> out {\n"
    "    x\n"
    "  }\n"
    "  out.v\n"
    "}\n",
    "NAME: line 3, column 3: \"in\" cannot name a node in a body: in.NAME is what goes into it\n"
    "NAME: line 4, column 10: \"out\" cannot name a node in a body: out.NAME is what comes out of it\n"
    "SYNTAX: line 4, column 20: unexpected \"x=1\"; expected \"->\"; in and out of a body are no nodes\n"
    "SYNTAX: line 4, column 31: unexpected \"{\"; expected \"->\"; in and out of a body are no nodes\n"
    "SYNTAX: line 7, column 3: \"out.v\" alone links nothing; expected a link after it\n" },
  /* all faults of a body, and those around it */
  { "leat 1\n"
    "a = loop x = 1 {\n"
    "  -> b\n"
    "  c == d\n"
    "  e -> loop p=\"x {\n"
    "    = f\n"
    "  } -> -> g\n"
    "  h p='\n"
    "}\n"
    "i ->\n",
    "SYNTAX: line 2, column 10: unexpected \"x\"; expected PROPERTY=VALUE without white space around the =\n"
    "SYNTAX: line 3, column 3: unexpected \"->\"; expected a node\n"
    "SYNTAX: line 4, column 6: unexpected \"=\"; expected the id of a node after =\n"
    "QUOTE: line 5, column 15: the quote is not closed on its line; write \\n for a line break inside quotes\n"
    "SYNTAX: line 6, column 5: unexpected \"=\"; expected a node\n"
    "SYNTAX: line 7, column 8: unexpected \"->\"; expected a node\n"
    "QUOTE: line 8, column 7: single quotes do not quote in a pipeline file; use \"double quotes\"\n"
    "SYNTAX: line 10, column 5: unexpected end of the statement; expected a node\n" },
};

static const BodyCase body_terminal_cases[] = {
  { "a + loop begin b + c",
    "SYNTAX: line 1, column 10: the body that \"begin\" opens is not ended; expected \"end\" before the end of the "
    "text\n" },
  { "a + loop {",
    "SYNTAX: line 1, column 10: the body that \"{\" opens is not ended; expected \"end\" before the end of "
    "the text\n" },
  { "a + loop begin end + { }",
    "SYNTAX: line 1, column 16: unexpected \"end\"; expected a node or a chain in the body\n"
    "SYNTAX: line 1, column 22: unexpected \"{\"; expected the node, on the same line, whose body it opens\n" },
  { "a end + b , c } + end", "SYNTAX: line 1, column 3: \"end\" ends no body\n"
                             "SYNTAX: line 1, column 15: \"}\" ends no body\n"
                             "SYNTAX: line 1, column 19: \"end\" ends no body\n"
                             "SYNTAX: line 1, column 22: unexpected end of the text; expected a node\n" },
  { "a + loop begin in.u + end + 9",
    "SYNTAX: line 1, column 23: unexpected end of the body; expected a node\n"
    "NAME: line 1, column 29: \"9\" is not a node; expected the id of a node, NAME.PORT or "
    "a spec\n" },
  { "a + loop begin , b end", "SYNTAX: line 1, column 16: unexpected \",\"; expected a node\n" },
  { "a + s.x begin b end + u8:4 begin c end + d",
    "SYNTAX: line 1, column 9: unexpected \"begin\"; expected \"+\"; a body stands where the node is declared\n"
    "SYNTAX: line 1, column 28: unexpected \"begin\"; expected \"+\"\n" },
  { "a + loop begin b name=in end x=1 + 9",
    "NAME: line 1, column 23: \"in\" cannot name a node in a body: in.NAME is what goes into it\n"
    "SYNTAX: line 1, column 30: unexpected \"x=1\"; expected a link or the end of the statement; properties stand "
    "before "
    "the body\n"
    "NAME: line 1, column 36: \"9\" is not a node; expected the id of a node, NAME.PORT or a spec\n" },
  { "a + loop begin b p='x end", "QUOTE: line 1, column 20: the quote ' is not closed\n" },
  /* as fish hands it over */
  { "a + loop x=1 '{ in.u + out.v }' + b",
    "SYNTAX: line 1, column 14: the shell has made one word of what is in braces; write \"begin\" and \"end\" in their "
    "place\n" },
};

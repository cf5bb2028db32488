#!/bin/sh
# Leat - dataflow for GPU work that repeats
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# leat-kernel-identity.sh OUTPUT INPUT...: a header that says which source text the code in the inputs is.
set -eu
output=$1
shift
sum=$(cat -- "$@" | sha256sum)
printf '#pragma once\n#define LEAT_KERNEL_IDENTITY "%s"\n' "${sum%% *}" >"$output"

# SPDX-License-Identifier: LGPL-2.1-or-later
bundle_make () { die "not yet"; }

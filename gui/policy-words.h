/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptions of policies, translated. No GTK. */
#pragma once

/* That of a policy that Brio brings; any other one as it came. */
const char *policy_words (const char *description);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small grey pictures of what always looks the same, as it was when a developer last looked at it: tests/gui/references/NAME.png. */
#pragma once

#include "picture.h"

/* Why none can be compared here (they are of other versions of the toolkit, or of a font that is not there), or NULL. */
const char *references_missing(void);

/* True where the picture is as it was. Else says where it is not. With $BRIO_UPDATE_REFERENCES it is written instead, into the source. */
bool references_match(const char *name, const struct picture *p);

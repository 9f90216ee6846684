/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source-disk.h"

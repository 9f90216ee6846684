/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#define BPF_DRIVES_MAX 64 /* as many as the model knows */
#define BPF_NAME_MAX 16   /* TASK_COMM_LEN */

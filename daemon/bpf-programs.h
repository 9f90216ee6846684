/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is the same of all programs in the kernel. */
#pragma once

#include <bpf/libbpf.h>
#include <stdint.h>

/* A program does not run while it runs already on the same CPU (an interrupt in between), and the kernel counts that. Returns the
 * sum over the object's programs but for one. */
uint64_t bpf_programs_missed(const struct bpf_object *object, const struct bpf_program *except);

/* Where to add a drive in the memory that the programs look at: they see it whole or not at all. */
void bpf_programs_watch(uint32_t *watched, uint32_t *n_watched, size_t place, uint32_t dev, size_t n);

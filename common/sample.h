/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The record that OpenSampleStream sends through its pipe: one a drive and interval, host byte order.
 * A record is at most PIPE_BUF bytes, so a reader that reads multiples of it never sees half of one.
 * A reader accepts any size >= its own and skips what it does not know. */
#pragma once

#include <stdint.h>

#define BRIO_SAMPLE_MAGIC 0x31535242u /* "BRS1" */
#define BRIO_SAMPLE_DEVICE_MAX 32

struct brio_sample {
        uint32_t magic;
        uint32_t size;        /* of this record in bytes */
        uint64_t t_ns;        /* CLOCK_MONOTONIC at the end of the interval */
        char device[BRIO_SAMPLE_DEVICE_MAX]; /* kernel name, e.g. "sda", NUL-terminated */
        uint32_t span_us;     /* length of the interval that the rates below are over */
        uint32_t read_iops;   /* requests completed a second */
        uint32_t write_iops;
        uint32_t read_latency_us;  /* mean of the requests completed in the interval, queue to completion; 0: none completed */
        uint32_t write_latency_us;
        uint32_t utilisation_permille; /* of the interval with at least one request in the drive or its queue */
        uint32_t depth_milli; /* mean number of requests in flight, in thousandths */
        uint32_t inflight;    /* requests in flight at t_ns */
        uint64_t read_bytes_per_s;
        uint64_t write_bytes_per_s;
        uint32_t readers;     /* processes that read from the drive in the last second; 0 at attention level 0 */
        uint32_t dropped;     /* records that this stream lost before this one because the reader was slow */
        uint32_t read_median_us;   /* from single requests of the last two to four seconds, queue to completion; 0: these are */
        uint32_t read_p99_us;      /* not looked at, or there was none. 99 of 100 took no longer */
        uint32_t write_median_us;
        uint32_t write_p99_us;
        uint32_t foremost_p99_us; /* of reads, but for those of processes that let others go first; 0: as above */
        uint32_t reserved;
};

_Static_assert(sizeof(struct brio_sample) == 128, "the sample record is part of the interface");

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs in the kernel while an application starts: tells which pages of which files its processes bring into memory. */
#include "kernel-types.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "page-record.h"

#define RING_BYTES (1 << 20) /* 26 000 ranges: what a disk reads in more than a second */
#define PROCESSES_MAX 1024
#define FILES_MAX 8192
#define S_IFMT 0170000
#define S_IFREG 0100000
#define ORDER_MASK 0xff

struct {
        __uint(type, BPF_MAP_TYPE_RINGBUF);
        __uint(max_entries, RING_BYTES);
} records SEC(".maps");

/* Processes that start: tgid → number of the start. */
struct {
        __uint(type, BPF_MAP_TYPE_LRU_HASH);
        __uint(max_entries, PROCESSES_MAX);
        __type(key, uint32_t);
        __type(value, uint32_t);
} starting SEC(".maps");

struct file_key {
        uint64_t ino;
        uint32_t dev, start;
};

/* Files that were told of. */
struct {
        __uint(type, BPF_MAP_TYPE_LRU_HASH);
        __uint(max_entries, FILES_MAX);
        __type(key, struct file_key);
        __type(value, uint8_t);
} told SEC(".maps");

uint32_t starts[BPF_STARTS_MAX]; /* numbers of those that are followed; 0: none */
uint64_t lost; /* there was no room for */

static __always_inline bool is_followed(uint32_t start) {
        for (uint32_t i = 0; i < BPF_STARTS_MAX; i++)
                if (start && starts[i] == start)
                        return true;
        return false;
}

static __always_inline uint32_t find_start(uint32_t tgid) {
        uint32_t *start = bpf_map_lookup_elem(&starting, &tgid);

        return start && is_followed(*start) ? *start : 0;
}

/* Up to the root of the file system, which is its own parent. */
static __always_inline void tell_file(const struct bpf_page_record *page, struct inode *inode) {
        struct hlist_node *alias = BPF_CORE_READ(inode, i_dentry.first);
        struct bpf_file_record *r;
        struct dentry *d;
        uint32_t at = 0;

        if (!alias)
                return;
        r = bpf_ringbuf_reserve(&records, sizeof(*r), 0);
        if (!r) {
                __sync_fetch_and_add(&lost, 1);
                return;
        }
        r->record = *page;
        r->record.kind = BPF_PAGE_FILE;
        d = (void *) ((char *) alias - bpf_core_field_offset(struct dentry, d_u.d_alias));
        for (int i = 0; i < BPF_DEPTH_MAX; i++) {
                struct dentry *parent = BPF_CORE_READ(d, d_parent);
                long n;
                if (!parent || parent == d || at >= BPF_NAMES_BYTES)
                        break;
                n = bpf_probe_read_kernel_str(&r->names[at], BPF_NAME_BYTES, BPF_CORE_READ(d, d_name.name));
                if (n <= 0)
                        break;
                at += (uint32_t) n & (BPF_NAME_BYTES * 2 - 1);
                d = parent;
        }
        r->size = at;
        bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
}

static __always_inline uint32_t count_pages(struct folio *folio) {
        struct folio___before_6_6 *old = (void *) folio;
        uint64_t flags = 0, order = 0;

        bpf_probe_read_kernel(&flags, sizeof(flags), folio); /* which come first, whatever their type is called */
        if (!(flags >> bpf_core_enum_value(enum pageflags, PG_head) & 1))
                return 1;
        if (bpf_core_field_exists(old->_folio_order))
                order = BPF_CORE_READ(old, _folio_order);
        else if (bpf_core_field_exists(folio->_flags_1))
                order = BPF_CORE_READ(folio, _flags_1) & ORDER_MASK;
        return 1u << (order & 15);
}

SEC("raw_tp/mm_filemap_add_to_page_cache")
int on_page(uint64_t *args) {
        struct bpf_page_record page = { .start = find_start((uint32_t) (bpf_get_current_pid_tgid() >> 32)), .count = 1, .kind = BPF_PAGE_RANGE };
        struct folio *folio = (void *) args[0];
        struct page___before_5_16 *old = (void *) args[0];
        struct bpf_page_record *r;
        struct inode *inode;
        struct file_key key;
        uint8_t one = 1;

        if (!page.start)
                return 0;
        if (bpf_core_type_exists(struct folio)) {
                inode = BPF_CORE_READ(folio, mapping, host);
                page.first = BPF_CORE_READ(folio, index);
                page.count = count_pages(folio);
        } else {
                inode = BPF_CORE_READ(old, mapping, host);
                page.first = BPF_CORE_READ(old, index);
        }
        if ((BPF_CORE_READ(inode, i_mode) & S_IFMT) != S_IFREG)
                return 0;
        page.ino = BPF_CORE_READ(inode, i_ino);
        page.dev = BPF_CORE_READ(inode, i_sb, s_dev);
        key = (struct file_key){ page.ino, page.dev, page.start };
        if (!bpf_map_lookup_elem(&told, &key)) {
                bpf_map_update_elem(&told, &key, &one, BPF_ANY);
                tell_file(&page, inode);
        }
        r = bpf_ringbuf_reserve(&records, sizeof(*r), 0);
        if (!r) {
                __sync_fetch_and_add(&lost, 1);
                return 0;
        }
        *r = page;
        bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
        return 0;
}

/* What a process that starts begets, starts. */
SEC("raw_tp/sched_process_fork")
int on_fork(uint64_t *args) {
        struct task_struct *parent = (void *) args[0], *child = (void *) args[1];
        uint32_t from = (uint32_t) BPF_CORE_READ(parent, tgid), to = (uint32_t) BPF_CORE_READ(child, tgid), start;

        start = find_start(from);
        if (start && from != to)
                bpf_map_update_elem(&starting, &to, &start, BPF_ANY);
        return 0;
}

/* Version 2 or later: the kernel, which has version 2 alone, lends its functions to nothing that does not go with that. */
char _license[] SEC("license") = "GPL";

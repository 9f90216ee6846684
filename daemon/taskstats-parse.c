/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messages of generic netlink: a header, a header of the family's, attributes with lengths, in attributes. Pure. */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>

#include "macro.h"
#include "taskstats.h"

/* Offsets into struct taskstats. Version 15, of Linux 6.14 alone, had a maximum and a minimum put in behind each total;
 * version 16 has moved them to the end. */
#define VERSION_FIRST 8
#define VERSION_SPREAD 15
#define RUNS_AT 16 /* in each version */
#define MEMORY_TOTALS 4 /* swapin, freepages, thrashing, compact: in ns */
struct layout {
        size_t waits, wait_ns, memory_ns[MEMORY_TOTALS];
};
static const struct layout plain = { 32, 40, { 56, 320, 336, 360 } }, spread = { 48, 56, { 88, 368, 400, 440 } };

struct span {
        const uint8_t *data;
        size_t size;
};

static uint64_t get_u64(const struct span *s, size_t offset) {
        uint64_t value;

        memcpy(&value, s->data + offset, sizeof(value));
        return value;
}

/* Takes one attribute off the front. Returns its type, 0 at the end, or -EBADMSG. */
static int next_attribute(struct span *rest, struct span *ret) {
        struct nlattr a;

        if (rest->size < NLA_HDRLEN)
                return 0;
        memcpy(&a, rest->data, sizeof(a));
        if (a.nla_len < NLA_HDRLEN || a.nla_len > rest->size)
                return -EBADMSG;
        *ret = (struct span) { rest->data + NLA_HDRLEN, a.nla_len - NLA_HDRLEN };
        rest->data += MIN((size_t) NLA_ALIGN(a.nla_len), rest->size);
        rest->size -= MIN((size_t) NLA_ALIGN(a.nla_len), rest->size);
        return a.nla_type & NLA_TYPE_MASK;
}

/* Returns 1, 0 where there is none, or -EBADMSG. */
static int find_attribute(struct span in, int type, struct span *ret) {
        struct span value;

        for (int r; (r = next_attribute(&in, &value)) != 0;) {
                if (r < 0)
                        return r;
                if (r != type)
                        continue;
                *ret = value;
                return 1;
        }
        return 0;
}

/* The attributes of a message of that family. Returns its command; 0 for another's; -EBADMSG; *ret_error where it is a refusal, with 0. */
static int open_message(const void *data, size_t size, uint16_t family, struct span *ret, int *ret_error) {
        struct nlmsghdr header;
        struct genlmsghdr command;
        int32_t error;

        *ret_error = 0;
        if (size < NLMSG_HDRLEN)
                return -EBADMSG;
        memcpy(&header, data, sizeof(header));
        if (header.nlmsg_len < NLMSG_HDRLEN || header.nlmsg_len > size)
                return -EBADMSG;
        if (header.nlmsg_type == NLMSG_ERROR) {
                if (header.nlmsg_len < NLMSG_HDRLEN + sizeof(error))
                        return -EBADMSG;
                memcpy(&error, (const uint8_t *) data + NLMSG_HDRLEN, sizeof(error));
                if (error >= 0 || error < -4095) /* MAX_ERRNO; 0 would be an acknowledgement, which is not asked for */
                        return -EBADMSG;
                *ret_error = -error;
                return 0;
        }
        if (header.nlmsg_type != family)
                return 0;
        if (header.nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN)
                return -EBADMSG;
        memcpy(&command, (const uint8_t *) data + NLMSG_HDRLEN, sizeof(command));
        *ret = (struct span) { (const uint8_t *) data + NLMSG_HDRLEN + GENL_HDRLEN, header.nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN };
        return command.cmd;
}

/* The numbers themselves. */
static int read_stats(const struct span *s, struct task_stats_reply *ret) {
        const struct layout *l = &plain;
        uint16_t version;

        if (s->size < sizeof(version))
                return -EBADMSG;
        memcpy(&version, s->data, sizeof(version));
        if (version < VERSION_FIRST)
                return -EPROTONOSUPPORT;
        if (version == VERSION_SPREAD)
                l = &spread;
        if (s->size < l->wait_ns + sizeof(uint64_t))
                return -EBADMSG;
        ret->runs = get_u64(s, RUNS_AT);
        ret->waits = get_u64(s, l->waits);
        ret->wait_ns = get_u64(s, l->wait_ns);
        for (size_t i = 0; i < MEMORY_TOTALS; i++)
                if (l->memory_ns[i] + sizeof(uint64_t) <= s->size) /* a later version than the others */
                        ret->memory_ns += get_u64(s, l->memory_ns[i]);
        return 0;
}

int task_stats_parse(const void *data, size_t size, uint16_t family, struct task_stats_reply *ret) {
        struct task_stats_reply reply = { 0 };
        struct span attributes, group, id, stats;
        int r = open_message(data, size, family, &attributes, &reply.error);

        if (r == 0 && reply.error) {
                *ret = reply;
                return 1;
        }
        if (r <= 0 || r != TASKSTATS_CMD_NEW)
                return MIN(r, 0);
        r = find_attribute(attributes, TASKSTATS_TYPE_AGGR_TGID, &group);
        if (r > 0)
                r = find_attribute(group, TASKSTATS_TYPE_TGID, &id);
        if (r > 0)
                r = find_attribute(group, TASKSTATS_TYPE_STATS, &stats);
        if (r <= 0 || id.size < sizeof(reply.id))
                return -EBADMSG;
        memcpy(&reply.id, id.data, sizeof(reply.id));
        r = reply.id > 0 ? read_stats(&stats, &reply) : -EBADMSG;
        if (r < 0)
                return r;
        *ret = reply;
        return 1;
}

int task_stats_parse_family(const void *data, size_t size) {
        struct span attributes, id;
        uint16_t family;
        int error, r = open_message(data, size, GENL_ID_CTRL, &attributes, &error);

        if (r == 0 && error)
                return -error;
        if (r < 0 || r != CTRL_CMD_NEWFAMILY || find_attribute(attributes, CTRL_ATTR_FAMILY_ID, &id) <= 0 || id.size < sizeof(family))
                return -EBADMSG;
        memcpy(&family, id.data, sizeof(family));
        return family >= GENL_MIN_ID ? family : -EBADMSG;
}

uint64_t wait_account_add(struct wait_account *a, uint64_t wait_ns, bool waiting, nsec_t span) {
        uint64_t more = a->known && wait_ns > a->wait_ns ? wait_ns - a->wait_ns : 0, taken = MIN(more, a->ahead_ns);

        a->known = true;
        a->wait_ns = wait_ns;
        if (more == 0 && waiting) {
                a->ahead_ns += span;
                return span;
        }
        a->ahead_ns = waiting ? a->ahead_ns - taken : 0;
        return MIN(more - taken, span);
}

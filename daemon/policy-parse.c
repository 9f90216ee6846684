/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of a policy file, by inih. Its reader is ours: it counts lines, which distributions' builds of inih do not pass on,
 * and takes out what inih would cut, misread or pass over in silence, with a report. */
#include <ini.h>

#include "policy-load.h"
#include "str.h"

#define SECTION_MAX 32 /* bytes; above every name of ours, and below the 50 at which inih cuts a name */

struct parser {
        struct policy *policy;
        const char *file, *text, *end; /* text: what is still to be read */
        policy_report_fn report;
        void *userdata;
        int line;         /* number of the line that inih has */
        bool unanswered;  /* it ought to bring a key and has not yet */
        bool section_lost;/* the header was faulty: its keys must not fall to the section before */
        int errors;
};

static void parser_report(struct parser *p, int line, const char *message) {
        p->errors++;
        p->report(p->userdata, POLICY_ERROR, p->file, line, message);
}

static int on_key(void *userdata, const char *section, const char *name, const char *value) {
        struct parser *p = userdata;

        p->unanswered = false;
        if (p->section_lost)
                return 1;
        if (policy_set(p->policy, section, name, value, p->file, p->line, p->report, p->userdata) < 0)
                p->errors++;
        return 1; /* 0 would make inih count it as a syntax error */
}

/* A line that inih was given as a key and made nothing of. */
static void settle(struct parser *p) {
        if (p->unanswered)
                parser_report(p, p->line, "neither [Section] nor Key = value");
        p->unanswered = false;
}

/* inih passes over what follows the bracket. */
static const char *check_header(const char *line) {
        const char *close = strchr(line, ']'), *rest;

        if (!close)
                return "the ] of the section's name is missing; its keys are passed over";
        if (close - line > SECTION_MAX)
                return "no section has so long a name; its keys are passed over";
        rest = close + 1 + strspn(close + 1, " \t");
        if (*rest != '\0' && *rest != ';' && *rest != '#')
                return "nothing may follow the ] of a section's name; its keys are passed over";
        return NULL;
}

/* Takes the next line, without blanks around it, into str. Returns why inih must not see it, or NULL; ret_header: it
 * begins, or was to begin, a section. */
static const char *take_line(struct parser *p, char *str, size_t size, bool *ret_header) {
        const char *start = p->text, *newline = memchr(start, '\n', (size_t) (p->end - start));
        const char *end = newline ? newline : p->end;

        p->text = newline ? newline + 1 : p->end;
        p->line++;
        str[0] = '\0';
        if (p->line == 1 && end - start >= 3 && memcmp(start, "\xef\xbb\xbf", 3) == 0)
                start += 3;
        /* Leading blanks would make it a continuation of the line before. */
        while (start < end && (*start == ' ' || *start == '\t'))
                start++;
        while (end > start && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
                end--;
        *ret_header = start < end && *start == '[';
        if ((size_t) (end - start) + 1 >= size)
                return "the line is too long";
        memcpy(str, start, (size_t) (end - start));
        str[end - start] = '\0';
        if (strlen(str) != (size_t) (end - start) || !str_is_text(str))
                return "not text in UTF-8";
        return *str == '[' ? check_header(str) : NULL;
}

/* In the manner of fgets(): inih's source of lines. A line that it must not see becomes an empty one. */
static char *read_line(char *str, int size, void *userdata) {
        struct parser *p = userdata;
        const char *fault;
        bool header;

        settle(p);
        if (p->text == p->end || size < 2)
                return NULL;
        fault = take_line(p, str, (size_t) size, &header);
        if (header)
                p->section_lost = fault != NULL;
        if (fault) {
                parser_report(p, p->line, fault);
                str[0] = '\0';
        }
        p->unanswered = *str != '\0' && !strchr("[;#", *str);
        return str;
}

int policy_parse_text(struct policy *policy, const char *file, const char *text, size_t length,
                      policy_report_fn report, void *userdata) {
        struct parser p = {
                .policy = policy,
                .file = file,
                .text = text,
                .end = text + length,
                .report = report,
                .userdata = userdata,
        };
        int r;

        r = ini_parse_stream(read_line, &p, on_key, &p);
        settle(&p);
        if (r > 0 && p.errors == 0)
                parser_report(&p, r, "neither [Section] nor Key = value");
        else if (r < 0)
                parser_report(&p, p.line, "out of memory");
        return p.errors;
}

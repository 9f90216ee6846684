/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <malloc.h>

#include "test.h"
#include "trace-instance.h"

/* brioctl and the dashboard ask again and again. */
TEST(asking_whether_tracing_is_possible_takes_no_memory) {
        enum trace_obstacle obstacle = trace_instance_obstacle();
        struct mallinfo2 before = mallinfo2();

        for (unsigned i = 0; i < 10; i++)
                CHECK_INT(trace_instance_obstacle(), obstacle);
        CHECK_INT(mallinfo2().uordblks, before.uordblks);
}

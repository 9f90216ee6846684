/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All statements that a reason, a verdict or an outcome is made of: what the sources call it, its id on the bus, and its sentence (statement.h). An id
 * and the names in it stay as they are once they are released. What begins with a comma or a semicolon goes on with what was said before it. */
#pragma once

/* clang-format off */
#define STATEMENT_TABLE(STATEMENT) \
        /* What the detectors find. */ \
        STATEMENT(A_PROCESS, "a-process", N_("a process")) \
        STATEMENT(NOT_SEEN, "not-seen", N_("another user's process")) \
        STATEMENT(BULK, "bulk", N_("{process} has moved {moved:bytes} in the last {seconds:n} seconds, without a pause")) \
        STATEMENT(BURST, "burst", N_("{processes:n} processes began to use the drive, each less than 180 ms after the one before")) \
        STATEMENT(BURST_SPAN, "burst-span", N_(", over {span:time}")) \
        STATEMENT(HOLES, "holes", N_("{percent:percent} of the time the drive idles while requests wait for it")) \
        STATEMENT(HOLES_FILLED, "holes-filled", N_(" now that it waits for {wait:usec}, and {requests:n} were served in pauses")) \
        STATEMENT(HOLES_FOR, "holes-for", N_(", {percent:percent} of that for {process}")) \
        STATEMENT(INJECTION_HARMLESS, "injection-harmless", N_("; with others served in its pauses its reads take {times:hundredths} times as long, which does not hurt")) \
        STATEMENT(INJECTION_HURTS, "injection-hurts", N_("; with others served in its pauses its reads take {times:hundredths} times as long, so that it is worth the wait")) \
        STATEMENT(PRIORITY_IGNORED, "priority-ignored", N_("{process} has I/O priority {priority}, of which {scheduler} takes no notice; bfq does")) \
        STATEMENT(WEIGHT_IGNORED, "weight-ignored", N_("{process} has I/O weight {weight:n}, of which {scheduler} takes no notice; bfq does")) \
        STATEMENT(BOTH_IGNORED, "priority-and-weight-ignored", N_("{process} has I/O priority {priority} and I/O weight {weight:n}, of which {scheduler} takes no notice; bfq does")) \
        STATEMENT(THE_SCHEDULER, "the-scheduler", N_("the scheduler")) \
        STATEMENT(MANY_SYNC, "many-sync", N_("{readers:n} processes read a little each at the same time")) \
        STATEMENT(READ_SIZE, "read-size", N_(" ({size:bytes} a read)")) \
        STATEMENT(SHARED, "shared", N_("{readers:n} processes share the drive")) \
        STATEMENT(STARTING, "starting", N_("{process} starts: {latency:time} so far, {read:bytes} read")) \
        STATEMENT(STARTING_CULPRIT, "starting-culprit", N_("; meanwhile {percent:percent} of what the drive does is for {process}")) \
        STATEMENT(START_WAITED, "start-waited", N_(", {percent:percent} of the time waiting for the drive")) \
        STATEMENT(STARTED, "started", N_("{process} started in {latency:time}")) \
        STATEMENT(STARTED_WARM, "started-warm", N_(", warm: nothing had to be read")) \
        STATEMENT(STARTED_COLD, "started-cold", N_(", cold: {read:bytes} read")) \
        STATEMENT(STARTED_FROM, "started-from", N_(" from {device}")) \
        STATEMENT(STARTED_CULPRIT, "started-culprit", N_("; meanwhile {percent:percent} of what the drive did was for {process}")) \
        STATEMENT(STARTED_BEST, "started-best", N_("; at its best it takes {best:time}")) \
        STATEMENT(VICTIM, "victim", N_("{process} waits {percent:percent} of the time for its reads")) \
        STATEMENT(VICTIM_P99, "victim-p99", N_(", up to {p99:time} each")) \
        STATEMENT(VICTIM_OF_ENDED, "victim-of-ended", N_("; meanwhile {percent:percent} of the drive's time went to a process that has ended")) \
        STATEMENT(VICTIM_OF, "victim-of", N_("; meanwhile {percent:percent} of the drive's time went to {process}")) \
        STATEMENT(VICTIM_OF_KERNEL, "victim-of-kernel", N_("; meanwhile {percent:percent} of the drive's time went to what the kernel reads and writes")) \
        STATEMENT(VICTIM_OF_KERNEL_FOR, "victim-of-kernel-for", N_("; meanwhile {percent:percent} of the drive's time went to what the kernel reads and writes, mostly for {process}")) \
        STATEMENT(VICTIM_OWN, "victim-own", N_(" and {percent:percent} to {process}")) \
        STATEMENT(VICTIM_GUESS, "victim-guess", N_("{process} waits {percent:percent} of the time; meanwhile {culprit_percent:percent} of what is moved is for {culprit}")) \
        STATEMENT(READS_STARVE, "reads-starve", N_("a read takes {latency:time} (alone {alone:time}) while {rate:bytes}/s are written")) \
        STATEMENT(READS_STARVE_AT_MOST, "reads-starve-at-most", N_("a read takes {latency:time} (alone at most {alone:time}) while {rate:bytes}/s are written")) \
        STATEMENT(WRITTEN_BY, "written-by", N_(", {percent:percent} of it by {process}")) \
        STATEMENT(THROTTLED, "throttled", N_("writing is throttled to {requests:tenths} requests at a time and keeps the drive busy without a break, while ")) \
        STATEMENT(THROTTLED_STALLS, "throttled-stalls", N_("programs wait for memory ({times:n} times)")) \
        STATEMENT(THROTTLED_DIRTY, "throttled-dirty", N_("memory is full of what is to be written ({percent:percent} of the limit)")) \
        STATEMENT(THROTTLED_RECLAIM, "throttled-reclaim", N_("no process reads; what is written is small and apart, as when memory is reclaimed")) \
        \
        /* Streams, and what is none. */ \
        STATEMENT(STREAM_READS, "stream-reads", N_("{process} reads {rate:bytes}/s")) \
        STATEMENT(STREAM_WRITES, "stream-writes", N_("{process} writes {rate:bytes}/s")) \
        STATEMENT(STREAM_SOUND, "stream-sound", N_(" while it has sound open")) \
        STATEMENT(STREAM_VIDEO, "stream-video", N_(" while it has a video device open")) \
        STATEMENT(STREAM_EVEN, "stream-even", N_(" evenly ({percent:percent})")) \
        STATEMENT(STREAM_RHYTHM, "stream-rhythm", N_(" in a rhythm of {period:time} ({percent:percent} regular)")) \
        STATEMENT(STREAM_COUNTED, "stream-counted", N_(", as far as its counters tell")) \
        STATEMENT(STREAM_TOO_FEW, "stream-too-few", N_("{process} is no stream yet: it has kept its rhythm for {periods:n} of {needed:n} periods")) \
        STATEMENT(STREAM_READS_TOO_FAST, "stream-reads-too-fast", N_("{process} is no stream: it reads {rate:bytes}/s, and one takes at most {limit:bytes}/s")) \
        STATEMENT(STREAM_WRITES_TOO_FAST, "stream-writes-too-fast", N_("{process} is no stream: it writes {rate:bytes}/s, and one takes at most {limit:bytes}/s")) \
        STATEMENT(STREAM_READS_TOO_SLOW, "stream-reads-too-slow", N_("{process} is no stream: it reads {rate:bytes}/s, and one takes at least {limit:bytes}/s")) \
        STATEMENT(STREAM_WRITES_TOO_SLOW, "stream-writes-too-slow", N_("{process} is no stream: it writes {rate:bytes}/s, and one takes at least {limit:bytes}/s")) \
        STATEMENT(STREAM_NO_PAUSE, "stream-no-pause", N_("{process} is no stream: it pauses for {percent:percent} of its time, and one for {needed_percent:percent} at least")) \
        STATEMENT(STREAM_COMPUTES, "stream-computes", N_("{process} is no stream: it computes for {percent:percent} of its time, and one for {limit_percent:percent} at most")) \
        STATEMENT(STREAM_SEEKY, "stream-seeky", N_("{process} is no stream: each of its last 32 requests was far from the one before")) \
        STATEMENT(STREAM_FOLLOWS, "stream-follows", N_("{process} is no stream: it asks so long after each answer, whenever that comes: {percent:percent} of its uneven periods are so for that alone, and of one {limit_percent:percent} at most")) \
        STATEMENT(STREAM_IRREGULAR, "stream-irregular", N_("{process} is no stream: {percent:percent} of its periods are about as long as the others, and of one {needed_percent:percent} at least")) \
        STATEMENT(STREAM_DRIFTS, "stream-drifts", N_("{process} is no stream: four of its periods take up to {percent:percent} of what four others take, and of one {limit_percent:percent} at most")) \
        STATEMENT(STREAM_FAST_LATELY, "stream-fast-lately", N_("{process} is no stream: it was fast a moment ago, and by its mean rate comes {early:time} too early")) \
        STATEMENT(STREAM_STARVES, "stream-starves", N_("{process} is no stream yet, for it is starved: it pauses for {percent:percent} of its time, and one for {needed_percent:percent} at least, but makes up for what it waited")) \
        STATEMENT(STREAM_TOO_SHORT, "stream-too-short", N_("{process} is no stream yet: its rhythm is steady for {steady:time} of {needed:time}")) \
        STATEMENT(STREAM_NOT_STEADY, "stream-not-steady", N_("{process} is no stream yet: its rhythm has to be steady for {needed:time}")) \
        \
        /* What the laws want. */ \
        STATEMENT(IDLE_AHEAD, "idle-ahead", N_("the drive is quiet, and if a crowd of readers comes, bfq or cfq is not to wait for each of them: {tunable:tunable} = 0 until it is known what comes")) \
        STATEMENT(IDLE_LIMIT, "idle-limit", N_("; {tunable:tunable} = min(base {base:usec}, group slice {slice:usec} / {readers:n} readers) = {limit:usec}")) \
        STATEMENT(IDLE_IN_VAIN, "idle-in-vain", N_(", and of {percent:percent} of them it catches no request that the drive has near, so 0 µs")) \
        STATEMENT(IDLE_TOO_SHORT, "idle-too-short", N_(", shorter than {shortest:usec}, so 0 µs")) \
        STATEMENT(HOLE_FILLER, "hole-filler", N_("; {tunable:tunable} = base {base:n}, halved for each 2 s of the last {seconds:n} s, = {value:n}")) \
        STATEMENT(HOLE_FILLER_ENDS, "hole-filler-ends", N_("; {why}, so {tunable:tunable} = base {base:n}")) \
        STATEMENT(WAIT_FOR_START, "wait-is-for-start", N_("a program starts, for which the wait is meant")) \
        STATEMENT(WAIT_FOR_PLAYER, "wait-is-for-player", N_("the wait is meant for a program that plays")) \
        STATEMENT(IT_HURTS, "it-hurts", N_("it hurts")) \
        STATEMENT(SLICE_COUNT, "slice-share-count", N_("; {tunable:tunable} = max(base {base:n} * 3 / {readers:n}, floor {floor:n}) = {value:n}")) \
        STATEMENT(SLICE_SHARE, "slice-share", N_("; {tunable:tunable} = max(base {base:usec} * 3 / {readers:n} processes, 2 * idle {idle:usec}, floor {floor:usec}) = {value:usec}")) \
        STATEMENT(SLICE_SPARED, "slice-spared", N_("; bfq serves it out of turn, so that shorter turns gain nothing: {tunable:tunable} = base {base:n}")) \
        STATEMENT(READAHEAD, "readahead", N_("of each file more is read at a time, so that the heads move less often: {tunable:tunable} = {size:n}, base {base:n}")) \
        STATEMENT(SCHEDULER, "scheduler", N_("policy {policy} prefers {scheduler} for this class of drive ({class})")) \
        STATEMENT(SCHEDULER_OUTRUN, "scheduler-outrun", N_("policy {policy} prefers bfq for this class of drive ({class}), but this one has done {requests:n} requests a second, and above {limit:n} (BfqMaxIops) what bfq takes for each would hold it up: {scheduler}")) \
        STATEMENT(MAKES_ROOM, "makes-room", N_("{starting} starts, and {process} moves {rate:bytes}/s there; it steps back to {priority} until that runs")) \
        STATEMENT(START_TURNS, "start-turns", N_("; turns of {turns:n} ms instead of {base:n} until it runs")) \
        STATEMENT(START_WAIT, "start-wait", N_("; bfq waits {wait:time} for its next request instead of {base:time} until it runs")) \
        STATEMENT(START_WRITES, "start-writes", N_(", beside {rate:bytes}/s that are written; {writes:n} of these at a time instead of {base:n} until it runs")) \
        STATEMENT(ALWAYS_STEPS_BACK, "always-steps-back", N_("{process} has a rule to wait for others")) \
        STATEMENT(ASKED_STEPS_BACK, "asked-steps-back", N_("a user asked that {process} waits for others; it steps back to {priority}")) \
        STATEMENT(STEPS_BACK, "steps-back", N_("; {while} it steps back to {priority}")) \
        STATEMENT(WHILE_HELD, "while-held", N_("while a program holds \"interactive\"")) \
        STATEMENT(WHILE_STARTING, "while-starting", N_("while a program starts")) \
        STATEMENT(WHILE_WAITING, "while-waiting", N_("while another process waits for the drive")) \
        STATEMENT(WHILE_PRESENT, "while-present", N_("while a user is at the machine")) \
        STATEMENT(WHILE_LOGGED_IN, "while-logged-in", N_("while a user is logged in and may come back")) \
        STATEMENT(WHILE_UNKNOWN, "while-unknown", N_("while a user may be at the machine")) \
        STATEMENT(STEPS_BACK_BESIDES, "steps-back-besides", N_(" on a drive that it also uses, under {scheduler}: the idle class would hold there, too")) \
        STATEMENT(STEPS_BACK_SERVED, "steps-back-served", N_(", and {scheduler} serves others first")) \
        STATEMENT(KEEPS_ITS_TIME, "keeps-its-time", N_(", yet it keeps its time whatever the answers take")) \
        STATEMENT(BESIDE_WRITTEN, "beside-written", N_(", beside {rate:bytes}/s that are written")) \
        STATEMENT(BESIDE_READ, "beside-read", N_(", beside {rate:bytes}/s that are read")) \
        STATEMENT(STREAM_FIRST, "stream-first", N_("; it goes first ({priority}) as long as it plays")) \
        STATEMENT(STREAM_WAIT, "stream-wait", N_("; it goes first, and others wait less for it in between: {tunable:tunable} = {value:n}, base {base:n}")) \
        STATEMENT(START_NEEDS, "start-needs", N_("a program starts, and needs requests of its own")) \
        STATEMENT(START_OR_READERS, "start-or-readers", N_("a program starts, or more than three processes read: each needs requests of its own")) \
        STATEMENT(WRITE_ONE, "write-one", N_("; within {wait:time} the drive serves {requests:n} requests of {service:time}, and the queue may have {base:n}: one at a time")) \
        STATEMENT(WRITE_BOUND_HALF, "write-bound-half", N_("; {tunable:tunable} = {wait:time} / {service:time} a request, as a power of two, at least {least:n}, and one a reader ({readers:n}), half of it for writes = {value:n}, base {base:n}")) \
        STATEMENT(IDLE_CLASS, "idle-class", N_("a process of the idle class uses the drive, and bfq would wait for each of its requests")) \
        STATEMENT(MOVED, "moved", N_("{moved:bytes} were moved in the last {seconds:n} seconds")) \
        STATEMENT(THROUGHPUT, "throughput", N_(", and {why}: {tunable:tunable} = {value:n}, so that no turn is cut short for another process")) \
        STATEMENT(HOLDS_THROUGHPUT, "holds-throughput", N_("a program holds \"throughput\"")) \
        STATEMENT(NO_USER, "no-user", N_("no user is at the machine")) \
        STATEMENT(USER_MAY_WAIT, "user-may-wait", N_("a user may wait again: turns are as before")) \
        STATEMENT(EXPECT_IDLE, "expect-idle", N_("a round through {readers:n} readers idles for {after:time} at most instead of {before:time}")) \
        STATEMENT(EXPECT_TURNS, "expect-turns", N_("a round of full turns of {readers:n} readers takes {after:time} instead of {before:time}")) \
        STATEMENT(EXPECT_KNOWN, "expect-known", N_("as on such a drive before: {effect}")) \
        \
        /* Why a drive is in its state. */ \
        STATEMENT(LAW_SAYS, "law-says", N_("{law:law}: {reason}")) \
        STATEMENT(LAW_NAME, "law-name", N_("{law:law}")) \
        STATEMENT(STEPPED_BACK, "stepped-back", N_("{processes:n} processes have stepped back, among them {process}: ")) \
        STATEMENT(ON_TRIAL, "on-trial", N_("; on trial: it is compared with what was before")) \
        STATEMENT(TRIAL_BETTER, "trial-better", N_("; a trial found it better: {effect}")) \
        STATEMENT(TRIAL_KNOWN, "trial-known", N_("; known to be better on such a drive: {effect}")) \
        STATEMENT(TRIAL_INCONCLUSIVE, "trial-inconclusive", N_("; a trial was inconclusive: {effect}")) \
        STATEMENT(SWITCH_WAITS, "switch-waits", N_("the switch waits until the drive was idle for {quiet:time}")) \
        STATEMENT(GIVEN_BACK, "given-back", N_("{law:law}: what it has set is given back for a moment, to see what it does")) \
        STATEMENT(STAYS_AWAY, "stays-away", N_("{law:law} stays away, since a trial found it worse: {effect}")) \
        STATEMENT(HELD_OFF, "held-off", N_("A program holds \"throughput\", so what would cost some waits:")) \
        STATEMENT(NOT_OFFERED, "not-offered", N_(". Policy {policy} prefers {scheduler}, which the kernel does not offer here: it may be a module that is not loaded")) \
        STATEMENT(ADVICE_APPLIED, "advice-applied", N_("Advice applied on request: ")) \
        STATEMENT(ADVISED_ONE, "advised-one", N_("The mode is advise: 1 setting would be changed")) \
        STATEMENT(ADVISED, "advised", N_("The mode is advise: {settings:n} settings would be changed")) \
        STATEMENT(PREFERS, "prefers", N_("Policy {policy} prefers {scheduler}: ")) \
        STATEMENT(NOTHING_TO_CHANGE, "nothing-to-change", N_("Nothing has to be changed")) \
        STATEMENT(BUDGET_SPENT, "budget-spent", N_("; {changes:n} changes within an hour are all that policy {policy} allows: the next one waits")) \
        STATEMENT(NO_POLICY, "no-policy", N_("No policy matches this class of drive")) \
        STATEMENT(MODE_OFF, "mode-off", N_("The mode is off")) \
        STATEMENT(PAUSED, "paused", N_("A hold asks for a pause")) \
        STATEMENT(PAUSED_AS_IS, "paused-as-is", N_("; a hold asks for a pause, so it stays as it is")) \
        STATEMENT(PAUSED_STEPPED_BACK, "paused-stepped-back", N_("; a hold asks for a pause, so it stays as it is, and bulk processes stay stepped back")) \
        STATEMENT(DRIVE_LEFT_ALONE, "drive-left-alone", N_("This drive is left alone on request")) \
        STATEMENT(LEFT_ALONE, "left-alone", N_("Undone: left alone until the mode is set again")) \
        STATEMENT(FOREIGN, "foreign", N_("Another program set {tunable:tunable} to {value}, which stays")) \
        STATEMENT(GIVEN_UP, "given-up", N_("{tunable:tunable} could not be set to {value} ({error}): given up until it is asked for")) \
        STATEMENT(DRIVE_SILENT, "drive-silent", N_("The drive does not answer; nothing of it is changed or put back until it does")) \
        \
        /* Why something comes back. */ \
        STATEMENT(NO_REASON, "no-reason", N_("no reason for {law:law} any more: the original comes back")) \
        STATEMENT(NO_REASON_SINCE, "no-reason-since", N_("no reason for {law:law} any more since {seconds:n} s: the original comes back")) \
        STATEMENT(FOUND_WORSE, "found-worse", N_("a trial found {law:law} to be worse: {effect}")) \
        STATEMENT(PROBE, "probe", N_("given back for a moment, to see what it does")) \
        STATEMENT(UNDONE, "undone", N_("undone on request")) \
        STATEMENT(NO_POLICY_LEFT, "no-policy-left", N_("no policy matches this class of drive any more")) \
        STATEMENT(OTHER_PRIORITY, "other-priority", N_("{law:law} under {scheduler} wants another priority now")) \
        STATEMENT(USER_WAITS, "user-waits", N_("it starts or plays something: a user waits for it")) \
        STATEMENT(NEVER_STEPS_BACK, "never-steps-back", N_("its program has a rule never to be slowed down")) \
        STATEMENT(SET_TO_OFF, "set-to-off", N_("the mode was set to off")) \
        STATEMENT(SET_TO_ADVISE, "set-to-advise", N_("the mode was set to advise")) \
        STATEMENT(RESTORED, "restored", N_("restored on request")) \
        STATEMENT(DAEMON_ENDS, "daemon-ends", N_("briod ends")) \
        STATEMENT(EARLIER_RUN, "earlier-run", N_("left by an earlier run of briod that could not put it back")) \
        STATEMENT(MEDIUM_GONE, "medium-gone", N_("the medium is gone or another one")) \
        STATEMENT(PROCESS_ENDED, "process-ended", N_("it has ended")) \
        STATEMENT(OTHER_PROGRAM, "other-program", N_("it has become another program")) \
        STATEMENT(FOREGROUND, "foreground", N_("it is in the foreground of a terminal, where a user waits for it")) \
        STATEMENT(IDLE_THREAD, "idle-thread", N_("a thread of it runs in the idle scheduling class, which puts its I/O there, too")) \
        STATEMENT(REALTIME_THREAD, "realtime-thread", N_("a thread of it is a realtime one")) \
        STATEMENT(NO_STEP_BACK, "no-step-back", N_("no policy of its drive lets processes step back")) \
        STATEMENT(PRIORITY_UNREAD, "priority-unread", N_("the scheduler of its drive looks at no priority")) \
        STATEMENT(PROCESS_ONE, "process-one", N_("it is process 1, which begets all others")) \
        STATEMENT(DAEMON_ITSELF, "daemon-itself", N_("it is briod itself")) \
        STATEMENT(KERNEL_THREAD, "kernel-thread", N_("it is a kernel thread, which works for others")) \
        STATEMENT(NICE_ALREADY, "nice-already", N_("its niceness has put it there already")) \
        STATEMENT(YOUNG_APPLICATION, "young-application", N_("its application was started just now")) \
        STATEMENT(PRIORITY_GIVEN, "priority-given", N_("it was given a priority, which stays")) \
        STATEMENT(PRIORITY_FOREIGN, "priority-foreign", N_("another program has set it meanwhile, which stays")) \
        \
        /* What came of a trial. */ \
        STATEMENT(TRIAL_CHANGE, "trial-change", N_("{change}: ")) \
        STATEMENT(TRIAL_P95, "trial-p95", N_("p95 read {before:time} → {after:time}; decided on ")) \
        STATEMENT(TRIAL_MEAN_READ, "trial-mean-read", N_("mean read {before:time} → {after:time}, {old:n} samples against {new:n}")) \
        STATEMENT(TRIAL_LONGEST_READ, "trial-longest-read", N_("longest read {before:time} → {after:time}, {old:n} samples against {new:n}")) \
        STATEMENT(TRIAL_THROUGHPUT, "trial-throughput", N_("throughput {before:bytes}/s → {after:bytes}/s, {old:n} samples against {new:n}")) \
        STATEMENT(TRIAL_UNSURE, "trial-unsure", N_(", no difference that is sure")) \
        STATEMENT(TRIAL_CONFIDENCE, "trial-confidence", N_(", confidence {percent:tenths} %")) \
        STATEMENT(VOID_TOO_LITTLE, "void-too-little", N_("too little was read meanwhile")) \
        STATEMENT(VOID_SOMETHING_ELSE, "void-something-else", N_("something else was changed on the drive meanwhile")) \
        STATEMENT(VOID_MODE, "void-mode", N_("the mode changed, or a pause was asked for")) \
        STATEMENT(VOID_SHORT, "void-short", N_("what it had set did not stand for long enough")) \
        STATEMENT(VOID_LOAD, "void-load", N_("the load changed meanwhile")) \
        STATEMENT(VOID_PROBE, "void-probe", N_("a program started, a stream played, or a hold began meanwhile")) \
        \
        /* Why the daemon looks so closely. */ \
        STATEMENT(DRIVE_READ, "drive-read", N_("a drive is read from")) \
        STATEMENT(DRIVE_READ_EVENLY, "drive-read-evenly", N_("a drive is read from evenly")) \
        STATEMENT(DRIVE_WRITTEN_EVENLY, "drive-written-evenly", N_("a drive is written to evenly")) \
        STATEMENT(DRIVE_QUEUES, "drive-queues", N_("requests wait for a drive")) \
        STATEMENT(DRIVE_BEGINS, "drive-begins", N_("processes began to use a drive")) \
        STATEMENT(DRIVE_WAS_BUSY, "drive-was-busy", N_("a drive was busy a moment ago")) \
        STATEMENT(DRIVE_RECORDED, "drive-recorded", N_("a drive is recorded")) \
        STATEMENT(DRIVE_REASON, "drive-reason", N_("{device}: {reason}")) \
        STATEMENT(WRITES_EVENLY, "writes-evenly", N_("a process writes evenly")) \
        STATEMENT(PROCESS_STARTS, "process-starts", N_("{process} starts")) \
        STATEMENT(PROCESSES_ASKED, "processes-asked", N_("the processes were asked for")) \
        STATEMENT(RECORDING, "recording", N_("recording")) \
        STATEMENT(FINDING, "finding", N_("{kind}: {finding}")) \
        STATEMENT(BESIDE_MUCH, "beside-much", N_("{process} reads beside much that is moved, perhaps at its own pace")) \
        STATEMENT(SLOW_READ, "slow-read", N_("a read takes {latency:time} while 1 process reads")) \
        STATEMENT(SLOW_READS, "slow-reads", N_("a read takes {latency:time} while {readers:n} processes read")) \
        STATEMENT(IN_SUMS, "in-sums", N_("; in sums, since it, or it and others, do more than {limit:n} requests a second")) \
        STATEMENT(OF_SAMPLES, "of-samples", N_(", of one request in {requests:n}")) \
        \
        /* Whether a user is there. */ \
        STATEMENT(NO_LOGIN, "no-login", N_("no user is logged in")) \
        STATEMENT(NO_FOREGROUND, "no-foreground", N_("no session is in the foreground")) \
        STATEMENT(SESSION_USED, "session-used", N_("session {session} ({type}) on {seat} is in use")) \
        STATEMENT(SESSION_IDLE, "session-idle", N_("session {session} ({type}) on {seat} is idle")) \
        STATEMENT(REMOTE_USED, "remote-session-used", N_("session {session} ({type}) from afar is in use")) \
        STATEMENT(REMOTE_IDLE, "remote-session-idle", N_("session {session} ({type}) from afar is idle")) \
        STATEMENT(AS_RECORDED, "as-recorded", N_("as it was recorded")) \
        STATEMENT(NOT_KNOWN_YET, "not-known-yet", N_("not known yet")) \
        STATEMENT(LOGIND_ABSENT, "logind-absent", N_("systemd-logind is not on this bus; systemctl start systemd-logind enables it")) \
        STATEMENT(LOGIND_FORBIDDEN, "logind-forbidden", N_("systemd-logind does not let briod ask; the bus's policy forbids it")) \
        STATEMENT(LOGIND_SILENT, "logind-silent", N_("systemd-logind does not answer; systemctl restart systemd-logind may help")) \
        STATEMENT(LOGIND_FAILS, "logind-fails", N_("systemd-logind answers with an error")) \
        \
        /* What tells a drive's class. */ \
        STATEMENT(CLASS_GIVEN, "class-given", N_("class given by the user")) \
        STATEMENT(CLASS_NAMED_ROTATES, "class-named-rotates", N_("named by the user; rotational is 1")) \
        STATEMENT(CLASS_NAMED_STILL, "class-named-still", N_("named by the user; rotational is 0")) \
        STATEMENT(CLASS_ZONED, "class-zoned", N_("its zones must be written in order")) \
        STATEMENT(CLASS_NVME, "class-nvme", N_("NVMe")) \
        STATEMENT(CLASS_NVME_PATHS, "class-nvme-paths", N_("NVMe with several paths: watched, no scheduler of its own")) \
        STATEMENT(CLASS_EMMC, "class-emmc", N_("card type MMC")) \
        STATEMENT(CLASS_SD, "class-sd", N_("card type SD")) \
        STATEMENT(CLASS_CARD, "class-card", N_("a card of unknown type, taken for the slower kind")) \
        STATEMENT(CLASS_USB_STICK, "class-usb-stick", N_("USB, removable medium")) \
        STATEMENT(CLASS_USB_DISK, "class-usb-disk", N_("USB, fixed medium")) \
        STATEMENT(CLASS_VIRTIO, "class-virtio", N_("virtio: the host's drive is behind it, whatever it reports")) \
        STATEMENT(CLASS_XEN, "class-xen", N_("Xen: the host's drive is behind it, whatever it reports")) \
        STATEMENT(CLASS_EMULATED, "class-emulated", N_("model of an emulated disk, without a rotation rate")) \
        STATEMENT(CLASS_VIRTUAL_VENDOR, "class-virtual-vendor", N_("vendor {vendor}: a virtual machine's disk")) \
        STATEMENT(CLASS_VIRTUAL_MODEL, "class-virtual-model", N_("vendor and model of a virtual disk: {disk}")) \
        STATEMENT(CLASS_RAID_MODEL, "class-raid-model", N_("vendor and model of a RAID controller: {controller}")) \
        STATEMENT(CLASS_RAID_VENDOR, "class-raid-vendor", N_("vendor {vendor}: a volume of a RAID controller")) \
        STATEMENT(CLASS_RAID_NAME, "class-raid-name", N_("the model names a RAID controller")) \
        STATEMENT(CLASS_TARGET, "class-target", N_("vendor {vendor}: a network storage target")) \
        STATEMENT(CLASS_UFS, "class-ufs", N_("UFS: flash behind ufshcd")) \
        STATEMENT(CLASS_REPORTS_SSD, "class-reports-ssd", N_("the drive reports that it is solid state")) \
        STATEMENT(CLASS_REPORTS_RATE, "class-reports-rate", N_("the drive reports its rotation rate")) \
        STATEMENT(CLASS_ROTATES, "class-rotates", N_("rotational is 1")) \
        STATEMENT(CLASS_STILL, "class-still", N_("rotational is 0")) \
        \
        /* Reading ahead. */ \
        STATEMENT(PREFETCH, "prefetch", N_("what {application} read at its last starts is read ahead")) \
        STATEMENT(PREFETCH_NEXT, "prefetch-next", N_("{application} is usually started soon after a login: what it read at its last starts is read ahead")) \
        STATEMENT(PREFETCH_READ, "prefetch-read", N_(": {length:bytes} of {files:n} files, {read:bytes} of that from the drive, within {span:time}")) \
        STATEMENT(PREFETCH_SHORT, "prefetch-short", N_(", then memory was short, or the limit of what may be read ahead was reached")) \
        STATEMENT(PREFETCH_STOPPED, "prefetch-stopped", N_(", then it was stopped: its time was over, its start had ended, or nothing is to be set now")) \
        STATEMENT(PREFETCH_WORTH, "prefetch-worth", N_("How long its starts take: ")) \
        STATEMENT(PREFETCH_HELPED, "prefetch-helped", N_("{helped:time}")) \
        STATEMENT(PREFETCH_CONTROL, "prefetch-control", N_("without help {unhelped:time} (1 start to compare)")) \
        STATEMENT(PREFETCH_CONTROLS, "prefetch-controls", N_("without help {unhelped:time} ({controls:n} starts to compare)")) \
        STATEMENT(PREFETCH_TOOK, "prefetch-took", N_("the start took {latency:time}")) \
        STATEMENT(PREFETCH_NO_MORE, "prefetch-no-more", N_("it was asked that nothing is read ahead for {application} any more"))
/* clang-format on */

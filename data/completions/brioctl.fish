# SPDX-License-Identifier: GPL-3.0-or-later
# fish completion for brioctl(1); tests/cli/test-json.py holds it against `brioctl help --json`.

function __brioctl_devices
    brioctl devices 2>/dev/null | sed -n '2,$s/ .*//p'
end

# Of what a verb lists, one key: KEY VERB…
function __brioctl_values
    brioctl $argv[2..-1] --json 2>/dev/null | sed -n 's/.*"'$argv[1]'": *"\{0,1\}\([^",]*\).*/\1/p'
end

# Of the processes that do something: 1: number, 2: name.
function __brioctl_processes
    brioctl top --batch --count 1 --json 2>/dev/null | tr '{' '\n' | sed -n 's/^"pid":\([0-9]*\),"name":"\([^"]*\)".*/\\'$argv[1]'/p'
end

function __brioctl_policies
    brioctl policy list 2>/dev/null | sed -n '2,$s/ .*//p'
end

complete -c brioctl -f
complete -c brioctl -l bus -x -a 'system session' -d 'Bus to use'
complete -c brioctl -s h -l help -d 'Show help'
complete -c brioctl -n __fish_use_subcommand -l version -d 'Show the versions'
complete -c brioctl -n 'not __fish_seen_subcommand_from hold metrics' -s j -l json -d 'Print JSON'
complete -c brioctl -n '__fish_use_subcommand; or __fish_seen_subcommand_from status devices top startups explain streams decisions advise' \
    -l all -d 'Other users\' processes, too'

complete -c brioctl -n __fish_use_subcommand -a status -d 'Show the mode, the drives and what is set on them'
complete -c brioctl -n __fish_use_subcommand -a devices -d 'List the drives, or show one'
complete -c brioctl -n __fish_use_subcommand -a top -d 'Watch drives and the busiest processes live'
complete -c brioctl -n __fish_use_subcommand -a startups -d 'Show how long applications take to start'
complete -c brioctl -n __fish_use_subcommand -a prefetch -d 'Show or change what is read ahead when applications start'
complete -c brioctl -n __fish_use_subcommand -a explain -d 'Say why a drive is set as it is'
complete -c brioctl -n __fish_use_subcommand -a streams -d 'Show what plays, records or calls'
complete -c brioctl -n __fish_use_subcommand -a decisions -d 'Show what was changed, when and why'
complete -c brioctl -n __fish_use_subcommand -a advise -d 'Show what Brio would change'
complete -c brioctl -n __fish_use_subcommand -a apply -d 'Carry out a piece of advice'
complete -c brioctl -n __fish_use_subcommand -a undo -d 'Take an applied decision back'
complete -c brioctl -n __fish_use_subcommand -a mode -d 'Show or set the mode'
complete -c brioctl -n __fish_use_subcommand -a hold -d 'Hold a mode for as long as a command runs'
complete -c brioctl -n __fish_use_subcommand -a holds -d 'List the holds in force, or end one'
complete -c brioctl -n __fish_use_subcommand -a restore -d 'Put every original setting back'
complete -c brioctl -n __fish_use_subcommand -a lower -d 'Lower the I/O priority of a process now'
complete -c brioctl -n __fish_use_subcommand -a program -d 'List the programs with a rule, or set one'
complete -c brioctl -n __fish_use_subcommand -a policy -d 'List, show or check policies'
complete -c brioctl -n __fish_use_subcommand -a record -d 'Write down what briod sees'
complete -c brioctl -n __fish_use_subcommand -a replay -d 'Run the decisions over a recording'
complete -c brioctl -n __fish_use_subcommand -a probe -d 'Show what briod can learn here'
complete -c brioctl -n __fish_use_subcommand -a metrics -d 'Print counters and gauges for Prometheus'
complete -c brioctl -n __fish_use_subcommand -a version -d 'Show the versions'
complete -c brioctl -n __fish_use_subcommand -a help -d 'Show the verbs, or the options of one'

complete -c brioctl -n '__fish_seen_subcommand_from prefetch' -l all -d 'With forget: of all applications'
complete -c brioctl -n '__fish_seen_subcommand_from mode' -l default -d 'Drop the mode that was set'

complete -c brioctl -n '__fish_seen_subcommand_from top' -s b -l batch -d 'Frames one below the other'
complete -c brioctl -n '__fish_seen_subcommand_from top' -s n -l count -x -d 'End after so many frames'
complete -c brioctl -n '__fish_seen_subcommand_from top' -s i -l interval -x -a '100ms 500ms 1s 2s 5s 10s' -d 'Between two frames'
complete -c brioctl -n '__fish_seen_subcommand_from top' -s s -l sort -x -a 'bytes read write requests wait latency p99 pid name drive' -d 'By which column'
complete -c brioctl -n '__fish_seen_subcommand_from top' -s d -l device -x -a '(__brioctl_devices)' -d 'Only this drive and its processes'
complete -c brioctl -n '__fish_seen_subcommand_from startups' -s f -l follow -d 'Tell each start as it ends'
complete -c brioctl -n '__fish_seen_subcommand_from streams' -s f -l follow -d 'Current streams, then each start and end'
complete -c brioctl -n '__fish_seen_subcommand_from streams' -s k -l kernel -d 'Also what bfq itself says (needs administrator rights)'
complete -c brioctl -n '__fish_seen_subcommand_from streams' -s d -l device -x -a '(__brioctl_devices)' -d 'Only on this drive'
complete -c brioctl -n '__fish_seen_subcommand_from decisions' -s f -l follow -d 'Go on with each new decision'
complete -c brioctl -n '__fish_seen_subcommand_from decisions' -s d -l device -x -a '(__brioctl_devices)' -d 'Only about this drive'
complete -c brioctl -n '__fish_seen_subcommand_from decisions' -s n -l lines -x -d 'Only the newest so many'
complete -c brioctl -n '__fish_seen_subcommand_from hold' -s r -l reason -x -d 'Why, for people'
complete -c brioctl -n '__fish_seen_subcommand_from hold' -s a -l application -x -d 'The holder'
complete -c brioctl -n '__fish_seen_subcommand_from policy' -l policy-dir -r -a '(__fish_complete_directories)' -d 'Read this directory alone'
complete -c brioctl -n '__fish_seen_subcommand_from record' -s d -l duration -x -a '10s 30s 1min' -d 'End after this time'
complete -c brioctl -n '__fish_seen_subcommand_from record' -s o -l output -r -F -d 'A new file'
complete -c brioctl -n '__fish_seen_subcommand_from replay' -l policy-dir -r -a '(__fish_complete_directories)' -d 'Take the policies of this directory alone'
complete -c brioctl -n '__fish_seen_subcommand_from replay' -l proc-only -d 'Pass over single requests'
complete -c brioctl -n '__fish_seen_subcommand_from replay' -l kernel-rule -d 'Take for streams what bfq\'s rule does'
complete -c brioctl -n '__fish_seen_subcommand_from replay' -l no-memory -d 'The same as before Linux 4.16'
complete -c brioctl -n '__fish_seen_subcommand_from replay' -l kernel-turns -d 'The same where processes take each other\'s turns'

complete -c brioctl -n '__fish_seen_subcommand_from devices' -a '(__brioctl_devices)'
complete -c brioctl -n '__fish_seen_subcommand_from startups' -a '(__brioctl_values application startups)'
complete -c brioctl -n '__fish_seen_subcommand_from holds; and not __fish_seen_subcommand_from release' -a release
complete -c brioctl -n '__fish_seen_subcommand_from holds; and __fish_seen_subcommand_from release' -a '(__brioctl_values cookie holds)'
complete -c brioctl -n '__fish_seen_subcommand_from lower' -a '(__brioctl_processes 1)'
complete -c brioctl -n '__fish_seen_subcommand_from prefetch' -a 'list show forget on off'
complete -c brioctl -n '__fish_seen_subcommand_from prefetch; and __fish_seen_subcommand_from list show forget on off' -a '(__brioctl_values application prefetch)'
complete -c brioctl -n '__fish_seen_subcommand_from explain' -a '(__brioctl_devices)'
complete -c brioctl -n '__fish_seen_subcommand_from restore' -a '(__brioctl_devices)'
complete -c brioctl -n '__fish_seen_subcommand_from record' -a '(__brioctl_devices)'
complete -c brioctl -n '__fish_seen_subcommand_from replay' -F
complete -c brioctl -n '__fish_seen_subcommand_from apply' -a '(__brioctl_values id advise)'
complete -c brioctl -n '__fish_seen_subcommand_from undo' -a '(__brioctl_values id decisions)'
complete -c brioctl -n '__fish_seen_subcommand_from mode' -a 'auto advise off'
complete -c brioctl -n '__fish_seen_subcommand_from hold' -a 'interactive throughput pause'
complete -c brioctl -n '__fish_seen_subcommand_from program' -a 'never always forget'
complete -c brioctl -n '__fish_seen_subcommand_from program; and __fish_seen_subcommand_from never always' -a '(__brioctl_processes 2)'
complete -c brioctl -n '__fish_seen_subcommand_from program; and __fish_seen_subcommand_from forget' -a '(__brioctl_values program program)'
complete -c brioctl -n '__fish_seen_subcommand_from policy' -a 'list show check'
complete -c brioctl -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from show' -a '(__brioctl_policies)'
complete -c brioctl -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from check' -F
complete -c brioctl -n '__fish_seen_subcommand_from help' -a 'status devices top startups prefetch explain streams decisions advise apply undo'
complete -c brioctl -n '__fish_seen_subcommand_from help' -a 'mode hold holds restore lower program policy record replay probe metrics version help'

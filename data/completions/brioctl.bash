# SPDX-License-Identifier: GPL-3.0-or-later
# bash completion for brioctl(1); tests/cli/test-json.py holds it against `brioctl help --json`.

declare -gA _brioctl_options=(
        [status]='--json --all'
        [devices]='--json --all'
        [top]='--json --all --batch --count --interval --sort --device'
        [startups]='--json --all --follow'
        [prefetch]='--json --all'
        [explain]='--json --all'
        [streams]='--json --all --follow --kernel --device'
        [decisions]='--json --all --follow --device --lines'
        [advise]='--json --all'
        [apply]='--json'
        [undo]='--json'
        [mode]='--json --default'
        [hold]='--reason --application'
        [holds]='--json'
        [restore]='--json'
        [lower]='--json'
        [program]='--json'
        [policy]='--json --policy-dir'
        [record]='--json --duration --output'
        [replay]='--json --policy-dir --proc-only --kernel-rule --no-memory --kernel-turns'
        [probe]='--json'
        [metrics]=''
        [version]='--json'
        [help]='--json'
)
_brioctl_verbs='status devices top startups prefetch explain streams decisions advise apply undo mode hold holds restore'
_brioctl_verbs+=' lower program policy record replay probe metrics version help'

# The drives that briod looks after; nothing without it.
_brioctl_devices() {
        brioctl devices 2>/dev/null | sed -n '2,$s/ .*//p'
}

_brioctl_ids() {
        brioctl "$1" --json 2>/dev/null | sed -n 's/.*"id": *"\([^"]*\)".*/\1/p'
}

_brioctl_applications() {
        brioctl startups --json 2>/dev/null | sed -n 's/.*"application": *"\([^"]*\)".*/\1/p'
}

_brioctl_learnt() {
        brioctl prefetch --json 2>/dev/null | sed -n 's/.*"application": *"\([^"]*\)".*/\1/p'
}

# With a rule: to forget; else those that do something.
_brioctl_programs() {
        if [[ $1 == forget ]]; then
                brioctl program --json 2>/dev/null | sed -n 's/.*"program": *"\([^"]*\)".*/\1/p'
        else
                brioctl top --batch --count 1 --json 2>/dev/null | sed -n 's/.*"name": *"\([^"]*\)".*/\1/p'
        fi
}

# Those of the directory that stands before, or else of briod.
_brioctl_policies() {
        local i directory=()

        for ((i = 1; i < COMP_CWORD; i++)); do
                [[ ${COMP_WORDS[i]} == --policy-dir ]] && directory=(--policy-dir "${COMP_WORDS[i + 1]}")
        done
        brioctl policy list "${directory[@]}" 2>/dev/null | sed -n '2,$s/ .*//p'
}

_brioctl_words() {
        case $1 in
        startups) _brioctl_applications ;;
        prefetch) echo list show forget on off ;;
        devices | explain | record | restore) _brioctl_devices ;;
        apply) _brioctl_ids advise ;;
        undo) _brioctl_ids decisions ;;
        mode) echo auto advise off ;;
        holds) echo release ;;
        hold) echo interactive throughput pause ;;
        lower) brioctl top --batch --count 1 --json 2>/dev/null | sed -n 's/.*"pid": *\([0-9]*\).*/\1/p' ;;
        program) echo never always forget ;;
        policy) echo list show check ;;
        help) echo "$_brioctl_verbs" ;;
        esac
}

_brioctl() {
        local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} verb='' i
        COMPREPLY=()

        for ((i = 1; i < COMP_CWORD; i++)); do
                # After "--" comes another program's command line.
                if [[ ${COMP_WORDS[i]} == -- ]]; then
                        if declare -F _command_offset >/dev/null; then
                                _command_offset $((i + 1))
                        else
                                mapfile -t COMPREPLY < <(compgen -c -- "$word")
                        fi
                        return
                fi
                if [[ -z $verb && ${COMP_WORDS[i]} != -* && ${COMP_WORDS[i - 1]} != --bus ]]; then
                        verb=${COMP_WORDS[i]}
                fi
        done

        case $previous in
        --bus) mapfile -t COMPREPLY < <(compgen -W 'system session' -- "$word") && return ;;
        --device | -d) # of record, how long
                [[ $verb == record ]] && mapfile -t COMPREPLY < <(compgen -W '10s 30s 1min' -- "$word") && return
                mapfile -t COMPREPLY < <(compgen -W "$(_brioctl_devices)" -- "$word") && return ;;
        --interval | -i) mapfile -t COMPREPLY < <(compgen -W '100ms 500ms 1s 2s 5s 10s' -- "$word") && return ;;
        --sort | -s) mapfile -t COMPREPLY < <(compgen -W 'bytes read write requests wait latency p99 pid name drive' -- "$word") && return ;;
        --policy-dir) mapfile -t COMPREPLY < <(compgen -d -- "$word") && return ;;
        --duration) mapfile -t COMPREPLY < <(compgen -W '10s 30s 1min' -- "$word") && return ;;
        --output | -o) mapfile -t COMPREPLY < <(compgen -f -- "$word") && return ;;
        --count | --lines | --reason | --application | -n | -r | -a) return ;;
        esac

        if [[ -z $verb ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$_brioctl_verbs --bus --json --all --help --version" -- "$word")
        elif [[ $word == -* ]]; then
                mapfile -t COMPREPLY < <(compgen -W "${_brioctl_options[$verb]} --bus --help" -- "$word")
        elif [[ $verb == replay || ($verb == policy && ${COMP_WORDS[*]} == *" check "*) ]]; then
                mapfile -t COMPREPLY < <(compgen -f -- "$word")
        elif [[ $verb == prefetch && " list show forget on off " == *" $previous "* ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$(_brioctl_learnt)" -- "$word")
        elif [[ $verb == program && " never always forget " == *" $previous "* ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$(_brioctl_programs "$previous")" -- "$word")
        elif [[ $verb == policy && ${COMP_WORDS[*]} == *" show "* ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$(_brioctl_policies)" -- "$word")
        else
                mapfile -t COMPREPLY < <(compgen -W "$(_brioctl_words "$verb")" -- "$word")
        fi
}

complete -F _brioctl brioctl

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

# Of what a verb lists, one key: KEY VERB…
_brioctl_values() {
        brioctl "${@:2}" --json 2>/dev/null | sed -n 's/.*"'"$1"'": *"\{0,1\}\([^",]*\).*/\1/p'
}

# Of the processes that do something: 1: number, 2: name.
_brioctl_processes() {
        brioctl top --batch --count 1 --json 2>/dev/null | tr '{' '\n' | sed -n 's/^"pid":\([0-9]*\),"name":"\([^"]*\)".*/\'"$1"'/p'
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
        startups) _brioctl_values application startups ;;
        prefetch) echo list show forget on off ;;
        devices | explain | record | restore) _brioctl_devices ;;
        apply) _brioctl_values id advise ;;
        undo) _brioctl_values id decisions ;;
        mode) echo auto advise off ;;
        holds) echo release ;;
        hold) echo interactive throughput pause ;;
        lower) _brioctl_processes 1 ;;
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
                mapfile -t COMPREPLY < <(compgen -W "$(_brioctl_values application prefetch)" -- "$word")
        elif [[ $verb == program && $previous == forget ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$(_brioctl_values program program)" -- "$word")
        elif [[ $verb == program && " never always " == *" $previous "* ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$(_brioctl_processes 2)" -- "$word")
        elif [[ $verb == holds && $previous == release ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$(_brioctl_values cookie holds)" -- "$word")
        elif [[ $verb == policy && ${COMP_WORDS[*]} == *" show "* ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$(_brioctl_policies)" -- "$word")
        else
                mapfile -t COMPREPLY < <(compgen -W "$(_brioctl_words "$verb")" -- "$word")
        fi
}

complete -F _brioctl brioctl

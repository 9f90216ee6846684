# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash

demo_help() {
  cat <<'END'
usage: ./dev demo [--case NAME,...] [--drive MODEL] [--readers N] [--runs N] [--patience SECONDS] [--output FILE]
                  [--no-dashboard]

Installs what is missing, builds, and shows in about three minutes what Brio is for. It makes an emulated hard disk in memory and
starts programs from it: alone, and beside a load with the kernel's default scheduler, with bfq alone, and with Brio. It tells how
long each start took, what the load moved meanwhile, and what Brio did. Where there is a display, the dashboard shows the drive
meanwhile. Nothing stays, also after Ctrl-C; no other drive is tuned. Needs root, or sudo, for the drive.

  --case NAME,...     readers: a small program starts while others read big files; copy: a large one starts beside a large copy
                      (default: both)
END
  cat <<END
  --drive MODEL       the kind of drive (default: hdd-7200); one of
                      $(demo_models)
  --readers N         how many read from it at the same time, 1 to 10 (default: 10)
  --runs N            how often a program is started beside each load, with each alternative (default: 1)
  --patience SECONDS  after which a start is given up (default: 20)
  --output FILE       the figures, and what Brio changed, as JSON
  --no-dashboard      not even where there is a display
END
}

demo_models() {
  local file

  for file in bench/drive/models/*.conf; do
    basename "$file" .conf
  done | paste -sd ' ' -
}

demo_main() {
  local dashboard=yes
  local -a options=() arguments=("$@") groups=(build bpf run demo)

  while [ $# -gt 0 ]; do
    case $1 in
    --no-dashboard)
      dashboard=no
      shift
      continue
      ;;
    --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    esac
    demo_check_option "$@"
    case $1 in
    --output) options+=("$1" "$(caller_path "$2")") ;;
    *) options+=("$1" "$2") ;;
    esac
    shift 2
  done
  if [ "$dashboard" = yes ] && has_display; then
    groups+=(gui)
    options+=(--dashboard)
  fi
  is_root || become_root "since the demo makes an emulated drive and tunes it" demo "${arguments[@]}"
  demo_build "${groups[@]}"
  exec python3 tools/demo.py "${options[@]}"
}

# demo_check_option OPTION [VALUE]...
demo_check_option() {
  case $1 in
  --case | --drive | --readers | --runs | --patience | --output) [ $# -ge 2 ] || bad_usage "$1 needs a value" demo ;;
  *) bad_usage "unknown argument '$1'" demo ;;
  esac
  case $1 in
  --case) [[ $2 =~ ^(readers|copy)(,(readers|copy))*$ ]] || bad_usage "no case '$2'; cases: readers, copy" demo ;;
  --output) [ -d "$(dirname -- "$(caller_path "$2")")" ] || bad_usage "there is no directory for '$2'" demo ;;
  --drive) [[ " $(demo_models) " == *" $2 "* ]] || bad_usage "no drive '$2'; drives: $(demo_models)" demo ;;
  --readers) [[ $2 =~ ^([1-9]|10)$ ]] || bad_usage "--readers takes 1 to 10, not '$2'" demo ;;
  *) [[ $2 =~ ^[1-9][0-9]{0,3}$ ]] || bad_usage "$1 takes a number from 1 to 9999, not '$2'" demo ;;
  esac
}

demo_build() {
  local -a targets=(daemon/briod cli/brioctl bench/drive/brio-drive)

  # shellcheck source=tools/dev-deps.sh
  . tools/dev-deps.sh
  # shellcheck source=tools/dev-build.sh
  . tools/dev-build.sh
  [[ " $* " != *" gui "* ]] || targets+=(gui/brio)
  deps_install "$@"
  say "Building"
  build_tree no no "${targets[@]}"
}

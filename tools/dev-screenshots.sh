# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash

screenshots_help() {
  cat <<'END'
usage: ./dev screenshots [OPTION]... [DIRECTORY]

Builds, and takes pictures of the dashboard on a display of its own, into DIRECTORY (default: build/screenshots): every page, loaded,
empty and refused, and what stands instead of them without a daemon, the overview also with 20 drives; 360, 600, 1000 and 1920 pixels wide;
light, dark, high contrast, with text of 1.5 times the usual size, in German and in Hebrew, which is written from right to left.
PAGE-STATE-WIDTH-STYLE.png. The daemon is a scripted one.

  --page PAGE     only that page: welcome, overview, startups, startup, streams, stream, processes, decisions, policies, no-daemon; or
                  that window: preferences, help, shortcuts, about, report
  --style STYLE   only that style: light, dark, contrast, large, de, he
  --width PIXELS  only that width
  --docs          the pictures of the documentation instead, one of each page and no-daemon, in their usual sizes
  --load          with --docs or --walk: of a real briod and a real load on an emulated drive, which are there for that long; needs root. So
                  are those in docs/images made: ./dev screenshots --docs --load docs/images
  --bus ADDRESS   with --docs: the bus of a running briod
  --search TEXT   with --docs: show only the processes that match
  --walk MINUTES  no pictures: opens each page at five widths, round and round, while the daemon tells what changes; prints the memory in use and
                  the widgets after each round. Fails where anything warns, or where more memory is in use at the end
  --build DIR     what is built there, as it is (default: build, made first)
END
}

screenshots_children=()

screenshots_clean_up() {
  [ ${#screenshots_children[@]} -eq 0 ] || kill "${screenshots_children[@]}" 2>/dev/null || true
  # The drive is to be gone when this is over. wait knows of no process substitution but the last.
  while [ -n "${load_pid-}" ] && kill -0 "$load_pid" 2>/dev/null; do
    sleep 0.1
  done
  rm -rf -- "$config"
}

# A bus of its own: nothing answers on it until there is a daemon. It is the session bus, too.
screenshots_start_bus() {
  exec {bus_out}< <(exec dbus-daemon --config-file=tests/lib/private-bus.conf --nofork --print-address=1 2>/dev/null)
  screenshots_children+=($!)
  read -r own_bus <&"$bus_out"
}

# screenshots_start_daemon [SCENARIO]: ends the one before
screenshots_start_daemon() {
  if [ -n "${daemon-}" ]; then
    kill "$daemon"
    wait "$daemon" 2>/dev/null || true
  fi
  exec {daemon_out}< <(exec tests/lib/fake-daemon.py --bus "$own_bus" ${1:+--scenario "tests/lib/scenarios/$1"})
  daemon=$!
  screenshots_children+=("$daemon")
  read -r _ <&"$daemon_out"
}

# GNOME's font where it is installed: without a settings daemon GTK does not know it.
screenshots_configure() {
  config=$(mktemp -d) # not local: it is removed at exit
  trap screenshots_clean_up EXIT
  if fc-list : family 2>/dev/null | grep '^Cantarell' >/dev/null; then
    mkdir -p -- "$config/gtk-4.0"
    printf '[Settings]\ngtk-font-name=Cantarell 11\n' >"$config/gtk-4.0/settings.ini"
  fi
  echo 'Xft.dpi: 144' >"$config/large"
  mkdir -- "$config/locale"
}

# screenshots_locale STYLE: a language is looked for under its locale alone, which need not be installed
screenshots_locale() {
  case $1 in
  de) locale=de_DE ;;
  he) locale=he_IL ;;
  *)
    locale=C.UTF-8
    return
    ;;
  esac
  [ -d "$config/locale/$locale.UTF-8" ] || localedef -i "$locale" -f UTF-8 "$config/locale/$locale.UTF-8" ||
    die "no locale $locale can be made: install Debian's package locales, or glibc-locale-source"
  locale+=.UTF-8
}

# screenshots_take FILE WIDTH HEIGHT [OPTION]...: as soon as what it is of is there; the window's frame takes five pixels on each side
screenshots_take() {
  local file=$1 width=$(($2 + 10)) height=$(($3 + 10))
  shift 3
  env LC_ALL="$locale" LOCPATH="$config/locale" BRIO_LOCALE_DIR="$build_dir/po" XDG_CONFIG_HOME="$config" XENVIRONMENT="$resources" \
    DBUS_SESSION_BUS_ADDRESS="$own_bus" GSETTINGS_BACKEND=memory GSK_RENDERER=cairo GTK_A11Y=none \
    GTK_USE_PORTAL=0 ADW_DISABLE_PORTAL=1 ADW_DEBUG_HIGH_CONTRAST="$contrast" XDG_DATA_DIRS="$data_dirs" TZ=UTC \
    xvfb-run -a -s '-screen 0 2600x2200x24' "$build_dir/gui/brio" --bus "$bus" --screenshot "$out/$file" \
    --screenshot-width "$width" --screenshot-height "$height" "$@" || die "there is no $file"
  echo "$out/$file"
}

# screenshots_take_all NAME STATE HEIGHT [OPTION]...: in each width and style
screenshots_take_all() {
  local name=$1 state=$2 height=$3 width style
  local -a dark
  shift 3
  [ -z "$page" ] || [ "$page" = "$name" ] || return 0
  for width in ${only_width:-360 600 1000 1920}; do
    for style in ${only_style:-light dark contrast large de he}; do
      screenshots_locale "$style"
      resources=
      [ "$style" != large ] || resources=$config/large
      dark=()
      [ "$style" != dark ] || dark=(--dark)
      contrast=0
      [ "$style" != contrast ] || contrast=1
      screenshots_take "$name-$state-$width-$style.png" "$width" "$height" "${dark[@]}" "$@"
    done
  done
  contrast=0
  resources=
  locale=C.UTF-8
}

screenshots_all() {
  local each

  screenshots_take_all no-daemon absent 700
  screenshots_take_all welcome absent 760 --screenshot-page welcome
  screenshots_start_daemon desktop.json
  screenshots_take_all welcome loaded 760 --screenshot-page welcome
  screenshots_take_all overview loaded 1300 --screenshot-page overview
  screenshots_take_all preferences loaded 400 --screenshot-action app.preferences
  screenshots_take_all help loaded 1100 --screenshot-action app.help
  screenshots_take_all shortcuts loaded 700 --screenshot-action app.shortcuts
  screenshots_take_all about loaded 600 --screenshot-action app.about
  screenshots_take_all report loaded 600 --screenshot-action win.report
  screenshots_take_all startups loaded 760 --screenshot-page startups
  screenshots_take_all startup loaded 1500 --screenshot-page startups --screenshot-detail org.mozilla.firefox
  screenshots_take_all streams loaded 860 --screenshot-page streams
  screenshots_take_all stream loaded 1060 --screenshot-page streams --screenshot-detail tracker-miner-f
  screenshots_take_all processes loaded 600 --screenshot-page processes
  screenshots_take_all decisions loaded 760 --screenshot-page decisions
  screenshots_take_all policies loaded 1200 --screenshot-page policies
  screenshots_start_daemon many-drives.json
  screenshots_take_all overview many 2000 --screenshot-page overview
  screenshots_start_daemon
  for each in overview startups streams processes decisions policies; do
    screenshots_take_all "$each" empty 600 --screenshot-page "$each"
  done
  screenshots_start_daemon refusing.json
  screenshots_take_all welcome refused 760 --screenshot-page welcome --screenshot-action welcome.advise
  for each in startups streams processes decisions policies; do
    screenshots_take_all "$each" refused 600 --screenshot-page "$each"
  done
}

# A busy drive and its briod; says what to take pictures of.
screenshots_start_load() {
  exec {load_out}< <(exec tools/busy-drive.py --build-dir "$build_dir")
  load_pid=$!
  screenshots_children+=("$load_pid")
  read -r real_bus device startup stream <&"$load_out" || die "there is no load to take pictures of"
  processes+=(--screenshot-search "$device")
}

screenshots_docs() {
  local device startup='' stream='' samples=0

  screenshots_take no-daemon.png 1000 620
  if [ "$load" = yes ]; then screenshots_start_load; fi
  if [ -n "$real_bus" ]; then
    bus=$real_bus
    data_dirs=${XDG_DATA_DIRS:-/usr/local/share:/usr/share}
    samples=60
  else
    screenshots_start_daemon desktop.json
    startup=org.mozilla.firefox
    stream=tracker-miner-f
  fi
  # First what is of the newest start, before there is another one.
  [ -z "$startup" ] || screenshots_take startup.png 1000 1000 --screenshot-page startups --screenshot-detail "$startup"
  screenshots_take startups.png 1000 500 --screenshot-page startups
  screenshots_take overview.png 1000 920 --screenshot-page overview --screenshot-samples "$samples"
  screenshots_take streams.png 1000 860 --screenshot-page streams ${stream:+--screenshot-detail "$stream"}
  screenshots_take decisions.png 1000 800 --screenshot-page decisions
  screenshots_take processes.png 1200 460 --screenshot-after 3 "${processes[@]}"
}

# A test, in which any warning is the end. meson keeps what it prints.
screenshots_walk() {
  local status=0

  if [ "$load" = yes ]; then
    screenshots_configure
    screenshots_start_load
    export BRIO_WALK_BUS=$real_bus
  fi
  BRIO_WALK_S=$((walk * 60)) meson test -C "$build_dir" --no-rebuild --print-errorlogs --timeout-multiplier 0 --logbase walk brio:walk >&2 || status=$?
  sed -n 's/^# //p' "$build_dir/meson-logs/walk.txt"
  [ "$status" = 0 ] || die "the walk found a warning or growing memory"
}

screenshots_build() {
  local -a targets=(gui/brio brio-gmo)

  # shellcheck source=tools/dev-deps.sh
  . tools/dev-deps.sh
  # shellcheck source=tools/dev-build.sh
  . tools/dev-build.sh
  build_install no build bpf gui test
  say "Building"
  [ "$load" = no ] || targets+=(daemon/briod cli/brioctl bench/drive/brio-drive)
  [ "$walk" = no ] || targets+=(gui/gschemas.compiled tests/gui/test-gui-walk)
  build_tree no no "${targets[@]}"
}

screenshots_main() {
  local build_dir='' out='' page='' docs=no load=no load_pid='' real_bus='' bus own_bus daemon='' contrast=0 resources='' locale=C.UTF-8
  local only_style='' only_width='' walk=no
  local data_dirs=$PWD/tests/lib/desktop:/usr/share
  local -a processes=(--screenshot-page processes) arguments=("$@")

  while [ $# -gt 0 ]; do
    case $1 in
    --docs) docs=yes ;;
    --load) load=yes ;;
    --page | --style | --width | --walk | --bus | --search | --build)
      [ $# -ge 2 ] || bad_usage "$1 needs a value" screenshots
      case $1 in
      --page) page=$2 ;;
      --style) only_style=$2 ;;
      --width) only_width=$2 ;;
      --walk) walk=$2 ;;
      --bus) real_bus=$2 ;;
      --search) processes+=(--screenshot-search "$2") ;;
      --build) build_dir=$2 ;;
      esac
      shift
      ;;
    -*) bad_usage "unknown option '$1'" screenshots ;;
    *)
      [ -z "$out" ] || bad_usage "unexpected argument '$1'" screenshots
      out=$1
      ;;
    esac
    shift
  done
  case $page in
  '' | welcome | preferences | help | shortcuts | about | report | overview | startups | startup | streams | stream | processes | decisions | policies | no-daemon) ;;
  *) bad_usage "no page '$page'" screenshots ;;
  esac
  case $only_style in
  '' | light | dark | contrast | large | de | he) ;;
  *) bad_usage "no style '$only_style'" screenshots ;;
  esac
  case $only_width in
  '' | 360 | 600 | 1000 | 1920) ;;
  *) bad_usage "no width '$only_width'" screenshots ;;
  esac
  case $walk in
  no) ;;
  '' | 0* | *[!0-9]*) bad_usage "'$walk' is no number of minutes" screenshots ;;
  esac
  if [ "$load" = yes ]; then
    [ "$docs" = yes ] || [ "$walk" != no ] || bad_usage "--load goes with --docs or --walk" screenshots
    [ -z "$real_bus" ] || bad_usage "--load has a bus of its own" screenshots
    is_root || become_root "since the load needs an emulated drive" screenshots "${arguments[@]}"
  fi
  [ -z "$out" ] || mkdir -p -- "$out"
  [ -n "$build_dir" ] || screenshots_build
  case $build_dir in
  /*) ;;
  *) build_dir=$PWD/$build_dir ;;
  esac
  if [ "$walk" != no ]; then
    screenshots_walk
    return
  fi
  out=${out:-$build_dir/screenshots}
  [ -x "$build_dir/gui/brio" ] || die "there is no $build_dir/gui/brio: ./dev build makes it"
  mkdir -p -- "$out"
  screenshots_configure
  screenshots_start_bus
  bus=$own_bus
  if [ "$docs" = yes ]; then screenshots_docs; else screenshots_all; fi
}

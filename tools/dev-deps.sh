# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash

deps_groups=(build bpf run demo gui test)
deps_extra_groups=(bench clang deb release vm) # only when asked for by name

# group | Debian, Ubuntu | Fedora | Arch | openSUSE | why; - where there is no such package
deps_table() {
  cat <<'END'
build|gcc|gcc|gcc|gcc|the C compiler
build|libc6-dev|glibc-devel|glibc|glibc-devel|the C library's headers
build|meson|meson|meson|meson|the build system
build|ninja-build|ninja-build|ninja|ninja|runs the build
build|pkgconf|pkgconf-pkg-config|pkgconf|pkgconfig|finds libraries
build|libsystemd-dev|systemd-devel|systemd-libs|pkgconfig(libsystemd)|the bus, the event loop, the journal
build|libudev-dev|systemd-devel|systemd-libs|pkgconfig(libudev)|finds drives and follows hot-plug
build|libtracefs-dev|libtracefs-devel|libtracefs|pkgconfig(libtracefs)|sees single requests
build|libtraceevent-dev|libtraceevent-devel|libtraceevent|pkgconfig(libtraceevent)|sees single requests
build|libinih-dev|inih-devel|libinih|pkgconfig(inih)|reads policies
build|libjson-c-dev|json-c-devel|json-c|pkgconfig(json-c)|brioctl --json
build|scdoc|scdoc|scdoc|scdoc|manual pages
bpf|libbpf-dev|libbpf-devel|libbpf|pkgconfig(libbpf)|loads programs into the kernel, which see single requests
bpf|bpftool|bpftool|bpf|bpftool|makes them a part of briod
bpf|clang|clang|clang|clang|compiles them
run|dbus-daemon|dbus-daemon|dbus|dbus-1|a bus where the system's cannot be used
run|dbus-bin|dbus-tools|dbus|dbus-1-tools|asks the system bus
run|util-linux|util-linux|util-linux|util-linux|starts and ends them
demo|python3|python3|python|python3|runs it
demo|libfuse3-dev|fuse3-devel|fuse3|pkgconfig(fuse3)|emulated hard disks
demo|fio|fio|fio|fio|the load
demo|e2fsprogs|e2fsprogs|e2fsprogs|e2fsprogs|makes ext4 on emulated drives
gui|libgtk-4-dev|gtk4-devel|gtk4|pkgconfig(gtk4)|the dashboard
gui|libadwaita-1-dev|libadwaita-devel|libadwaita|pkgconfig(libadwaita-1)|the dashboard
gui|adwaita-icon-theme|adwaita-icon-theme|adwaita-icon-theme|adwaita-icon-theme|the dashboard's icons
gui|librsvg2-common|librsvg2|librsvg|gdk-pixbuf-loader-rsvg|draws them
gui|gettext|gettext|gettext|gettext-tools|its translations
gui|desktop-file-utils|desktop-file-utils|desktop-file-utils|desktop-file-utils|its entry among the programs
test|python3|python3|python|python3|tests of the bus and of the command
test|python3-dbus|python3-dbus|python-dbus|python3-dbus-python|tests of the bus
test|python3-gi|python3-gobject|python-gobject|python3-gobject|tests of the bus and of emulated drives
test|umockdev|umockdev|umockdev|umockdev|emulated drives that come and go
test|libumockdev-dev|umockdev-devel|umockdev|pkgconfig(umockdev-1.0)|emulated drives that come and go
test|gir1.2-umockdev-1.0|umockdev|umockdev|typelib-1_0-UMockdev-1_0|emulated drives that come and go
test|libfuse3-dev|fuse3-devel|fuse3|pkgconfig(fuse3)|emulated hard disks
test|fio|fio|fio|fio|loads on real drives
test|e2fsprogs|e2fsprogs|e2fsprogs|e2fsprogs|makes ext4 on emulated drives
test|xvfb|xorg-x11-server-Xvfb|xorg-server-xvfb|xorg-x11-server-Xvfb|a display for the tests of the dashboard
test|xauth|xorg-x11-xauth|xorg-xauth|xauth|a display for the tests of the dashboard
test|x11-utils|xwininfo|xorg-xwininfo|xwininfo|looks at its windows
test|at-spi2-core|at-spi2-core|at-spi2-core|at-spi2-core|reads the dashboard as a screen reader does
test|fonts-dejavu-core|dejavu-sans-fonts|ttf-dejavu|dejavu-fonts|text on that display
test|locales|glibc-locale-source|glibc|glibc-locale|the dashboard in other languages
test|gjs|gjs|gjs|gjs|runs the words of the toggle in GNOME Shell
test|imagemagick|ImageMagick|imagemagick|ImageMagick|looks at screenshots
test|systemd|systemd|systemd|systemd|checks the unit
test|udev|systemd-udev|systemd|udev|checks the udev rule
test|mandoc|mandoc|mandoc|mandoc|checks the manual pages
test|desktop-file-utils|desktop-file-utils|desktop-file-utils|desktop-file-utils|checks the desktop entry
test|appstream|appstream|appstream|AppStream|checks the metainfo
test|libxml2-utils|libxml2|libxml2|libxml2-tools|checks the XML files
test|shellcheck|ShellCheck|shellcheck|ShellCheck|checks the scripts
test|python3-pyflakes|pyflakes|python-pyflakes|python3-pyflakes|checks the Python sources
test|codespell|codespell|codespell|codespell|checks the spelling
test|git|git-core|git|git-core|lists the sources
test|reuse|reuse|reuse|reuse|checks the licences
test|rpm|rpm-build|rpm-tools|rpm-build|builds RPM packages
test|rpmlint|rpmlint|-|rpmlint|checks them
test|makepkg|pacman|pacman|-|builds Arch packages
test|pacman-package-manager|pacman|pacman|-|is what makepkg asks for packages
test|libarchive-tools|bsdtar|libarchive|bsdtar|packs them
bench|fio|fio|fio|fio|loads
bench|e2fsprogs|e2fsprogs|e2fsprogs|e2fsprogs|makes ext4 on emulated drives
bench|xfsprogs|xfsprogs|xfsprogs|xfsprogs|makes XFS on emulated drives
bench|btrfs-progs|btrfs-progs|btrfs-progs|btrfsprogs|makes btrfs on loop devices
bench|squashfs-tools|squashfs-tools|squashfs-tools|squashfs|makes squashfs on loop devices
bench|fsmark|fs_mark|fs_mark|fs_mark|creates files in parallel, as seed 002
bench|dbench|dbench|dbench|dbench|the load of seed 004
bench|ffmpeg|ffmpeg-free|ffmpeg|ffmpeg|makes, plays and records a video
bench|mpv|mpv|mpv|mpv|plays it, too
bench|gstreamer1.0-tools|gstreamer1|gstreamer|gstreamer-utils|plays it, too
bench|sqlite3|sqlite|sqlite|sqlite3|a database
bench|plocate|plocate|plocate|plocate|updatedb
bench|git|git-core|git|git-core|searches a repository
bench|make|make|make|make|compiles a program
bench|xz-utils|xz|xz|xz|a compressor
bench|zstd|zstd|zstd|zstd|the same
bench|lz4|lz4|lz4|lz4|the same
bench|lzop|lzop|lzop|lzop|the same
bench|bzip2|bzip2|bzip2|bzip2|the same
bench|zip|zip|zip|zip|the same
bench|unzip|unzip|unzip|unzip|the same
bench|cpio|cpio|cpio|cpio|writes an archive, as tar does
bench|gawk|gawk|gawk|gawk|computes while it reads
bench|mmdebstrap|mmdebstrap|mmdebstrap|-|makes trees with LibreOffice, a GTK 4 program and TuneD
bench|qemu-system-x86|qemu-system-x86|qemu-system-x86|qemu-x86|guests in virtual time
bench|dpkg|dpkg|dpkg|dpkg|the load of a package upgrade
bench|xvfb|xorg-x11-server-Xvfb|xorg-server-xvfb|xorg-x11-server-Xvfb|a display for a graphical program
bench|x11-utils|xev|xorg-xev|xev|sees when its window is there
bench|x11-utils|xprop|xorg-xprop|xprop|sees when its window is there
bench|libbpf-tools|libbpf-tools|libbpf-tools|-|biolatency and biosnoop beside Brio's sources
bench|blktrace|blktrace|blktrace|blktrace|the same
bench|iotop-c|iotop-c|iotop-c|iotop-c|the same
bench|librsvg2-bin|librsvg2-tools|librsvg|rsvg-convert|makes a chart a PNG
bench|gnome-system-monitor|gnome-system-monitor|gnome-system-monitor|gnome-system-monitor|what the dashboard is measured beside
bench|sysprof|sysprof|sysprof|sysprof|the same
clang|clang|clang|clang|clang|the other C compiler
clang|libclang-rt-dev|compiler-rt|compiler-rt|clang|its sanitizers and fuzzer
deb|debhelper|debhelper|debhelper|debhelper|builds packages
deb|dpkg-dev|dpkg-dev|dpkg|dpkg-devel|builds packages
deb|lintian|lintian|lintian|-|checks packages
release|mmdebstrap|mmdebstrap|mmdebstrap|mmdebstrap|makes a minimal tree of another release
release|debian-archive-keyring|debian-keyring|debian-archive-keyring|-|trusts Debian's packages
release|util-linux|util-linux|util-linux|util-linux|goes into it
vm|qemu-system-x86|qemu-system-x86|qemu-system-x86|qemu-x86|the machines
vm|mmdebstrap|mmdebstrap|mmdebstrap|-|makes the guests
vm|debian-archive-keyring|debian-keyring|debian-archive-keyring|-|trusts Debian's packages
vm|e2fsprogs|e2fsprogs|e2fsprogs|e2fsprogs|makes their file systems
vm|bubblewrap|bubblewrap|bubblewrap|bubblewrap|builds the packages apart
vm|socat|socat|socat|socat|the console of a guest
END
}

deps_help() {
  cat <<'END'
usage: ./dev deps [--dry-run] [GROUP]...

Installs the packages that are missing, on Debian and Ubuntu; prints the command for it on Fedora, Arch and openSUSE.
Without a missing one it does nothing, and no network is used.

  --dry-run   say what is missing; exit 1 if anything is

Groups (default: all but bench, clang, deb, release and vm):
  build   the daemon and the command
  bpf     the daemon's programs in the kernel: without them it sees single requests through tracefs
  run     starting them from the tree
  demo    the demonstration
  gui     the dashboard
  test    the tests
  bench   what ./dev bench runs
  clang   what ./dev build --clang compiles with
  deb     what ./dev deb builds and checks packages with
  release what ./dev test --release makes a tree of another Debian with
  vm      what ./dev vm makes and runs guests with
END
}

deps_main() {
  local dry_run=no argument
  local -a groups=()

  for argument; do
    case $argument in
    --dry-run) dry_run=yes ;;
    build | bpf | run | demo | gui | test | bench | clang | deb | release | vm) groups+=("$argument") ;;
    -*) bad_usage "unknown option '$argument'" deps ;;
    *) bad_usage "unknown group '$argument'; groups: ${deps_groups[*]} ${deps_extra_groups[*]}" deps ;;
    esac
  done
  [ ${#groups[@]} -gt 0 ] || groups=("${deps_groups[@]}")
  deps_ensure "$dry_run" "${groups[@]}"
}

# deps_install GROUP...: for the other commands; silent where nothing is missing.
deps_install() {
  deps_ensure quiet "$@"
}

deps_ensure() {
  local how=$1 family
  shift

  family=$(deps_family)
  case $family in
  debian) deps_debian "$how" "$@" ;;
  fedora) deps_foreign "$how" rpm "dnf install" 3 "$@" ;;
  arch) deps_foreign "$how" pacman "pacman -S --needed" 4 "$@" ;;
  suse) deps_foreign "$how" rpm "zypper install" 5 "$@" ;;
  *)
    [ "$how" = quiet ] && return 0
    say "This distribution is not known to ./dev. Debian's names of what is needed:"
    deps_wanted 2 "$@" | cut -d'|' -f1 | sort -u | paste -sd ' ' -
    [ "$how" = no ]
    ;;
  esac
}

deps_family() {
  local id='' like='' file=${BRIO_DEV_OS_RELEASE:-/etc/os-release} # the tests have their own

  if [ -r "$file" ]; then
    id=$(sed -n 's/^ID=//p' "$file" | tr -d '"')
    like=$(sed -n 's/^ID_LIKE=//p' "$file" | tr -d '"')
  fi
  case " $id $like " in
  *' debian '* | *' ubuntu '*) echo debian ;;
  *' fedora '* | *' rhel '*) echo fedora ;;
  *' arch '*) echo arch ;;
  *' suse '*) echo suse ;;
  *) echo unknown ;;
  esac
}

# deps_wanted COLUMN GROUP...: lines "package|why".
deps_wanted() {
  local column=$1
  shift

  deps_table | awk -F'|' -v column="$column" -v groups=" $* " 'index(groups, " " $1 " ") && $column != "-" { print $column "|" $6 }'
}

# Of the lines "package|why" on stdin, those whose package is not among the names in the file $1.
deps_missing() {
  awk -F'|' 'FILENAME == ARGV[1] { have[$1] = 1; next } !($1 in have) && !seen[$1]++' "$1" -
}

deps_print() {
  printf '%s\n' "$1" | while IFS='|' read -r package why; do
    printf '  %-22s %s\n' "$package" "$why"
  done
}

deps_debian() {
  local how=$1 missing
  local -a packages
  shift

  missing=$(deps_wanted 2 "$@" | deps_missing <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p'))
  if [ -z "$missing" ]; then
    [ "$how" = quiet ] || say "Nothing is missing."
    return 0
  fi
  mapfile -t packages < <(printf '%s\n' "$missing" | cut -d'|' -f1)
  say "Missing packages:"
  deps_print "$missing"
  if [ "$how" = yes ]; then
    echo "./dev deps $* installs them: apt-get install --no-install-recommends ${packages[*]}"
    return 1
  fi
  # Without lists every name is unknown, and apt's errors about that would only alarm.
  if [ -z "$(find /var/lib/apt/lists -name '*_Packages*' -print -quit 2>/dev/null)" ]; then
    say "Refreshing the package lists"
    deps_apt update || die "apt-get update failed (see above)"
  fi
  deps_cost install "${packages[@]}"
  deps_apt install "${packages[@]}" && return 0
  say "Refreshing the package lists"
  deps_apt update || die "apt-get update failed (see above)"
  deps_apt install "${packages[@]}" || die "apt-get could not install them (see above)"
}

# deps_cost VERB ARGUMENT...: what apt-get would fetch, in its words.
deps_cost() {
  say "Installing"
  LC_ALL=C apt-get -o Debug::NoLocking=1 --assume-no --no-install-recommends "$@" 2>/dev/null |
    sed -n -e '/newly installed/s/^/  /p' -e '/^Need to get/s/^/  /p' -e '/disk space/s/^/  /p' || true
}

deps_apt() {
  local verb=$1
  local -a apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120)
  shift

  case $verb in
  update) run_logged as_root "to refresh the package lists" "${apt[@]}" update ;;
  build-dep) run_logged as_root "to install build dependencies" "${apt[@]}" build-dep -y --no-install-recommends "$@" ;;
  install) run_logged as_root "to install $# packages" "${apt[@]}" install -y --no-install-recommends "$@" ;;
  esac
}

# deps_foreign HOW TOOL COMMAND COLUMN GROUP...
deps_foreign() {
  local how=$1 tool=$2 command=$3 column=$4 missing
  shift 4

  case $tool in
  rpm) missing=$(deps_wanted "$column" "$@" | deps_missing <(rpm -qa --qf '%{NAME}\n[%{PROVIDENAME}\n]')) ;;
  pacman) missing=$(deps_wanted "$column" "$@" | deps_missing <(pacman -Qq)) ;;
  esac
  if [ -z "$missing" ]; then
    [ "$how" = quiet ] || say "Nothing is missing."
    return 0
  fi
  say "Missing packages:"
  deps_print "$missing"
  echo "Install them with: sudo $command $(printf '%s\n' "$missing" | cut -d'|' -f1 | sed "s/.*(.*/'&'/" | paste -sd ' ' -)"
  return 1
}

#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test-translations.sh BRIO PO_BUILD_DIR DESKTOP_ENTRY METAINFO: what is translated is spoken by the program and by what names it to
# others. A language is looked for under a locale alone, so one is made.
set -eu
brio=$1 po=$2 desktop=$3 metainfo=$4
directory=$(mktemp -d)
trap 'rm -rf -- "$directory"' EXIT

expect() { # TEXT WHAT: it is in standard input
  if ! grep -F -e "$1" >/dev/null; then
    printf 'no "%s" in %s\n' "$1" "$2"
    exit 1
  fi
}

in_language() { # LOCALE COMMAND...
  if [ ! -d "$directory/$1.UTF-8" ] && ! localedef -i "$1" -f UTF-8 "$directory/$1.UTF-8"; then
    printf 'the sources of locale %s are missing: Debian has them in the package locales\n' "$1"
    exit 1
  fi
  locale=$1
  shift
  LC_ALL=$locale.UTF-8 LANGUAGE='' LOCPATH=$directory BRIO_LOCALE_DIR=$po "$@"
}

in_language de_DE "$brio" --help | expect 'Die Version ausgeben und beenden' 'the help in German'
in_language he_IL "$brio" --help | expect 'הצגת הגרסה ויציאה' 'the help in Hebrew'
LC_ALL=C.UTF-8 BRIO_LOCALE_DIR=$po "$brio" --help | expect 'Print the version and exit' 'the help without a language'
# A window of it: what GTK cannot make sense of, such as markup, is a warning and ends it.
for locale in de_DE he_IL; do
  in_language "$locale" xvfb-run -a "$brio" --bus unix:path=/nonexistent --screenshot "$directory/$locale.png" --screenshot-after 1
  if [ ! -s "$directory/$locale.png" ]; then
    printf 'no window with %s\n' "$locale"
    exit 1
  fi
done
for language in de he; do
  for key in GenericName Comment Keywords; do
    expect "${key}[$language]=" 'the desktop entry' <"$desktop"
  done
  expect "xml:lang=\"$language\"" 'the metainfo' <"$metainfo"
done

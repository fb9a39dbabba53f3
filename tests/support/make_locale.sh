#!/bin/sh
# make_locale.sh FOLDER: the locale de_DE.UTF-8, whose decimal point is a comma, in FOLDER, which tests
# name in LOCPATH. A system may have no such locale.
set -eu
if ! command -v localedef >/dev/null || [ ! -r /usr/share/i18n/locales/de_DE ]; then
    echo "skipped: localedef or its sources are not there (package locales)"
    exit 77
fi
[ ! -e "$1/de_DE.UTF-8/LC_NUMERIC" ] || exit 0
mkdir -p "$1"
localedef --no-archive -i de_DE -f UTF-8 "$1/de_DE.UTF-8"

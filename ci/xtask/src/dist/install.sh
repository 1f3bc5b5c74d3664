#!/bin/sh
# Copies glasm to a prefix, /usr/local by default, which needs write access to it. Nothing else is
# changed. Remove it with --uninstall.
set -eu
umask 022
usage="usage: ./install.sh [--uninstall] [PREFIX]"
action=install
case "${1-}" in
--uninstall) action=uninstall; shift ;;
-*) echo "$usage"; exit 2 ;;
esac
[ $# -le 1 ] || { echo "$usage"; exit 2; }
prefix=${1:-/usr/local}
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
cd "$(dirname "$0")"
# Directories that the installation has created, which --uninstall removes if they are empty.
list=$prefix/share/glasm/created-directories
new=
if [ -d "$prefix" ] && [ -f "$list" ]; then new=$(cat "$list"); fi

# Creates a directory with those above it, and adds them to the list.
create_directory() {
    [ -d "$1" ] && return
    create_directory "$(dirname "$1")"
    mkdir "$1"
    new="$1
$new"
}

files=$(find bin lib lib32 share -type f | sort)
if [ $action = uninstall ]; then
    echo "$files" | while read -r file; do rm -f "$prefix/$file"; done
    rm -f "$list"
    # A directory precedes those above it.
    echo "$new" | while read -r directory; do rmdir "$directory" 2>/dev/null || true; done
else
    while read -r file; do
        create_directory "$prefix/${file%/*}"
        # A file that is in use is replaced, not changed.
        cp -p "$file" "$prefix/$file.new"
        mv -f "$prefix/$file.new" "$prefix/$file"
    done <<END
$files
END
    create_directory "$prefix/share/glasm"
    echo "$new" >"$list"
fi
echo "$action: $prefix"

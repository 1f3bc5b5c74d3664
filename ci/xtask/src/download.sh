# Downloads, verifies and unpacks archives in $DIRECTORY, which is created last: one that exists is
# complete. Nothing is installed, and no privileges are needed.
#
# $SOURCE downloads $PACKAGES into its working directory: a command, or a function of this script.
# $SHA256 are the hashes of the archives; none if apt-get verifies them by signed lists.
# $PATHS are patterns of the paths that are unpacked; all if there are none.
# $CONTENT identifies the content; it is written to the file `complete`.
#
# The exit status is 75 if the archives cannot be downloaded.
set -euo pipefail -o noglob
work=$DIRECTORY.part archives=$work/archives apt=$work/apt root=$work/root

# Packages of the sources of this machine, also for i386, with all dependencies.
system_packages() {
    apt_packages 'APT::Architectures { "amd64"; "i386"; };' "$@"
}

# Packages of the suite $1 of Debian, from the archive that this machine uses, with all
# dependencies. Programs see their files as the root of the file system.
suite_packages() {
    local archive keys=/usr/share/keyrings/debian-archive-keyring.gpg signed=
    archive=$(apt-get indextargets --format '$(REPO_URI)' | awk '/\/debian\/*$/ && !found++')
    [ -n "$archive" ] || { echo "the sources of this machine name no archive of Debian"; return 1; }
    [ ! -e $keys ] || signed="[signed-by=$keys]"
    echo "deb $signed $archive $1 main" >"$apt/sources.list"
    # The lists of a copy of an archive may be older than their date of expiry permits.
    apt_packages "Dir::Etc::sourcelist \"$apt/sources.list\";
        Dir::Etc::sourceparts \"-\"; Acquire::Check-Valid-Until \"false\";" "${@:2}"
}

# Binary package of Python for CPython 3.11 on the platform $1.
python_package() {
    pip3 download --quiet --no-deps --only-binary=:all: --implementation cp --python-version 3.11 --abi cp311 \
        --platform "$@"
}

# Packages of Debian by apt-get, which regards none as installed, with the options $1. The system is
# not changed, so its lock is not needed.
apt_packages() {
    cat >"$apt/apt.conf" <<END
        Dir::State::status "$apt/nothing"; Dir::State::lists "$apt/lists"; Dir::Cache "$work"; quiet "1";
        Debug::NoLocking "1"; APT::Sandbox::User ""; Acquire::Languages "none"; $1
END
    # An unreachable source must not stop this: only the set of known packages then matters.
    apt-get -c "$apt/apt.conf" update || true
    apt-get -c "$apt/apt.conf" install --download-only --yes --no-install-recommends "${@:2}"
}

# Downloads the archives. Fails if the tool does, or if they have other hashes.
download() {
    # The shell does not end at errors of a function that is part of a condition.
    rm -rf "$work" && mkdir -p "$archives/partial" "$apt/lists/partial" "$root" &&
        touch "$apt/nothing" && cd "$archives" && $SOURCE $PACKAGES || return
    [ -z "$SHA256" ] || diff <(printf '%s\n' $SHA256 | sort) \
        <(find . -type f -exec sha256sum {} + | cut -d ' ' -f 1 | sort) ||
        { echo "the archives have other hashes"; return 1; }
}

# A connection may break, and an archive of Debian may change between its lists and its packages.
download || download || download || { rm -rf "$work"; exit 75; }
wheel=$(find "$archives" -name '*.whl')
if [ -n "$wheel" ]; then
    python3 -m zipfile --extract "$wheel" "$root"
else
    find "$archives" -name '*.deb' -print0 | xargs --no-run-if-empty -0 -n 1 dpkg-deb --fsys-tarfile |
        tar --extract --ignore-zeros --preserve-permissions --wildcards --directory "$root" $PATHS
fi
# Absolute links, such as libm.so to the library itself, are relative to the root of the file
# system. A linker would use the static library instead of a library that it does not find.
[[ $SOURCE = suite_packages* ]] || find "$root" -type l -lname '/*' -exec sh -c \
    'for link; do ln -sfn "$DIRECTORY$(readlink "$link")" "$link"; done' sh {} +
printf '%s' "$CONTENT" >"$root/complete"
rm -rf "$DIRECTORY"
mv "$root" "$DIRECTORY"
rm -rf "$work"

# Creates a root file system of the suite $1 of Debian in the directory $2, which is created last:
# one that exists is complete. It has Mesa for 64 and 32 bits, an X server and a C compiler, as a
# user's machine, and no Rust. The exit status is 75 if packages cannot be downloaded.
set -euo pipefail
suite=$1 directory=$2 work=$2.part
archive=$(apt-get indextargets --format '$(REPO_URI)' | awk '/\/debian\/*$/ && !found++')
[ -n "$archive" ] || { echo "the sources of this machine name no archive of Debian"; exit 75; }
mesa=libgl1,libegl1,libglx-mesa0,libegl-mesa0,libgl1-mesa-dri
packages=libvulkan1,mesa-vulkan-drivers,$mesa,${mesa//,/:i386,}:i386,libx11-6:i386,xvfb,xauth
packages+=,gcc-multilib,libc6-dev,libgl-dev,libx11-dev,cmake,make,pkg-config,xz-utils
create() {
    rm -rf "$work"
    mmdebstrap --quiet --mode=root --variant=apt --architectures=amd64,i386 --include="$packages" \
        --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Languages "none"' \
        --aptopt='Acquire::Check-Valid-Until "false"' --skip=cleanup/apt/lists \
        "$suite" "$work" "deb $archive $suite main"
}
# An archive may change between its lists and its packages.
create || create || { rm -rf "$work"; exit 75; }
rm -rf "$directory"
mv "$work" "$directory"

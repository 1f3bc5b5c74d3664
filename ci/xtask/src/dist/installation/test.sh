# Tests the packages in /glasm/packages in this root file system of Debian: installs and removes
# those of Debian, then the archive. Prints a line for each check, which begins with `ok` or `FAIL`,
# and writes images to /glasm/output.
set -u
export LC_ALL=C DEBIAN_FRONTEND=noninteractive HOME=/root XDG_RUNTIME_DIR=/tmp
export LIBGL_ALWAYS_SOFTWARE=1 MESA_SHADER_CACHE_DISABLE=true
cd /tmp

# Runs the command $2... as the check $1. Its output is printed if it fails.
check() {
    local name=$1 status=0
    shift
    "$@" >log 2>&1 </dev/null || status=$?
    if [ $status = 0 ]; then
        echo "ok $name"
    else
        echo "FAIL $name: exit status $status"
        cat log
    fi
}

# Runs a command on an X server without a screen, for at most one minute.
draw() {
    xvfb-run -a -s "-screen 0 640x480x24 -noreset" timeout -k 5 60 "$@"
}

# Lists all files, except those that package managers and this script write for themselves.
list_files() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /glasm -o -path /tmp \
        -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache -o -path /var/log \) \
        -prune -o -print | sort
}

# Starts the server of the playground, which prints its address, and ends it.
serve() {
    timeout 5 glasm serve --port 0 >address
    grep '^http://127.0.0.1:' address
}

# Runs the command and applications with the vendor library; images have the name $1.
check_command() {
    # The shell remembers where commands were before packages were removed.
    hash -r
    check "$1: version" glasm --version
    check "$1: run" glasm run /glasm/sample.shader_test
    # A build without Node.js lacks the playground.
    if [ -d "$(dirname "$(command -v glasm)")/../share/glasm/playground" ]; then
        check "$1: serve" serve
    fi
    check "$1: gl --check" draw glasm gl --check
    for bits in 64 32; do
        check "$1: gl, $bits bits" draw glasm gl -- ./knot$bits --save "/glasm/output/$1-$bits.ppm"
    done
}

mkdir -p client
cp /glasm/client.c /glasm/CMakeLists.txt client
check "build knot, 64 bits" gcc -O1 /glasm/knot.c -o knot64 -lGL -lX11 -lm
check "build knot, 32 bits" gcc -O1 -m32 /glasm/knot.c -o knot32 -L/usr/lib/i386-linux-gnu \
    -l:libGL.so.1 -l:libX11.so.6 -lm
list_files >before

check "install packages" apt-get install --yes --no-install-recommends /glasm/packages/*.deb
check_command debian
check "GLX vendor by name" draw env __GLX_VENDOR_LIBRARY_NAME=glasm \
    ./knot64 --save /glasm/output/debian-name.ppm
check "manual page" gzip --test /usr/share/man/man1/glasm.1.gz
check "completions" bash -n /usr/share/bash-completion/completions/glasm
check "pkg-config" sh -c 'cc client/client.c -o with-pkg-config $(pkg-config --cflags --libs glasm) &&
    ./with-pkg-config'
# Unoptimized packages of tests have C++ in the static library.
check "static library" sh -c 'cc client/client.c -o static -Wl,-Bstatic \
    $(pkg-config --cflags --libs glasm) -Wl,-Bdynamic -lm -lpthread -ldl -lgcc_s \
    -Wl,--as-needed -l:libstdc++.so.6 && ./static'
check "CMake" sh -c 'cmake -S client -B build && cmake --build build && build/client'
check "purge packages" apt-get purge --yes glasm libglx-glasm libglx-glasm:i386 libglasm0 libglasm-dev
list_files >after
check "files after the purge" diff before after

check "unpack archive" tar -xf /glasm/packages/glasm-*-linux-x86_64.tar.xz
# As in a container, where its directory is mounted.
for bits in 64 32; do
    check "archive without installation, $bits bits" draw glasm-*-linux-x86_64/bin/glasm gl -- \
        ./knot$bits --save "/glasm/output/unpacked-$bits.ppm"
done
check "install archive" sh -c 'glasm-*-linux-x86_64/install.sh'
check_command archive
check "uninstall archive" sh -c 'glasm-*-linux-x86_64/install.sh --uninstall'
list_files >after
check "files after uninstalling" diff before after

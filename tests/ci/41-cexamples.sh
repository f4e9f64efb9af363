# what: other projects can use the installed C library by CMake and by pkg-config; the examples print their documented output
# needs: gcc g++ clang clang++ valgrind cmake ctest make pkg-config libcurl python3
# after: c
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"

made=$DELTAFOLD_CACHE/c-examples
rm -rf "$made"
mkdir -p "$made/project"
# A project outside the checkout, and a prefix that was moved after the installation: no path may point back.
cp -R examples/CMakeLists.txt examples/c examples/cpp examples/streams "$made/project/"
cp -R "$DELTAFOLD_CACHE/c/prefix" "$made/moved"
cd "$made/project"
tour=streams/tour.sse
export RUST_BACKTRACE=0
grind="valgrind -q --leak-check=full --errors-for-leak-kinds=definite,indirect,possible --error-exitcode=99"

for compiler in gcc:g++ clang:clang++; do
    folder=$made/build-${compiler%:*}
    run cmake -S . -B "$folder" -DCMAKE_PREFIX_PATH="$made/moved" -DCMAKE_C_COMPILER="${compiler%:*}" -DCMAKE_CXX_COMPILER="${compiler#*:}"
    run cmake --build "$folder"
    run ctest --test-dir "$folder" --output-on-failure
done
programs=$made/build-gcc

# Compares the output of a command with the last comment of its source: prints SOURCE COMMAND…
prints() {
    local source=$1
    shift
    echo "+ $*"
    "$@" >"$made/printed.txt"
    diff <(sed '1,/^\/\/ prints:/d; s/^\/\/ \{0,1\}//' "$source") "$made/printed.txt" || die "$source does not print its documented output"
}
prints c/read.c $grind "$programs/c_read_c-deltafold" $tour
prints cpp/read.cpp $grind "$programs/cpp_read_cpp-deltafold" $tour
prints cpp/write.cpp $grind "$programs/cpp_write_cpp-deltafold"

# Written streams can be read, and a conversion in both directions keeps the content.
$grind "$programs/c_write_c-deltafold" >"$made/written.sse"
"$programs/c_read_c-deltafold" "$made/written.sse" | tee "$made/read.txt"
grep -qx 'Hello' "$made/read.txt" && grep -qx 'completed after 10 events, 0 findings' "$made/read.txt" || die "c/write.c does not write its documented stream"
$grind "$programs/c_convert_c-deltafold" open-responses anthropic <$tour >"$made/there.sse"
$grind "$programs/c_convert_c-deltafold" anthropic open-responses <"$made/there.sse" >"$made/back.sse"
"$programs/c_read_c-deltafold" "$made/back.sse" >"$made/read.txt"
diff <("$programs/c_read_c-deltafold" $tour | head -n 3) <(head -n 3 "$made/read.txt") || die "a conversion in both directions changes the content"
$grind "$programs/cpp_convert_cpp-deltafold" $tour anthropic >"$made/there-cpp.sse"
run cmp "$made/there.sse" "$made/there-cpp.sse"

# Starts a server on loopback for one client: fetch SOURCE COMMAND…
fetch() {
    local source=$1 server
    shift
    rm -f "$made/url"
    python3 c/serve.py $tour >"$made/url" &
    server=$!
    for _ in $(seq 100); do [ -s "$made/url" ] && break || sleep 0.1; done
    no_proxy='*' prints "$source" "$@" "$(cat "$made/url")"
    wait $server
}
fetch c/fetch.c $grind "$programs/c_fetch_c"
fetch cpp/fetch.cpp $grind "$programs/cpp_fetch_cpp"

# The same examples by pkg-config, with the shared library, and with the static one and the sanitizers.
export PKG_CONFIG_PATH=$made/moved/lib/pkgconfig
warn="-Wall -Wextra -Wpedantic -Werror"
run gcc -std=c11 $warn c/read.c $(pkg-config --cflags --libs deltafold) -Wl,-rpath,"$made/moved/lib" -o "$made/read-shared"
prints c/read.c "$made/read-shared" $tour

# The README's commands for /usr/local, in a mount namespace: its library folder, its headers and /etc are copies.
if unshare --mount true 2>/dev/null; then
    cp -a /etc "$made/etc"
    mkdir -p "$made/local/lib" "$made/local/include"
    use_target native
    run unshare --mount bash -euc '
        mount --bind "$1/local/lib" /usr/local/lib
        mount --bind "$1/local/include" /usr/local/include
        mount --bind "$1/etc" /etc
        cd "$2"
        bash bindings/c/install.sh /usr/local --profile dev
        cd "$1/project/c"
        unset PKG_CONFIG_PATH
        cc -std=c11 read.c $(pkg-config --cflags --libs deltafold) -o "$1/read-local"
        cd ..
        exec "$1/read-local" streams/tour.sse' literal "$made" "$ROOT" | tee "$made/local.txt"
    diff <(sed '1,/^\/\/ prints:/d; s/^\/\/ \{0,1\}//' c/read.c) <(tail -n "$(grep -c '' "$made/printed.txt")" "$made/local.txt") || die "after an installation to /usr/local, c/read.c does not run"
else
    note "this user may not unshare mounts: the installation to /usr/local and its ldconfig are not tested"
fi
rm "$made/moved/lib"/libdeltafold.so*
sanitize="-fsanitize=address,undefined -fno-sanitize-recover=all"
for source in c/read.c c/write.c c/convert.c cpp/read.cpp cpp/write.cpp cpp/convert.cpp; do
    case $source in *.c) compiler="gcc -std=c11" ;; *) compiler="g++ -std=c++17" ;; esac
    run $compiler $warn -g $sanitize $source $(pkg-config --static --cflags --libs deltafold) -o "$made/$(basename $source)-asan"
done
prints c/read.c "$made/read.c-asan" $tour
prints cpp/read.cpp "$made/read.cpp-asan" $tour
prints cpp/write.cpp "$made/write.cpp-asan"
"$made/write.c-asan" | cmp - "$made/written.sse"
"$made/convert.c-asan" open-responses anthropic <$tour | cmp - "$made/there.sse"
"$made/convert.cpp-asan" $tour anthropic | cmp - "$made/there.sse"
run gcc -std=c11 $warn -g $sanitize c/fetch.c $(pkg-config --static --cflags --libs deltafold) $(pkg-config --cflags --libs libcurl) -o "$made/fetch.c-asan"
fetch c/fetch.c "$made/fetch.c-asan"
run g++ -std=c++17 $warn -g $sanitize cpp/fetch.cpp $(pkg-config --static --cflags --libs deltafold) $(pkg-config --cflags --libs libcurl) -o "$made/fetch.cpp-asan"
fetch cpp/fetch.cpp "$made/fetch.cpp-asan"

# what: the installed C library serves projects of one's own by CMake and by pkg-config; the examples print what they say
# needs: gcc g++ clang clang++ valgrind cmake make pkg-config python3
# after: c
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"

made=$DELTAFOLD_CACHE/c-examples
rm -rf "$made"
mkdir -p "$made/project"
# A project elsewhere, and a prefix that was moved after the installation: nothing may point back.
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

# Compares what a command prints with the last comment of its source: prints SOURCE COMMAND…
prints() {
    local source=$1
    shift
    echo "+ $*"
    "$@" >"$made/printed.txt"
    diff <(sed '1,/^\/\/ prints:/d; s/^\/\/ \{0,1\}//' "$source") "$made/printed.txt" || die "$source prints something else"
}
prints c/read.c $grind "$programs/c_read_c-deltafold" $tour
prints cpp/read.cpp $grind "$programs/cpp_read_cpp-deltafold" $tour
prints cpp/write.cpp $grind "$programs/cpp_write_cpp-deltafold"

# What is written can be read, and what is converted there and back says the same.
$grind "$programs/c_write_c-deltafold" >"$made/written.sse"
"$programs/c_read_c-deltafold" "$made/written.sse" | tee "$made/read.txt"
grep -qx 'Hello' "$made/read.txt" && grep -qx 'completed after 10 events, 0 findings' "$made/read.txt" || die "c/write.c writes something else"
$grind "$programs/c_convert_c-deltafold" open-responses anthropic <$tour >"$made/there.sse"
$grind "$programs/c_convert_c-deltafold" anthropic open-responses <"$made/there.sse" >"$made/back.sse"
"$programs/c_read_c-deltafold" "$made/back.sse" >"$made/read.txt"
diff <("$programs/c_read_c-deltafold" $tour | head -n 3) <(head -n 3 "$made/read.txt") || die "a conversion there and back says something else"
$grind "$programs/cpp_convert_cpp-deltafold" $tour anthropic >"$made/there-cpp.sse"
run cmp "$made/there.sse" "$made/there-cpp.sse"

# A server of this machine, on the loopback, serves one client: fetch SOURCE COMMAND…
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
if [ -x "$programs/c_fetch_c" ]; then
    fetch c/fetch.c $grind "$programs/c_fetch_c"
    fetch cpp/fetch.cpp $grind "$programs/cpp_fetch_cpp"
else
    note "libcurl's headers are not here (apt-get install libcurl4-openssl-dev): the examples that read from a socket were left out"
fi

# The same examples by pkg-config, with the shared library, and with the static one and the sanitizers.
export PKG_CONFIG_PATH=$made/moved/lib/pkgconfig
warn="-Wall -Wextra -Wpedantic -Werror"
run gcc -std=c11 $warn c/read.c $(pkg-config --cflags --libs deltafold) -Wl,-rpath,"$made/moved/lib" -o "$made/read-shared"
prints c/read.c "$made/read-shared" $tour
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
if [ -x "$programs/c_fetch_c" ]; then
    run gcc -std=c11 $warn -g $sanitize c/fetch.c $(pkg-config --static --cflags --libs deltafold) $(pkg-config --cflags --libs libcurl) -o "$made/fetch.c-asan"
    fetch c/fetch.c "$made/fetch.c-asan"
    run g++ -std=c++17 $warn -g $sanitize cpp/fetch.cpp $(pkg-config --static --cflags --libs deltafold) $(pkg-config --cflags --libs libcurl) -o "$made/fetch.cpp-asan"
    fetch cpp/fetch.cpp "$made/fetch.cpp-asan"
fi

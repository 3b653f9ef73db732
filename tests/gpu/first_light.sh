#!/bin/bash
# Runs all checks for a GPU machine in under ten minutes: the tests, the heat lab at full size,
# frames per second on every sharing path, a real window under Xvfb, OpenGL without the GPU. Prints
# a table last.
#
#   tests/gpu/first_light.sh            runs build/bundle (or the folder in $BUNDLE) and writes to $OUT (default out/gpu)
#   PARTS="doctor frames" …             only these parts: doctor heat pictures frames maps bench sanitizer window ui random pace kills tests
#   PARTS="before ui" BEFORE=FOLDER …   frames per second of the program in FOLDER and of this one, alternating ($ROUNDS times)
#   UI='Window.*' PACE='Pace.*' …       only these tests of the window, these tasks
#   KILLS=1000 KILLS_SECONDS=420 …      number of kills at random moments, and their time limit (not among the usual parts)
#   RANDOM_RUNS=30 …                    runs of the random events with the usual seed (random is not among the usual parts)
#   GPU_SHARDS=8 GPU_SECONDS=250 …      number of parallel gpu_tests processes, and the time limit of each
#   PACE_SEEDS="1 2" …                  the tasks once per random seed, in parallel
#   ENGINE=simt …                       a rehearsal of ui and before without a GPU
#
# The machine only needs the NVIDIA driver. Missing Debian packages are unpacked, not installed,
# from .gl/ (the OpenGL loaders: libglvnd0 libgl1 libglx0 libegl1 libopengl0) and .x/ (xvfb,
# x11-xkb-utils, xkb-data, Mesa, xdotool, and their dependencies).
set +e
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
OUT=${OUT:-$ROOT/out/gpu}
WORK=$(mktemp -d)
DISPLAY_NUMBER=${DISPLAY_NUMBER:-97}
ENGINE=${ENGINE:-cuda}
TABLE=$OUT/table.txt
mkdir -p "$OUT"
: >"$TABLE"
# A program left on the GPU can block all later ones, so the remaining jobs are killed however this
# script ends. The tests come last, because some of them make the GPU fail.
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$WORK"' EXIT
trap 'exit 143' TERM INT

section() { printf '\n== %s (%ss)\n' "$1" "$SECONDS"; }
row() { printf '%-46s %-44s %s\n' "$1" "$2" "$3" >>"$TABLE"; }
# verdict CONDITION…: prints pass if the awk condition holds, else FAIL.
verdict() { awk "BEGIN { exit !($1) }" 2>/dev/null && echo pass || echo FAIL; }

unpack() { # DIRECTORY WITH DEBS OR ARCHIVES OF UNPACKED ONES, TARGET
    local deb archive
    mkdir -p "$2"
    for deb in "$1"/*.deb; do
        [ -e "$deb" ] || continue
        if command -v dpkg-deb >/dev/null; then
            dpkg-deb -x "$deb" "$2"
        else
            (cd "$WORK" && ar x "$deb" && tar -xf data.tar.* -C "$2" && rm -f data.tar.* control.tar.* debian-binary)
        fi
    done
    for archive in "$1"/*.tar.xz; do
        [ -e "$archive" ] && tar -xJf "$archive" -C "$2"
    done
}

libraries_of() { # TARGET: its library folders, joined
    find "$1" -type d \( -path '*/lib/x86_64-linux-gnu' -o -path '*/lib' \) 2>/dev/null | paste -sd:
}

# Prints the value of KEY in the JSON benchmark entry whose name contains NAME.
bench_value() { # FILE NAME KEY
    awk -v name="\"$2" -v key="\"$3\":" '
        $1 == "\"name\":" { inside = index($0, name) > 0 }
        inside && $1 == key { sub(/^[^:]*: */, ""); sub(/,$/, ""); print; exit }' "$1"
}

bench_rows() { # FILE TITLE NAME LEAST_FRAMES MAX_MAP_US WANTED_PATH
    local frames map unmap label error
    frames=$(bench_value "$1" "$3" frames/s)
    map=$(bench_value "$1" "$3" map_us)
    unmap=$(bench_value "$1" "$3" unmap_us)
    label=$(bench_value "$1" "$3" label)
    error=$(bench_value "$1" "$3" error_message)
    if [ -z "$frames" ]; then
        row "$2" "${error:-did not run}" FAIL
        return
    fi
    row "$2, frames/s (at least $4)" "$(printf '%.0f' "$frames")" "$(verdict "$frames >= $4")"
    row "$2, map + unmap (below $5 µs)" "$(printf '%.1f + %.1f µs' "$map" "$unmap")" \
        "$(verdict "$map + $unmap < $5")"
    case $label in *"$6"*) row "$2, path" "$label" pass ;; *) row "$2, path" "$label" FAIL ;; esac
}

section "machine"
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader | tee "$OUT/device.txt"
unpack "$ROOT/.gl" "$WORK/gl"
GL_PATH=$(libraries_of "$WORK/gl")
export LD_LIBRARY_PATH=$GL_PATH${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
if ! ls /usr/share/glvnd/egl_vendor.d/*nvidia* /etc/glvnd/egl_vendor.d/*nvidia* >/dev/null 2>&1; then
    echo '{"file_format_version": "1.0.0", "ICD": {"library_path": "libEGL_nvidia.so.0"}}' >"$WORK/10_nvidia.json"
    export __EGL_VENDOR_LIBRARY_FILENAMES=$WORK/10_nvidia.json
fi
cd "$BUNDLE" || { echo "no bundle in $BUNDLE: build the target 'bundle' first" >&2; exit 1; }

run_doctor() {
    section "doctor"
    timeout -k 5 40 ./lanescope doctor --json >"$OUT/doctor.json" 2>"$OUT/doctor.err"
    row "doctor" "exit $?" "$(grep -q '"path": "cuda' "$OUT/doctor.json" && echo pass || echo FAIL)"
    cat "$OUT/doctor.json" "$OUT/doctor.err"
}

run_tests() {
    section "gpu_tests"
    # Timed tests run alone. OpenGL comes first and faults last: after a kernel fault in any
    # process, OpenGL takes 38 s per picture on this machine and draws only black, until a
    # restart.
    TIMED='Timed.*:Roofs.*:OnGpu.CopyBandwidthIsPlausible'
    timeout -k 5 100 ./gpu_tests --gtest_brief=1 --gtest_filter='Sharing.*' >"$OUT/gpu_tests_sharing.log" 2>&1
    sharing=$?
    COUNTERS=OnGpu.HardwareCountersAgreeWithProbes
    GPU_SHARDS=${GPU_SHARDS:-4}
    for shard in $(seq 0 $((GPU_SHARDS - 1))); do
        GTEST_TOTAL_SHARDS=$GPU_SHARDS GTEST_SHARD_INDEX=$shard timeout -k 5 "${GPU_SECONDS:-150}" ./gpu_tests --gtest_brief=1 --gtest_filter="-$TIMED:$COUNTERS:Sharing.*:Faulting.*" \
            --gtest_output="json:$OUT/gpu_tests_$shard.json" >"$OUT/gpu_tests_$shard.log" 2>&1 &
        SHARDS[shard]=$!
    done
    status=$sharing
    for shard in "${!SHARDS[@]}"; do wait "${SHARDS[shard]}" || status=$?; done
    timeout -k 5 60 ./gpu_tests --gtest_brief=1 --gtest_filter="$TIMED" >"$OUT/gpu_tests_timed.log" 2>&1 || status=$?
    timeout -k 5 60 ./gpu_tests --gtest_brief=1 --gtest_filter="$COUNTERS" >"$OUT/gpu_tests_counters.log" 2>&1
    counters=$?
    timeout -k 5 60 ./gpu_tests --gtest_brief=1 --gtest_filter='Faulting.*' >"$OUT/gpu_tests_faulting.log" 2>&1 || status=$?
    row "hardware counters in the process" "$(grep -E 'PASSED|SKIPPED|FAILED|No |not ' "$OUT/gpu_tests_counters.log" | head -1)" \
        "$([ $counters = 0 ] && echo pass || echo "FAIL ($counters)")"
    count() { cat "$OUT"/gpu_tests_*.log | awk -v key="$1" 'index($0, key) { sum += $(NF - 1) } END { print sum + 0 }'; }
    grep -h -B12 '^\[  FAILED' "$OUT"/gpu_tests_*.log | head -120
    failed=$(grep -hE '^\[  FAILED  \] [A-Z][^ ]*[.]' "$OUT"/gpu_tests_*.log | sed 's/,.*//' | sort -u | wc -l)
    passed=$(count 'PASSED  ]')
    skipped=$(count 'SKIPPED ]')
    row "gpu_tests: passed, skipped, failed" "$passed, $skipped, $failed" \
        "$([ $status = 0 ] && [ "$passed" -gt "$skipped" ] && echo pass || echo "FAIL ($status)")"
}

run_heat() {
    section "heat 4096², every variant"
    timeout -k 5 60 ./lanescope run heat --device cuda --set size=4096 --steps 20 --json >"$OUT/heat_4096.json" \
        2>"$OUT/heat_4096.err"
    status=$?
    cat "$OUT/heat_4096.json" "$OUT/heat_4096.err"
    right=$(grep -c '"correct": *true' "$OUT/heat_4096.json")
    wrong=$(grep -c '"correct": *false' "$OUT/heat_4096.json")
    row "heat 4096², variants right / wrong" "$right / $wrong" \
        "$([ $status = 0 ] && [ "$right" -ge 3 ] && [ "$wrong" = 0 ] && echo pass || echo "FAIL ($status)")"
}

run_pictures() {
    section "pictures"
    timeout -k 5 20 ./lanescope shot heat/naive --device cuda --frame 200 -o "$OUT/heat_field_cuda.png"
    timeout -k 5 20 ./lanescope shot heat/naive --device cuda --view surface --frame 200 -o "$OUT/heat_surface_cuda.png"
    timeout -k 5 30 ./lanescope shot heat/naive --device simt --frame 200 -o "$OUT/heat_field_simt.png"
    row "pictures" "$(cd "$OUT" && ls heat_*.png 2>/dev/null | wc -l) of 3" \
        "$([ -s "$OUT/heat_surface_cuda.png" ] && echo pass || echo FAIL)"
}

run_frames() {
    section "frames offscreen"
    timeout -k 5 60 ./frame_bench --benchmark_filter='offscreen/(cuda|cuda_staged)/' --benchmark_min_time=0.5 \
        --benchmark_out="$OUT/frames_offscreen.json" --benchmark_out_format=json
    bench_rows "$OUT/frames_offscreen.json" "offscreen 512²" offscreen/cuda/512 1000 50 "zero copy"
    bench_rows "$OUT/frames_offscreen.json" "offscreen 4096²" offscreen/cuda/4096 60 50 "zero copy"
}

run_maps() {
    section "probes and maps"
    timeout -k 5 60 ./frame_bench --benchmark_filter='offscreen/cuda_(maps|four_heatmaps)/1024' --benchmark_min_time=1 \
        --benchmark_out="$OUT/frames_maps.json" --benchmark_out_format=json
    # The maps that existed when 830 frames per second were measured, and all current maps.
    bench_rows "$OUT/frames_maps.json" "four heatmaps, two memory maps, 1024²" offscreen/cuda_four_heatmaps/1024 830 100 "zero copy"
    bench_rows "$OUT/frames_maps.json" "all eight maps, 1024²" offscreen/cuda_maps/1024 830 100 "zero copy"
    local round ratio
    for round in 1 2 3; do
        timeout -k 5 60 ./probe_bench --benchmark_filter=heat/naive/1024 --benchmark_out="$OUT/probe_cost_$round.json" \
            --benchmark_out_format=json
        bench_value "$OUT/probe_cost_$round.json" heat/naive/1024 ratio >>"$OUT/probe_ratios.txt"
    done
    ratio=$(median <"$OUT/probe_ratios.txt")
    row "probed over plain launch, heat 1024², median of 3 (at most 5.0)" "$(printf '%.1f' "$ratio")" \
        "$(verdict "$ratio > 0 && $ratio <= 5.0")"
}

run_bench() {
    section "bench"
    timeout -k 5 90 ./lanescope bench --json >"$OUT/bench.json" 2>"$OUT/bench.err"
    row "lanescope bench" "exit $?, $(grep -c '"variant"' "$OUT/bench.json") results" \
        "$([ -s "$OUT/bench.json" ] && echo pass || echo FAIL)"
    cat "$OUT/bench.err"
    # Measured times are saved even if the table cannot be printed.
    timeout -k 5 60 ./lanescope bench vector_add --problem l2 --samples 5 --record "$WORK/times.json" >/dev/full 2>/dev/null
    row "bench records before it prints" "exit $?, $(grep -c '"variant"' "$WORK/times.json" 2>/dev/null) results" \
        "$(grep -q '"variant"' "$WORK/times.json" 2>/dev/null && echo pass || echo FAIL)"
}

run_sanitizer() {
    section "compute-sanitizer"
    SANITIZER=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
    if [ -n "$SANITIZER" ]; then
        for tool in memcheck racecheck synccheck; do
            timeout -k 5 40 "$SANITIZER" --tool $tool --error-exitcode 9 ./lanescope run heat --device cuda --set size=129 \
                --steps 8 >"$OUT/sanitizer_$tool.log" 2>&1
            status=$?
            row "compute-sanitizer $tool" "$(grep 'ERROR SUMMARY' "$OUT/sanitizer_$tool.log" | tr -s '= ')" \
                "$([ $status = 0 ] && echo pass || echo "FAIL ($status)")"
        done
    else
        row "compute-sanitizer" "not on this machine" skip
    fi
}

# Sets X_PATH, X_DRIVERS and XVFB; XVFB is empty if there is no X server.
find_xvfb() {
    [ -d "$WORK/x" ] || unpack "$ROOT/.x" "$WORK/x"
    X_PATH=$(libraries_of "$WORK/x")
    X_DRIVERS=$WORK/x/usr/lib/x86_64-linux-gnu/dri
    [ -d "$X_DRIVERS" ] || X_DRIVERS=/usr/lib/x86_64-linux-gnu/dri # the machine's own server and Mesa
    XVFB=$(command -v Xvfb || ls "$WORK/x/usr/bin/Xvfb" 2>/dev/null)
    # The server expects its keyboard compiler and data at fixed paths.
    [ -e /usr/bin/xkbcomp ] || ln -sf "$WORK/x/usr/bin/xkbcomp" /usr/bin/xkbcomp
    [ -e /usr/share/X11/xkb ] || { mkdir -p /usr/share/X11 && ln -sfn "$WORK/x/usr/share/X11/xkb" /usr/share/X11/xkb; }
    mkdir -p /tmp/.X11-unix
}

# Creates a program in $WORK/bin that runs PROGRAM with these environment variables.
wrap() { # NAME PROGRAM SETTINGS…
    mkdir -p "$WORK/bin"
    printf '#!/bin/bash\nexec env %s %s "$@"\n' "${*:3}" "$2" >"$WORK/bin/$1"
    chmod +x "$WORK/bin/$1"
}

# Environment of programs that draw in a window: X's client libraries come from .x/ too, and the
# driver's GLX is selected by name.
on_screen() {
    echo "LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$X_PATH" "$([ "$ENGINE" = cuda ] && echo __GLX_VENDOR_LIBRARY_NAME=nvidia)"
}

start_x() {
    [ -n "$X_STARTED" ] && return
    X_STARTED=yes
    LD_LIBRARY_PATH=$X_PATH:$LD_LIBRARY_PATH LIBGL_DRIVERS_PATH=$X_DRIVERS \
        "$XVFB" ":$DISPLAY_NUMBER" -screen 0 1920x1080x24 +extension GLX -noreset -nolisten tcp >"$OUT/xvfb.log" 2>&1 &
    for _ in $(seq 50); do
        [ -e "/tmp/.X11-unix/X$DISPLAY_NUMBER" ] && break
        sleep 0.1
    done
    export DISPLAY=:$DISPLAY_NUMBER
}

# Creates the programs that ui_tests starts; if one is missing, adds a row about it and returns 1.
prepare_ui() { # ROW
    find_xvfb
    XDOTOOL=$(command -v xdotool || ls "$WORK/x/usr/bin/xdotool" 2>/dev/null)
    if [ -z "$XVFB" ] || [ -z "$XDOTOOL" ]; then
        row "$1" "no Xvfb or no xdotool on this machine and in .x/" skip
        return 1
    fi
    wrap Xvfb "$XVFB" LD_LIBRARY_PATH="$X_PATH" LIBGL_DRIVERS_PATH="$X_DRIVERS"
    wrap xdotool "$XDOTOOL" LD_LIBRARY_PATH="$X_PATH"
    [ -x "$WORK/x/usr/bin/setxkbmap" ] && wrap setxkbmap "$WORK/x/usr/bin/setxkbmap" LD_LIBRARY_PATH="$X_PATH"
    # shellcheck disable=SC2046
    wrap lanescope "$BUNDLE/lanescope" $(on_screen)
}

# A thousand random events in the window, RANDOM_RUNS (30) times with the usual seed and once each with seeds 1 to 10.
run_random() {
    section "random events in the window"
    prepare_ui "random events" || return
    random_run() { # NUMBER SEED
        GTEST_RANDOM_SEED=$2 PATH=$WORK/bin:$PATH LANESCOPE_ENGINE=$ENGINE LANESCOPE_PROGRAM=$WORK/bin/lanescope \
            timeout -k 5 300 ./ui_tests --gtest_filter=Random.AThousandEvents >"$OUT/random_$1.log" 2>&1 &&
            grep -q '^\[  PASSED  \] 1 test' "$OUT/random_$1.log" && rm "$OUT/random_$1.log"
    }
    export -f random_run
    export WORK OUT ENGINE
    local runs=${RANDOM_RUNS:-30} number failed
    for ((number = 1; number <= runs + 10; number++)); do
        echo "$number $((number > runs ? number - runs : 0))"
    done | xargs -P $(($(nproc) / 2)) -L 1 bash -c 'random_run "$@"' run
    failed=$(find "$OUT" -name 'random_*.log' | wc -l)
    tail -n 20 "$OUT"/random_*.log 2>/dev/null
    row "random events: runs, failed" "$((runs + 10)), $failed" "$(verdict "$failed == 0")"
}

# Runs the window's tests on this GPU; without ffmpeg, those that need it are skipped.
run_ui() {
    section "ui_tests on the GPU"
    prepare_ui "ui_tests" || return
    local chosen=${UI:-*}
    command -v ffmpeg >/dev/null || chosen="$chosen:-Recording.*:Document.ClosingAsksAboutUnsavedWork"
    # Four shards run at a time, each on its own displays.
    local shard shards=()
    for shard in 0 1 2 3; do
        GTEST_TOTAL_SHARDS=4 GTEST_SHARD_INDEX=$shard PATH=$WORK/bin:$PATH LANESCOPE_ENGINE=$ENGINE \
            LANESCOPE_PROGRAM=$WORK/bin/lanescope timeout -k 5 "${UI_SECONDS:-300}" \
            ./ui_tests --gtest_filter="$chosen" >"$OUT/ui_tests_$shard.log" 2>&1 &
        shards[shard]=$!
    done
    status=0
    for shard in 0 1 2 3; do wait "${shards[shard]}" || status=$?; done
    [ -d ui ] && cp -r ui "$OUT/" # pictures of tests that failed
    grep -h -B12 '^\[  FAILED' "$OUT"/ui_tests_*.log | head -80
    ui_count() { cat "$OUT"/ui_tests_*.log | grep -c "^\\[ *$1 \\] [A-Z].*(.* ms)"; }
    row "ui_tests: passed, skipped, failed" "$(ui_count OK), $(ui_count SKIPPED), $(ui_count FAILED)" \
        "$([ $status = 0 ] && echo pass || echo "FAIL ($status)")"
}

# Counts the slow frames of each task in the window; no other part runs at the same time.
run_pace() {
    section "pace_bench"
    find_xvfb
    wrap Xvfb "$XVFB" LD_LIBRARY_PATH="$X_PATH" LIBGL_DRIVERS_PATH="$X_DRIVERS"
    wrap xdotool "$(command -v xdotool || ls "$WORK/x/usr/bin/xdotool" 2>/dev/null)" LD_LIBRARY_PATH="$X_PATH"
    # shellcheck disable=SC2046
    wrap lanescope "$BUNDLE/lanescope" $(on_screen)
    # One window per seed, all at the same time.
    local seed runs=()
    for seed in ${PACE_SEEDS:-0}; do
        PATH=$WORK/bin:$PATH LANESCOPE_ENGINE=$ENGINE LANESCOPE_PROGRAM=$WORK/bin/lanescope \
            timeout -k 5 "${PACE_SECONDS:-200}" ./pace_bench --gtest_brief=1 --gtest_random_seed="$seed" \
            --gtest_filter="${PACE:-*}" >"$OUT/pace_$seed.log" 2>&1 &
        runs+=($!)
    done
    status=0
    for seed in "${runs[@]}"; do wait "$seed" || status=$?; done
    cat "$OUT"/pace_*.log >"$OUT/pace.log"
    grep -E 'frames above|pictures/s' "$OUT/pace.log"
    row "tasks in the window with a frame over 50 ms" \
        "$(grep 'frames above' "$OUT/pace.log" | grep -vc ' 0 frames above') of $(grep -c 'frames above' "$OUT/pace.log")" \
        "$([ $status = 0 ] && ! grep 'frames above' "$OUT/pace.log" | grep -qv ' 0 frames above' && echo pass || echo "look ($status)")"
}

# Kills windows that run without the GPU at random moments, one window per three cores at a time.
run_kills() {
    section "kills"
    find_xvfb
    wrap Xvfb "$XVFB" LD_LIBRARY_PATH="$X_PATH" LIBGL_DRIVERS_PATH="$X_DRIVERS"
    wrap xdotool "$(command -v xdotool || ls "$WORK/x/usr/bin/xdotool" 2>/dev/null)" LD_LIBRARY_PATH="$X_PATH"
    # shellcheck disable=SC2046
    wrap lanescope "$BUNDLE/lanescope" LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$X_PATH" __GLX_VENDOR_LIBRARY_NAME=mesa \
        LIBGL_ALWAYS_SOFTWARE=1 LIBGL_DRIVERS_PATH="$X_DRIVERS"
    local at_once=$(($(nproc) / 3)) status
    [ $at_once -ge 1 ] || at_once=1
    PATH=$WORK/bin:$PATH timeout -k 15 "${KILLS_SECONDS:-420}" python3 "$ROOT/tests/kills.py" "$WORK/bin/lanescope" \
        "${KILLS:-1000}" 1 $at_once >"$OUT/kills.txt" 2>&1
    status=$?
    cat "$OUT/kills.txt"
    row "kills: ended, with a loss" "$(sed -n 's/ ended, \(.*\) with a loss/, \1/p' "$OUT/kills.txt")" \
        "$([ $status = 0 ] && echo pass || echo "FAIL ($status)")"
}

run_window() {
    section "a real window under Xvfb"
    find_xvfb
    if [ -n "$XVFB" ]; then
        start_x
        client() { env LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$X_PATH" "$@"; }
        client __GLX_VENDOR_LIBRARY_NAME=nvidia timeout -k 5 40 ./lanescope doctor --json >"$OUT/doctor_window.json"
        cat "$OUT/doctor_window.json"
        client __GLX_VENDOR_LIBRARY_NAME=nvidia timeout -k 5 40 ./frame_bench --benchmark_filter=window/cuda \
            --benchmark_out="$OUT/frames_window.json" --benchmark_out_format=json
        bench_rows "$OUT/frames_window.json" "window (GLX) 512²" window/cuda/512 100 100 "zero copy"

        client __GLX_VENDOR_LIBRARY_NAME=nvidia timeout -k 5 10 ./lanescope --lab heat --device cuda >"$OUT/window.log" 2>&1
        status=$?
        cat "$OUT/window.log"
        row "window runs until it is stopped" "$(tail -1 "$OUT/window.log")" \
            "$([ $status = 124 ] && echo pass || echo "FAIL ($status)")"

        section "GPU present, OpenGL on llvmpipe"
        software() {
            client __GLX_VENDOR_LIBRARY_NAME=mesa LIBGL_ALWAYS_SOFTWARE=1 \
                LIBGL_DRIVERS_PATH="$X_DRIVERS" "$@"
        }
        software timeout -k 5 40 ./lanescope doctor --json >"$OUT/doctor_llvmpipe.json" 2>&1
        cat "$OUT/doctor_llvmpipe.json"
        software timeout -k 5 60 ./frame_bench --benchmark_filter=window/cuda \
            --benchmark_out="$OUT/frames_llvmpipe.json" --benchmark_out_format=json
        bench_rows "$OUT/frames_llvmpipe.json" "llvmpipe 512²" window/cuda/512 10 100000 "staged"
    else
        row "window under Xvfb" "no Xvfb on this machine and none in .x/" skip
    fi
}

median() { sort -g | awk '{ v[NR] = $1 } END { print NR ? (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 : 0 }'; }

# Compares frames per second of this program and an earlier one, alternating: those of frame_bench
# (a step, its picture and the swap, at 512²), and those that the window reports.
run_before() {
    section "beside $BEFORE"
    find_xvfb
    start_x
    local bench=window/$ENGINE/512 side folder sides=(before now)
    for _ in $(seq "${ROUNDS:-5}"); do
        for side in "${sides[@]}"; do
            folder=$BUNDLE
            [ $side = before ] && folder=$BEFORE
            # shellcheck disable=SC2046
            (cd "$folder" && env $(on_screen) timeout -k 5 40 ./frame_bench --benchmark_filter="$bench" \
                --benchmark_min_time=0.5 --benchmark_out="$WORK/frames.json" --benchmark_out_format=json) >/dev/null 2>&1
            bench_value "$WORK/frames.json" "$bench" frames/s >>"$OUT/bench_$side.txt"
            rm -f "$WORK/frames.json"
            # shellcheck disable=SC2046
            (cd "$folder" && env $(on_screen) XDG_STATE_HOME="$WORK/state" __GL_SYNC_TO_VBLANK=0 timeout -k 5 40 ./lanescope --lab heat \
                --device "$ENGINE" --report "$WORK/report.json" --exit-after 4) >/dev/null 2>&1
            sed -n 's/.*"pictures_per_s": \([0-9.]*\).*/\1/p' "$WORK/report.json" >>"$OUT/window_$side.txt"
            rm -f "$WORK/report.json"
        done
        sides=("${sides[1]}" "${sides[0]}")
    done
    for what in bench window; do
        paste "$OUT/${what}_before.txt" "$OUT/${what}_now.txt"
        before=$(median <"$OUT/${what}_before.txt")
        now=$(median <"$OUT/${what}_now.txt")
        row "$what: frames/s before, now (at least 0.97 of it)" \
            "$(awk "BEGIN { printf \"%.0f, %.0f: %.3f\", $before, $now, $now / ($before + 1e-9) }")" "$(verdict "$before > 0 && $now >= 0.97 * $before")"
    done
}

for part in ${PARTS:-doctor heat pictures frames maps bench sanitizer window ui pace tests}; do
    "run_$part"
done

printf '\n%s\n' "$(cat "$OUT/device.txt")"
cat "$TABLE"
printf '%s seconds\n' "$SECONDS"
! grep -q FAIL "$TABLE"

# Lab self-test: drivers expose the cameras' documented quirks and faults to any program.
# lab: virtual-time timeout=300 soak

stream() { # NAME PORT COUNT FORMAT [ENDING]: writes frames to NAME.mjpeg and the driver's log to NAME.log
    v4l2-ctl -d "$(node "$2")" --set-fmt-video="$4" --set-parm=30 --stream-mmap=4 --stream-count="$3" \
        --stream-to="$results/$1.${5:-mjpeg}" --verbose > "$results/$1.log" 2>&1
}
controls() { v4l2-ctl -d "$(node "$1")" --get-ctrl="$2"; } # PORT NAME,NAME…
set_control() { v4l2-ctl -d "$(node "$1")" --set-ctrl="$2" > "$results/set.log" 2>&1; }
small=width=640,height=480,pixelformat=MJPG

inside() {
    cameras c920:1 controls:2 dark:3 firstbad:4 greedy:5 greedy:6 capture:7

    # Faults of single frames, one after the other in one stream.
    stream strikes 2 60 $small & local job=$!
    wait_until 10 test -s "$results/strikes.mjpeg"
    fault tail 2 3
    fault bad 2 2
    sleep 0.5
    fault error 2 4
    check "the stream outlives the strikes" wait "$job"

    stream first 4 10 $small
    stream again 4 10 $small
    fault nostart 4
    timeout 3 v4l2-ctl -d "$(node 4)" --stream-mmap=4 --stream-count=1 --stream-to="$results/nothing" > /dev/null 2>&1 || true
    stream recovered 4 10 $small

    # The room gets dark; then the camera is set to keep its rate.
    stream dark 3 90 $small & job=$!
    wait_until 10 test -s "$results/dark.mjpeg"
    sleep 1
    fault dark 3
    sleep 1
    set_control 3 exposure_dynamic_framerate=0
    check "the stream outlives the dark" wait "$job"

    # Controls: managed by an automatic mode, not rounded by the driver, reset by the camera.
    controls 2 brightness,exposure_time_absolute,focus_absolute,zoom_absolute > "$results/initial"
    set_control 2 exposure_time_absolute=100 && fail "a manual exposure while the automatic one is on"
    set_control 2 auto_exposure=1,exposure_time_absolute=100,brightness=7,focus_automatic_continuous=0
    set_control 2 focus_absolute=50
    controls 2 brightness,exposure_time_absolute,focus_absolute,focus_automatic_continuous > "$results/adjusted"
    stream forgets 2 5 $small
    fault unplug 2
    wait_until 5 absent 2
    fault plug 2
    wait_until 5 present 2
    controls 2 brightness,auto_exposure,focus_automatic_continuous > "$results/replugged"

    # Formats: H.264, refused formats, and a format other than the requested one.
    stream h264 1 60 width=1280,height=720,pixelformat=H264 h264
    fault refuse 1
    v4l2-ctl -d "$(node 1)" --set-fmt-video=$small > "$results/refused" 2>&1 && grep -q "640/480" "$results/refused" &&
        fail "the format was not refused"
    fault accept 1
    fault alter 1
    v4l2-ctl -d "$(node 1)" --set-fmt-video=$small --get-fmt-video > "$results/altered" 2>&1
    fault accept 1

    # A capture stick offers its signal's format.
    v4l2-ctl -d "$(node 7)" --list-framesizes=MJPG > "$results/signal-before"
    fault signal 7 720p
    wait_until 5 absent 7
    wait_until 5 present 7
    v4l2-ctl -d "$(node 7)" --list-framesizes=MJPG > "$results/signal-after"
    fault signal 7 lost
    timeout 2 v4l2-ctl -d "$(node 7)" --stream-mmap=4 --stream-count=1 --stream-to="$results/no-signal" > /dev/null 2>&1 || true

    # Bandwidth: first unlimited, then as on a real bus.
    stream both-5 5 30 width=320,height=240,pixelformat=MJPG & job=$!
    check "two greedy cameras without a limit" stream both-6 6 30 width=320,height=240,pixelformat=MJPG
    wait "$job"
    bandwidth 100
    stream alone 5 200 width=320,height=240,pixelformat=MJPG & job=$!
    wait_until 10 test -s "$results/alone.mjpeg"
    stream refused 6 1 width=320,height=240,pixelformat=MJPG || true
    check "beside a greedy camera there is room for a modest one" stream modest 2 10 width=640,height=480,pixelformat=MJPG
    check "the first camera is unaffected" wait "$job"
    check "bandwidth is released when a stream ends" stream afterwards 6 10 width=320,height=240,pixelformat=MJPG
    stream pulled 5 900 width=320,height=240,pixelformat=MJPG & job=$!
    wait_until 10 test -s "$results/pulled.mjpeg"
    fault unplug 5
    wait_until 5 absent 5
    wait "$job" || true
    check "bandwidth is released on unplugging" stream freed 6 10 width=320,height=240,pixelformat=MJPG
    bandwidth 0

    # Two cameras swap ports, and several hub cables are pulled at once.
    fault unplug 1 3 4
    wait_until 5 absent 1
    wait_until 5 absent 3
    fault plug 1@3 3@1
    wait_until 5 present 1
    wait_until 5 present 3
    cat "$(usb 1)/serial" "$(usb 3)/serial" > "$results/swapped"
}

# numbers FILE: the report of verify-copied.py, even for damaged frames
numbers() { copied "$results/$1" > "$results/report.json" || true; json "$results/report.json" "$2"; }
# stamps NAME: the driver's timestamps of a stream
stamps() { sed -n 's/.* ts: \([0-9.]*\).*/\1/p' "$results/$1.log"; }

outside() {
    equal "extraneous bytes, damaged pictures" "$(numbers strikes.mjpeg 'len(d["tails"]), len(d["damaged"])')" "(3, 2)"
    equal "lost by a burst" "$(numbers strikes.mjpeg 'd["missing"][-1] - d["missing"][0], len(d["missing"])')" "(3, 4)"
    equal "corrupt at first" "$(numbers first.mjpeg 'd["damaged"]')" "[0, 1]"
    equal "corrupt at the next start" "$(numbers again.mjpeg 'd["damaged"]')" "[0, 1]"
    check "no frames arrive" test ! -s "$results/nothing"
    equal "the next start brings pictures" "$(numbers recovered.mjpeg 'd["frames"]')" 10
    within "frames at half the rate in a second of dark" \
        "$(stamps dark | awk 'NR > 1 && $1 - last > 0.06 && $1 - last < 0.07 { n++ } { last = $1 } END { print n }')" 13 16
    equal "no frames lost in the dark" "$(numbers dark.mjpeg 'd["missing"]')" "[]"
    equal "controls at first" "$(tr '\n' ' ' < "$results/initial")" \
        "brightness: 128 exposure_time_absolute: 250 focus_absolute: 0 zoom_absolute: 100 "
    equal "controls as set" "$(tr '\n' ' ' < "$results/adjusted")" \
        "brightness: 7 exposure_time_absolute: 100 focus_absolute: 50 focus_automatic_continuous: 0 "
    equal "controls after a replug" "$(tr '\n' ' ' < "$results/replugged")" \
        "brightness: 128 auto_exposure: 3 (Aperture Priority Mode) focus_automatic_continuous: 1 "
    check "H.264: every byte as sent" copied "$results/h264.h264" > "$results/report.json"
    equal "H.264: frames, missing" "$(json "$results/report.json" 'd["frames"], d["missing"]')" "(60, [])"
    strips "$results/h264.h264" > "$results/strips.json"
    equal "H.264: decoded" "$(json "$results/strips.json" 'd["readable"], d["skips"], d["repeats"]')" "(60, 0, 0)"
    check "another size than asked" grep -q "1280/720" "$results/altered"
    equal "before" "$(grep -c 1920x1080 "$results/signal-before") $(grep -c 1280x720 "$results/signal-before")" "1 0"
    equal "after" "$(grep -c 1920x1080 "$results/signal-after") $(grep -c 1280x720 "$results/signal-after")" "0 1"
    check "no frames without a signal" test ! -s "$results/no-signal"
    check "refused as on a real bus" grep -q "No space left on device" "$results/refused.log"
    check "the first camera is unaffected" test "$(numbers alone.mjpeg 'd["frames"]')" -gt 0
    equal "swapped" "$(tr '\n' ' ' < "$results/swapped")" "LAB0003 LAB0001 "
}

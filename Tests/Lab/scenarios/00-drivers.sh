# Lab self-test: the virtual cameras look like real webcams to programs, and faults have their documented effects.
# lab: virtual-time

stream() { # NAME CAMERA COUNT FORMAT: writes frames to NAME.mjpeg and the driver's log to NAME.log
    v4l2-ctl -d "$(node "$2")" --set-fmt-video="$4" --set-parm=30 --stream-mmap=4 --stream-count="$3" \
        --stream-to="$results/$1.mjpeg" --verbose > "$results/$1.log" 2>&1
}
record() { # NAME CAMERA SECONDS
    timeout --signal=INT "$3" parec --device="$(mic "$2")" --format=s16le --rate=48000 --channels=1 --latency-msec=50 \
        --file-format=wav "$results/$1.wav" || [ $? = 124 ]
}

inside() {
    cameras studio:1 cheap:2
    sound
    check "udev knows the serial number" test -e /dev/v4l/by-id/usb-Multicam_Lab_Studio_Webcam_LAB0001-video-index0
    check "udev knows the port" test -e /dev/v4l/by-path/platform-vhci_hcd.0-usb-0:2:1.0-video-index0

    # Both cameras and both microphones simultaneously.
    record 1 1 3 & local jobs=($!)
    record 2 2 3 & jobs+=($!)
    stream 1 1 60 width=1920,height=1080,pixelformat=MJPG & jobs+=($!)
    stream 2 2 60 width=640,height=480,pixelformat=MJPG & jobs+=($!)
    local job
    for job in "${jobs[@]}"; do check "stream ${job}" wait "$job"; done

    # Faults, all during one stream.
    stream faults 1 60 width=640,height=480,pixelformat=MJPG & job=$!
    wait_until 10 test -s "$results/faults.mjpeg"
    fault error 1; sleep 0.3
    fault short 1; sleep 0.3
    fault freeze 1; sleep 0.3
    fault thaw 1
    check "the stream outlives the faults" wait "$job"

    v4l2-ctl -d "$(node 2)" --set-fmt-video=width=640,height=480,pixelformat=YUYV --stream-mmap=4 --stream-count=30 \
        --stream-to="$results/2.yuyv" > "$results/yuyv.log" 2>&1

    # Unplugging, while both cameras are streaming.
    stream pulled 1 900 width=1280,height=720,pixelformat=MJPG & job=$!
    stream neighbor 2 60 width=1280,height=720,pixelformat=MJPG & local neighbor=$!
    wait_until 10 test -s "$results/pulled.mjpeg"
    fault unplug 1
    wait_until 5 absent 1
    wait "$job" || true
    check "the other camera continues" wait "$neighbor"
    fault plug 1
    wait_until 5 present 1
    stream back 1 10 width=1280,height=720,pixelformat=MJPG
}

outside() {
    local camera report=$results/report.json
    for camera in 1 2; do
        check "camera $camera: every byte as sent" copied "$results/$camera.mjpeg" > "$report"
        equal "camera $camera: frames, missing, whose" "$(json "$report" 'd["frames"], d["missing"], d["cameras"]')" "(60, [], [$camera])"
        within "camera $camera: frame rate by the driver's time stamps" "$(sed -n 's/.* ts: \([0-9.]*\).*/\1/p' "$results/$camera.log" |
            awk 'NR == 1 { first = $1 } { last = $1 } END { print (NR - 1) / (last - first) }')" 29.9 30.1
        within "microphone $camera: seconds" "$(probe "$results/$camera.wav" a:0 duration)" 2 3.1
        tone "microphone $camera" "$results/$camera.wav" $((500 + 500 * camera))
    done
    copied "$results/faults.mjpeg" > "$report" && fail "nobody noticed the cut frame"
    equal "cut frames" "$(json "$report" 'len(d["damaged"])')" 1
    equal "a transmission error costs one frame" "$(json "$report" 'd["missing"][1] - d["missing"][0] > 5')" True
    within "frames lost by 0.3 s of freeze" "$(json "$report" 'len(d["missing"]) - 1')" 8 11
    equal "bytes of 30 raw pictures" "$(stat -c %s "$results/2.yuyv")" $((640 * 480 * 2 * 30))
    check "whole frames before and after the cable was pulled" copied "$results/back.mjpeg" > "$report"
    check "the neighbor's bytes" copied "$results/neighbor.mjpeg" > "$report"
    equal "the neighbor's frames, missing" "$(json "$report" 'd["frames"], d["missing"]')" "(60, [])"
}

# The program in a v4l2loopback node, as other programs read it: frames are complete and in order, the node's format is kept while
# it is read, the last frame repeats while no frames arrive, and each problem with a node has a clear message.
# lab: virtual-time timeout=400

# live LINE: sends a line to multicam-live, as the recorder does; the answer is in $results/live.
live() { echo "$1" >&7; }
publish() { # NAME NODE [SIZE-AND-RATE]
    local video=${3:+',"video":{'$3'}'}
    live "{\"publish\":{\"name\":\"$1\",\"url\":\"v4l2:$2\",\"of\":\"program\",\"standby\":false$video}}"
}
unpublish() { live "{\"unpublish\":\"$1\"}"; wait_until 20 last "$1" ended; }
last() { grep "\"live_output\":\"$1\"" "$results/live" | tail -1 | grep -q "\"state\":\"$2\""; }
format() { v4l2-ctl -d "$1" --get-fmt-video | tr -d '\n' | tr -s ' \t' ' ' > "$results/$2"; }

inside() {
    export XDG_RUNTIME_DIR=/run
    modprobe v4l2loopback video_nr=9,8 exclusive_caps=1,0 card_label="Studio camera","Open camera"
    modprobe vivid n_devs=1 node_types=0x1 num_inputs=1 input_types=0x0
    camera=$(basename "$(grep -l vivid /sys/class/video4linux/video*/name | head -1 | xargs dirname)")
    cat > "$results/p.yaml" <<'YAML'
cameras: { desk: { device: "virtual:clap", size: 640x360, rate: 30 } }
program: { size: 640x360, rate: 30, layout: single, video: { preset: ultrafast } }
tracks: { cameras: none }
YAML
    v4l2-ctl -d /dev/video9 --info > "$results/before.info"
    start r --profile "$results/p.yaml" --duration 60
    program=$(sed -n "s/^exec '\(.*\)' .*/\1/p" "$MULTICAM")-live
    mkfifo /run/say
    "$program" --socket "/run/multicam/$recorder.sock.media" < /run/say > "$results/live" 2> "$results/live.log" &
    exec 7> /run/say

    publish cam /dev/video9
    wait_until 20 last cam connected
    sleep 1
    v4l2-ctl -d /dev/video9 --info > "$results/info"
    format /dev/video9 format
    v4l2-ctl -d /dev/video9 --stream-mmap=2 --stream-count=90 --stream-to="$results/mmap.raw" > /dev/null 2>&1
    ffmpeg -v error -f v4l2 -i /dev/video9 -frames:v 60 -c copy -f nut "$results/ffmpeg.nut"
    say "another program at the same node"
    publish second /dev/video9
    wait_until 20 last second waiting
    unpublish second

    say "the format stays while somebody reads"
    v4l2-ctl -d /dev/video9 --stream-mmap=2 --stream-count=100000 > /dev/null 2>&1 & local reader=$!
    sleep 1
    unpublish cam
    publish cam /dev/video9 '"width":320,"height":180,"rate":"15"'
    wait_until 20 last cam connected
    format /dev/video9 kept
    check "the reader goes on" kill -0 "$reader"
    kill "$reader"
    unpublish cam
    publish cam /dev/video9 '"width":320,"height":180,"rate":"15"'
    wait_until 20 last cam connected
    sleep 1
    format /dev/video9 small

    publish open /dev/video8
    wait_until 20 last open connected
    ffmpeg -v error -f v4l2 -i /dev/video8 -frames:v 30 -c copy -f nut "$results/open.nut"

    publish absent /dev/video77
    wait_until 20 last absent waiting
    publish camera "/dev/$camera"
    wait_until 20 last camera refused
    publish null /dev/null
    wait_until 20 last null refused

    say "no frame comes for a while"
    kill -STOP "$recorder"
    timeout 20 v4l2-ctl -d /dev/video8 --stream-mmap=2 --stream-count=20 --stream-to="$results/still.raw" > /dev/null 2>&1
    kill -CONT "$recorder"
    exec 7>&-
    wait_until 20 sh -c '! pgrep -x multicam-live'
    v4l2-ctl -d /dev/video9 --info > "$results/after.info"
    kill -INT "$recorder"
    wait "$recorder" || true # it was stopped for a while and has lost frames
}

text() { python3 -c 'import json, sys
print([line["text"] for line in map(json.loads, open(sys.argv[1])) if line["live_output"] == sys.argv[2] and line["state"] == sys.argv[3]][0])' "$results/live" "$1" "$2"; }
raw() { ffmpeg -y -v error -f rawvideo -pix_fmt yuyv422 -s "$2" -i "$results/$1.raw" -c copy "$results/$1.nut"; }

outside() {
    check "the node has its name" grep -q "Card type *: Studio camera" "$results/info"
    check "nobody takes it for a camera before" grep -q "Video Output" "$results/before.info"
    check "it is a camera, and nothing else, while it is sent to" grep -q "Video Capture" "$results/info"
    check "nor one afterwards" grep -q "Video Output" "$results/after.info"
    check "its format" grep -q "Width/Height : 640/360 Pixel Format : 'YUYV'" "$results/format"
    raw mmap 640x360
    equal "frames by mmap" "$(frames "$results/mmap.nut")" 90
    in_order "by mmap" "$results/mmap.nut" 90
    in_order "by ffmpeg" "$results/ffmpeg.nut" 60
    in_order "without exclusive_caps" "$results/open.nut" 30
    check "the format is kept for who reads" grep -q "640/360" "$results/kept"
    check "and becomes another when nobody does" grep -q "320/180" "$results/small"
    raw still 640x360
    equal "frames while none came" "$(frames "$results/still.nut")" 20
    check "two at one node" grep -q "another program is already sending to /dev/video9" <(text second waiting)
    check "no such node" grep -q "modprobe v4l2loopback video_nr=77" <(text absent waiting)
    check "a camera" grep -q "not a video output device" <(text camera refused)
    check "no video device" grep -q "/dev/null is not a virtual camera" <(text null refused)
}

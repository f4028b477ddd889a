# Functions shared by scenarios. A scenario is a bash file with two functions; each returns status 0 on success:
#
#     inside     runs as root in the lab's kernel and saves its results in $results
#     outside    runs afterwards on the host and checks the results, because starting ffprobe or Python takes seconds in the lab
#
# A file that defines `outside_NAME` once or several times instead of `outside` holds several cases. They share a boot and
# `inside`, if defined, but are reported and counted separately. Each has a separate folder, $results. Its `inside_NAME`, if
# defined, runs in the lab, in file order; its `outside_NAME` then checks the results, with files from `inside` in $RESULTS. A
# failed case doesn't stop the others.
#
# Options in its first lines state requirements: "# lab: virtual-time" or "# lab: timeout=200". To reuse another scenario's cases
# with a change, source it: `. "$LAB/scenarios/NAME.sh"`. In `tools/lab shell`, the functions here are interactive commands:
#
#     cameras studio:1 cheap:2   udev, the cameras, and all their nodes     node 1   /dev/videoN that captures, at port 1
#     cameras_without_udev …     the kernel's nodes only
#     sound                      a sound server with their microphones      mic 1    source name of the microphone there
#     fault unplug 1             what usbip-cameras offers (see its main.c)
#
# By default, camera N is plugged into port N; `cameras MODEL:N@PORT` or `fault plug N@PORT` chooses another port. node, mic, usb,
# present and absent take the port.
#
# Environment: LAB is Tests/Lab, RESULTS is the folder for results, MULTICAM is the program under test.
results=$RESULTS

# --- assertions

# In the lab, prints a message with the time since boot.
say() { if [[ $RESULTS = /results* ]]; then echo "$(cut -d ' ' -f 1 /proc/uptime) $*"; else echo "$*"; fi >&2; }

fail() {
    say "FAILED: $*"
    exit 1
}

# check WHAT COMMAND…: fails the scenario unless COMMAND succeeds.
check() {
    local what=$1
    shift
    "$@" || fail "$what: $*"
    say "ok: $what"
}

# equal WHAT FOUND EXPECTED
equal() {
    [ "$2" = "$3" ] || fail "$1: found $2, expected $3"
    say "ok: $1: $2"
}

# within WHAT FOUND LEAST MOST, for numbers with or without a fraction
within() {
    awk -v x="$2" -v least="$3" -v most="$4" 'BEGIN { exit !(x ~ /^-?[0-9.]+$/ && x >= least && x <= most) }' ||
        fail "$1: found $2, expected $3 to $4"
    say "ok: $1: $2"
}

# wait_until SECONDS COMMAND…: waits up to SECONDS × PATIENCE, which is larger on slow machines
wait_until() {
    local end=$((SECONDS + $1 * ${PATIENCE:-1}))
    shift
    until "$@" > /dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || fail "waited in vain for: $*"
        sleep 0.05
    done
}

# json FILE EXPRESSION: the value of a Python expression for the document `d`.
json() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"; }

# --- inside: cameras and microphones

cameras() {
    SYSTEMD_IGNORE_CHROOT=1 /lib/systemd/systemd-udevd --daemon 2> /dev/null || fail "udevd does not start"
    plugged=("$@")
    cameras_without_udev "$@"
    local camera
    for camera in "$@"; do wait_until 20 present "${camera##*[:@]}"; done
}

# As in a container: no udev to create links or set permissions.
cameras_without_udev() {
    /lab/usbip-cameras "$@" --control /run/cameras > "$results/cameras.log" 2>&1 &
    local camera
    for camera in "$@"; do wait_until 20 node "${camera##*[:@]}"; done
}

fault() { echo "$*" > /run/cameras; }

# bandwidth MICROSECONDS: available per microframe for isochronous transfers; 0 removes the limit, a USB 2 controller has 100.
bandwidth() { echo "$1" > /sys/module/vhci_hcd/parameters/periodic_us; }

# Clears persistent faults for the next case.
heal() {
    local camera number
    for camera in "${plugged[@]}"; do
        number=${camera#*:}
        ! absent "${number#*@}" || fault plug "$number"
        fault thaw "${number%@*}"
        fault unmute "${number%@*}"
    done
    for camera in "${plugged[@]}"; do wait_until 20 present "${camera##*[:@]}"; done
}

# vhci_hcd is the only USB controller here: prints the camera at port N of its bus.
usb() { echo "/sys/bus/usb/devices/1-$1"; }

# A camera has two nodes, in any order; index 0 captures, the other one is for metadata.
node() {
    local index
    index=$(grep -lx 0 "$(usb "$1")":1.0/video4linux/*/index) && index=${index%/index} && echo "/dev/${index##*/}"
}

# The camera's nodes exist and udev has processed them, so that programs using udev see them too.
present() {
    local node card
    node=$(node "$1") && [ -e "/dev/v4l/by-path/platform-vhci_hcd.0-usb-0:$1:1.0-video-index0" ] && [ -c "$node" ] || return
    card=$(echo "$(usb "$1")":1.2/sound/card*/controlC*) && [ -e "/run/udev/data/c$(cat "$card/dev")" ]
}
# nodes_open PROCESS: the camera nodes that a process has open, one per line.
nodes_open() { find "/proc/$1/fd" -lname '/dev/video*' -printf '%l\n'; }

absent() { ! [ -e "$(usb "$1")" ]; }

# Starts the server $sound_server, pulseaudio or pipewire, with all connected microphones. Its processes are ${server[@]}.
sound_server=pulseaudio
sound() {
    server=()
    "start_$sound_server"
    local port
    for port in {1..8}; do
        absent "$port" || wait_until 20 mic "$port"
    done
}

# Kills it as the kernel's out-of-memory killer would.
kill_sound() {
    kill -KILL "${server[@]}"
    wait "${server[@]}" || true
}

start_pulseaudio() {
    # Started by root outside of a user session: no real-time priority available, and no session that ends it.
    pulseaudio -n --load="module-native-protocol-unix auth-anonymous=1 socket=/run/pulse.socket" --load=module-udev-detect \
        --exit-idle-time=-1 --use-pid-file=false --daemonize=no --realtime=no --high-priority=no >> "$results/pulseaudio.log" 2>&1 &
    server=($!)
    export PULSE_SERVER=unix:/run/pulse.socket
    wait_until 20 test -S /run/pulse.socket
}

# Debian's configuration, except for D-Bus, which is missing in the lab, and for cameras, which aren't tested here.
start_pipewire() {
    local settings=/etc/wireplumber program
    mkdir -p $settings/{main,bluetooth}.lua.d
    cat > $settings/main.lua.d/60-lab.lua <<'LUA'
alsa_monitor.properties["alsa.reserve"] = false
default_access.properties["enable-flatpak-portal"] = false
v4l2_monitor.enabled = false
libcamera_monitor.enabled = false
LUA
    echo 'bluez_monitor.enabled = false' > $settings/bluetooth.lua.d/60-lab.lua
    rm -rf /run/pipewire # removes stale sockets of a killed server
    mkdir /run/pipewire
    for program in pipewire wireplumber pipewire-pulse; do
        XDG_RUNTIME_DIR=/run/pipewire "$program" >> "$results/$program.log" 2>&1 &
        server+=($!)
        wait_until 20 test -S /run/pipewire/pipewire-0
    done
    export PULSE_SERVER=unix:/run/pipewire/pulse/native
    wait_until 20 test -S /run/pipewire/pulse/native
}

# Only pactl's own lines begin with exactly one tab: a device's name may contain line breaks and any words.
mic() {
    pactl list sources | awk -v card="/1-$1:1.2/" '
        /^\tName:/ { name = $2 }
        $1 == "sysfs.path" && index($0, card) { print name; found = 1 }
        END { exit !found }'
}

# --- inside: recordings. NAME's folder is recordings/NAME in $results, next to NAME.events and NAME.stderr.

# start NAME ARGUMENT…: runs `multicam record` in the background and returns once it has started; its process ID is $recorder.
# $output, if set, is the parent folder.
start() {
    "$MULTICAM" record --output "${output:-$results/recordings}" --name "$1" --json "${@:2}" > "$results/$1.events" 2> "$results/$1.stderr" &
    recorder=$!
    wait_until 20 begun_or_over "$1"
    grep -q '"started"' "$results/$1.events" || fail "$1 does not start: $(cat "$results/$1.stderr")"
}
begun_or_over() { grep -q '"started"' "$results/$1.events" || ! kill -0 "$recorder"; }

# ended NAME [STATUS]: waits for the end and checks the exit status (0).
ended() {
    local status=0
    wait "$recorder" || status=$?
    [ "$status" = "${2:-0}" ] || fail "$1: record ended with $status, expected ${2:-0}: $(cat "$results/$1.stderr")"
}

# record NAME ARGUMENT…: records from start to regular end.
record() {
    start "$@"
    ended "$1"
}

# command prefix: runs without privileges
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent)

# refused NAME COMMAND…: saves the output and exit status for `says`.
refused() {
    local status=0
    timeout 30 "${@:2}" > "$results/$1.out" 2> "$results/$1.err" || status=$?
    echo "$status" > "$results/$1.status"
}

# --- outside: recordings and refusals

# recorded NAME [EXIT-STATUS [--abandoned]]: checks the exit status (0), and that the manifest is consistent and matches the
# files. Sets `folder`, `manifest`, and `ledger`: the report of check-ledger.py.
recorded() {
    folder=$results/recordings/$1
    manifest=$folder/manifest.json
    ledger=$results/$1.ledger
    "$LAB/tools/check-ledger.py" "$folder" "${@:3}" > "$ledger" || fail "$1: the ledger: $(json "$ledger" 'd["complaints"]')"
    equal "$1: the last event" "$(tail -1 "$results/$1.events" | json /dev/stdin 'd["event"], d["exit"]')" "('finished', ${2:-0})"
}

# events NAME EXPRESSION: evaluates an expression on the list `d` of its events
events() { python3 -c 'import json, sys; d = [json.loads(line) for line in open(sys.argv[1])]; print(eval(sys.argv[2]))' "$results/$1.events" "$2"; }

# says NAME STATUS WORD…: checks the exit status, empty standard output, and that one line contains all words
says() {
    local word
    equal "$1: exit status" "$(cat "$results/$1.status")" "$2"
    equal "$1: lines on standard output" "$(wc -l < "$results/$1.out")" 0
    equal "$1: lines on standard error" "$(wc -l < "$results/$1.err")" 1
    for word in "${@:3}"; do check "$1: $word" grep -qF -- "$word" "$results/$1.err"; done
}

# --- outside: files

copied() { "$LAB/tools/verify-copied.py" "$@"; }
strips() { "$LAB/tools/read-strips.py" "$@"; }

# tone WHAT FILE FREQUENCY: checks for that tone only, at the amplitude of the cameras' microphones.
tone() {
    "$LAB/tools/measure-tone.py" "$2" > "$results/tone.json"
    within "$1: frequency" "$(json "$results/tone.json" 'd["frequency"]')" $(($3 - 1)) $(($3 + 1))
    within "$1: amplitude" "$(json "$results/tone.json" 'd["amplitude"]')" 0.48 0.52
    equal "$1: share of silence" "$(json "$results/tone.json" 'd["quiet"]')" 0.0
}

# probe FILE STREAM FIELDS: comma-separated fields of ffprobe, in ffprobe's order
probe() { ffprobe -v error -select_streams "$2" -show_entries "stream=$3" -of csv=p=0 "$1"; }
# frames FILE: the actual number of frames
frames() { ffprobe -v error -select_streams v:0 -count_packets -show_entries stream=nb_read_packets -of csv=p=0 "$1"; }

# whose FILE X Y…: the camera, 1 to 4, that the first frame shows at each of these positions, by its tint (picture.c)
whose() {
    local file=$1 chroma
    shift
    while [ $# -gt 0 ]; do
        chroma=$(ffmpeg -v error -i "$file" -vf "crop=8:8:$1:$2,scale=2:2:flags=area,format=yuv444p" -frames:v 1 -f rawvideo - |
            od -An -tu1 | awk '{ number = ($5 > 128) + 2 * ($9 > 128); printf "%d", number ? number : 4 }')
        echo -n "$chroma"
        shift 2
    done
    echo
}

# in_order WHAT FILE FRAMES [X Y WIDTH HEIGHT]: checks that each frame shows the camera's next one. Allows settling at the start.
in_order() {
    strips "$2" "${@:4}" > "$results/strips.json"
    within "$1: readable" "$(json "$results/strips.json" 'd["readable"]')" $(($3 - 2)) "$3"
    within "$1: repeats" "$(json "$results/strips.json" 'd["repeats"]')" 0 2
    within "$1: skips" "$(json "$results/strips.json" 'd["skips"]')" 0 1
    equal "$1: backwards" "$(json "$results/strips.json" 'd["backwards"]')" 0
}

# sounds WHAT FILE FREQUENCY [FROM TO]…: checks for that tone in these intervals, within 0.05 s, and silence elsewhere
sounds() {
    local what=$1 file=$2
    "$LAB/tools/measure-tone.py" "$file" > "$results/tone.json"
    shift 2
    python3 - "$results/tone.json" "$@" <<'PYTHON' || fail "$what: $(json "$results/tone.json" 'd["stretches"]'), expected $*"
import json, sys
found = json.load(open(sys.argv[1]))["stretches"]
tone, *edges = map(float, sys.argv[2:])
wanted = list(zip(edges[::2], edges[1::2]))
assert len(found) == len(wanted)
for (start, end, frequency), (first, last) in zip(found, wanted):
    assert abs(start - first) <= 0.05 and abs(end - last) <= 0.05 and abs(frequency - tone) < 1
PYTHON
    say "ok: $what: $*"
}

# untouched ROLE CAMERA: checks that the copied track holds that camera's original frames, as many as the
# manifest states, each within 0.55 of an interval plus 1.5 ms of its time. Up to this limit, successive
# frames stay on successive ticks. The driver's timestamp is up to one 4 ms request after the exposure.
untouched() {
    local report=$results/$1.copied reach
    copied "$folder/cameras/$1.mov" --manifest "$manifest" "$1" > "$report" || fail "$1: $(json "$report" 'd["complaints"], d["damaged"], d["backwards"]')"
    equal "$1: whose pictures" "$(json "$report" 'd["cameras"]')" "[$2]"
    reach=$(json "$manifest" "[550 / t['rate'] + 1.5 for t in d['tracks'] if t['name'] == '$1'][0]")
    set -- "$1" "$(python3 -c "print(-$reach - 4)")" "$reach"
    within "$1: latest picture, ms" "$(json "$report" 'd["offset_ms"]["most"]')" "$2" "$3"
    [ "$(json "$report" 'd["repeats"]')" != 0 ] || # repeated frames are older
        within "$1: earliest picture, ms" "$(json "$report" 'd["offset_ms"]["least"]')" "$2" "$3"
}

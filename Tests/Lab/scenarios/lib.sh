# What scenarios have in common. A scenario is a bash file with two functions, each of which ends with status 0 if all holds:
#
#     inside     runs as root in the lab's kernel and leaves what it made in $results
#     outside    runs afterwards on the host and judges that: to start ffprobe or Python takes the lab seconds
#
# "# lab: virtual-time" or "# lab: timeout=200" in its first lines say what it needs. In `tools/lab shell` the functions here
# are commands to play with:
#
#     cameras studio:1 cheap:2   udev, the cameras, and all their nodes     node 1   /dev/videoN that captures, at port 1
#     cameras_without_udev …     the kernel's nodes only
#     sound                      PulseAudio with their microphones          mic 1    source name of the microphone there
#     fault unplug 1             what usbip-cameras offers (see its main.c)
#
# Camera N is plugged into port N, unless `cameras MODEL:N@PORT` or `fault plug N@PORT` says otherwise. node, mic, usb, present
# and absent go by the port.
#
# Environment: LAB is Tests/Lab, RESULTS where results go, MULTICAM the program under test.
results=$RESULTS

# --- assertions

# In the lab with the time since it booted.
say() { if [ "$results" = /results ]; then echo "$(cut -d ' ' -f 1 /proc/uptime) $*"; else echo "$*"; fi >&2; }

fail() {
    say "FAILED: $*"
    exit 1
}

# check WHAT COMMAND…: the scenario goes on only if COMMAND succeeds.
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

# wait_until SECONDS COMMAND…, or PATIENCE times as long on a slow machine
wait_until() {
    local end=$((SECONDS + $1 * ${PATIENCE:-1}))
    shift
    until "$@" > /dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || fail "waited in vain for: $*"
        sleep 0.05
    done
}

# json FILE EXPRESSION: the value of a Python expression on the document `d`.
json() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"; }

# --- inside: cameras and microphones

cameras() {
    SYSTEMD_IGNORE_CHROOT=1 /lib/systemd/systemd-udevd --daemon 2> /dev/null || fail "udevd does not start"
    cameras_without_udev "$@"
    local camera
    for camera in "$@"; do wait_until 20 present "${camera##*[:@]}"; done
}

# As in a container: nobody makes links or sets permissions.
cameras_without_udev() {
    /lab/usbip-cameras "$@" --control /run/cameras > "$results/cameras.log" 2>&1 &
    local camera
    for camera in "$@"; do wait_until 20 node "${camera##*[:@]}"; done
}

fault() { echo "$*" > /run/cameras; }

# bandwidth MICROSECONDS: of each microframe for isochronous transfers; 0 is no limit, a USB 2 controller has 100.
bandwidth() { echo "$1" > /sys/module/vhci_hcd/parameters/periodic_us; }

# vhci_hcd is the only USB controller here: the camera at port N of its bus.
usb() { echo "/sys/bus/usb/devices/1-$1"; }

# A camera has two nodes, in no certain order; the one with index 0 captures, the other is for metadata.
node() {
    local index
    index=$(grep -lx 0 "$(usb "$1")":1.0/video4linux/*/index) && index=${index%/index} && echo "/dev/${index##*/}"
}

# Its nodes, and udev has dealt with them: programs that ask udev see it too.
present() {
    local node card
    node=$(node "$1") && [ -e "/dev/v4l/by-path/platform-vhci_hcd.0-usb-0:$1:1.0-video-index0" ] && [ -c "$node" ] || return
    card=$(echo "$(usb "$1")":1.2/sound/card*/controlC*) && [ -e "/run/udev/data/c$(cat "$card/dev")" ]
}
# nodes_open PROCESS: the camera nodes that it has open, a line each.
nodes_open() { find "/proc/$1/fd" -lname '/dev/video*' -printf '%l\n'; }

absent() { ! [ -e "$(usb "$1")" ]; }

sound() {
    # Started by hand as root: no priority to be had, and nobody's session to end with.
    pulseaudio -n --load="module-native-protocol-unix auth-anonymous=1 socket=/run/pulse.socket" --load=module-udev-detect \
        --exit-idle-time=-1 --use-pid-file=false --daemonize=no --realtime=no --high-priority=no > "$results/pulseaudio.log" 2>&1 &
    export PULSE_SERVER=unix:/run/pulse.socket
    wait_until 20 test -S /run/pulse.socket
    local port
    for port in {1..8}; do
        absent "$port" || wait_until 20 mic "$port"
    done
}

# Only pactl's own lines begin with one tab: a device's name may have lines, and words, of its own.
mic() {
    pactl list sources | awk -v card="/1-$1:1.2/" '
        /^\tName:/ { name = $2 }
        $1 == "sysfs.path" && index($0, card) { print name; found = 1 }
        END { exit !found }'
}

# --- outside: files

copied() { "$LAB/tools/verify-copied.py" "$@"; }
strips() { "$LAB/tools/read-strips.py" "$@"; }

# tone WHAT FILE FREQUENCY: nothing but that tone, at the amplitude that the cameras' microphones give it.
tone() {
    "$LAB/tools/measure-tone.py" "$2" > "$results/tone.json"
    within "$1: frequency" "$(json "$results/tone.json" 'd["frequency"]')" $(($3 - 1)) $(($3 + 1))
    within "$1: amplitude" "$(json "$results/tone.json" 'd["amplitude"]')" 0.48 0.52
    equal "$1: share of silence" "$(json "$results/tone.json" 'd["quiet"]')" 0.0
}

# probe FILE STREAM FIELDS: fields of ffprobe's, comma-separated, in ffprobe's order
probe() { ffprobe -v error -select_streams "$2" -show_entries "stream=$3" -of csv=p=0 "$1"; }
# frames FILE: as many as there really are
frames() { ffprobe -v error -select_streams v:0 -count_packets -show_entries stream=nb_read_packets -of csv=p=0 "$1"; }

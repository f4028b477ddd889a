# Requested formats: sizes by name, zoom by the camera's control, grayscale frames, and an output of another shape and rate.
# lab: virtual-time timeout=300

inside() {
    cameras studio:1 controls:2
    modprobe vivid n_devs=1 node_types=0x1 num_inputs=1 input_types=0x0
    wait_until 10 grep -lq '^vivid' /sys/class/video4linux/*/name
    local grey
    grey=/dev/$(basename "$(dirname "$(grep -l '^vivid' /sys/class/video4linux/*/name | head -1)")")
    v4l2-ctl -d "$grey" -c osd_text_mode=2 # bars without text
    "$MULTICAM" devices --json > "$results/devices.json"
    node 1 > "$results/studio"
    "$MULTICAM" devices > "$results/devices"

    echo "cameras: { desk: { device: any, size: uhd4k } }" > "$results/lacks.yaml"
    refused lacks "$MULTICAM" record --profile "$results/lacks.yaml" --camera desk="$(node 1)" --duration 1 --output "$results/none"
    echo "cameras: { desk: { device: any, zoom: 6 } }" > "$results/far.yaml"
    refused far "$MULTICAM" record --profile "$results/far.yaml" --camera desk="$(node 2)" --duration 1 --output "$results/none"

    # Zoom by the camera also affects a copied track; a camera without the control is cropped in its encoded track.
    echo "cameras: { desk: { device: any, size: vga, rate: 30, zoom: 2 } }" > "$results/lens.yaml"
    record lens --profile "$results/lens.yaml" --camera desk="$(node 2)" --duration 1
    v4l2-ctl -d "$(node 2)" --get-ctrl=zoom_absolute > "$results/zoom"
    cat > "$results/parts.yaml" <<'YAML'
cameras:
  near: { device: any, size: hd720, rate: 30, zoom: 2, pan: 1 }
  small: { device: any, format: mjpeg, output: { size: 480x480, rate: 10 } }
  infra: { device: any, format: grey, size: 640x360, rate: 30 }
program: { size: 640x360, rate: 30, layout: single, main: infra }
tracks: { cameras: encode }
YAML
    record parts --profile "$results/parts.yaml" --camera near="$(node 1)" --camera small="$(node 2)" --camera infra="$grey" --duration 2
}

outside() {
    local studio
    studio=$(cat "$results/studio")
    equal "presets" "$(json "$results/devices.json" "[c['presets'] for c in d['cameras'] if c['node'] == '$studio']")" \
        "[['vga', 'hd720', 'hd1080']]"
    check "presets in words" grep -qx "  presets    vga, hd720, hd1080" "$results/devices"
    equal "by increasing size" "$(json "$results/devices.json" \
        "all([f['width'] * f['height'] for f in c['formats']] == sorted(f['width'] * f['height'] for f in c['formats']) for c in d['cameras'])")" True

    says lacks 2 "found uhd4k (3840x2160), which the camera does not offer, expected vga, hd720 or hd1080, or one of"
    says far 2 "expected a number from 1 to 5.0, the zoom range of the camera"
    check "no files are left behind" test ! -e "$results/none"

    equal "the camera's own zoom" "$(cat "$results/zoom")" "zoom_absolute: 200"
    local parts=$results/recordings/parts
    equal "a copy has the camera's size" "$(probe "$results/recordings/lens/cameras/desk.mov" v:0 codec_name,width,height)" "mjpeg,640,480"
    equal "which one" "$(json "$parts/manifest.json" "[t['crop'] for t in d['tracks'] if t['name'] == 'near']")" \
        "[{'height': 360, 'width': 640, 'x': 640, 'y': 180}]"
    equal "a quarter of the picture" "$(probe "$parts/cameras/near.mov" v:0 width,height)" "640,360"
    equal "another shape, size and rate" "$(probe "$parts/cameras/small.mov" v:0 width,height,r_frame_rate)" "480,480,10/1"
    equal "its pictures" "$(frames "$parts/cameras/small.mov")" 20
    equal "lost" "$(json "$parts/manifest.json" "[t['frames']['lost'] for t in d['tracks']]")" "[{}, {}, {}, {}]"
    equal "original grayscale format" "$(json "$parts/manifest.json" "[c['format']['pixel'] for c in d['devices'] if c['role'] == 'infra']")" "['grey']"
    local file
    for file in "$parts/cameras/infra.mov" "$parts/program.mp4"; do
        # The luma of vivid's 75 % bars, white to black, without color.
        ffmpeg -v error -i "$file" -vf "crop=640:4:0:180,scale=8:1:flags=area:out_range=full,format=yuv444p" -frames:v 1 \
            -f rawvideo - | od -An -v -tu1 | tr -s ' \n' ' ' > "$results/bars"
        python3 - "$results/bars" <<'PYTHON' || fail "$(basename "$file"): luma and color of the bars are $(cat "$results/bars")"
import sys
codes = list(map(int, open(sys.argv[1]).read().split()))
luma, chroma = codes[:8], codes[8:]
assert len(codes) == 24 and all(abs(code - 128) <= 1 for code in chroma)
assert all(a > b + 5 for a, b in zip(luma, luma[1:])) and luma[7] <= 20, luma
PYTHON
        say "ok: $(basename "$file") is grey"
    done
}

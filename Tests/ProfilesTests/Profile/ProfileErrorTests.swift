import MulticamProfiles
import Testing

@Suite("Invalid profiles")
struct ProfileErrorTests {
    static let cameraFields =
        "device, url_from, size, rate, format, rotation, mirrored, preview, latency, crop, zoom, pan, tilt, framing, detect, output, controls, preset or match"
    static let roleForm = "1 to 32 lowercase letters, digits, - and _, starting with a letter or digit"
    static let two = "cameras: {a: , b: }\nmicrophones: {m: }\n"

    @Test(
        "an error gives the position, the value found, and the expected one in one line",
        arguments: [
            // These cases concern the file as a whole.
            ("", "1:1: found an empty file, expected cameras or microphones."),
            ("# nothing\n", "1:1: found an empty file, expected cameras or microphones."),
            ("{}", "1:1: found no device, expected at least one role in cameras or microphones."),
            ("cameras: {}", "1:1: found no device, expected at least one role in cameras or microphones."),
            (
                "- a",
                "1:1: found a list, expected the fields description, cameras, microphones, program, scenes, tracks, budget, limits, choice, edit, title, people, publish or nodes."
            ),
            (
                "camera: { desk: }",
                "1:1: camera: found an unknown field, expected description, cameras, microphones, program, scenes, tracks, budget, limits, choice, edit, title, people, publish or nodes (probably cameras)."
            ),
            (
                "cameras: { a: ",
                "2:1: cameras.a: found an unexpected token while parsing a flow node, expected node content."
            ),
            (
                "cameras:\n  a: { rate: 1, rate: 2 }",
                "2:17: cameras.a.rate: found a duplicate field, first set on line 2, expected each field only once."
            ),
            ("cameras: { a: *b }", "1:15: cameras.a: found an alias, expected the value itself."),
            (
                "description: [x]\ncameras: {a: }",
                "1:14: description: found a list, expected one line of at most 200 characters."
            ),
            // These cases concern roles.
            (
                "cameras: any",
                "1:10: cameras: found “any”, expected one field per camera, for example desk: { device: any }."
            ),
            ("cameras: { Desk: }", "1:12: cameras.Desk: found the role “Desk”, expected \(roleForm)."),
            ("cameras: { ../x: }", "1:12: cameras.../x: found the role “../x”, expected \(roleForm)."),
            ("cameras: { -a: }", "1:12: cameras.-a: found the role “-a”, expected \(roleForm)."),
            ("cameras: { '': }", "1:12: cameras.: found the role “”, expected \(roleForm)."),
            (
                "cameras: { program: }",
                "1:12: cameras.program: found the role “program”, expected another name, because “program” is reserved."
            ),
            (
                "cameras: { a: }\nmicrophones: { a: }",
                "2:16: microphones.a: found a duplicate role, expected a unique name among cameras and microphones."
            ),
            // These cases concern cameras.
            (
                "cameras:\n  desk:\n    device: any\n    rate:       fast",
                "4:17: cameras.desk.rate: found “fast”, expected a frame rate above 0 and at most 1000 fps, for example 30 or 29.97."
            ),
            (
                "cameras: { a: { rate: 1000.5 } }",
                "1:23: cameras.a.rate: found “1000.5”, expected a frame rate above 0 and at most 1000 fps, for example 30 or 29.97."
            ),
            (
                "cameras: { a: { rate: 0 } }",
                "1:23: cameras.a.rate: found “0”, expected a frame rate above 0 and at most 1000 fps, for example 30 or 29.97."
            ),
            (
                "cameras: { a: { raet: 30 } }",
                "1:17: cameras.a.raet: found an unknown field, expected \(cameraFields) (probably rate)."
            ),
            (
                "cameras: { a: { color: 1 } }",
                "1:17: cameras.a.color: found an unknown field, expected \(cameraFields)."
            ),
            ("cameras: { a: any }", "1:15: cameras.a: found “any”, expected the fields \(cameraFields)."),
            (
                "cameras: { a: { size: 0x10 } }",
                "1:23: cameras.a.size: found “0x10”, expected a size in pixels such as 1280x720, each side from 1 to 16384, or vga, hd720, hd1080 or uhd4k."
            ),
            (
                "cameras: { a: { format: mjpg } }",
                "1:25: cameras.a.format: found “mjpg”, expected auto, mjpeg, yuyv, nv12, h264 or grey (probably mjpeg)."
            ),
            (
                "cameras: { a: { rotation: 45 } }",
                "1:27: cameras.a.rotation: found “45”, expected 0, 90, 180, or 270 degrees clockwise, or sensor."
            ),
            (
                "cameras: { a: { rotation: sensors } }",
                "1:27: cameras.a.rotation: found “sensors”, expected 0, 90, 180, or 270 degrees clockwise, or sensor."
            ),
            (
                "cameras: { a: { preview: { mirrored: maybe } } }",
                "1:38: cameras.a.preview.mirrored: found “maybe”, expected auto, true or false."
            ),
            (
                "cameras: { a: { preview: true } }",
                "1:26: cameras.a.preview: found “true”, expected the fields mirrored."
            ),
            (
                "cameras: { a: { preview: { rotation: 90 } } }",
                "1:28: cameras.a.preview.rotation: found an unknown field, expected mirrored."
            ),
            (
                "cameras: { a: { mirrored: yes } }",
                "1:27: cameras.a.mirrored: found “yes”, expected true or false."
            ),
            (
                "cameras: { a: { mirrored: 'true' } }",
                "1:27: cameras.a.mirrored: found “true”, expected true or false."
            ),
            (
                "cameras: { a: { latency: 3s } }",
                "1:26: cameras.a.latency: found “3s”, expected a duration from 0ms to 2s, for example 40ms."
            ),
            (
                "cameras: { a: { crop: 10 } }",
                "1:23: cameras.a.crop: found “10”, expected an aspect ratio such as 16:9, or a rectangle in pixels of the stored frame: { x: 0, y: 0, width: 1280, height: 720 }."
            ),
            (
                "cameras: { a: { crop: { x: 0, y: 0, width: 4 } } }",
                "1:23: cameras.a.crop: found no height, expected an aspect ratio such as 16:9, or a rectangle in pixels of the stored frame: { x: 0, y: 0, width: 1280, height: 720 }."
            ),
            (
                "cameras: { a: { crop: 16:0 } }",
                "1:23: cameras.a.crop: found “16:0”, expected an aspect ratio such as 16:9, or a rectangle in pixels of the stored frame: { x: 0, y: 0, width: 1280, height: 720 }."
            ),
            (
                "cameras: { a: { zoom: 0.5 } }",
                "1:23: cameras.a.zoom: found “0.5”, expected a zoom factor from 1 (whole frame) to 8."
            ),
            (
                "cameras: { a: { framing: everybody } }",
                "1:26: cameras.a.framing: found “everybody”, expected off, people or speaker."
            ),
            (
                "cameras: { a: { framing: { follow: people, enlargement: 9 } } }",
                "1:57: cameras.a.framing.enlargement: found “9”, expected an enlargement of the camera's pixels from 1 to 4."
            ),
            (
                "cameras: { a: { detect: [cats] } }",
                "1:26: cameras.a.detect: found “cats”, expected faces or codes."
            ),
            (
                "cameras: { a: { pan: left } }",
                "1:22: cameras.a.pan: found “left”, expected a number from -1 (fully left) to 1 (fully right)."
            ),
            (
                "cameras: { a: { tilt: 1.1 } }",
                "1:23: cameras.a.tilt: found “1.1”, expected a number from -1 (fully down) to 1 (fully up)."
            ),
            (
                "cameras: { a: { output: 641x360 } }",
                "1:25: cameras.a.output: found “641x360”, expected a size with even width and height, such as 640x360."
            ),
            (
                "cameras: { a: { controls: { gain: high } } }",
                "1:35: cameras.a.controls.gain: found “high”, expected a whole number, true, false, or a menu item in quotes."
            ),
            (
                "cameras: { a: { controls: { Gain: 1 } } }",
                "1:29: cameras.a.controls.Gain: found the control “Gain”, expected a control name of lowercase letters, digits, and _."
            ),
            (
                #"cameras: { a: { device: "x\0y" } }"#,
                "1:25: cameras.a.device: found “x?y”, expected a device selector, for example any or /dev/video0."
            ),
            // These cases concern microphones.
            (
                "microphones: { m: { rotation: 90 } }",
                "1:21: microphones.m.rotation: found a field that only cameras support, expected device, url_from, channels, gain, offset, source_channels, echo_cancellation, noise_suppression, processing or camera for a microphone."
            ),
            (
                "microphones: { m: { channels: 9 } }",
                "1:31: microphones.m.channels: found “9”, expected 1 to 8."
            ),
            (
                "microphones: { m: { channels: 2, source_channels: [1] } }",
                "1:31: microphones.m.channels: found “2”, expected 1, the number of channels in source_channels."
            ),
            (
                "microphones: { m: { source_channels: [0] } }",
                "1:39: microphones.m.source_channels: found “0”, expected one or two different channel numbers from 1 to 8, for example [1]."
            ),
            (
                "microphones: { m: { source_channels: [] } }",
                "1:38: microphones.m.source_channels: found an empty list, expected one or two different channel numbers from 1 to 8, for example [1]."
            ),
            (
                "microphones: { m: { gain: 31 } }",
                "1:27: microphones.m.gain: found “31”, expected a gain in decibels from -60 to 30."
            ),
            (
                "microphones: { m: { echo_cancellation: some } }",
                "1:40: microphones.m.echo_cancellation: found “some”, expected true or false."
            ),
            (
                "microphones: { m: { noise_supression: true } }",
                "1:21: microphones.m.noise_supression: found an unknown field, expected device, url_from, channels, gain, offset, source_channels, echo_cancellation, noise_suppression, processing or camera (probably noise_suppression)."
            ),
            (
                "microphones: { m: { noise_suppression: much } }",
                "1:40: microphones.m.noise_suppression: found “much”, expected true or false."
            ),
            (
                "microphones: { m: { gain: nan } }",
                "1:27: microphones.m.gain: found “nan”, expected a gain in decibels from -60 to 30."
            ),
            (
                "microphones: { m: { offset: 6s } }",
                "1:29: microphones.m.offset: found “6s”, expected a duration from -5s to 5s, for example -20ms."
            ),
            // These cases concern the program.
            (
                "microphones: {m: }\nprogram: {}",
                "2:10: program: found a program without cameras, expected at least one camera for the program."
            ),
            (
                "cameras: {a: }\nprogram: { layout: pip }",
                "2:20: program.layout: found “pip” with 1 camera, expected at least 2 cameras, or single."
            ),
            (
                two + "program: { main: desk }",
                "3:18: program.main: found “desk”, expected the role of a camera: a or b."
            ),
            (
                two + "program: { main: m }",
                "3:18: program.main: found “m”, expected the role of a camera: a or b."
            ),
            (
                two + "program: { inset: a }",
                "3:19: program.inset: found “a”, which is already the main camera, expected b."
            ),
            (
                two + "program: { inset: [b, b] }",
                "3:23: program.inset: found “b” more than once, expected each camera only once."
            ),
            (two + "program: { inset: [] }", "3:19: program.inset: found an empty list, expected b."),
            (
                two + "program: { audio: { mix: [m, guest] } }",
                "3:30: program.audio.mix: found “guest”, expected the role of a microphone: m."
            ),
            (
                two + "program: { audio: { mix: m } }",
                "3:26: program.audio.mix: found “m”, expected a list of roles, for example [m]."
            ),
            (
                "cameras: {a: }\nprogram: { audio: { mix: [m] } }",
                "2:27: program.audio.mix: found “m”, expected no role, because the profile does not have a microphone."
            ),
            (
                two + "program: { audio: { bitrate: 160 } }",
                "3:30: program.audio.bitrate: found “160”, expected a bit rate from 32k to 512k bits per second, for example 160k."
            ),
            (
                two + "program: { audio: { bitrate: -9223372036854775808k } }",
                "3:30: program.audio.bitrate: found “-9223372036854775808k”, expected a bit rate from 32k to 512k bits per second, for example 160k."
            ),
            (
                two + "program: { size: 1921x1080 }",
                "3:18: program.size: found “1921x1080”, expected a size with even sides from 64 to 8192 pixels, for example 1920x1080."
            ),
            (
                two + "program: { layout: side }",
                "3:20: program.layout: found “side”, expected \(ProfileValue.list(ProgramLayout.names, nearestTo: "side"))."
            ),
            (
                two + "program: { scale: 0.01 }",
                "3:19: program.scale: found “0.01”, expected a fraction of the program width from 0.05 to 1."
            ),
            (
                two + "program: { margin: 0x0 }",
                "3:20: program.margin: found “0x0”, expected a fraction of the program width from 0 to 0.5."
            ),
            (
                two + "program: { border: 65 }",
                "3:20: program.border: found “65”, expected a width in pixels from 0 to 64."
            ),
            (
                two + "program: { video: { quality: 52 } }",
                "3:30: program.video.quality: found “52”, expected a whole number from 0 (best quality) to 51 (smallest file)."
            ),
            (
                two + "program: { video: { encoder: gpu } }",
                "3:30: program.video.encoder: found “gpu”, expected auto, software or hardware."
            ),
            (
                two + "program: { video: { preset: slow } }",
                "3:29: program.video.preset: found “slow”, expected ultrafast, balanced, superfast or veryfast."
            ),
            (
                two + "program: { video: { codec: h265 } }",
                "3:28: program.video.codec: found “h265”, expected h264."
            ),
            (
                two + "program: { fit: stretch }",
                "3:17: program.fit: found “stretch”, expected contain (black bars) or cover (cropped edges)."
            ),
            // These cases concern the remaining fields.
            (
                two + "tracks: { cameras: wav }",
                "3:20: tracks.cameras: found “wav”, expected copy, encode or none."
            ),
            (
                two + "tracks: { metadata: yes }",
                "3:21: tracks.metadata: found “yes”, expected none or ndjson."
            ),
            (two + "tracks: { files: each }", "3:18: tracks.files: found “each”, expected one-each or one."),
            (
                two + "budget: { hardware: 0 }",
                "3:21: budget.hardware: found “0”, expected a hardware cost above 0 and at most 10 (1 is the whole computer)."
            ),
            (
                two + "budget: { policy: adopt }",
                "3:19: budget.policy: found “adopt”, expected adapt or refuse (probably adapt)."
            ),
            (
                two + "budget: { floors: 15 }",
                "3:19: budget.floors: found “15”, expected the fields size or rate."
            ),
            (
                two + "choice: { policy: first }",
                "3:19: choice.policy: found “first”, expected follow, follow-and-choose, list or fixed."
            ),
            (
                two + "choice: { prefer: any }",
                "3:19: choice.prefer: found “any”, expected front, back, or the selector of one camera, for example serial:0123."
            ),
            (
                two + "choice: { prefer: \"virtual:clap\" }",
                "3:19: choice.prefer: found “virtual:clap”, expected front, back, or the selector of one camera, for example serial:0123; set synthetic cameras and files in `device`."
            ),
            (
                two + "choice: { prefers: back }",
                "3:11: choice.prefers: found an unknown field, expected policy or prefer (probably prefer)."
            ),
            (
                two + "limits: { lost_frames: 5 }",
                "3:24: limits.lost_frames: found “5”, expected a fraction of the frames from 0 to 1, for example 0.05, or none."
            ),
            (
                two + "limits: { lost_frame: 0.1 }",
                "3:11: limits.lost_frame: found an unknown field, expected lost_frames, lost_samples or silence (probably lost_frames)."
            ),
            (
                two + "limits: nothing",
                "3:9: limits: found “nothing”, expected none, or limits such as { lost_frames: 0.01, silence: 10s }."
            ),
            (
                two + "limits: { silence: 0 }",
                "3:20: limits.silence: found “0”, expected a duration from 1ms to 24h, for example 10s."
            ),
        ] as [(text: String, message: String)])
    func messages(text: String, message: String) {
        let error = #expect(throws: ProfileError.self) {
            try Profile(yaml: Array(text.utf8), file: "pip.yaml")
        }
        #expect(error?.description == "pip.yaml:" + message)
        #expect(error?.description.contains("\n") == false)
        #expect(error?.others.isEmpty == true)
    }

    @Test(
        "all errors are reported at once, in file order, without errors that only follow from others")
    func several() throws {
        let text = """
            cameras:
              desk: { device: any, size: large, rte: 30 }
              face: any
            microphones:
              host: { gain: loud }
            program:
              layout: tiles
              main: fac
              inset: desk
              video: { preset: fast }
            limits: { lost_frames: 5 }
            color: true
            """
        let error = #expect(throws: ProfileError.self) {
            try Profile(yaml: Array(text.utf8), file: "pip.yaml")
        }
        let lines = try #require(error?.lines)
        let places = [
            "2:30: cameras.desk.size", "2:37: cameras.desk.rte", "3:9: cameras.face",
            "5:17: microphones.host.gain", "7:11: program.layout", "8:9: program.main",
            "10:20: program.video.preset", "11:24: limits.lost_frames", "12:1: color",
        ]
        #expect(lines.count == places.count)
        for (line, place) in zip(lines, places) { #expect(line.hasPrefix("pip.yaml:\(place): found ")) }
    }

    @Test("only the first twenty of many errors are listed")
    func many() {
        let fields = (0..<1000).map { "nonsense\($0): 1" }.joined(separator: "\n")
        let error = #expect(throws: ProfileError.self) {
            try Profile(yaml: Array("cameras: { a: {} }\n\(fields)".utf8), file: "pip.yaml")
        }
        #expect(error?.lines.count == 20)
    }

    @Test(
        "a profile that writes nothing can be read, and recording it is an error at its field",
        arguments: [
            (
                two + "tracks: { cameras: none, microphones: none }",
                "x.yaml:3:9: tracks: found nothing to record, expected a program, or tracks for cameras (copy, encode) or microphones (wav)."
            ),
            (
                "microphones: { m: }\ntracks: { cameras: copy, microphones: none }",
                "x.yaml:2:9: tracks: found nothing to record, expected a program, or tracks for cameras (copy, encode) or microphones (wav)."
            ),
        ])
    func nothingToWrite(_ yaml: String, _ message: String) throws {
        let profile = try Profile(yaml: Array(yaml.utf8), file: "x.yaml")
        #expect(!profile.writesAnything)
        let error = #expect(throws: ProfileError.self) { try profile.checkWritesAnything() }
        #expect(error?.description == message)
    }
}

import Profiles
import Testing

@Suite("A profile that is wrong")
struct ProfileErrorTests {
    static let cameraFields =
        "device, url_from, size, rate, format, rotation, mirrored, preview, latency, crop, zoom, pan, tilt, output, controls, preset or match"
    static let roleForm = "1 to 32 small letters, digits, - and _, beginning with a letter or digit"
    static let two = "cameras: {a: , b: }\nmicrophones: {m: }\n"

    @Test(
        "says in one line where, what stands there and what should",
        arguments: [
            // The file as a whole.
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
                "2:1: cameras.a: found something else while parsing a flow node, expected node content."
            ),
            (
                "cameras:\n  a: { rate: 1, rate: 2 }",
                "2:17: cameras.a.rate: found the field a second time, after line 2, expected it once."
            ),
            ("cameras: { a: *b }", "1:15: cameras.a: found an alias, expected the value itself."),
            (
                "description: [x]\ncameras: {a: }",
                "1:14: description: found a list, expected one line of at most 200 characters."
            ),
            // Roles.
            (
                "cameras: any",
                "1:10: cameras: found “any”, expected one field a camera, for example desk: { device: any }."
            ),
            ("cameras: { Desk: }", "1:12: cameras.Desk: found the role “Desk”, expected \(roleForm)."),
            ("cameras: { ../x: }", "1:12: cameras.../x: found the role “../x”, expected \(roleForm)."),
            ("cameras: { -a: }", "1:12: cameras.-a: found the role “-a”, expected \(roleForm)."),
            ("cameras: { '': }", "1:12: cameras.: found the role “”, expected \(roleForm)."),
            (
                "cameras: { program: }",
                "1:12: cameras.program: found the role “program”, expected another name: that of the composed frame is taken."
            ),
            (
                "cameras: { a: }\nmicrophones: { a: }",
                "2:16: microphones.a: found a role of this name a second time, expected a name that no other camera or microphone has."
            ),
            // Cameras.
            (
                "cameras:\n  desk:\n    device: any\n    rate:       fast",
                "4:17: cameras.desk.rate: found “fast”, expected a number of frames per second above 0 and at most 1000, for example 30 or 29.97."
            ),
            (
                "cameras: { a: { rate: 1000.5 } }",
                "1:23: cameras.a.rate: found “1000.5”, expected a number of frames per second above 0 and at most 1000, for example 30 or 29.97."
            ),
            (
                "cameras: { a: { rate: 0 } }",
                "1:23: cameras.a.rate: found “0”, expected a number of frames per second above 0 and at most 1000, for example 30 or 29.97."
            ),
            (
                "cameras: { a: { raet: 30 } }",
                "1:17: cameras.a.raet: found an unknown field, expected \(cameraFields) (probably rate)."
            ),
            (
                "cameras: { a: { colour: 1 } }",
                "1:17: cameras.a.colour: found an unknown field, expected \(cameraFields)."
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
                "1:27: cameras.a.rotation: found “45”, expected 0, 90, 180 or 270 degrees clockwise, or sensor."
            ),
            (
                "cameras: { a: { rotation: sensors } }",
                "1:27: cameras.a.rotation: found “sensors”, expected 0, 90, 180 or 270 degrees clockwise, or sensor."
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
                "1:26: cameras.a.latency: found “3s”, expected a length of time from 0ms to 2s, for example 40ms."
            ),
            (
                "cameras: { a: { crop: 10 } }",
                "1:23: cameras.a.crop: found “10”, expected a shape such as 16:9, or a rectangle in pixels of the stored frame: { x: 0, y: 0, width: 1280, height: 720 }."
            ),
            (
                "cameras: { a: { crop: { x: 0, y: 0, width: 4 } } }",
                "1:23: cameras.a.crop: found no height, expected a shape such as 16:9, or a rectangle in pixels of the stored frame: { x: 0, y: 0, width: 1280, height: 720 }."
            ),
            (
                "cameras: { a: { crop: 16:0 } }",
                "1:23: cameras.a.crop: found “16:0”, expected a shape such as 16:9, or a rectangle in pixels of the stored frame: { x: 0, y: 0, width: 1280, height: 720 }."
            ),
            (
                "cameras: { a: { zoom: 0.5 } }",
                "1:23: cameras.a.zoom: found “0.5”, expected how many times larger, from 1 (all is seen) to 8."
            ),
            (
                "cameras: { a: { pan: left } }",
                "1:22: cameras.a.pan: found “left”, expected a number from -1 (as far left as it goes) to 1 (as far right)."
            ),
            (
                "cameras: { a: { tilt: 1.1 } }",
                "1:23: cameras.a.tilt: found “1.1”, expected a number from -1 (as far down as it goes) to 1 (as far up)."
            ),
            (
                "cameras: { a: { output: 641x360 } }",
                "1:25: cameras.a.output: found “641x360”, expected a size of even sides, such as 640x360."
            ),
            (
                "cameras: { a: { controls: { gain: high } } }",
                "1:35: cameras.a.controls.gain: found “high”, expected a whole number, true, false, or the words of a menu's item in quotes."
            ),
            (
                "cameras: { a: { controls: { Gain: 1 } } }",
                "1:29: cameras.a.controls.Gain: found the control “Gain”, expected a name of small letters, digits and _, as `multicam controls` shows it."
            ),
            (
                #"cameras: { a: { device: "x\0y" } }"#,
                "1:25: cameras.a.device: found “x?y”, expected a device selector, for example any or /dev/video0."
            ),
            // Microphones.
            (
                "microphones: { m: { rotation: 90 } }",
                "1:21: microphones.m.rotation: found a field that only cameras have, expected device, url_from, channels, gain, offset, pick, voice or camera on a microphone."
            ),
            (
                "microphones: { m: { channels: 9 } }",
                "1:31: microphones.m.channels: found “9”, expected 1 to 8."
            ),
            (
                "microphones: { m: { channels: 2, pick: [1] } }",
                "1:31: microphones.m.channels: found “2”, expected 1, as many as pick names."
            ),
            (
                "microphones: { m: { pick: [0] } }",
                "1:28: microphones.m.pick: found “0”, expected one or two different channels of the device from 1 to 8, for example [1]."
            ),
            (
                "microphones: { m: { pick: [] } }",
                "1:27: microphones.m.pick: found an empty list, expected one or two different channels of the device from 1 to 8, for example [1]."
            ),
            (
                "microphones: { m: { gain: 31 } }",
                "1:27: microphones.m.gain: found “31”, expected a number of decibels from -60 to 30."
            ),
            (
                "microphones: { m: { voice: true } }",
                "1:28: microphones.m.voice: found “true”, expected what the program is to be spared: { echo: true, noise: true }."
            ),
            (
                "microphones: { m: { voice: { nose: true } } }",
                "1:30: microphones.m.voice.nose: found an unknown field, expected echo or noise (probably noise)."
            ),
            (
                "microphones: { m: { voice: { noise: much } } }",
                "1:37: microphones.m.voice.noise: found “much”, expected true or false."
            ),
            (
                "microphones: { m: { gain: nan } }",
                "1:27: microphones.m.gain: found “nan”, expected a number of decibels from -60 to 30."
            ),
            (
                "microphones: { m: { offset: 6s } }",
                "1:29: microphones.m.offset: found “6s”, expected a length of time from -5s to 5s, for example -20ms."
            ),
            // The program.
            (
                "microphones: {m: }\nprogram: {}",
                "2:10: program: found a program without cameras, expected a camera, or no program."
            ),
            (
                "cameras: {a: }\nprogram: { layout: pip }",
                "2:20: program.layout: found “pip” with one camera, expected two cameras, or single."
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
                "3:19: program.inset: found “a”, which is the main camera, expected b."
            ),
            (
                two + "program: { inset: [b, b] }",
                "3:23: program.inset: found “b” a second time, expected each camera once."
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
                "2:27: program.audio.mix: found “m”, expected the role of a microphone: none, as there is no microphone."
            ),
            (
                two + "program: { audio: { bitrate: 160 } }",
                "3:30: program.audio.bitrate: found “160”, expected bits per second from 32k to 512k, for example 160k."
            ),
            (
                two + "program: { audio: { bitrate: -9223372036854775808k } }",
                "3:30: program.audio.bitrate: found “-9223372036854775808k”, expected bits per second from 32k to 512k, for example 160k."
            ),
            (
                two + "program: { size: 1921x1080 }",
                "3:18: program.size: found “1921x1080”, expected a size with even sides from 64 to 8192 pixels, for example 1920x1080."
            ),
            (
                two + "program: { layout: side }",
                "3:20: program.layout: found “side”, expected pip, side-by-side, grid or single."
            ),
            (
                two + "program: { scale: 0.01 }",
                "3:19: program.scale: found “0.01”, expected a share of the program's width from 0.05 to 1."
            ),
            (
                two + "program: { margin: 0x0 }",
                "3:20: program.margin: found “0x0”, expected a share of the program's width from 0 to 0.5."
            ),
            (
                two + "program: { border: 65 }",
                "3:20: program.border: found “65”, expected a width in pixels from 0 to 64."
            ),
            (
                two + "program: { video: { quality: 52 } }",
                "3:30: program.video.quality: found “52”, expected a whole number from 0 (best) to 51 (smallest)."
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
                two + "program: { filling: stretch }",
                "3:21: program.filling: found “stretch”, expected fit (with black beside it) or fill (with its edges cut)."
            ),
            // The rest.
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
                "3:21: budget.hardware: found “0”, expected a hardware cost above 0 and at most 10, where 1 is all of the machine."
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
                "3:19: choice.prefer: found “any”, expected front, back, or what names one camera, for example serial:0123."
            ),
            (
                two + "choice: { prefer: \"virtual:clap\" }",
                "3:19: choice.prefer: found “virtual:clap”, expected front, back, or what names one camera, for example serial:0123; synthetic cameras and files are named in `device`."
            ),
            (
                two + "choice: { prefers: back }",
                "3:11: choice.prefers: found an unknown field, expected policy or prefer (probably prefer)."
            ),
            (
                two + "limits: { lostFrames: 5 }",
                "3:23: limits.lostFrames: found “5”, expected a share of the frames from 0 to 1, for example 0.05, or none."
            ),
            (
                two + "limits: { lostframes: 0.1 }",
                "3:11: limits.lostframes: found an unknown field, expected lostFrames, lostSamples or silence (probably lostFrames)."
            ),
            (
                two + "limits: nothing",
                "3:9: limits: found “nothing”, expected none, or limits such as { lostFrames: 0.01, silence: 10s }."
            ),
            (
                two + "limits: { silence: 0 }",
                "3:20: limits.silence: found “0”, expected a length of time from 1ms to 24h, for example 10s."
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
        "tells everything that is wrong at once, in the file's order, and nothing that only follows from it")
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
            limits: { lostFrames: 5 }
            colour: true
            """
        let error = #expect(throws: ProfileError.self) {
            try Profile(yaml: Array(text.utf8), file: "pip.yaml")
        }
        let lines = try #require(error?.lines)
        let places = [
            "2:30: cameras.desk.size", "2:37: cameras.desk.rte", "3:9: cameras.face",
            "5:17: microphones.host.gain", "7:11: program.layout", "8:9: program.main",
            "10:20: program.video.preset", "11:23: limits.lostFrames", "12:1: colour",
        ]
        #expect(lines.count == places.count)
        for (line, place) in zip(lines, places) { #expect(line.hasPrefix("pip.yaml:\(place): found ")) }
    }

    @Test("lists the first twenty of many errors")
    func many() {
        let fields = (0..<1000).map { "nonsense\($0): 1" }.joined(separator: "\n")
        let error = #expect(throws: ProfileError.self) {
            try Profile(yaml: Array("cameras: { a: {} }\n\(fields)".utf8), file: "pip.yaml")
        }
        #expect(error?.lines.count == 20)
    }

    @Test(
        "a profile that writes nothing is read, and says at its field that there is nothing to record",
        arguments: [
            (
                two + "tracks: { cameras: none, microphones: none }",
                "x.yaml:3:9: tracks: found nothing to write, expected a program, or tracks of cameras (copy, encode) or microphones (wav)."
            ),
            (
                "microphones: { m: }\ntracks: { cameras: copy, microphones: none }",
                "x.yaml:2:9: tracks: found nothing to write, expected a program, or tracks of cameras (copy, encode) or microphones (wav)."
            ),
        ])
    func nothingToWrite(_ yaml: String, _ message: String) throws {
        let profile = try Profile(yaml: Array(yaml.utf8), file: "x.yaml")
        #expect(!profile.writesAnything)
        let error = #expect(throws: ProfileError.self) { try profile.checkWritesAnything() }
        #expect(error?.description == message)
    }
}

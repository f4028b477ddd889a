import Foundation
import MulticamMedia
import MulticamPlan
import MulticamProfiles
import Testing

@Suite("Plans of a profile with its devices")
struct SessionPlanTests {
    static let fullHD = FrameSize(width: 1920, height: 1080)
    static let hd = FrameSize(width: 1280, height: 720)
    static let vga = FrameSize(width: 640, height: 480)

    static func offer(_ pixel: PixelFormat, _ size: FrameSize, _ rates: Int64...) -> OfferedFormat {
        OfferedFormat(pixel: pixel, size: size, rates: .listed(rates.map { FrameRate($0) }))
    }

    /// A common webcam.
    static let webcam = [
        offer(.yuyv, vga, 30, 15), offer(.yuyv, hd, 10), offer(.mjpeg, vga, 60, 30),
        offer(.mjpeg, hd, 60, 30),
        offer(.mjpeg, fullHD, 30, 15), offer(.h264, fullHD, 30),
    ]

    static func camera(_ formats: [OfferedFormat] = webcam, node: String = "/dev/video0") -> PlannedDevice {
        PlannedDevice(
            selector: "any",
            device: CaptureDevice(
                mediaType: .video, deviceType: .external, identity: DeviceIdentity(name: "Cam \(node)"),
                name: "Cam", node: node, selector: node, formats: formats))
    }

    static func synthetic(
        pixel: PixelFormat? = nil, size: FrameSize? = nil, rate: FrameRate? = nil
    ) -> PlannedDevice {
        PlannedDevice(
            selector: "virtual:clap",
            device: CaptureDevice(
                mediaType: .video, deviceType: .virtual, identity: DeviceIdentity(name: "clap"), name: "clap",
                node: "", selector: "virtual:clap"),
            offers: .any(pixel: pixel, size: size, rate: rate))
    }

    static func microphone(_ audio: AudioFormat? = nil, node: String = "alsa_input.0") -> PlannedDevice {
        PlannedDevice(
            selector: "default",
            device: CaptureDevice(
                mediaType: .audio, deviceType: .microphone, identity: DeviceIdentity(name: "Mic"),
                name: "Mic",
                node: node, selector: "pulse:\(node)", audio: audio))
    }

    static func profile(_ text: String) throws(ProfileError) -> Profile {
        try Profile(yaml: Array(text.utf8), file: "test.yaml")
    }

    /// Returns the plan for one camera `a`, copied or encoded.
    private func plan(
        _ camera: String, _ device: PlannedDevice, tracks: String = "copy"
    ) throws(ProfileError) -> SessionPlan {
        let profile = try Self.profile("cameras: { a: { \(camera) } }\ntracks: { cameras: \(tracks) }")
        return try SessionPlan(profile: profile, devices: ["a": device])
    }

    @Test(
        "the format is the requested one, else the best match",
        arguments: [
            ("size: 1920x1080, rate: 30", "copy", "mjpeg 1920x1080 at 30"),
            ("size: 1920x1080, rate: 30, format: h264", "copy", "h264 1920x1080 at 30"),
            ("size: 1920x1080, rate: 25", "copy", "mjpeg 1920x1080 at 30"),
            ("size: 1920x1080, rate: 29.97", "copy", "mjpeg 1920x1080 at 30"),
            ("size: 1920x1080, rate: 60", "copy", "mjpeg 1920x1080 at 30"),
            ("size: 1280x720, rate: 50", "copy", "mjpeg 1280x720 at 60"),
            ("size: 640x480, format: yuyv", "encode", "yuyv 640x480 at 30"),
            ("size: 1280x720, format: yuyv, rate: 30", "encode", "yuyv 1280x720 at 10"),
            ("", "copy", "mjpeg 1280x720 at 30"),
            ("rate: 60", "copy", "mjpeg 1280x720 at 60"),
            ("format: yuyv", "encode", "yuyv 640x480 at 30"),
            ("format: h264", "copy", "h264 1920x1080 at 30"),
        ] as [(asked: String, tracks: String, format: String)])
    func choice(asked: String, tracks: String, format: String) throws {
        #expect(try plan(asked, Self.camera(), tracks: tracks).cameras[0].format.description == format)
    }

    @Test("raw frames are used if no other format is fast enough, but never for a copy")
    func fastEnough() throws {
        let device = Self.camera([Self.offer(.mjpeg, Self.vga, 15), Self.offer(.yuyv, Self.vga, 30)])
        #expect(try plan("rate: 30", device, tracks: "encode").cameras[0].format.pixel == .yuyv)
        #expect(try plan("rate: 30", device, tracks: "copy").cameras[0].format.pixel == .mjpeg)
        #expect(try plan("rate: 15", device, tracks: "encode").cameras[0].format.pixel == .mjpeg)
    }

    @Test(
        "a copied H.264 stream faster than requested has a track at the camera's rate and a note")
    func fastH264() throws {
        let device = Self.camera([Self.offer(.h264, Self.hd, 60)])
        let copied = try plan("size: 1280x720, rate: 30, format: h264", device)
        #expect(copied.cameraTracks[0].rate == FrameRate(60))
        #expect(copied.notes.contains { $0.contains("60 fps instead of 30") })
        let encoded = try plan("size: 1280x720, rate: 30, format: h264", device, tracks: "encode")
        #expect(encoded.cameraTracks[0].rate == FrameRate(30))
        #expect(encoded.notes.contains { $0.contains("so its track is decimated") })
    }

    @Test(
        "an H.264 camera named by the program is decoded, because another layout may show it; others are not"
    )
    func namedInProgram() throws {
        let profile = try Self.profile(
            """
            cameras: { a: { rate: 30 }, b: { format: h264, rate: 30 }, c: { format: h264, rate: 30 } }
            program: { layout: single, main: a, inset: b }
            tracks: { cameras: copy }
            """)
        let devices = Dictionary(
            uniqueKeysWithValues: ["a", "b", "c"].map { ($0, Self.camera(node: "/dev/\($0)")) })
        let plan = try SessionPlan(profile: profile, devices: devices)
        #expect(plan.decodes("a") && plan.decodes("b") && !plan.decodes("c"))
        var running = RunningPlan(plan)
        _ = try running.apply(.layout(.sideBySide))
        #expect(running.plan.program?.layers.map(\.role) == ["a", "b"])
    }

    @Test("H.264 is chosen last")
    func h264() throws {
        let device = Self.camera([Self.offer(.h264, Self.hd, 60), Self.offer(.nv12, Self.hd, 30)])
        #expect(try plan("rate: 60", device, tracks: "encode").cameras[0].format.pixel == .nv12)
        let copied = try plan("rate: 60", device)
        #expect(copied.cameras[0].format.pixel == .h264)
        #expect(
            copied.notes == [
                "a: the H.264 stream is copied unchanged, so the track has a variable frame rate."
            ])
    }

    @Test("by default, 640×480 is used if no format offers 30 frames per second")
    func slow() throws {
        let device = Self.camera([Self.offer(.mjpeg, Self.hd, 10), Self.offer(.mjpeg, Self.vga, 20)])
        let plan = try plan("", device)
        #expect(plan.cameras[0].format.description == "mjpeg 640x480 at 20")
        #expect(plan.cameraTracks[0].rate == FrameRate(20))
        #expect(plan.notes.isEmpty)
        #expect(
            plan.cameras[0].reason
                == "mjpeg 640x480 at 20: the supported size nearest to 1280x720 at 30 fps, mjpeg preferred, the highest supported rate."
        )
    }

    @Test("a track keeps the requested rate, and the difference is noted")
    func rates() throws {
        let slower = try plan("size: 1920x1080, rate: 50", Self.camera())
        #expect(slower.cameraTracks[0].rate == FrameRate(50))
        #expect(
            slower.notes == [
                "a: the camera supports at most 30 fps, but its track has 50 fps, so frames are duplicated."
            ])
        let faster = try plan("size: 1280x720, rate: 25", Self.camera())
        #expect(faster.cameraTracks[0].rate == FrameRate(25))
        #expect(
            faster.notes == [
                "a: the camera runs at 30 fps, the lowest available rate above the requested 25 fps, so its track is decimated."
            ])
        #expect(try plan("size: 1280x720, rate: 29.97", Self.camera()).notes.isEmpty)
    }

    @Test("a driver's rate of 30.00003 becomes a grid of 30")
    func nominal() throws {
        let odd = OfferedFormat(
            pixel: .mjpeg, size: Self.hd, rates: .listed([FrameRate(10_000_000, per: 333_333)]))
        #expect(try plan("", Self.camera([odd])).cameraTracks[0].rate == FrameRate(30))
    }

    @Test("a synthetic camera delivers the requested format, except for values fixed by its selector")
    func whatever() throws {
        #expect(
            try plan("size: 320x180, rate: 12.5", Self.synthetic()).cameras[0].format.description
                == "mjpeg 320x180 at 12.5")
        #expect(try plan("", Self.synthetic()).cameras[0].format.description == "mjpeg 1280x720 at 30")
        #expect(
            try plan("size: 640x480, format: nv12", Self.synthetic(), tracks: "encode").cameras[0].format
                .pixel
                == .nv12)
        let fixed = try plan("size: 640x480, rate: 30", Self.synthetic(rate: FrameRate(30000, per: 1001)))
        #expect(fixed.cameras[0].format.rate == FrameRate(30000, per: 1001))
        #expect(fixed.cameraTracks[0].rate == FrameRate(30))
        #expect(
            throws: ProfileError(
                file: "test.yaml", line: 1, column: 23, field: "cameras.a.size",
                found: "vga (640x480), which the camera does not offer",
                expected: "hd720, or one of mjpeg 1280x720 at 30")
        ) { try plan("size: 640x480", Self.synthetic(size: Self.hd)) }
    }

    @Test(
        "an unsupported value is reported at its field, with the supported ones",
        arguments: [
            (
                "size: 800x600", "copy",
                "test.yaml:1:23: cameras.a.size: found “800x600”, which the camera does not offer, expected one of yuyv 640x480 at 30/15; mjpeg 640x480 at 60/30; yuyv 1280x720 at 10; mjpeg 1280x720 at 60/30; mjpeg 1920x1080 at 30/15; h264 1920x1080 at 30."
            ),
            (
                "size: 1920x1080, format: yuyv", "encode",
                "test.yaml:1:23: cameras.a.size: found hd1080 (1920x1080), which the camera does not offer as yuyv, expected vga or hd720, or one of yuyv 640x480 at 30/15; yuyv 1280x720 at 10."
            ),
            (
                "format: nv12", "encode",
                "test.yaml:1:25: cameras.a.format: found “nv12”, which the camera does not offer, expected auto or one of yuyv 640x480 at 30/15; mjpeg 640x480 at 60/30; yuyv 1280x720 at 10; mjpeg 1280x720 at 60/30; mjpeg 1920x1080 at 30/15; h264 1920x1080 at 30."
            ),
            (
                "format: yuyv", "copy",
                "test.yaml:2:20: tracks.cameras: found “copy” for camera a, which delivers raw yuyv frames, expected encode (tracks: { cameras: encode }), or one of these formats for a: mjpeg 640x480 at 60/30; mjpeg 1280x720 at 60/30; mjpeg 1920x1080 at 30/15; h264 1920x1080 at 30."
            ),
            (
                "crop: { x: 1000, y: 0, width: 400, height: 100 }, size: 1280x720", "copy",
                "test.yaml:1:23: cameras.a.crop: found 400x100 at 1000, 0, expected a rectangle within the camera's 1280x720 frame."
            ),
        ] as [(asked: String, tracks: String, message: String)])
    func impossible(asked: String, tracks: String, message: String) {
        let error = #expect(throws: ProfileError.self) { try plan(asked, Self.camera(), tracks: tracks) }
        #expect(error?.description == message)
    }

    @Test("copying raw frames is refused at the camera even if the profile omits tracks")
    func implicitCopy() throws {
        let profile = try Self.profile("cameras:\n  a: { device: any }")
        let device = Self.camera([Self.offer(.yuyv, Self.vga, 30)])
        let error = #expect(throws: ProfileError.self) {
            try SessionPlan(profile: profile, devices: ["a": device])
        }
        #expect(
            error?.description
                == "test.yaml:2:6: cameras.a.format: found “copy” for camera a, which delivers raw yuyv frames, expected encode (tracks: { cameras: encode })."
        )
    }

    @Test("a network stream that is decoded on arrival can't be copied, and the message says why")
    func networkCopy() throws {
        let profile = try Self.profile("cameras:\n  a: { device: 'srt://10.0.0.2:9000' }")
        let device = Self.camera([Self.offer(.i420, Self.vga, 25)])
        let error = #expect(throws: ProfileError.self) {
            try SessionPlan(profile: profile, devices: ["a": device])
        }
        let text = error?.description ?? ""
        #expect(text.contains("B-frames") && text.contains("tracks: { cameras: encode }"), "\(text)")
        #expect(!text.contains("i420"), "\(text)")
    }

    @Test("two roles never share a camera, and a microphone is never used as one")
    func wrongDevices() throws {
        let profile = try Self.profile("cameras: { a: { device: /dev/video0 }, b: { device: Cam } }")
        let shared = #expect(throws: ProfileError.self) {
            try SessionPlan(profile: profile, devices: ["a": Self.camera(), "b": Self.camera()])
        }
        #expect(
            shared?.description
                == "test.yaml:1:53: cameras.b.device: found “Cam”, which is the same camera (/dev/video0) as a, expected another camera, or any."
        )
        let kind = #expect(throws: ProfileError.self) {
            try SessionPlan(profile: profile, devices: ["a": Self.camera(), "b": Self.microphone()])
        }
        #expect(kind?.found == "“default”, which is not a camera")
        let missing = #expect(throws: ProfileError.self) { try SessionPlan(profile: profile, devices: [:]) }
        #expect(missing?.found == "no device")
    }

    @Test("picture-in-picture: layers, mix, encoding, and edges")
    func pip() throws {
        let profile = try Self.profile(
            """
            cameras:
              desk: { size: 1920x1080, rate: 30 }
              face: { size: 1280x720, rate: 30, mirrored: true }
              spare: {}
            microphones: { host: { gain: -6 } }
            program: { border: 3, video: { preset: ultrafast, quality: 20 }, audio: { bitrate: 128k } }
            """)
        let devices = [
            "desk": Self.camera(node: "/dev/video0"), "face": Self.camera(node: "/dev/video2"),
            "spare": Self.camera(node: "/dev/video4"),
            "host": Self.microphone(AudioFormat(rate: 44_100, channels: 2)),
        ]
        let plan = try SessionPlan(profile: profile, devices: devices)
        #expect(plan.profile == "test")
        #expect(plan.cameras.map(\.role) == ["desk", "face"])
        #expect(plan.cameraTracks.isEmpty && plan.microphoneTracks.isEmpty)
        #expect(
            plan.notes == ["spare: the device is not used by any track or the program, so it is not opened."])
        let program = try #require(plan.program)
        #expect(program.file == "program.mp4")
        #expect(
            program.settings
                == VideoEncodingSettings(
                    size: Self.fullHD, rate: FrameRate(30), preset: .ultrafast, quality: 20,
                    color: .bt709Limited))
        #expect(
            program.layers == [
                PlannedLayer(
                    role: "desk",
                    LayerShape(PixelRectangle(x: 0, y: 0, width: 1920, height: 1080), fit: .contain)),
                PlannedLayer(
                    role: "face",
                    LayerShape(
                        PixelRectangle(x: 1402, y: 772, width: 480, height: 270), fit: .cover,
                        isMirrored: true,
                        border: 4)),
            ])
        #expect(program.mix == ["host"] && program.audioBitrate == 128_000)
        #expect(
            plan.microphones == [
                PlannedMicrophone(
                    role: "host", selector: "default", identity: DeviceIdentity(name: "Mic"),
                    format: AudioFormat(rate: 44_100, channels: 1), gain: -6)
            ])
        #expect(
            plan.connections
                == [
                    PlannedConnection(input: "desk", output: "program"),
                    PlannedConnection(input: "face", output: "program", isMirrored: true),
                    PlannedConnection(input: "host", output: "program"),
                ])
    }

    @Test(
        "voice processing needs a real microphone and a program: without a program it is refused, a synthetic microphone gets a note"
    )
    func voice() throws {
        let text = """
            cameras: { a: { } }
            microphones: { m: { noise_suppression: true }, n: { device: "virtual:tone", echo_cancellation: true } }
            """
        let devices = [
            "a": Self.synthetic(), "m": Self.microphone(AudioFormat(rate: 48_000, channels: 1)),
            "n": PlannedDevice(
                selector: "virtual:tone",
                device: CaptureDevice(
                    mediaType: .audio, deviceType: .virtual, identity: DeviceIdentity(name: "tone"),
                    name: "tone", node: "virtual:tone", selector: "virtual:tone",
                    audio: AudioFormat(rate: 48_000, channels: 1))),
        ]
        let alone = try Profile(yaml: Array(text.utf8), file: "p.yaml")
        let error = #expect(throws: ProfileError.self) {
            _ = try SessionPlan(profile: alone, devices: devices)
        }
        #expect(
            error?.description.contains("microphones.m.noise_suppression: found a profile without a program")
                == true)
        let program = try Profile(
            yaml: Array((text + "\nprogram: { layout: single, main: a }").utf8), file: "p.yaml")
        let plan = try SessionPlan(profile: program, devices: devices)
        #expect(plan.microphones.map(\.voiceProcessing) == [VoiceProcessing(noiseSuppression: true), nil])
        #expect(plan.notes.contains { $0.hasPrefix("n: the audio is not processed, because") })
    }

    @Test("tracks: files, rotation, source channels, and edges, in separate files or one")
    func tracks() throws {
        let text = """
            cameras: { a: { rotation: 90, controls: { focus: true } }, b: { size: 641x481 } }
            microphones: { m: { source_channels: [2] }, n: { channels: 2, offset: 5ms } }
            tracks: { cameras: encode, microphones: wav }
            limits: { lost_frames: 0.1 }
            """
        let devices = [
            "a": Self.camera(), "b": Self.synthetic(),
            "m": Self.microphone(AudioFormat(rate: 48_000, channels: 4)),
            "n": Self.microphone(node: "other"),
        ]
        let plan = try SessionPlan(profile: Self.profile(text), devices: devices)
        #expect(plan.cameraTracks.map(\.file) == ["cameras/a.mov", "cameras/b.mov"])
        #expect(plan.cameraTracks.map(\.rotation) == [.quarter, .none])
        #expect(plan.cameraTracks.map(\.mode) == [.encode, .encode])
        #expect(plan.cameraTracks[1].settings.size == Self.vga)
        #expect(plan.cameraTracks[1].settings.color == nil)
        #expect(plan.cameras[0].controls == [ControlRequest(name: "focus", value: 1)])
        #expect(plan.microphones[0].sourceChannels == [1])
        #expect(plan.microphones[0].format == AudioFormat(rate: 48_000, channels: 4))
        #expect(plan.microphones[1].format == AudioFormat(rate: 48_000, channels: 2))
        #expect(plan.microphones[1].offset == .milliseconds(5))
        #expect(plan.microphoneTracks.map(\.file) == ["audio/m.wav", "audio/n.wav"])
        #expect(plan.connections.map(\.output) == ["cameras/a", "cameras/b", "audio/m", "audio/n"])
        #expect(plan.limits.lostFrames == 0.1)

        let one = try Self.profile(text.replacingOccurrences(of: "wav }", with: "wav, files: one }"))
        let files = try SessionPlan(profile: one, devices: devices)
        #expect(Set(files.cameraTracks.map(\.file) + files.microphoneTracks.map(\.file)) == ["session.mov"])
    }

    @Test("metadata has a file for each open camera, with or without a track")
    func metadata() throws {
        let text = """
            cameras: { a: , b: }
            program: { layout: single, main: b }
            tracks: { metadata: ndjson }
            """
        let devices = ["a": Self.camera(), "b": Self.synthetic()]
        let plan = try SessionPlan(profile: Self.profile(text), devices: devices)
        #expect(plan.cameras.map(\.metadataFile) == ["cameras/b.ndjson"])
        #expect(plan.connections.map(\.output) == ["program", "metadata/b"])
    }

    @Test("a channel that the microphone lacks is reported with the available ones")
    func channels() throws {
        let profile = try Self.profile("microphones: { m: { source_channels: [3] } }")
        let error = #expect(throws: ProfileError.self) {
            try SessionPlan(
                profile: profile, devices: ["m": Self.microphone(AudioFormat(rate: 48_000, channels: 2))])
        }
        #expect(
            error?.description
                == "test.yaml:1:38: microphones.m.source_channels: found channel 3 of “default”, expected a channel from 1 to 2."
        )
    }

    @Test("one microphone for two roles is noted, unless each role uses a different channel")
    func sharedMicrophone() throws {
        let device = Self.microphone(AudioFormat(rate: 48_000, channels: 2))
        let alike = try SessionPlan(
            profile: Self.profile("microphones: { m: , n: }"), devices: ["m": device, "n": device])
        #expect(alike.notes == ["n: this role uses the same microphone as m, so both tracks are identical."])
        let apart = try SessionPlan(
            profile: Self.profile(
                "microphones: { m: { source_channels: [1] }, n: { source_channels: [2] } }"),
            devices: ["m": device, "n": device])
        #expect(apart.notes.isEmpty)
    }

    @Test("a rotated and cropped camera has the shape of its visible part, on even pixels")
    func crop() throws {
        let profile = try Self.profile(
            """
            cameras: { a: {}, b: { rotation: 90, size: 1280x720, crop: { x: 1, y: 0, width: 641, height: 321 } } }
            program: {}
            """)
        let plan = try SessionPlan(profile: profile, devices: ["a": Self.synthetic(), "b": Self.synthetic()])
        let layer = try #require(plan.program?.layers[1])
        #expect(layer.crop == PixelRectangle(x: 2, y: 0, width: 640, height: 320))
        #expect(layer.rotation == .quarter)
        #expect(layer.rectangle.size == FrameSize(width: 480, height: 960))
    }

    @Test("a role without a rotation uses its camera's mounting, with a note; an explicit rotation wins")
    func mounting() throws {
        var turned = Self.camera()
        turned.device.mounting = .quarter
        let left = try plan("rate: 30", turned, tracks: "encode")
        #expect(left.cameras.map(\.rotation) == [.quarter])
        #expect(left.cameraTracks.map(\.rotation) == [.quarter])
        #expect(left.notes.contains { $0.contains("mounted in a rotated position") && $0.contains("90°") })
        for (word, rotation) in [("0", Rotation.none), ("270", .threeQuarters)] {
            let written = try plan("rotation: \(word)", turned, tracks: "encode")
            #expect(written.cameraTracks.map(\.rotation) == [rotation])
            #expect(!written.notes.contains { $0.contains("mounted") })
        }
        #expect(try plan("rate: 30", Self.camera(), tracks: "encode").cameras.map(\.rotation) == [.none])
    }

    @Test("every shipped profile compiles with synthetic devices")
    func shipped() throws {
        let folder = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/") + "/Profiles"
        for entry in ProfileLibrary(folders: [folder]).list() {
            let profile = try #require(entry.profile)
            var devices: [String: PlannedDevice] = [:]
            for camera in profile.cameras { devices[camera.role] = Self.synthetic() }
            for microphone in profile.microphones { devices[microphone.role] = Self.microphone() }
            let plan = try SessionPlan(profile: profile, devices: devices)
            #expect(plan.cameras.count == profile.cameras.count)
            #expect(plan.program != nil || plan.cameraTracks.count == profile.cameras.count)
        }
    }
}

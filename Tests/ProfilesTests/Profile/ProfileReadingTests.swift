import MulticamMedia
import MulticamProfiles
import Testing

@Suite("Valid profiles")
struct ProfileReadingTests {
    private func read(_ text: String) throws(ProfileError) -> Profile {
        try Profile(yaml: Array(text.utf8), file: "Profiles/test.yaml")
    }

    @Test("a role name is sufficient: all other fields have defaults")
    func least() throws {
        let profile = try read("cameras: { desk: }\n")
        #expect(profile == Profile(name: "test", cameras: [CameraRole(role: "desk")]))
        #expect(profile.tracks == TrackSettings(cameras: .copy, microphones: .wav))
        #expect(profile.cameras[0].device == "any")
        #expect(profile.budget == BudgetSettings(hardwareCost: 1, policy: .adapt))
        #expect(profile.limits == RecordingLimits())
        #expect(try read("microphones: { host: {} }").microphones == [MicrophoneRole(role: "host")])
    }

    @Test("processing is a preset, or a preset with single settings")
    func processing() throws {
        let profile = try read(
            """
            cameras: { desk: }
            microphones: { host: { processing: voice }, guest: { processing: { preset: music, gate: -40, limit: off } }, far: { processing: { high_pass: 120 } } }
            program: { audio: { processing: { limit: -2 } } }
            """)
        #expect(profile.microphones[0].processing == SoundProcessing(.voice))
        #expect(
            profile.microphones[1].processing[.gate] == -40
                && profile.microphones[1].processing[.limit] == nil)
        #expect(profile.microphones[1].processing[.highPass] == 30)
        #expect(profile.microphones[2].processing.words == ["off", "high_pass=120"])
        #expect(profile.program?.audio.processing.words == ["off", "limit=-2"])
        for wrong in ["loud", "{ gate: 5 }", "{ colour: 1 }", "[voice]", "{ preset: 3 }"] {
            #expect(throws: ProfileError.self) {
                try read("cameras: { desk: }\nmicrophones: { host: { processing: \(wrong) } }")
            }
        }
    }

    /// A profile with every field.
    private static let everyField = """
        description: All of it
        cameras:
          z-last: { device: "virtual:clap?fps=25", size: 1920x1080, rate: 29.97, format: h264, rotation: 270,
                    mirrored: true, preview: { mirrored: false }, latency: 40ms, crop: { x: 2, y: 4, width: 640, height: 360 },
                    zoom: 1.5, pan: -0.5, tilt: 1, output: { size: 640x360, rate: 15 },
                    controls: { zoom: -3, focus_automatic_continuous: 0, backlight: true } }
          a_first: { rate: 30000/1001, rotation: sensor, preview: { mirrored: true }, crop: null, output: null }
          3rd: ~
        microphones:
          host: { device: pulse:x, channels: 2, gain: -3.5, offset: -20ms, source_channels: [3, 1], noise_suppression: true }
        program:
          size: 1280x720
          rate: 25
          layout: pip
          main: a_first
          inset: [3rd, z-last]
          corner: top-left
          scale: 0.3
          margin: 0
          border: 3
          fit: cover
          video: { codec: h264, preset: ultrafast, quality: 18, encoder: hardware }
          audio: { codec: aac, bitrate: 96000, mix: [] }
        tracks: { cameras: encode, microphones: none, files: one, metadata: ndjson, video: { preset: veryfast, quality: 0, encoder: software } }
        budget: { hardware: 0.5, policy: refuse, floors: { size: 320x240, rate: 10 } }
        limits: { lost_frames: 0.05, silence: 10s }
        """

    @Test("the name of a profile is its file name, and its description is read")
    func nameAndDescription() throws {
        let profile = try read(Self.everyField)
        #expect(profile.name == "test")
        #expect(profile.description == "All of it")
    }

    @Test("cameras keep their order, and every field of a camera is read")
    func cameraFields() throws {
        let profile = try read(Self.everyField)
        #expect(profile.cameras.map(\.role) == ["z-last", "a_first", "3rd"])
        #expect(
            profile.cameras[0]
                == CameraRole(
                    role: "z-last", device: "virtual:clap?fps=25",
                    size: FrameSize(width: 1920, height: 1080),
                    rate: FrameRate(30000, per: 1001), format: .h264, rotation: .fixed(.threeQuarters),
                    isMirrored: true, previewMirroring: .off,
                    latency: .milliseconds(40),
                    crop: .rectangle(PixelRectangle(x: 2, y: 4, width: 640, height: 360)),
                    zoom: Zoom(factor: 1.5, pan: -0.5, tilt: 1),
                    output: CameraOutput(size: FrameSize(width: 640, height: 360), rate: FrameRate(15)),
                    controls: [
                        ControlSetting(name: "zoom", value: .number(-3)),
                        ControlSetting(name: "focus_automatic_continuous", value: .number(0)),
                        ControlSetting(name: "backlight", value: .flag(true)),
                    ]))
        #expect(
            profile.cameras[1]
                == CameraRole(
                    role: "a_first", rate: FrameRate(30000, per: 1001), rotation: .sensor,
                    previewMirroring: .on))
    }

    @Test("every field of a microphone is read")
    func microphoneFields() throws {
        let profile = try read(Self.everyField)
        #expect(
            profile.microphones == [
                MicrophoneRole(
                    role: "host", device: "pulse:x", channels: 2, gainDecibels: -3.5,
                    offset: .milliseconds(-20),
                    sourceChannels: [3, 1], voiceProcessing: VoiceProcessing(noiseSuppression: true))
            ])
    }

    @Test("every field of the program is read")
    func programFields() throws {
        let profile = try read(Self.everyField)
        #expect(
            profile.program
                == ProgramSettings(
                    size: FrameSize(width: 1280, height: 720), rate: FrameRate(25), layout: .pip,
                    main: "a_first",
                    insets: ["3rd", "z-last"],
                    style: InsetStyle(corner: .topLeft, scale: 0.3, margin: 0, border: 3, fit: .cover),
                    video: VideoSettings(preset: .ultrafast, quality: 18, encoder: .hardware),
                    audio: AudioSettings(bitrate: 96_000, mix: [])))
    }

    @Test("every field of the tracks is read")
    func trackFields() throws {
        let profile = try read(Self.everyField)
        #expect(
            profile.tracks
                == TrackSettings(
                    cameras: .encode, microphones: .none, files: .one,
                    video: VideoSettings(preset: .veryfast, quality: 0, encoder: .software), metadata: .ndjson
                ))
    }

    @Test("every field of the budget and of the limits is read")
    func budgetAndLimitFields() throws {
        let profile = try read(Self.everyField)
        #expect(
            profile.budget
                == BudgetSettings(
                    hardwareCost: 0.5, policy: .refuse, floorSize: FrameSize(width: 320, height: 240),
                    floorRate: FrameRate(10)))
        #expect(profile.limits == RecordingLimits(lostFrames: 0.05, silence: .seconds(10)))
    }

    @Test("a profile with a program writes only the program, with all cameras and microphones")
    func programDefaults() throws {
        let profile = try read("cameras: { a: , b: , c: }\nmicrophones: { m: , n: }\nprogram: {layout: grid}")
        #expect(profile.tracks == TrackSettings(cameras: .none, microphones: .none))
        #expect(profile.program?.shown == ["a", "b", "c"])
        #expect(profile.program?.audio.mix == ["m", "n"])
        #expect(profile.program?.style.fit == .cover)
        #expect(profile.program?.size == FrameSize(width: 1920, height: 1080))
        #expect(try read("cameras: { a: , b: , c: }\nprogram: {}").program?.shown == ["a", "b"])
        #expect(try read("cameras: { a: , b: }\nprogram: { main: b }").program?.shown == ["b", "a"])
        #expect(try read("cameras: { a: }\nprogram: {}").program?.layout == .single)
        #expect(try read("cameras: { a: , b: }\nprogram: { layout: single }").program?.shown == ["a"])
    }

    @Test("an omitted field of `tracks` has the same default as without `tracks`")
    func partOfTracks() throws {
        #expect(
            try read("cameras: {a: }\nprogram: {}\ntracks: { cameras: copy }").tracks
                == TrackSettings(cameras: .copy, microphones: .none))
        #expect(
            try read("cameras: {a: }\ntracks: { files: one }").tracks
                == TrackSettings(cameras: .copy, microphones: .wav, files: .one))
    }

    @Test("selecting two source channels results in a two-channel track")
    func selected() throws {
        #expect(try read("microphones: { m: { source_channels: [1, 2] } }").microphones[0].channels == 2)
    }

    @Test("formatting and line positions do not affect the profile's value")
    func place() throws {
        let (one, other) = (
            try read("cameras: { a: { rate: 30 } }"), try read("\n\ncameras:\n  a:\n    rate: 30.0")
        )
        #expect(one == other)
    }

    @Test(
        "durations are parsed exactly",
        arguments: [
            ("1:30", 90_000_000_000), ("1:02:03.5", 3_723_500_000_000), ("90min", 5_400_000_000_000),
            ("1h30m", 5_400_000_000_000), ("-1m30.5s", -90_500_000_000), ("2m5sec", 125_000_000_000),
            ("10", 10_000_000_000), ("2.5", 2_500_000_000), ("500ms", 500_000_000), ("10s", 10_000_000_000),
            ("5m", 300_000_000_000), ("2h", 7_200_000_000_000), ("0.1", 100_000_000), ("-20ms", -20_000_000),
            ("0.0000000004", 0), ("0.0000000006", 1), ("0", 0), ("000000001s", 1_000_000_000),
        ] as [(text: String, nanoseconds: Int64)])
    func durations(text: String, nanoseconds: Int64) {
        #expect(Nanoseconds(text)?.count == nanoseconds)
    }

    @Test(
        "invalid durations are rejected",
        arguments: [
            "", "s", "ms", "1 s", " 1", "1d", "1e3", "0x10", "1.", ".5", "--1", "+1", "1.2.3", "٣", "inf",
            "nan",
            "10000000000s", "99999999999999999999", "1,5", "999999999h",
        ])
    func noDurations(text: String) {
        #expect(Nanoseconds(text) == nil)
    }

    @Test(
        "a duration is printed in the most suitable unit",
        arguments: [
            (0, "0ms"), (500_000_000, "500ms"), (1_000_000_000, "1s"), (2_500_000_000, "2.5s"),
            (1_500, "0.0015ms"),
            (300_000_000_000, "5m"), (7_200_000_000_000, "2h"), (-20_000_000, "-20ms"),
            (90_000_000_000, "90s"),
        ] as [(nanoseconds: Int64, text: String)])
    func durationText(nanoseconds: Int64, text: String) {
        #expect(Nanoseconds(nanoseconds).text == text)
        #expect(Nanoseconds(text)?.count == nanoseconds)
    }

    @Test("only small typos get a suggestion")
    func nearest() {
        let words = ["device", "size", "rate", "rotation"]
        #expect("raet".nearest(among: words) == "rate")
        #expect("rotate".nearest(among: words) == nil)
        #expect("Rotaton".nearest(among: words) == "rotation")
        #expect("x".nearest(among: words) == nil)
        #expect(String(repeating: "rate", count: 100).nearest(among: words) == nil)
    }

    @Test(
        "reads the policy for choosing cameras",
        arguments: [
            ("", ChoiceSettings()), ("choice: {}", ChoiceSettings(policy: .list)),
            (
                "choice: { policy: follow, prefer: back }",
                ChoiceSettings(policy: .follow, prefer: "position:back")
            ),
            (
                "choice: { policy: follow-and-choose, prefer: front }",
                ChoiceSettings(policy: .followAndChoose, prefer: "position:front")
            ),
            (
                "choice: { policy: fixed, prefer: \"serial:12\" }",
                ChoiceSettings(policy: .fixed, prefer: "serial:12")
            ),
        ])
    func choice(_ text: String, _ expected: ChoiceSettings) throws {
        #expect(try read("cameras: { desk: }\n\(text)\n").choice == expected)
    }

    @Test("reads limits, with a default for each omitted one")
    func limits() throws {
        func limits(_ text: String) throws -> RecordingLimits {
            try Profile(yaml: Array("cameras: { a: {} }\n\(text)".utf8), file: "p.yaml").limits
        }
        #expect(try limits("") == RecordingLimits(lostFrames: 0.01, lostSamples: 0.001))
        #expect(try limits("limits:") == RecordingLimits())
        #expect(try limits("limits: none") == RecordingLimits.none)
        #expect(
            try limits("limits: { lost_frames: 0.05 }")
                == RecordingLimits(lostFrames: 0.05, lostSamples: 0.001))
        #expect(
            try limits("limits: { lost_frames: none, lost_samples: 0.5, silence: 1:30 }")
                == RecordingLimits(lostFrames: nil, lostSamples: 0.5, silence: .seconds(90)))
    }
}

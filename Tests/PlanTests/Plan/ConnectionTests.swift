import MulticamMedia
import MulticamProfiles
import Testing

@testable import MulticamPlan

@Suite("Connections of a plan")
struct ConnectionTests {
    private static let size = FrameSize(width: 640, height: 480)

    private static func camera(
        _ role: String, _ pixel: PixelFormat = .mjpeg, size: FrameSize = size
    ) -> PlannedCamera {
        PlannedCamera(
            role: role, selector: "any", identity: DeviceIdentity(name: role),
            format: VideoFormat(pixel: pixel, size: size, rate: FrameRate(30, per: 1)))
    }

    private static func microphone(_ role: String, channels: Int = 2) -> PlannedMicrophone {
        PlannedMicrophone(
            role: role, selector: "default", identity: DeviceIdentity(name: role),
            format: AudioFormat(rate: 48_000, channels: channels))
    }

    private static func settings(_ size: FrameSize = size) -> VideoEncodingSettings {
        VideoEncodingSettings(
            size: size, rate: FrameRate(30, per: 1), preset: .superfast, quality: 23, color: nil)
    }

    private static func track(
        _ name: String, of role: String = "", _ mode: PlannedCameraTrack.Mode = .encode, file: String? = nil,
        size: FrameSize = size, crop: PixelRectangle? = nil
    ) -> PlannedCameraTrack {
        PlannedCameraTrack(
            name: name, role: role, mode: mode, file: file ?? "cameras/\(name).mov",
            rate: FrameRate(30, per: 1),
            settings: settings(size), rotation: .none, crop: crop)
    }

    private static func program(size: FrameSize = size) -> PlannedProgram {
        PlannedProgram(
            file: "program.mp4", settings: settings(size),
            arrangement: ProgramArrangement(ProgramSettings(layout: .pip, main: "")), cameras: [], mix: [],
            audioBitrate: 160_000)
    }

    /// Returns a plan with two cameras, a microphone, a program, and two tracks, but without connections.
    private static func bare() -> SessionPlan {
        var plan = SessionPlan(profile: "mine")
        plan.addWithoutConnections(camera("desk"))
        plan.addWithoutConnections(camera("face"))
        plan.addWithoutConnections(microphone("host"))
        plan.addWithoutConnections(program())
        plan.addWithoutConnections(track("desk"))
        plan.addWithoutConnections(PlannedMicrophoneTrack(name: "host", role: "", file: "audio/host.wav"))
        return plan
    }

    private static func edge(_ input: String, _ output: String) -> PlannedConnection {
        PlannedConnection(input: input, output: output)
    }

    @Test("inputs and outputs are added without connections, connected one by one, and then the plan can run")
    func building() throws {
        var plan = Self.bare()
        #expect(plan.connections.isEmpty)
        #expect(
            plan.validate() == [
                .emptyProgram, .unconnected(output: "cameras/desk"), .unconnected(output: "audio/host"),
            ])
        let crop = PixelRectangle(x: 20, y: 40, width: 320, height: 240)
        let edges = [
            PlannedConnection(input: "desk", output: "program", rotation: .half, crop: crop),
            PlannedConnection(input: "face", output: "program", isMirrored: true),
            PlannedConnection(input: "host", output: "program", channels: [1]),
            PlannedConnection(input: "face", output: "cameras/desk", rotation: .quarter, crop: crop),
            PlannedConnection(input: "host", output: "audio/host", channels: [1]),
            PlannedConnection(input: "face", output: "metadata/face"),
        ]
        for edge in edges { try plan.connect(edge) }
        #expect(plan.connections == edges)
        #expect(plan.validate().isEmpty)
        // The parts of the plan that the session uses contain the same roles.
        #expect(plan.cameraTracks.map(\.role) == ["face"] && plan.cameraTracks.map(\.rotation) == [.quarter])
        #expect(plan.cameraTracks.map(\.crop) == [crop])
        #expect(plan.program?.layers.map(\.role) == ["desk", "face"])
        #expect(plan.program?.layers.map(\.rotation) == [.half, .none])
        #expect(plan.program?.layers.map(\.crop) == [crop, nil])
        #expect(plan.program?.layers.map(\.isMirrored) == [false, true])
        #expect(plan.microphones.map(\.sourceChannels) == [[1]])
        #expect(plan.cameras.map(\.metadataFile) == [nil, "cameras/face.ndjson"])
    }

    @Test("the properties of a connection can be changed in the plan, and a connection can be removed")
    func changing() throws {
        var plan = Self.bare()
        for role in ["desk", "face"] { try plan.connect(Self.edge(role, "program")) }
        try plan.connect(Self.edge("desk", "cameras/desk"))
        try plan.connect(Self.edge("host", "audio/host"))

        var hidden = Self.edge("face", "program")
        hidden.isEnabled = false
        try plan.change(hidden)
        #expect(plan.program?.layers.map(\.role) == ["desk"])
        #expect(plan.connections.first { $0.isSameEdge(as: hidden) } == hidden)
        hidden.isEnabled = true
        try plan.change(hidden)
        #expect(plan.program?.layers.map(\.role) == ["desk", "face"])

        try plan.disconnect(Self.edge("desk", "program"))
        #expect(plan.program?.layers.map(\.role) == ["face"])
        try plan.disconnect(Self.edge("desk", "cameras/desk"))
        #expect(plan.validate() == [.unconnected(output: "cameras/desk")])
        try plan.connect(Self.edge("face", "cameras/desk"))
        #expect(plan.validate().isEmpty)
    }

    @Test("an invalid connection is refused with its reason, and the plan is unchanged")
    func refusing() throws {
        var plan = Self.bare()
        plan.cameraTracks.append(Self.track("copy", of: "desk", .copy))
        let outside = PixelRectangle(x: 600, y: 0, width: 100, height: 100)
        let cases: [(PlannedConnection, PlanProblem)] = [
            (Self.edge("wall", "program"), .noSuchInput(Self.edge("wall", "program"))),
            (Self.edge("desk", "cameras/wall"), .noSuchOutput(Self.edge("desk", "cameras/wall"))),
            (Self.edge("host", "cameras/desk"), .wrongMedium(Self.edge("host", "cameras/desk"))),
            (Self.edge("desk", "audio/host"), .wrongMedium(Self.edge("desk", "audio/host"))),
            (Self.edge("desk", "cameras/copy"), .duplicateConnection(Self.edge("desk", "cameras/copy"))),
            (Self.edge("face", "cameras/copy"), .outputInUse(Self.edge("face", "cameras/copy"), by: "desk")),
            (
                PlannedConnection(input: "host", output: "audio/host", channels: [2]),
                .noSuchChannel(role: "host", channel: 2, of: 2)
            ),
        ]
        for (edge, problem) in cases {
            let before = plan
            let error = #expect(throws: PlanProblem.self) { try plan.connect(edge) }
            #expect(error == problem)
            #expect(plan == before)
        }
        for (edge, attribute) in [
            (
                PlannedConnection(input: "desk", output: "cameras/desk", isMirrored: true),
                PlanProblem.Attribute.mirroring
            ),
            (PlannedConnection(input: "desk", output: "cameras/desk", isEnabled: false), .disabled),
            (PlannedConnection(input: "desk", output: "cameras/desk", channels: [0]), .channels),
            (PlannedConnection(input: "host", output: "audio/host", rotation: .half), .rotation),
            (PlannedConnection(input: "desk", output: "metadata/desk", crop: outside), .crop),
        ] where attribute != .crop {
            let error = #expect(throws: PlanProblem.self) { try plan.connect(edge) }
            #expect(error == .unsupportedAttribute(edge, attribute))
        }
        let cropped = PlannedConnection(input: "desk", output: "program", crop: outside)
        #expect(throws: PlanProblem.invalidCrop(cropped, Self.size)) { try plan.connect(cropped) }
        #expect(throws: PlanProblem.notConnected(Self.edge("face", "program"))) {
            try plan.change(Self.edge("face", "program"))
        }
    }

    @Test("all problems are reported at once, each as a value and a sentence")
    func everything() {
        var plan = SessionPlan(profile: "wrong")
        #expect(plan.validate() == [.noDevice])
        plan.cameras = [Self.camera("desk", .nv12), Self.camera("desk", .nv12), Self.camera("../x")]
        plan.microphones = [Self.microphone("host", channels: 4)]
        plan.microphones[0].sourceChannels = [0, 1, 7]
        plan.program = Self.program(size: FrameSize(width: 641, height: 480))
        plan.program?.mix = ["guest"]
        plan.cameraTracks = [
            Self.track("desk", of: "desk", .copy, size: FrameSize(width: 320, height: 240)),
            Self.track("host", of: "host"), Self.track("away", of: "away", file: "../away.mov"),
        ]
        plan.microphoneTracks = [
            PlannedMicrophoneTrack(role: "host", file: "session.mov"),
            PlannedMicrophoneTrack(name: "host", role: "desk", file: "audio/a.wav"),
            PlannedMicrophoneTrack(name: "second", role: "host", file: "audio/a.wav"),
        ]
        let problems = plan.validate()
        let expected: [PlanProblem] = [
            .duplicateRole("desk"), .invalidRole("../x"), .noSuchChannel(role: "host", channel: 7, of: 4),
            .noSuchInput(Self.edge("guest", "program")), .emptyProgram,
            .oddSize(output: "program", FrameSize(width: 641, height: 480)),
            .rawCopy(output: "cameras/desk", .nv12),
            .copySizeMismatch(
                output: "cameras/desk", FrameSize(width: 320, height: 240), delivered: Self.size),
            .wrongMedium(Self.edge("host", "cameras/host")), .noSuchInput(Self.edge("away", "cameras/away")),
            .tooManyChannels(output: "audio/host", channels: 3),
            .wrongMedium(Self.edge("desk", "audio/host")),
            .duplicateOutput("audio/host"),
            .invalidFile(output: "cameras/away", path: "../away.mov", expected: ".mov"),
            .duplicateFile(path: "audio/a.wav"),
        ]
        #expect(problems == expected)
        #expect(problems.allSatisfy { $0.description.hasSuffix(".") && !$0.description.contains("\n") })
    }

    @Test("a plan compiled from a profile is valid", arguments: ShippedProfile.all.map(\.name))
    func profiles(_ name: String) throws {
        let profile = try #require(ShippedProfile.all.first { $0.name == name })
        let read = try Profile(yaml: profile.bytes, file: "\(name).yaml")
        var devices: [String: PlannedDevice] = [:]
        for role in read.cameras.map(\.role) { devices[role] = SessionPlanTests.synthetic() }
        for role in read.microphones.map(\.role) { devices[role] = SessionPlanTests.microphone(node: role) }
        let plan = try SessionPlan(profile: read, devices: devices)
        #expect(plan.validate().isEmpty)
        #expect(!plan.connections.isEmpty)
    }

    @Test("a running plan's connections follow each change")
    func running() throws {
        var running = RunningPlan(try Self.interview())
        func now(_ input: String, _ output: String) -> PlannedConnection? {
            running.connections.first { Self.edge(input, output).isSameEdge(as: $0) }
        }
        func apply(_ line: String) throws {
            let change = try SessionChange(words: line.split(separator: " ").map(String.init))
            _ = try running.apply(try #require(change))
        }
        #expect(running.connections == running.plan.connections)
        try apply("mute host")
        #expect(now("host", "program")?.isEnabled == false && now("host", "audio/host")?.isEnabled == true)
        try apply("unmute host")
        #expect(now("host", "program")?.isEnabled == true)
        try apply("rotate face 180")
        try apply("mirror face on")
        #expect(now("face", "program")?.rotation == .half && now("face", "program")?.isMirrored == true)
        #expect(now("face", "cameras/face")?.rotation == Rotation.none)
        try apply("zoom face 2")
        #expect(now("face", "program")?.crop?.size == FrameSize(width: 640, height: 360))
        try apply("hide face")
        #expect(now("face", "program")?.isEnabled == false && now("face", "cameras/face")?.isEnabled == true)
        running.devices.offers["desk"] = []
        try apply("disable desk")
        #expect(now("desk", "program")?.isEnabled == false && now("desk", "cameras/desk")?.isEnabled == false)
        try apply("stop-track face")
        #expect(now("face", "cameras/face") == nil)
        try apply("start-track face")
        #expect(now("face", "cameras/face.2")?.isEnabled == true)
        // A file keeps its orientation, and the next file has the new one.
        running.rotate("desk", to: .quarter)
        #expect(now("desk", "cameras/desk")?.rotation == Rotation.none)
        running.prepareForRecording()
        #expect(now("desk", "cameras/desk")?.rotation == .quarter)
        try apply("remove host")
        #expect(!running.connections.contains { $0.input == "host" })
    }

    private static func interview() throws -> SessionPlan {
        let profile = try SessionPlanTests.profile(
            """
            cameras: { desk: { size: 1280x720 }, face: { size: 1280x720 } }
            microphones: { host: }
            program: { size: 1280x720, layout: pip, main: desk, inset: face }
            tracks: { cameras: copy, microphones: wav }
            """)
        return try SessionPlan(
            profile: profile,
            devices: [
                "desk": SessionPlanTests.synthetic(), "face": SessionPlanTests.synthetic(),
                "host": SessionPlanTests.microphone(),
            ])
    }
}

// Generated from docs/avfoundation.md by `tools/examples rows`.
import MulticamKit
import OwnDevices

extension Table {
    func row1() async throws { let session = try await MulticamSession(configuration); _ = session }
    func row2() async throws { let fits = try await MulticamSession.cost(of: configuration)?.fits; _ = fits }
    func row3() async throws { try await session.run() }
    func row4() async throws { try await session.standBy() }
    func row5() async throws {
        try await session.commit([.layout(.grid), .gain(role: "host", decibels: -6)])
    }
    func row6() async throws { let cost = session.reduction?.cost.total; _ = cost }
    func row7() async throws { let cost = session.status.pressure?.cost.value; _ = cost }
    func row8() async throws { let factors = session.status.pressure?.factors; _ = factors }
    func row9() async throws { let steps = session.status.reductions; _ = steps }
    func row10() async throws { let sets = try await MulticamSession.cameraSets(of: configuration); _ = sets }
    func row11() async throws { for await event in session.events { print(event.message ?? "") } }
    func row12() async throws { let now = MonotonicClock().now; _ = now }
    func row13() async throws { let own = SessionConfiguration(devices: ["desk": camera]); _ = own }
    func row14() async throws { let back = microphone.inputPorts.first { $0.position == .back }; _ = back }
    func row15() async throws {
        let tap = FrameTap(role: "desk", format: .converted(.nv12)) { frame in print(frame.size) }; _ = tap
    }
    func row16() async throws { let lost = tap.droppedCount; _ = lost }
    func row17() async throws {
        let ears = AudioTap(role: "host") { slice in print(slice.samples.count) }; _ = ears
    }
    func row18() async throws {
        let facts = MetadataTap(role: "desk") { metadata in print(metadata.capturedAt) }; _ = facts
    }
    func row19() async throws {
        let faces = MetadataTap(role: "desk") { metadata in
            for face in metadata.analysis?.faces ?? [] { print(face.id, face.box) }
        }; _ = faces
    }
    func row20() async throws {
        let codes = MetadataTap(role: "desk") { metadata in
            for code in metadata.analysis?.codes ?? [] { print(code.payload) }
        }; _ = codes
    }
    func row21() async throws { try await session.commit([.framing(role: "desk", .people)]) }
    func row22() async throws { let result = try await session.record(); _ = result }
    func row23() async throws { let stills = try await session.takeStills(["desk"]); _ = stills }
    func row24() async throws {
        let preview = FrameTap(role: "desk", format: .converted(.bgra), isPreview: true) { _ in }; _ = preview
    }
    func row25() async throws {
        let both = SynchronizedOutput(roles: ["desk", "host"]) { tick in print(tick.index) }; _ = both
    }
    func row26() async throws { let connections = session.connections; _ = connections }
    func row27() async throws { plan.addWithoutConnections(track) }
    func row28() async throws {
        try plan.connect(PlannedConnection(input: "desk", output: "program", rotation: .quarter))
    }
    func row29() async throws {
        try await session.commit([.visible(role: "face", false), .audible(role: "host", true)])
    }
    func row30() async throws { try await session.commit([.rotation(role: "desk", .half)]) }
    func row31() async throws { try await session.commit([.mirrored(role: "face", true)]) }
    func row32() async throws {
        try plan.change(PlannedConnection(input: "host", output: "audio/host", channels: [1]))
    }
    func row33() async throws { try await session.commit([.swap(with: nil)]) }
    func row34() async throws { let same = camera.identity == other.identity; _ = same }
    func row35() async throws {
        let discovery = try await DiscoverySession(mediaType: .video, position: .front); _ = discovery
    }
    func row36() async throws { for await change in discovery.changes() { print(change) } }
    func row37() async throws {
        for await state in choice.states(of: camera) {
            print(state.isConnected, state.isSuspended, state.isInUse)
        }
    }
    func row38() async throws { try await choice.setUserPreferredCamera(camera) }
    func row39() async throws {
        for await best in choice.systemPreferredCameras() { print(best?.explanation ?? "no camera") }
    }
    func row40() async throws {
        try await session.commit([
            .format(role: "desk", FrameSize(width: 1280, height: 720), FrameRate(30, per: 1))
        ])
    }
    func row41() async throws { let sizes = camera.formats.map(\.size); _ = sizes }
    func row42() async throws {
        let outcomes = try await session.setControls(["exposure_time_absolute": "100"], of: "desk");
        _ = outcomes
    }
    func row43() async throws {
        let coordinator = RotationCoordinator(for: camera, tracker: SensorOrientationTracker());
        _ = coordinator
    }
    func row44() async throws { if case .noPermission(let group) = camera.problem { print(group) } }
    func row45() async throws {
        let external = try await DiscoverySession(mediaType: .video, deviceTypes: [.external]); _ = external
    }
    func row46() async throws {
        for await event in session.events { if case .deviceRestored(let role) = event.kind { print(role) } }
    }
    func row47() async throws { let position = camera.position; _ = position }
    func row48() async throws { let turns = camera.rotatesWithComputer; _ = turns }
    func row49() async throws { let ear = camera.companion; _ = ear }
    func row50() async throws { let tracks = TrackSettings(cameras: .copy, microphones: .wav); _ = tracks }
    func row51() async throws { let terms = session.reduction?.cost.terms.map(\.explanation); _ = terms }
    func row52() async throws { try await session.run() }
    func row53() async throws { configuration.ownCameras = ["desk": GradientCamera()] }
    func row54() async throws { configuration.ownMicrophones = ["host": ToneMicrophone()] }
    func row55() async throws {
        let tap = FrameTap(role: "desk", format: .asCaptured) { frame in print(frame.sequence) }; _ = tap
    }
    func row56() async throws {
        let ears = AudioTap(role: "host") { slice in print(slice.firstSample) }; _ = ears
    }
    func row57() async throws { let facts = MetadataTap(role: "desk") { print($0.sequence) }; _ = facts }
    func row58() async throws {
        let role = CameraRole(
            role: "desk",
            output: CameraOutput(size: FrameSize(width: 640, height: 360), rate: FrameRate(15, per: 1)));
        _ = role
    }
    func row59() async throws { configuration.orientationTracker = SensorOrientationTracker() }
    func row60() async throws { let method = plan.orientation(of: connections[0])?.method; _ = method }
    func row61() async throws { try await session.commit([.show(["face", "desk"])]) }
    func row62() async throws { if case .dropped(let cause)? = tick["desk"] { print(cause) } }
    func row63() async throws {
        try await session.commit([.zoom(role: "desk", 1.5), .pan(role: "desk", 0.2)])
    }
    func row64() async throws {
        for await event in session.events { if case .warning(let text, _) = event.kind { print(text) } }
    }
}

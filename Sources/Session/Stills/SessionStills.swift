public import Inputs
public import Media
public import Plan

/// Takes stills of all cameras of a session.
///
///     let stills = SessionStills(setup.plan, cameras: setup.cameras)
///     let session = setup.makeSession(options, frameTaps: stills.taps)
///     …
///     let taken = try stills.take(["desk"], into: StillFolder(ofSession: folder, version: version), with: codecs)
public struct SessionStills: Sendable {
    /// The cameras: those of the plan in its order, then those that were added, in the order of adding.
    public private(set) var cameras: [StillCamera]
    /// Length of the clip around each still, in nanoseconds; zero for none.
    public let live: Nanoseconds

    /// Creates a still camera for each camera of the plan that has a source.
    ///
    /// - Parameters:
    ///   - plan: The session's plan.
    ///   - sources: The session's opened cameras, by role.
    ///   - clock: The session clock.
    ///   - live: Length of the clip around each still, in nanoseconds; zero for none. Cameras that deliver no JPEGs
    ///     have no clips.
    public init(
        _ plan: SessionPlan, cameras sources: [String: any CameraSource],
        clock: any SessionClock = MonotonicClock(), live: Nanoseconds = .zero
    ) {
        self.live = live
        cameras = plan.cameras.compactMap { planned in
            sources[planned.role].map { Self.camera(planned, $0, clock, live) }
        }
    }

    private static func camera(
        _ planned: PlannedCamera, _ source: any CameraSource, _ clock: any SessionClock, _ live: Nanoseconds
    ) -> StillCamera {
        let clips = source.format.pixel == .mjpeg ? live : .zero
        return StillCamera(planned, source: source, clock: clock, live: clips)
    }

    /// Adds a camera and returns the tap through which it gets frames; give the tap to `MulticamSession.add`.
    public mutating func add(
        _ planned: PlannedCamera, source: any CameraSource, clock: any SessionClock = MonotonicClock()
    ) -> FrameTap {
        let camera = Self.camera(planned, source, clock, live)
        cameras.append(camera)
        return camera.tap
    }

    /// Adds a camera whose tap the session has already.
    public mutating func add(_ camera: StillCamera) { cameras.append(camera) }

    /// Removes the camera of a role.
    public mutating func remove(_ role: String) { cameras.removeAll { $0.role == role } }

    /// The taps of all cameras; give them to the session.
    public var taps: [FrameTap] { cameras.map(\.tap) }

    /// Takes the next whole frame of each of the chosen cameras, at about one instant, and writes them. Blocks its
    /// thread; do not call it from a Swift task, nor from several threads at once.
    ///
    /// - Parameters:
    ///   - roles: Roles of the cameras; empty for all.
    ///   - folder: Where the stills are written.
    ///   - codecs: Encodes frames that are no JPEGs, and decodes H.264.
    /// - Returns: The written files of each camera, or why there are none, in the order of `cameras`.
    /// - Throws: `StillError.unknownRole` when there is no camera of a role; nothing is taken then.
    public func take(
        _ roles: [String] = [], into folder: StillFolder, with codecs: any CodecFactory
    ) throws(StillError) -> [(role: String, files: Result<StillFolder.Files, StillError>)] {
        if let unknown = roles.first(where: { role in !cameras.contains { $0.role == role } }) {
            throw .unknownRole(unknown, known: cameras.map(\.role))
        }
        let chosen = roles.isEmpty ? cameras : cameras.filter { roles.contains($0.role) }
        let files = Parallel.map(chosen, threads: "still") { camera in
            Result { () throws(StillError) in
                try folder.write(try camera.take(with: codecs), with: codecs)
            }
        }
        return zip(chosen, files).map { ($0.role, $1) }
    }
}

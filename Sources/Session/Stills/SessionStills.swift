public import Media
public import Plan

/// Takes stills of all cameras of a session.
///
///     let stills = SessionStills(setup.plan, cameras: setup.cameras)
///     let session = setup.makeSession(options, pictureTaps: stills.taps)
///     …
///     let taken = try stills.take(["desk"], intoSession: folder)
public struct SessionStills: Sendable {
    /// In the plan's order, then in that in which they were taken in.
    public private(set) var cameras: [StillCamera]
    /// The length of clips around stills.
    public let live: Nanoseconds

    /// - Parameters:
    ///   - plan: Of the session.
    ///   - sources: By role, as the session has them.
    ///   - clock: The session's.
    ///   - live: The length of clips around stills; zero for none, and for cameras that deliver no JPEGs.
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

    /// Takes stills of another camera, too, which the session takes in with the tap that is returned.
    public mutating func add(
        _ planned: PlannedCamera, source: any CameraSource, clock: any SessionClock = MonotonicClock()
    ) -> FrameTap {
        let camera = Self.camera(planned, source, clock, live)
        cameras.append(camera)
        return camera.tap
    }

    /// Takes stills of another camera, too, whose tap the session has already.
    public mutating func add(_ camera: StillCamera) { cameras.append(camera) }

    /// Takes none of a camera any more.
    public mutating func remove(_ role: String) { cameras.removeAll { $0.role == role } }

    /// To be given to the session.
    public var taps: [FrameTap] { cameras.map(\.tap) }

    /// Takes the next whole frame of each of some cameras, at about one instant, and writes them. Blocks its thread; not in a
    /// Swift task, nor from several threads at once.
    ///
    /// - Parameters:
    ///   - roles: Of the cameras; all where there is none.
    ///   - folder: Where they are written.
    ///   - machinery: Encodes what is no JPEG.
    /// - Returns: What was written of each, or why nothing was, in the plan's order.
    /// - Throws: When there is no camera of a role; nothing is taken then.
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

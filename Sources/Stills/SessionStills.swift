package import MulticamInputs
package import MulticamMedia
package import MulticamPlan

/// Takes stills from all cameras of a session. Thread-safe.
package final class SessionStills: Sendable {
    private let current: ConditionLock<[StillCamera]>
    /// The cameras of the plan, without cameras that were added during a recording.
    private let planned: [StillCamera]
    /// Held while stills are taken, because a camera can take only one still at a time.
    private let turn = ConditionLock(())
    /// Length of the clip around each still, in nanoseconds; zero if no clips are made.
    package let clipLength: Nanoseconds
    private let audioBuffers: [ClipAudioBuffer]
    private let codecs: (any CodecFactory)?
    private let keepsStreams: Bool

    /// Creates a still camera for each camera in the plan. Cameras without a source are omitted.
    ///
    /// - Parameters:
    ///   - plan: The session's plan.
    ///   - sources: The session's opened cameras, by role.
    ///   - clock: The session clock.
    ///   - live: Length of the clip around each still, in nanoseconds; zero disables clips. A clip contains
    ///     the audio of the camera's built-in microphone if that microphone is in the plan; otherwise, the
    ///     audio of the first microphone in the plan. Clips have audio only if the session gets its
    ///     microphone sources from `tapped(_:)`.
    ///   - codecs: Encodes raw frames as JPEG for clips. If the value is `nil`, no clips are made for cameras
    ///     that deliver raw frames.
    ///   - keepsStreams: Whether the frames of H.264 cameras since their last key frame are stored permanently, up to
    ///     64 MiB per camera. If `false`, a still without a clip is the camera's next key frame.
    package init(
        _ plan: SessionPlan, cameras sources: [String: any CameraSource],
        clock: any SessionClock = MonotonicClock(), live: Nanoseconds = .zero,
        codecs: (any CodecFactory)? = nil, keepsStreams: Bool = true
    ) {
        self.clipLength = live
        self.codecs = codecs
        self.keepsStreams = keepsStreams
        audioBuffers = live > .zero ? plan.microphones.map { ClipAudioBuffer($0, live: live) } : []
        let heard = Dictionary(
            zip(plan.microphones.map(\.identity.busPath), audioBuffers),
            uniquingKeysWith: { first, _ in first })
        let first = audioBuffers.first
        let cameras = plan.cameras.compactMap { planned in
            sources[planned.role].map { source in
                let own = source.device.companion.flatMap { $0.busPath.isEmpty ? nil : heard[$0.busPath] }
                return StillCamera(
                    planned, source: source, clock: clock, live: live, microphone: own ?? first,
                    codecs: codecs, keepsStream: keepsStreams)
            }
        }
        self.planned = cameras
        current = ConditionLock(cameras)
    }

    /// The cameras of the plan, in the plan's order, followed by later cameras in the order in which they
    /// were added.
    package var cameras: [StillCamera] { current.withLock(\.self) }

    /// Returns microphone sources that also provide the session's audio for clips.
    ///
    /// - Parameter sources: The session's opened microphones, by role.
    /// - Returns: The microphone sources to pass to the session instead of the original sources.
    package func tapped(_ sources: [String: any MicrophoneSource]) -> [String: any MicrophoneSource] {
        var sources = sources
        for ear in audioBuffers { sources[ear.role] = sources[ear.role].map(ear.tapped) }
        return sources
    }

    /// Creates a still camera for a camera that is being added to the session. Its tap must be passed to
    /// `MulticamSession.add`; after the session has accepted the camera, pass it to `add`.
    package func makeCamera(
        _ planned: PlannedCamera, source: any CameraSource, clock: any SessionClock = MonotonicClock()
    ) -> StillCamera {
        StillCamera(
            planned, source: source, clock: clock, live: clipLength, microphone: audioBuffers.first,
            codecs: codecs, keepsStream: keepsStreams)
    }

    /// Adds a camera until `reset` is called.
    package func add(_ camera: StillCamera) { current.withLock { $0.append(camera) } }

    /// Removes the camera of a role until `reset` is called.
    package func remove(_ role: String) { current.withLock { $0.removeAll { $0.role == role } } }

    /// Restores the cameras of the plan after a recording.
    package func reset() { current.withLock { $0 = planned } }

    /// The taps of all cameras, which must be passed to the session.
    package var taps: [FrameTap] { cameras.map(\.tap) }

    /// Takes the next complete frame from each selected camera, at approximately the same time, and writes the stills.
    /// Blocks the calling thread; don't call this method from a Swift task. Simultaneous calls run one after the other.
    ///
    /// - Parameters:
    ///   - roles: Roles of the cameras; empty to select all cameras.
    ///   - folder: Folder for the stills.
    ///   - codecs: Encodes frames that aren't JPEG, and decodes H.264.
    /// - Returns: The files written for each camera, or the error, in the order of `cameras`.
    /// - Throws: `StillError.unknownRole` if a role doesn't have a camera. If this error is thrown, no stills
    ///   are taken.
    package func takeStills(
        _ roles: [String] = [], into folder: StillFolder, with codecs: any CodecFactory
    ) throws(StillError) -> [(role: String, files: Result<StillFiles, StillError>)] {
        let cameras = cameras
        if let unknown = roles.first(where: { role in !cameras.contains { $0.role == role } }) {
            throw .unknownRole(unknown, known: cameras.map(\.role))
        }
        let chosen = roles.isEmpty ? cameras : cameras.filter { roles.contains($0.role) }
        let files = turn.withLock { _ in
            Parallel.map(chosen, threadName: "still") { camera in
                Result { () throws(StillError) in
                    try folder.write(try camera.takeStill(with: codecs), with: codecs)
                }
            }
        }
        return zip(chosen, files).map { ($0.role, $1) }
    }
}

internal import MulticamCapture
internal import MulticamEncoding
package import MulticamMedia
internal import MulticamPlan
internal import MulticamProfiles
package import MulticamSession
internal import MulticamSessionFolder
package import MulticamStills
internal import MulticamVirtualDevices

/// Takes stills from cameras that aren't in use. Runs the cameras until exposure and focus have settled,
/// captures the next good frame of each, and stops the cameras.
///
/// ```swift
/// let snapshot = try Snapshot(SessionSetup(stillsOf: "any"))
/// let folder = StillFolder(path: ".", version: MulticamVersion.current)
/// let files = try snapshot.take().map { try snapshot.write($0, into: folder) }
/// ```
package final class Snapshot: Sendable {
    private let cameras: [StillCamera]
    private let observation: Observation
    private let settling: Nanoseconds

    /// Progress of the still capture.
    private struct Progress {
        /// The time of each camera's first good frame, and the number of frames received since then, by role.
        var began: [String: (at: ClockTime, count: Int)] = [:]
        var settled: Set<String> = []
        var failure: RecordingError?
        var isFinished = false
    }

    /// Minimum number of frames before a still. Automatic exposure needs several frames to settle, regardless
    /// of the frame rate.
    private static let leastFrames = 8

    /// Prepares the cameras of a setup.
    ///
    /// - Parameters:
    ///   - setup: The setup with its opened cameras.
    ///   - live: Length of the clip around each still. Clips have no audio. Zero disables clips.
    ///   - settling: Time for exposure and focus to settle, between the first good frame and the still.
    /// - Throws: `StillError` if a stream can't be decoded.
    package init(
        _ setup: SessionSetup, live: Nanoseconds = .zero, settling: Nanoseconds = .seconds(1)
    ) throws(StillError) {
        let clock = MonotonicClock()
        cameras =
            SessionStills(
                setup.plan, cameras: setup.cameras, clock: clock, live: live, codecs: setup.codecs
            ).cameras
        // Half of a clip precedes its still, so settling takes at least that long.
        self.settling = max(settling, live / 2)
        var plan = setup.plan
        plan.microphones = []
        do throws(EncodingError) {
            observation = try Observation(
                plan: plan, cameras: setup.cameras, microphones: [:], clock: clock, codecs: Codecs())
        } catch {
            throw .encoding(error)
        }
    }

    /// Takes a still from each camera at about the same time. Call this only once. Blocks the calling thread for
    /// several seconds; don't call this from a Swift task.
    ///
    /// - Returns: The stills in the plan's order.
    /// - Throws: `RecordingError` if a camera doesn't start or delivers no frames. `StillError` if a still
    ///   can't be taken. `ThreadError` if the system can't create a thread.
    package func take() throws -> [Still] {
        let progress = ConditionLock(Progress())
        let byRole = Dictionary(cameras.map { ($0.role, $0) }, uniquingKeysWith: { first, _ in first })
        let observer = try MediaThread(name: "snapshot") { [observation, settling] in
            var failure: RecordingError?
            do throws(RecordingError) {
                try observation.run { news, _ in
                    for case .frame(let observed) in news {
                        byRole[observed.role]?.receive(observed.frame)
                        Self.updateProgress(observed, progress, settling)
                    }
                    return true
                }
            } catch {
                failure = error
            }
            progress.broadcast { progress in
                progress.failure = failure
                progress.isFinished = true
            }
        }
        defer {
            observation.stop()
            observer.join()
        }
        progress.wait { [cameras] progress in
            progress.isFinished || progress.settled.count == cameras.count ? true : nil
        }
        if let failure = progress.withLock({ $0.failure }) { throw failure }
        let taken = Parallel.map(cameras, threadName: "still") { camera in
            Result { () throws(StillError) in try camera.takeStill(with: Codecs()) }
        }
        return try taken.map { try $0.get() }
    }

    /// Writes a still and its clip, if there is one. Blocks on disk I/O.
    ///
    /// - Parameters:
    ///   - still: The still to write.
    ///   - folder: The folder to write to.
    ///   - name: The file's name. `nil` uses the default name.
    /// - Returns: The files that were written.
    /// - Throws: `StillError` if the frame can't be encoded, or if a file can't be written or already exists.
    package func write(
        _ still: Still, into folder: StillFolder, as name: String? = nil
    ) throws(StillError) -> StillFiles {
        try folder.write(still, with: Codecs(), as: name)
    }

    private static func updateProgress(
        _ observed: ObservedFrame, _ progress: ConditionLock<Progress>, _ settling: Nanoseconds
    ) {
        progress.broadcast { progress in
            let time = observed.frame.capturedAt
            let (began, count) = progress.began[observed.role] ?? (time, 0)
            progress.began[observed.role] = (began, count + 1)
            if count + 1 >= Self.leastFrames, time - began >= settling {
                progress.settled.insert(observed.role)
            }
        }
    }
}

extension SessionSetup {
    /// Opens one unused camera for stills at its maximum size. If the camera supports JPEG, its own JPEG
    /// images are used.
    ///
    /// - Parameters:
    ///   - selector: The camera's selector as in a profile.
    ///   - role: Name for the camera's stills.
    /// - Throws: `SetupError` if the camera is missing, busy, or ambiguous, or if access is denied.
    package init(stillsOf selector: String, role: String = "camera") throws(SetupError) {
        var profile = Profile(
            name: "snapshot", cameras: [CameraRole(role: role, device: selector)],
            tracks: TrackSettings(cameras: .encode, microphones: .none))
        let wantsMemory = !VirtualSources.handles(selector)
        let memory = (wantsMemory ? DeviceStore.file?.read().content : nil) ?? DeviceStore()
        let choices = (wantsMemory ? ChoiceStore.file?.read().content : nil) ?? ChoiceStore()
        let resolver = try DeviceResolver(for: profile, memory: memory, choices: choices)
        if case .listed(let offers) = resolver.devices[role]?.offers, let best = Self.best(offers) {
            profile.cameras[0].size = best.size
            profile.cameras[0].format = CameraRole.Format(rawValue: best.pixel.rawValue) ?? .auto
        }
        var plan: SessionPlan
        do throws(ProfileError) {
            plan = try SessionPlan(profile: profile, devices: resolver.devices)
        } catch {
            throw .profile(error)
        }
        // The rate lock is disabled, so that the frame rate doesn't limit the exposure time of a still.
        for index in plan.cameras.indices {
            plan.cameras[index].controls.removeAll { $0.origin == .rateLock }
        }
        try self.init(plan, of: resolver)
    }

    /// Opens the cameras of a profile for stills, with the profile's formats and controls. Microphones aren't
    /// opened.
    ///
    /// - Parameters:
    ///   - request: The profile and its devices.
    ///   - takesAll: Whether to open all cameras of the profile, or only the first.
    /// - Throws: `SetupError` if the profile or a selector is invalid, or if a camera is missing or busy, or
    ///   access is denied.
    package init(stillsOf request: SessionConfiguration, takesAll: Bool) throws(SetupError) {
        var (plan, _, resolver, _) = try Self.resolve(request, calibrations: Calibrations.file)
        plan.microphones = []
        if !takesAll { plan.cameras = Array(plan.cameras.prefix(1)) }
        guard !plan.cameras.isEmpty else {
            throw .usage(
                "the profile `\(plan.profile.printable())` does not contain a camera, so stills cannot be captured."
            )
        }
        try self.init(plan, of: resolver)
    }

    /// Returns the best format for stills: the largest size, and at that size JPEG, then raw frames, then H.264.
    private static func best(_ offers: [OfferedFormat]) -> OfferedFormat? {
        func rank(_ format: OfferedFormat) -> Int {
            switch format.pixel {
            case .mjpeg: 2
            case .h264: 0
            default: 1
            }
        }
        return offers.max { ($0.size.pixelCount, rank($0)) < ($1.size.pixelCount, rank($1)) }
    }
}

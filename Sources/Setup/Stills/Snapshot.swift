internal import Encoding
public import Media
internal import Plan
internal import Session
public import Stills

/// Takes stills of cameras that nothing else uses: runs them until exposure and focus have settled, takes the next good frame of
/// each, and stops them.
///
///     let snapshot = try Snapshot(SessionSetup(stillsOf: "any"))
///     let folder = StillFolder(path: ".", version: MulticamVersion.current)
///     let files = try snapshot.take().map { try snapshot.write($0, into: folder) }
public final class Snapshot: Sendable {
    private let cameras: [StillCamera]
    private let observation: Observation
    private let settling: Nanoseconds

    /// The state of the cameras so far.
    private struct Progress {
        /// The time of each camera's first good frame, and the number of its frames so far, by role.
        var began: [String: (at: ClockTime, count: Int)] = [:]
        var settled: Set<String> = []
        var failure: RecordingError?
        var isOver = false
    }

    /// The fewest frames before a still: automatic exposure takes some steps, however fast the camera is.
    private static let leastFrames = 8

    /// Prepares the cameras of a setup.
    ///
    /// - Parameters:
    ///   - setup: The setup with its opened cameras.
    ///   - live: The length of the clip around each still, which has no audio; zero for none.
    ///   - settling: The time for exposure and focus between the first good frame and the still.
    /// - Throws: `StillError` when a stream cannot be decoded.
    public init(
        _ setup: SessionSetup, live: Nanoseconds = .zero, settling: Nanoseconds = .seconds(1)
    ) throws(StillError) {
        let clock = MonotonicClock()
        cameras =
            SessionStills(
                setup.plan, cameras: setup.cameras, clock: clock, live: live, codecs: setup.codecs
            ).cameras
        // Half of a clip lies before its still.
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

    /// Takes a still of each camera, at about one instant. Call it once only. Blocks its thread for some seconds; do not call it
    /// in a Swift task.
    ///
    /// - Returns: The stills in the plan's order.
    /// - Throws: `RecordingError` when a camera does not start or is silent; `StillError` when a still cannot be taken.
    public func take() throws -> [Still] {
        let progress = ConditionLock(Progress())
        let byRole = Dictionary(cameras.map { ($0.role, $0) }, uniquingKeysWith: { first, _ in first })
        let observer = MediaThread(name: "snapshot") { [observation, settling] in
            var failure: RecordingError?
            do throws(RecordingError) {
                try observation.run { news, _ in
                    for case .frame(let observed) in news {
                        byRole[observed.role]?.note(observed.frame)
                        Self.follow(observed, progress, settling)
                    }
                    return true
                }
            } catch {
                failure = error
            }
            progress.broadcast { progress in
                progress.failure = failure
                progress.isOver = true
            }
        }
        defer {
            observation.stop()
            observer.join()
        }
        progress.wait { [cameras] progress in
            progress.isOver || progress.settled.count == cameras.count ? true : nil
        }
        if let failure = progress.withLock({ $0.failure }) { throw failure }
        let taken = Parallel.map(cameras, threads: "still") { camera in
            Result { () throws(StillError) in try camera.take(with: Codecs()) }
        }
        return try taken.map { try $0.get() }
    }

    /// Writes a still, and its clip when it has one. Waits for the disk.
    ///
    /// - Parameters:
    ///   - still: The still to write.
    ///   - folder: The folder to write into.
    ///   - name: The file's name; `nil` for the usual one.
    /// - Returns: The written files.
    /// - Throws: `StillError` when the frame cannot be encoded, or a file cannot be written or exists already.
    public func write(
        _ still: Still, into folder: StillFolder, as name: String? = nil
    ) throws(StillError) -> StillFolder.Files {
        try folder.write(still, with: Codecs(), as: name)
    }

    private static func follow(
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

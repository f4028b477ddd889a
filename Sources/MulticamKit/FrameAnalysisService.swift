internal import FoundationEssentials
internal import MulticamMedia
package import MulticamMediaServing
internal import MulticamPlan
package import MulticamSession
internal import MulticamSessionFolder
internal import MulticamSystem

/// Searches the cameras of a session for faces and codes. A separate process, `multicam-vision`, receives scaled frames
/// from the media socket and sends the results back.
///
/// ```swift
/// let analysis = FrameAnalysisService(of: mediaServer)
/// analysis.serve(session)
/// let result = try await session.record()
/// await analysis.end()
/// ```
///
/// The process starts when a camera's frames have to be searched. If the process crashes or hangs, it is restarted and
/// receives the requests again; meanwhile, automatic framing holds the picture. Recordings never wait for the process.
/// Thread-safe.
package final class FrameAnalysisService: Sendable {
    private struct State {
        weak var session: MulticamSession?
        /// The current requests, by role.
        var requests: [String: VisionRequest] = [:]
        var watcher: MediaThread?
    }

    private let notify: @Sendable (String) -> Void
    private let state = ConditionLock(State())
    private let helper: HelperProcess
    private let ending = Cancellation()
    private let clock = MonotonicClock()

    private static let programName = "multicam-vision"
    /// Interval at which the plan is compared with the requests.
    private static let interval = Nanoseconds.milliseconds(200)

    /// Creates the service without starting a process.
    ///
    /// - Parameters:
    ///   - server: The media server that provides the frames.
    ///   - program: Path of `multicam-vision`; `nil` to find it where multicam is installed or built.
    ///   - withheld: Names of environment variables of this process, such as those with passwords, that the helper
    ///     doesn't inherit.
    ///   - notify: Receives messages for the user, on any thread.
    package init(
        of server: MediaServer, program: String? = nil, withholding withheld: Set<String> = [],
        notify: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.notify = notify
        helper = HelperProcess(
            Self.programName, thread: "vision",
            missingProgramPrefix: "Faces and codes are not found: the program for frame analysis",
            socket: server.path, program: program ?? ProgramPath.sibling(Self.programName),
            withholding: withheld, notify: notify)
    }

    /// Sets the session whose cameras are searched. The plan of the session determines the cameras, also after changes.
    ///
    /// - Parameter session: The session; `nil` if no session exists.
    package func serve(_ session: MulticamSession?) {
        state.withLock { state in
            state.session = session
            guard session != nil, state.watcher == nil, !helper.isEnding else { return }
            state.watcher = MediaThread.startWhenPossible(name: "vision:plan") { [self] in
                while !ending.wait(until: clock.now + Self.interval) { update() }
            }
        }
        update()
    }

    /// Ends the process, and waits at most about three seconds until it has exited.
    package func end() async {
        await MediaThread.perform(named: "vision:end") { [self] in endAndWait() }
    }

    private func endAndWait() {
        ending.cancel()
        helper.end()
        state.withLock { $0.watcher.take() }?.join()
    }

    /// Sends the requests that have changed since the last call.
    private func update() {
        state.withLock(\.session)?.expireDetections()
        state.withLock { state in
            let wanted = state.session.map(Self.requests) ?? [:]
            guard wanted != state.requests else { return }
            for (role, request) in state.requests where wanted[role] == nil {
                var end = request
                end.detect = []
                helper.send(JSONText.line(end))
            }
            let changed = wanted.filter { state.requests[$0.key] != $0.value }
            state.requests = wanted
            for request in changed.values { helper.send(JSONText.line(request)) }
            if !wanted.isEmpty { helper.registerRequest(for: self) }
        }
    }

    private static func requests(of session: MulticamSession) -> [String: VisionRequest] {
        let plan = session.currentPlan
        let (rates, isReduced) = (SessionPlan.analysisRates, session.isAnalysisReduced)
        var requests: [String: VisionRequest] = [:]
        for camera in session.usedCameras {
            let kinds = plan.detection(of: camera)
            guard !kinds.isEmpty else { continue }
            requests[camera.role] = VisionRequest(
                role: camera.role, detect: kinds, size: SessionPlan.analysisSize(of: camera.format.size),
                rate: isReduced ? rates.reduced : rates.usual,
                rotation: plan.program?.arrangement.rotation(of: camera) ?? camera.rotation)
        }
        return requests
    }
}

extension FrameAnalysisService: HelperOwner {
    func withRequests(_ body: ([String]) -> Void) {
        state.withLock { state in
            body(state.requests.sorted { $0.key < $1.key }.map { JSONText.line($0.value) })
        }
    }

    var mustReportEverySecond: Bool { true }

    func processHasEnded(_ words: String) { report("The program for frame analysis \(words)") }

    func processIsMissing(_ text: String) { report(text) }

    private func report(_ text: String) {
        if let session = state.withLock(\.session) { session.warn(text) } else { notify(text) }
    }

    // The reports only show that the process is responsive.
    func receive(_ line: String) {}
}

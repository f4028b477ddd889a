internal import FoundationEssentials
internal import Glibc
internal import MulticamControl
internal import MulticamEncoding
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamMediaLink
internal import MulticamSessionFolder

/// Receives the frames and the status of a session for a window, and looks for another session when the current one
/// ends. Safe to use from any thread.
///
/// Only the latest frame is kept. This process decodes JPEGs, so that the recorder doesn't have to decode them.
final class PreviewClient: Sendable {
    private struct State {
        var scene: PreviewScene
        var frame: CapturedFrame?
        /// Taps on the current session; empty without a session.
        var taps: [RemoteTap] = []
        /// Process ID of the session to connect to next; `nil` for the only running session.
        var process: Int32?
        /// Number of the current session. Data from earlier sessions is ignored.
        var session = 0
        var lastStatusTime = ClockTime(nanoseconds: 0)
        /// Time when the latest frame was received.
        var lastFrameTime = ClockTime(nanoseconds: 0)
        var isVisible = true
        var isClosed = false
    }

    private let role: String?
    private let state: ConditionLock<State>
    private let changed: @Sendable () -> Void

    /// Interval for finding a session, and for checking whether the current session still responds and the latest
    /// frame is current.
    private static let interval = Nanoseconds.milliseconds(250)
    /// Time without a status after which a session counts as unresponsive. A session sends ten status reports
    /// per second.
    private static let statusTimeout = Nanoseconds.seconds(3)

    /// Starts looking for a session.
    ///
    /// - Parameters:
    ///   - role: Role of the camera; `nil` for the program.
    ///   - process: Process ID of the session; `nil` if only one session is running.
    ///   - changed: Called when new content is available, on one of the client's threads.
    init(role: String?, process: Int32?, changed: @escaping @Sendable () -> Void) {
        self.role = role
        self.changed = changed
        var state = State(scene: PreviewScene(role: role))
        state.process = process
        self.state = ConditionLock(state)
        MediaThread.startWhenPossible(name: "preview:link") { [self] in
            while runOnce() {}
        }
    }

    /// Returns the content to show: the scene and the latest frame. The frame must be shown only if the
    /// scene's notice is `nil`.
    func latest() -> (scene: PreviewScene, frame: CapturedFrame?) { state.withLock { ($0.scene, $0.frame) } }

    /// Sets whether the window is visible. Frames aren't decoded while the window is hidden.
    func setVisible(_ isVisible: Bool) { state.withLock { $0.isVisible = isVisible } }

    /// Closes the connection and ends the thread.
    func close() {
        let taps = state.broadcast { state in
            state.isClosed = true
            defer { state.taps = [] }
            return state.taps
        }
        for tap in taps { tap.close() }
    }

    // MARK: Connection thread

    private func runOnce() -> Bool {
        let (isClosed, isConnected, process) = state.withLock {
            ($0.isClosed, !$0.taps.isEmpty, $0.process)
        }
        guard !isClosed else { return false }
        if isConnected { checkAges() } else { connect(process) }
        // A frame expires on time, not at the next check.
        let next = MonotonicClock().now + Self.interval
        let expiry = state.withLock { $0.lastFrameTime + $0.scene.maxAge }
        _ = state.wait(until: expiry > MonotonicClock().now ? min(next, expiry) : next) {
            $0.isClosed ? () : nil
        }
        return true
    }

    private func checkAges() {
        let isNew = state.withLock { state in
            let (before, now) = (state.scene, MonotonicClock().now)
            if now - state.lastStatusTime > Self.statusTimeout { state.scene.setUnresponsive() }
            state.scene.setAge(now - state.lastFrameTime)
            return state.scene != before
        }
        if isNew { changed() }
    }

    private func connect(_ process: Int32?) {
        do throws(ControlError) {
            guard let process = try Self.session(process) else { return }
            let session = state.withLock { state in
                state.session += 1
                state.lastStatusTime = MonotonicClock().now
                state.scene.connect()
                state.frame = nil
                // After this session has ended, any other session may be shown.
                state.process = nil
                return state.session
            }
            // The status is requested first, because it contains the rotation of the frames.
            let status = try RemoteTap(.status, process: process) { [weak self] in self?.receive($0, session)
            }
            let frames = try RemoteTap(
                .frames(role: role ?? "program", FrameRequest(), isPreview: true), process: process
            ) { [weak self] in self?.receive($0, session) }
            let isWanted = state.withLock { state in
                guard state.session == session, !state.isClosed else { return false }
                state.taps = [frames, status]
                return true
            }
            guard isWanted else {
                frames.close()
                return status.close()
            }
        } catch {
            // No session can be shown now. The search for a session continues.
            state.withLock { $0.scene.disconnect() }
        }
        changed()
    }

    /// Returns the requested session, otherwise the only running session; `nil` if no session or several
    /// sessions are running.
    private static func session(_ asked: Int32?) throws(ControlError) -> Int32? {
        if let asked { return asked }
        let processes = try ControlClient().processes()
        return processes.count == 1 ? processes[0] : nil
    }

    // MARK: Received content

    private func receive(_ piece: RemoteTap.Piece, _ session: Int) {
        switch piece {
        case .frame(let frame, _): receive(frame, session)
        case .status(let text): receive(status: text, session)
        case .refused(let sentence): update(session) { $0.scene.receiveRefusal(sentence) }
        case .end: endSession(session)
        case .audio, .metadata, .packet, .event, .events: break
        }
    }

    private func receive(_ frame: CapturedFrame, _ session: Int) {
        guard state.withLock({ $0.isVisible && $0.session == session }) else { return }
        switch frame.pixel {
        case .i420, .nv12, .yuyv, .uyvy, .bgra: storeFrame(frame, session)
        case .mjpeg:
            do throws(EncodingError) {
                storeFrame(try Codecs().convert(frame, to: .i420), session)
            } catch {
                // The camera's loss ledger counts the damaged frame. The next frame arrives soon.
            }
        case .h264, .i422, .grey, .converted:
            state.withLock { $0.taps.first }?.change(to: FrameRequest(.converted(.i420)))
        }
    }

    private func storeFrame(_ frame: CapturedFrame, _ session: Int) {
        update(session) { state in
            (state.frame, state.lastFrameTime) = (frame, MonotonicClock().now)
            state.scene.receiveFrame()
        }
    }

    private func receive(status text: String, _ session: Int) {
        let status: ControlStatus
        do {
            status = try JSONText.decoder().decode(ControlStatus.self, from: Data(text.utf8))
        } catch {
            // The status comes from another version of multicam. The frames can still be shown.
            return
        }
        let isNew = state.withLock { state in
            guard state.session == session else { return false }
            let before = state.scene
            state.lastStatusTime = MonotonicClock().now
            state.scene.apply(status)
            return state.scene != before
        }
        if isNew { changed() }
    }

    private func endSession(_ session: Int) {
        let taps = state.withLock { state -> [RemoteTap]? in
            guard state.session == session else { return nil }
            state.session += 1
            state.scene.disconnect()
            state.frame = nil
            defer { state.taps = [] }
            return state.taps
        }
        guard let taps else { return }
        for tap in taps { tap.close() }
        changed()
    }

    private func update(_ session: Int, _ body: (inout State) -> Void) {
        let isNew = state.withLock { state in
            guard state.session == session else { return false }
            body(&state)
            return true
        }
        if isNew { changed() }
    }
}

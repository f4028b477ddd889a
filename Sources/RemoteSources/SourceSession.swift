internal import FoundationEssentials
internal import MulticamMedia

/// A network camera or a screen. A separate thread connects to the source, and reconnects when the connection
/// fails.
final class SourceSession: Sendable {
    let request: SourceRequest
    private let address: SourceAddress
    private let socket: String
    private let tokenStore: PortalTokenStore
    private let reportHandler: @Sendable (SourceReport) -> Void
    private let latest: ConditionLock<SourceReport>
    private let cancellation = Cancellation()
    private let thread = ConditionLock<MediaThread?>(nil)
    private let hasEnded = ConditionLock(false)

    /// Delay before reconnecting after an error that requires user action.
    private static let refusedRetryDelay = Nanoseconds.seconds(20)
    /// Minimum duration of a connection that counts as successful and resets the retry delays.
    private static let minStableDuration = Nanoseconds.seconds(5)

    /// Creates a source that isn't connected yet.
    ///
    /// - Parameters:
    ///   - request: The requested streams.
    ///   - address: Address of the source.
    ///   - socket: Path of the media socket.
    ///   - tokenStore: Tokens issued by desktops for sharing a screen again without a dialog.
    ///   - reportHandler: Receives a report at each state change, on any thread.
    init(
        _ request: SourceRequest, _ address: SourceAddress, socket: String, tokenStore: PortalTokenStore,
        reportHandler: @escaping @Sendable (SourceReport) -> Void
    ) {
        (self.request, self.address, self.socket) = (request, address, socket)
        (self.tokenStore, self.reportHandler) = (tokenStore, reportHandler)
        latest = ConditionLock(SourceReport(source: request.name, state: .connecting))
    }

    /// Whether the user has ended the source, so that no reconnection is attempted.
    var isOver: Bool { hasEnded.withLock { $0 } }

    /// The latest state of the source.
    var report: SourceReport { latest.withLock { $0 } }

    /// Starts the source after the previous connection to the same camera has ended.
    func start(after former: SourceSession?) {
        thread.withLock { thread in
            thread = MediaThread.startWhenPossible(name: "source") { [self] in
                former?.thread.withLock { $0 }?.join()
                run()
            }
        }
    }

    /// Ends the connection. Returns immediately; the thread ends soon afterwards.
    func close() { cancellation.cancel() }

    private func run() {
        let clock = MonotonicClock()
        var backoff = Backoff(from: .milliseconds(300), to: .seconds(4))
        let output = SourceOutput(request, address, socket: socket) { [self] in updateState(.connected, $0) }
        let word = address.kind == .screen ? "screen" : "network"
        while !cancellation.isCancelled {
            let began = clock.now
            var pause: Nanoseconds
            do throws(SourceError) {
                try connect(output)
                return
            } catch let failure {
                // Without a token from the desktop, each retry would show another dialog to the user.
                if cancellation.isCancelled { break }
                let asksPerson = address.screen.map { needsPermissionDialog(for: $0) } ?? false
                let error = asksPerson ? failure.withoutFurtherTries : failure
                let isOver = if case .over = error { true } else { false }
                let isRefused = if case .lost = error { false } else { true }
                if clock.now - began > Self.minStableDuration { backoff.reset() }
                pause = backoff.next()
                if isRefused { pause = max(pause, Self.refusedRetryDelay) }
                output.disconnect(because: "\(error.outageWord(word)): \(error.description.trimmingFullStop)")
                hasEnded.withLock { $0 = isOver }
                updateState(isOver ? .ended : isRefused ? .refused : .waiting, error.description)
                if isOver { return }
            }
            _ = cancellation.wait(until: clock.now + pause)
        }
        output.disconnect(because: "\(word): the source is no longer used")
    }

    /// Delivers data until the connection ends. Returns normally only after cancellation.
    private func connect(_ output: SourceOutput) throws(SourceError) {
        switch address.kind {
        case .http:
            try MotionJPEGConnection(address, cancellation).run(into: output)
        case .screen:
            guard let screen = address.screen else { return }
            let seen = try openScreen(screen, output)
            try ScreenConnection(address, screen, seen, cancellation).run(into: output)
        case .rtsp, .srt, .rtmp:
            let stream = try LibraryStream(address, wantsAudio: request.audio, cancellation)
            try LibraryConnection(stream, address, request, cancellation).run(into: output)
        }
    }

    /// Whether the desktop shows a dialog each time it shares a screen.
    private func needsPermissionDialog(for screen: ScreenAddress) -> Bool {
        screen.isShared(ProcessInfo.processInfo.environment) && tokenStore.token(of: screen) == nil
    }

    /// Opens a screen: either an X11 screen or a screen that the desktop shares.
    private func openScreen(_ screen: ScreenAddress, _ output: SourceOutput) throws(SourceError) -> any Screen
    {
        guard screen.isShared(ProcessInfo.processInfo.environment) else {
            return try XScreen(address, screen, cancellation)
        }
        let shared: SharedScreen
        do throws(SourceError) {
            shared = try SharedScreen(address, screen, tokenStore, cancellation) { updateState(.asking, $0) }
        } catch .refused(let text) where output.cameraFormat != nil {
            // The desktop has shared this screen before, so its portal is probably restarting.
            throw .lost(text)
        }
        if shared.lacksCursor {
            output.remark =
                "The mouse pointer is not visible in the frames of \(address), because the desktop does not capture the pointer."
        }
        return shared
    }

    private func updateState(_ state: SourceReport.State, _ text: String? = nil) {
        let report = SourceReport(source: request.name, state: state, text: text)
        let isNew = latest.withLock { latest in
            defer { latest = report }
            return latest != report
        }
        if isNew { reportHandler(report) }
    }
}

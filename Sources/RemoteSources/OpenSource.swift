internal import FoundationEssentials
internal import Media

/// One network camera or screen: connects, and connects again, on a thread of its own.
final class OpenSource: Sendable {
    let request: SourceRequest
    private let address: SourceAddress
    private let socket: String
    private let memory: PortalMemory
    private let tell: @Sendable (SourceReport) -> Void
    private let latest: ConditionLock<SourceReport>
    private let cancellation = Cancellation()
    private let thread = ConditionLock<MediaThread?>(nil)
    private let hasEnded = ConditionLock(false)

    /// The pauses before further tries, in milliseconds; the last one stays.
    private static let pauses: [Int64] = [300, 700, 1000, 1000, 2000, 2000, 4000]
    /// The pause when nothing changes by itself.
    private static let longPause = Nanoseconds.seconds(20)
    /// A connection that delivers for so long was a good one.
    private static let soundLife = Nanoseconds.seconds(5)

    /// - Parameters:
    ///   - request: What is wanted.
    ///   - address: Where from.
    ///   - socket: Path of the media socket.
    ///   - memory: What desktops gave.
    ///   - tell: Gets a report at each change, on any thread.
    init(
        _ request: SourceRequest, _ address: SourceAddress, socket: String, memory: PortalMemory,
        tell: @escaping @Sendable (SourceReport) -> Void
    ) {
        (self.request, self.address, self.socket) = (request, address, socket)
        (self.memory, self.tell) = (memory, tell)
        latest = ConditionLock(SourceReport(source: request.name, state: .connecting))
    }

    /// Whether a person has ended it, so that it is not tried again.
    var isOver: Bool { hasEnded.withLock { $0 } }

    /// How it goes.
    var report: SourceReport { latest.withLock { $0 } }

    /// Begins, once another connection to the same camera is over.
    func start(after former: OpenSource?) {
        thread.withLock { thread in
            thread = MediaThread(name: "source") { [self] in
                former?.thread.withLock { $0 }?.join()
                run()
            }
        }
    }

    /// Ends the connection soon.
    func close() { cancellation.cancel() }

    private func run() {
        let clock = MonotonicClock()
        var tries = 0
        let output = SourceOutput(request, address, socket: socket) { [self] in note(.connected, $0) }
        let word = address.kind == .screen ? "screen" : "network"
        while !cancellation.isCancelled {
            let began = clock.now
            var pause: Nanoseconds
            do throws(SourceError) {
                try connect(output)
                return
            } catch let failure {
                // Without a word of the desktop's each further try would be another question to a person.
                if cancellation.isCancelled { break }
                let asksPerson = address.screen.map { needsPerson(for: $0) } ?? false
                let error = asksPerson ? failure.withoutFurtherTries : failure
                let isOver = if case .over = error { true } else { false }
                let isRefused = if case .lost = error { false } else { true }
                if clock.now - began > Self.soundLife { tries = 0 }
                pause = .milliseconds(Self.pauses[min(tries, Self.pauses.count - 1)])
                if isRefused { pause = max(pause, Self.longPause) }
                tries += 1
                output.leave(because: "\(word): \(error.description.trimmingFullStop)")
                hasEnded.withLock { $0 = isOver }
                note(isOver ? .ended : isRefused ? .refused : .waiting, error.description)
                if isOver { return }
            }
            _ = cancellation.wait(until: clock.now + pause)
        }
        output.leave(because: "\(word): it is no longer wanted")
    }

    /// Delivers until the connection ends. Returns only when nobody wants it any more.
    private func connect(_ output: SourceOutput) throws(SourceError) {
        switch address.kind {
        case .http:
            try MotionJPEGConnection(address, cancellation).run(into: output)
        case .screen:
            guard let screen = address.screen else { return }
            let seen = try see(screen, output)
            try ScreenConnection(address, screen, seen, cancellation).run(into: output)
        case .rtsp, .srt, .rtmp:
            let stream = try LibraryStream(address, wantsAudio: request.audio, cancellation)
            try LibraryConnection(stream, address, request, cancellation).run(into: output)
        }
    }

    /// Whether the desktop asks a person each time that it shares a screen.
    private func needsPerson(for screen: ScreenAddress) -> Bool {
        screen.isShared(ProcessInfo.processInfo.environment) && memory.token(of: screen) == nil
    }

    /// Finds a screen, of X11 or shared by the desktop.
    private func see(_ screen: ScreenAddress, _ output: SourceOutput) throws(SourceError) -> any Screen {
        guard screen.isShared(ProcessInfo.processInfo.environment) else {
            return try XScreen(address, screen, cancellation)
        }
        let shared: SharedScreen
        do throws(SourceError) {
            shared = try SharedScreen(address, screen, memory, cancellation) { note(.asking, $0) }
        } catch .refused(let text) where output.cameraFormat != nil {
            // The desktop has shared it before: its portal is starting anew.
            throw .lost(text)
        }
        if shared.lacksCursor {
            output.remark = "The desktop does not put the mouse pointer into the frames of \(address)."
        }
        return shared
    }

    private func note(_ state: SourceReport.State, _ text: String? = nil) {
        let report = SourceReport(source: request.name, state: state, text: text)
        let isNew = latest.withLock { latest in
            defer { latest = report }
            return latest != report
        }
        if isNew { tell(report) }
    }
}

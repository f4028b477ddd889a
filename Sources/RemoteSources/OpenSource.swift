internal import Media

/// One network camera or screen: connects, and connects again, on a thread of its own.
final class OpenSource: Sendable {
    let request: SourceRequest
    private let address: SourceAddress
    private let socket: String
    private let tell: @Sendable (SourceReport) -> Void
    private let latest: ConditionLock<SourceReport>
    private let cancellation = Cancellation()
    private let thread = ConditionLock<MediaThread?>(nil)

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
    ///   - tell: Gets a report at each change, on any thread.
    init(
        _ request: SourceRequest, _ address: SourceAddress, socket: String,
        tell: @escaping @Sendable (SourceReport) -> Void
    ) {
        (self.request, self.address, self.socket, self.tell) = (request, address, socket, tell)
        latest = ConditionLock(SourceReport(source: request.name, state: .connecting))
    }

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
            } catch {
                let isRefused = if case .refused = error { true } else { false }
                if clock.now - began > Self.soundLife { tries = 0 }
                pause = .milliseconds(Self.pauses[min(tries, Self.pauses.count - 1)])
                if isRefused { pause = max(pause, Self.longPause) }
                tries += 1
                output.leave(because: "\(word): \(error.description.trimmingFullStop)")
                note(isRefused ? .refused : .waiting, error.description)
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
            try ScreenConnection(address, screen, cancellation).run(into: output)
        case .rtsp, .srt, .rtmp:
            let stream = try LibraryStream(address, wantsAudio: request.audio, cancellation)
            try LibraryConnection(stream, address, request, cancellation).run(into: output)
        }
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

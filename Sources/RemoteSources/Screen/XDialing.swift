internal import CXCB
internal import Media

/// Connects to X servers with a deadline, which XCB has not: one that takes a connection and says nothing holds up a thread of its own, and
/// nobody else. Safe to use from any thread.
enum XDialing {
    /// XCB's connection, which its taker owns: without an error it is one with the server.
    struct Line: @unchecked Sendable {
        let handle: OpaquePointer
        /// The number of the screen that the display's name has.
        let screen: Int32
    }

    /// What a thread tells when its server has answered.
    private enum Answer: Sendable {
        case line(Line)
        case noMemory
    }

    /// Displays that are being connected to, one thread each, however often that is tried.
    private static let dialled = ConditionLock<[String: Answer?]>([:])

    /// Connects to a display. Blocks until the deadline at most.
    ///
    /// - Parameters:
    ///   - name: The display as X11 names it.
    ///   - deadline: How long its server may take to answer.
    ///   - address: The screen, for sentences.
    /// - Returns: The connection; whether it has an error is the caller's to see.
    /// - Throws: `SourceError.lost` when there is no answer in time, or no memory.
    static func connect(
        to name: String, until deadline: ClockTime, _ address: SourceAddress
    ) throws(SourceError) -> Line {
        dialled.withLock { dialled in
            // An answer that came too late for a former try is for this one.
            guard dialled[name] == nil else { return }
            dial(name, &dialled)
        }
        let answer = dialled.wait(until: deadline) { dialled -> Answer? in
            guard let known = dialled[name] else {
                // Another source has taken it.
                dial(name, &dialled)
                return nil
            }
            guard let answer = known else { return nil }
            dialled[name] = nil
            return answer
        }
        switch answer {
        case .line(let line): return line
        case .noMemory: throw .lost("no memory is left for \(address).")
        case nil: throw .lost("the display of \(address) does not answer.")
        }
    }

    private static func dial(_ name: String, _ dialled: inout [String: Answer?]) {
        dialled.updateValue(nil, forKey: name)
        _ = MediaThread(name: "screen:dial") {
            var screen: Int32 = 0
            let handle = xcb_connect(name, &screen)
            let answer = handle.map { Answer.line(Line(handle: $0, screen: screen)) } ?? .noMemory
            Self.dialled.broadcast { _ = $0.updateValue(answer, forKey: name) }
        }
    }
}

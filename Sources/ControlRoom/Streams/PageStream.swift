internal import FoundationEssentials
internal import Media

/// One stream of one page: numbers its pieces, and holds back what a slow page would only pile up. A value of the web loop.
struct PageStream {
    /// The page's number of it.
    let number: UInt16
    let key: StreamKey
    private var sequence: UInt32 = 0
    private var seen: UInt32 = 0
    private var waitsForKey: Bool
    private var setup: StreamSetup?

    init(_ number: UInt16, _ key: StreamKey) {
        (self.number, self.key) = (number, key)
        waitsForKey = key == .packets
    }

    /// Whether nothing has been sent yet.
    var isNew: Bool { sequence == 0 }

    /// The page has drawn a piece, or dropped it.
    mutating func note(seen sequence: UInt32) {
        if sequence <= self.sequence { seen = max(seen, sequence) }
    }

    /// What to send of a piece.
    ///
    /// - Parameters:
    ///   - piece: The piece.
    ///   - current: The setup that the source told last.
    ///   - start: T0 on CLOCK_MONOTONIC in nanoseconds, of packets, whose times count from there.
    /// - Returns: A message that must go before it, and the piece as a message; both `nil` when the page is behind.
    mutating func messages(
        for piece: StreamPiece, _ current: StreamSetup?, start: Int64?
    ) -> (setup: String?, bytes: Data)? {
        guard sequence - seen < key.window else {
            waitsForKey = key == .packets
            return nil
        }
        if waitsForKey {
            guard piece.isKey else { return nil }
            waitsForKey = false
        }
        var text: String?
        if let current, current != setup {
            setup = current
            var told = current
            told.stream = number
            text = WebJSON.text(told)
        }
        sequence += 1
        let time = key == .packets ? piece.time.addingReportingOverflow(start ?? 0).partialValue : piece.time
        return (text, piece.message(stream: number, sequence: sequence, time: time))
    }
}

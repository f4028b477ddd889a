package import Media

/// Keeps the metadata of each frame that a camera delivered or lost, until the timeline takes it.
package struct FrameLog {
    /// The metadata of one frame, or of frames that were lost in a row; all times are on the session's clock.
    package struct Entry: Sendable {
        package let sequence: Int64?
        package let capturedAt: ClockTime
        package var stamp: ClockTime?
        package var arrival: ClockTime?
        package var cause: LossCause?
        package var count = 1
        package var headerClock: UVCHeaderClock?

        package init(
            sequence: Int64?, capturedAt: ClockTime, stamp: ClockTime? = nil, arrival: ClockTime? = nil,
            cause: LossCause? = nil, count: Int = 1, headerClock: UVCHeaderClock? = nil
        ) {
            self.sequence = sequence
            self.capturedAt = capturedAt
            self.stamp = stamp
            self.arrival = arrival
            self.cause = cause
            self.count = count
            self.headerClock = headerClock
        }
    }

    /// Whether anybody wants the metadata; while nobody does, none is kept.
    var isKept = false
    private var entries: [Entry] = []
    private var leftOut = 0
    /// Sequence number of the next frame, if none is lost.
    private var next: Int64?
    private var remarks: [(at: ClockTime, text: String)] = []

    /// Most entries that are kept, about 17 s of a camera at 60 frames a second: a timeline is never so far behind.
    /// Before the recording begins nobody takes them, and the oldest are dropped.
    private static let capacity = 1024

    /// Adds a frame that came.
    ///
    /// - Parameters:
    ///   - frame: The frame, with its sequence number, stamp and header clock.
    ///   - time: Its capture time by the clock model.
    ///   - arrival: When the driver delivered it.
    ///   - cause: Why it is not in the recording, or `nil` when it is.
    mutating func came(
        _ frame: CapturedFrame, at time: ClockTime, arrival: ClockTime, lost cause: LossCause? = nil
    ) {
        next = frame.sequence + 1
        add(
            Entry(
                sequence: frame.sequence, capturedAt: time, stamp: frame.capturedAt, arrival: arrival,
                cause: cause, headerClock: frame.headerClock))
    }

    /// Adds frames that never came. With `isCounted` the device counted them, directly after the last frame that is
    /// known.
    mutating func missed(_ count: Int, _ cause: LossCause, at time: ClockTime, isCounted: Bool) {
        let sequence = isCounted ? next : nil
        if let sequence { next = sequence + Int64(count) }
        add(Entry(sequence: sequence, capturedAt: time, cause: cause, count: count))
    }

    /// Adds a remark on the metadata for people.
    mutating func remark(_ text: String, at time: ClockTime) {
        if isKept { remarks.append((time, text)) }
    }

    /// Takes all entries since the last call, in order, the number of entries that were dropped, and the remarks.
    mutating func take() -> (entries: [Entry], leftOut: Int, remarks: [(at: ClockTime, text: String)]) {
        defer {
            entries.removeAll(keepingCapacity: true)
            remarks = []
            leftOut = 0
        }
        return (entries, leftOut, remarks)
    }

    private mutating func add(_ entry: Entry) {
        guard isKept else { return }
        if entries.count >= Self.capacity {
            entries.removeFirst()
            leftOut += 1
        }
        entries.append(entry)
    }
}

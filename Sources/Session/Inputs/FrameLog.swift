internal import Media

/// Keeps what is known of each frame that a camera delivered or lost, until the timeline takes it.
struct FrameLog {
    /// A frame, or some that were lost in a row, in the session clock's time.
    struct Entry: Sendable {
        let sequence: Int64?
        let capturedAt: ClockTime
        var stamp: ClockTime?
        var arrival: ClockTime?
        var cause: LossCause?
        var count = 1
        var headerClock: UVCHeaderClock?
    }

    /// Whether anybody wants it.
    private let isKept: Bool
    private var entries: [Entry] = []
    private var leftOut = 0
    /// The number of the frame that would be the next.
    private var next: Int64?
    private var remarks: [(at: ClockTime, text: String)] = []

    /// About 17 s of a camera at 60 frames a second: more than a timeline is ever behind. Before the recording begins
    /// nobody takes them, and the oldest go.
    private static let capacity = 1024

    init(isKept: Bool) {
        self.isKept = isKept
    }

    /// - Parameters:
    ///   - frame: With its number, stamp and header clock.
    ///   - time: When it was captured, by the clock model.
    ///   - arrival: When the driver gave it to us.
    ///   - cause: Why it is not in the recording, if so.
    mutating func came(
        _ frame: CapturedFrame, at time: ClockTime, arrival: ClockTime, lost cause: LossCause? = nil
    ) {
        next = frame.sequence + 1
        add(
            Entry(
                sequence: frame.sequence, capturedAt: time, stamp: frame.capturedAt, arrival: arrival,
                cause: cause, headerClock: frame.headerClock))
    }

    /// Frames that never came. `isCounted` where the device counted them, right after the last that is known.
    mutating func missed(_ count: Int, _ cause: LossCause, at time: ClockTime, isCounted: Bool) {
        let sequence = isCounted ? next : nil
        if let sequence { next = sequence + Int64(count) }
        add(Entry(sequence: sequence, capturedAt: time, cause: cause, count: count))
    }

    /// What a person should know of the metadata.
    mutating func remark(_ text: String, at time: ClockTime) {
        if isKept { remarks.append((time, text)) }
    }

    /// Everything since the last call, in order, and how many entries found no room.
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

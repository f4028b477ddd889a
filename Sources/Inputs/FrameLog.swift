package import MulticamMedia

/// Queues the metadata of all frames that a camera delivered or lost, until the timeline removes the entries.
package struct FrameLog {
    /// Metadata of one frame, or of consecutive lost frames. All times are on the session's clock.
    package struct Entry: Sendable {
        package let sequence: Int64?
        package let capturedAt: ClockTime
        package var stamp: ClockTime?
        package var arrival: ClockTime?
        package var cause: LossCause?
        package var count = 1
        package var headerClock: UVCHeaderClock?
        /// Faces and codes in the frame. An entry with an analysis follows the entry of its frame.
        package var analysis: FrameAnalysis?

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

    /// Whether any consumer needs the metadata. Metadata isn't stored if no consumer needs it.
    var isEnabled = false
    private var entries: [Entry] = []
    private var leftOut = 0
    /// Expected sequence number of the next frame.
    private var next: Int64?
    private var remarks: [(at: ClockTime, text: String)] = []

    /// Maximum number of queued entries, which is about 17 s for a camera at 60 frames per second. The
    /// timeline is never that late during a recording. Before a recording starts, entries aren't removed, and
    /// the oldest entries are dropped.
    private static let capacity = 1024

    /// Adds an entry for a received frame.
    ///
    /// - Parameters:
    ///   - frame: The frame, with its sequence number, timestamp, and packet header clock.
    ///   - time: Capture time according to the clock model.
    ///   - arrival: Time at which the driver delivered the frame.
    ///   - cause: The reason why the frame isn't in the recording; `nil` if it is in the recording.
    mutating func recordFrame(
        _ frame: CapturedFrame, at time: ClockTime, arrival: ClockTime, lost cause: LossCause? = nil
    ) {
        next = frame.sequence + 1
        add(
            Entry(
                sequence: frame.sequence, capturedAt: time, stamp: frame.capturedAt, arrival: arrival,
                cause: cause, headerClock: frame.headerClock))
    }

    /// Adds an entry for frames that never arrived. If `isCounted` is true, the device itself counted these
    /// frames, and they directly follow the last known frame.
    mutating func recordLoss(_ count: Int, _ cause: LossCause, at time: ClockTime, isCounted: Bool) {
        let sequence = isCounted ? next : nil
        if let sequence { next = sequence + Int64(count) }
        add(Entry(sequence: sequence, capturedAt: time, cause: cause, count: count))
    }

    /// Adds the analysis of a frame that was received earlier.
    mutating func record(_ analysis: FrameAnalysis, of sequence: Int64?, capturedAt time: ClockTime) {
        var entry = Entry(sequence: sequence, capturedAt: time)
        entry.analysis = analysis
        add(entry)
    }

    /// Adds a user-readable remark about the metadata.
    mutating func addRemark(_ text: String, at time: ClockTime) {
        if isEnabled { remarks.append((time, text)) }
    }

    /// Removes and returns all entries since the last call, in order. The result also contains the number of
    /// dropped entries and the remarks.
    mutating func drain() -> (entries: [Entry], leftOut: Int, remarks: [(at: ClockTime, text: String)]) {
        defer {
            entries.removeAll(keepingCapacity: true)
            remarks = []
            leftOut = 0
        }
        return (entries, leftOut, remarks)
    }

    private mutating func add(_ entry: Entry) {
        guard isEnabled else { return }
        if entries.count >= Self.capacity {
            entries.removeFirst()
            leftOut += 1
        }
        entries.append(entry)
    }
}

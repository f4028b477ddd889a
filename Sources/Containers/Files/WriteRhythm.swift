package import Media

/// When a file writes next, seen from the packets that come for it: after how much more of them, and how long each is.
///
/// Whoever hands packets to the file's thread may gather as many as that; it is then woken once for each write.
package struct WriteRhythm: Sendable, Equatable {
    /// How much more has to come before the file writes.
    let missing: Nanoseconds
    /// Duration of one packet.
    let step: Nanoseconds
    /// Whether nothing but these packets comes for the file, so that they can be counted.
    let isAlone: Bool

    private var count: Int64 {
        // Durations are rounded: where a sixteenth of a packet is missing, none is.
        step > .zero ? max(1, (missing.count - step.count / 16 - 1) / step.count + 1) : 1
    }

    /// How many packets complete the write, at least 1; `nil` where others come with them.
    package var packets: Int? { isAlone ? Int(clamping: count) : nil }

    /// How long packets may be gathered, from the first one's arrival: until the packet that completes the write comes, less half a
    /// packet's duration, since packets come a little early or late. Zero where the next one completes it.
    package var gatheringTime: Nanoseconds {
        max(.zero, Nanoseconds(step.count * (count - 1) - step.count / 2))
    }
}

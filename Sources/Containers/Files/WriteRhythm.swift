package import Media

/// When a file writes next, seen from the packets that come for it: after how much more of them, and how long each is.
///
/// Whoever hands packets to the file's thread may gather as many as that; it is then woken once for each write.
package struct WriteRhythm: Sendable, Equatable {
    /// How much more has to come before the file writes.
    let missing: Nanoseconds
    /// Duration of one packet.
    let step: Nanoseconds

    /// How long packets may be gathered, from the first one's arrival: until the packet that completes the write comes, less half a
    /// packet's duration, since packets come a little early or late. Zero where the next one completes it.
    package var gatheringTime: Nanoseconds {
        guard step > .zero else { return .zero }
        // Durations are rounded: where a sixteenth of a packet is missing, none is.
        let packets = (missing.count - step.count / 16 - 1) / step.count + 1
        return max(.zero, Nanoseconds(step.count * (packets - 1) - step.count / 2))
    }
}

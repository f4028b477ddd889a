import MulticamMedia
import MulticamSessionFolder
import MulticamTiming

/// Tests the events of an interrupted recording, as read by `recover`.
final class EventLines: FuzzTarget {
    static let name = "events"
    static let limit = 4096

    init(folder: String) {}

    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        let events = RecordedEvents(bytes)
        try require(
            (0...bytes.count).contains(events.validByteCount),
            "\(events.validByteCount) bytes are whole lines")
        let end = MediaTime(nanoseconds: 10_000_000_000)
        for gap in events.gaps(until: end) {
            try require(
                gap.from >= MediaTime(nanoseconds: 0) && gap.from < gap.to && gap.to <= end,
                "a gap from \(gap.from) to \(gap.to)")
        }
        for track in ["desk", "program", "host"] {
            try require(events.lost(of: track).values.allSatisfy { $0 > 0 }, "less than nothing was lost")
        }
        try require(events.markers.allSatisfy { $0.at_ns >= 0 }, "a marker before the beginning")
        _ = events.governor
        _ = events.start(ofPart: "cameras/desk-2.mov")
        // Reading only the complete lines gives the same result.
        let again = RecordedEvents(Array(bytes.prefix(events.validByteCount)))
        try require(again.events == events.events, "what follows the last whole line changes the lines")
    }
}

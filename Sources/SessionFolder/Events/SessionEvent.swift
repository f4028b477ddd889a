internal import Foundation
public import Media

/// Something that happened in a session and that a person or a program may want to know.
public struct SessionEvent: Sendable, Equatable {
    public enum Name: String, Sendable, Codable {
        case standby, started, reduced, mark, still, split, `switch`, drop, unplug, replug, clock, governor,
            pressure,
            silence, clipping, encoder,
            warning, paused, finished, recovered
    }

    public let name: Name
    /// Since T0; negative before it. While nothing is recorded, since the last `standby`.
    public let at: MediaTime
    /// What else there is to say, by name.
    public let fields: [String: JSONValue]

    public init(_ name: Name, at: MediaTime, _ fields: [String: JSONValue] = [:]) {
        self.name = name
        self.at = at
        self.fields = fields
    }

    /// One line of NDJSON: `event` and `at_ns` with the event's fields, in alphabetical order.
    public func line() -> String {
        var object = fields
        object["event"] = .string(name.rawValue)
        object["at_ns"] = .integer(at.nanoseconds)
        return JSONText.line(JSONValue.object(object))
    }
}

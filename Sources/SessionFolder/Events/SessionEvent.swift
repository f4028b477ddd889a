internal import FoundationEssentials
public import Media

/// An event of a session that a person or a program may want to know: a line of `events.ndjson`.
public struct SessionEvent: Sendable, Equatable {
    /// Kind of an event, as the field `event` names it. `docs/reference/events.md` explains each.
    public enum Name: String, Sendable, Codable {
        case standby, started, reduced, mark, still, split, `switch`, drop, unplug, replug, clock, governor,
            pressure,
            silence, clipping, encoder, publication,
            warning, paused, finished, recovered
    }

    /// Kind of the event.
    public let name: Name
    /// Time of the event since T0, negative before T0. On standby it counts from the last `standby` event.
    public let at: MediaTime
    /// The other fields of the event, by name.
    public let fields: [String: JSONValue]

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - name: Kind of the event.
    ///   - at: Time since T0, or on standby since the last `standby` event.
    ///   - fields: The other fields of the event, by name.
    public init(_ name: Name, at: MediaTime, _ fields: [String: JSONValue] = [:]) {
        self.name = name
        self.at = at
        self.fields = fields
    }

    /// Encodes the event as one line of NDJSON without a line break: `event`, `at_ns` and the event's fields, in alphabetical
    /// order.
    public func line() -> String {
        var object = fields
        object["event"] = .string(name.rawValue)
        object["at_ns"] = .integer(at.nanoseconds)
        return JSONText.line(JSONValue.object(object))
    }
}

import Foundation
import MulticamMedia
import MulticamMonitoring
import Testing

@testable import MulticamSessionFolder

@Suite("Session events")
struct SessionEventTests {
    @Test(
        "every event is read as it was written, with the documented fields",
        arguments: SessionEvent.Name.allCases)
    func roundTrip(name: SessionEvent.Name) throws {
        let event = SessionEvent(try EventReference.sample(of: name), at: MediaTime(nanoseconds: 5))
        let line = event.line()
        #expect(event.name == name && RecordedEvents(Array((line + "\n").utf8)).events == [event])
        let object = try JSONDecoder().decode([String: JSONValue].self, from: Data(line.utf8))
        let fields = EventReference.fields(of: name.payload).map(\.name)
        #expect(Set(object.keys) == Set(fields + ["event", "at_ns"]))
        #expect(object["event"] == .string(name.rawValue) && object["at_ns"] == 5)
    }

    @Test("optional fields are omitted, and digital silence has the level null")
    func optional() {
        let drop = SessionEvent.Drop(track: "desk", cause: "bus", count: 2)
        #expect(
            SessionEvent(.drop(drop), at: MediaTime(nanoseconds: -1)).line()
                == #"{"at_ns":-1,"cause":"bus","count":2,"event":"drop","track":"desk"}"#)
        let silence = SessionEvent.Silence(
            track: "host", alarm: .noSignal, state: .begins, level_dbfs: SessionEvent.Level(nil), seconds: 2,
            text: "x")
        #expect(SessionEvent(.silence(silence), at: .zero).line().contains(#""level_dbfs":null"#))
    }

    @Test("the reference lists the fields of an event, and which are optional")
    func reference() throws {
        let rows = Dictionary(uniqueKeysWithValues: EventReference.rows.map { ($0[0], $0[2]) })
        #expect(rows["`started`"] == "`t0_monotonic_ns`; optional: `folder`")
        #expect(rows["`standby`"] == "")
        #expect(rows["`recovered`"] == "`tracks` (each `track`, `text`)")
        #expect(rows["`clock`"]?.hasPrefix("`track`, `state` (`locked`, `lost`, `restarted`), `ppm`") == true)
        let schemas = try #require(EventReference.schema["oneOf"]?.array)
        let started = try #require(schemas.first { $0["properties"]?["event"]?["const"] == "started" })
        #expect(started["required"] == .array(["at_ns", "event", "t0_monotonic_ns"]))
        #expect(started["properties"]?["folder"] == .object(["type": "string"]))
    }
}

import MulticamSessionFolder
import Testing

@testable import MulticamControlRoom

@Suite("Status updates to pages")
struct StatusTrackerTests {
    @Test("sends only changed fields, with the time")
    func changes() throws {
        var board = StatusTracker()
        let told1 = board.update(#"{"state":"standby","time_ns":1,"given_up":[],"cost":{"hardware":0.5}}"#)
        let first = try #require(told1)
        #expect(Set(first.keys) == ["state", "time_ns", "given_up", "cost"])
        let same = board.update(#"{"state":"standby","time_ns":2,"given_up":[],"cost":{"hardware":0.5}}"#)
        #expect(same == nil)
        let told2 = board.update(#"{"state":"standby","time_ns":3,"given_up":["x"],"cost":{"hardware":0.5}}"#)
        let next = try #require(told2)
        #expect(Set(next.keys) == ["given_up", "time_ns"])
    }

    @Test("sends a removed field as null")
    func gone() throws {
        var board = StatusTracker()
        _ = board.update(#"{"state":"recording","folder":"/x","time_ns":1}"#)
        let told3 = board.update(#"{"state":"standby","time_ns":2}"#)
        let next = try #require(told3)
        #expect(next["folder"] == .null)
        #expect(next["state"] == "standby")
    }

    @Test("sends the time by itself only once per ten statuses")
    func time() {
        var board = StatusTracker()
        let told = (0..<31).filter { board.update(#"{"state":"recording","time_ns":\#($0)}"#) != nil }
        #expect(told == [0, 10, 20, 30])
    }

    @Test("ignores text that is not a JSON object", arguments: ["", "[]", "nonsense", "{", "7"])
    func rubbish(text: String) {
        var board = StatusTracker()
        let told = board.update(text)
        #expect(told == nil)
        #expect(board.fields.isEmpty)
    }

    @Test(
        "marks cameras in the tally as main, inset, or off, according to the last composed frame",
        arguments: [
            (#""layout":"pip","shown":["b","a"]"#, ["a": "inset", "b": "main", "c": "off"]),
            // A cut was requested but is not on air yet.
            (
                #""layout":"pip","shown":["c","b"],"on_air":["b","a"]"#,
                ["a": "inset", "b": "main", "c": "off"]
            ),
            (#""layout":"side-by-side","shown":["b","a"]"#, ["a": "main", "b": "main", "c": "off"]),
            (#""layout":"pip","shown":["b"],"on_air":[]"#, ["a": "off", "b": "off", "c": "off"]),
        ])
    func tally(program: String, cameras: [String: String]) throws {
        var board = StatusTracker()
        _ = board.update(
            #"{"state":"recording","cameras":[{"role":"a"},{"role":"b"},{"role":"c"}],"program":{\#(program),"mix":[]}}"#
        )
        let tally = try #require(WebJSON.object(board.tally))
        #expect(tally["cameras"] == .object(cameras.mapValues { .string($0) }))
        #expect(!board.hasMix)
    }
}

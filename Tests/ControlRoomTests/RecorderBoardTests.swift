import SessionFolder
import Testing

@testable import ControlRoom

@Suite("What a page is told of the recorder when it opens")
struct RecorderBoardTests {
    private func types(_ board: RecorderBoard) -> [String] {
        board.greeting.compactMap { $0["type"]?.string }
    }

    private func events(_ board: RecorderBoard) -> [Int64]? {
        let message = board.greeting.first { $0["type"] == "events" }
        return message?["events"]?.array?.compactMap { $0["at_ns"]?.integer }
    }

    @Test("first hello, then whether a recorder is there, its status, and the events of its recording so far")
    func greeting() {
        let board = RecorderBoard()
        #expect(types(board) == ["hello", "recorder"])
        #expect(board.greeting[1]["there"] == false)
        board.come()
        _ = board.take(status: #"{"state":"recording","time_ns":1}"#)
        // A recorder tells its events soon after; until then there are none to be told.
        #expect(types(board) == ["hello", "recorder", "state"])
        let told = board.take(events: [
            #"{"event":"started","at_ns":0}"#, "nonsense", #"{"event":"mark","at_ns":5}"#,
        ])
        #expect(told["events"]?.array?.count == 2)
        #expect(types(board) == ["hello", "recorder", "state", "events"])
        #expect(board.take(event: #"{"event":"mark","at_ns":7}"#)?["type"] == "event")
        #expect(events(board) == [0, 5, 7])
        #expect(board.take(event: "nonsense") == nil)
    }

    @Test("the events are those of one recording, at most the last 500")
    func recordings() {
        let board = RecorderBoard()
        board.come()
        _ = board.take(events: [])
        for number in 1...600 { _ = board.take(event: #"{"event":"mark","at_ns":\#(number)}"#) }
        #expect(events(board) == Array(101...600))
        _ = board.take(event: #"{"event":"started","at_ns":0}"#)
        #expect(events(board) == [0])
        board.leave()
        #expect(types(board) == ["hello", "recorder"])
    }

    @Test("a recorder that is away is named with the reason, until another one comes")
    func absence() {
        let board = RecorderBoard()
        board.explain("The recorder has ended.")
        #expect(board.presence["text"] == "The recorder has ended.")
        #expect(board.nobody.status == 503)
        board.come()
        #expect(board.presence["text"] == nil)
        #expect(board.presence["there"] == true)
    }

    @Test("a status that changes the phase says so, since the program's stream changes with it")
    func phases() throws {
        let board = RecorderBoard()
        let first = try #require(board.take(status: #"{"state":"standby","time_ns":1}"#))
        #expect(first.isOtherPhase && first.message["type"] == "state")
        #expect(board.take(status: #"{"state":"standby","time_ns":2}"#) == nil)
        let change = try #require(board.take(status: #"{"state":"recording","time_ns":3}"#))
        #expect(change.isOtherPhase && change.message["type"] == "change" && board.isRecording)
    }
}

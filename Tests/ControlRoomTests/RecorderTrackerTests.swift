import MulticamSessionFolder
import Testing

@testable import MulticamControlRoom

@Suite("Initial recorder messages to a page")
struct RecorderTrackerTests {
    private func types(_ board: RecorderTracker) -> [String] {
        board.initialMessages.compactMap { $0["type"]?.string }
    }

    private func events(_ board: RecorderTracker) -> [Int64]? {
        let message = board.initialMessages.first { $0["type"] == "events" }
        return message?["events"]?.array?.compactMap { $0["at_ns"]?.integer }
    }

    @Test("sends hello, the recorder's presence, its status, and the events of its recording")
    func greeting() {
        let board = RecorderTracker()
        #expect(types(board) == ["hello", "recorder"])
        #expect(board.initialMessages[1]["there"] == false)
        board.recorderConnected()
        _ = board.update(status: #"{"state":"recording","time_ns":1}"#)
        // A recorder sends its events shortly after its status. Until then, the greeting omits them.
        #expect(types(board) == ["hello", "recorder", "state"])
        let told = board.replaceEvents(with: [
            #"{"event":"started","at_ns":0}"#, "nonsense", #"{"event":"mark","at_ns":5}"#,
        ])
        #expect(told["events"]?.array?.count == 2)
        #expect(types(board) == ["hello", "recorder", "state", "events"])
        #expect(board.append(event: #"{"event":"mark","at_ns":7}"#)?["type"] == "event")
        #expect(events(board) == [0, 5, 7])
        #expect(board.append(event: "nonsense") == nil)
    }

    @Test("keeps the last 500 events of the current recording")
    func recordings() {
        let board = RecorderTracker()
        board.recorderConnected()
        _ = board.replaceEvents(with: [])
        for number in 1...600 { _ = board.append(event: #"{"event":"mark","at_ns":\#(number)}"#) }
        #expect(events(board) == Array(101...600))
        _ = board.append(event: #"{"event":"started","at_ns":0}"#)
        #expect(events(board) == [0])
        board.recorderDisconnected()
        #expect(types(board) == ["hello", "recorder"])
    }

    @Test("reports the reason for a missing recorder until another one connects")
    func absence() {
        let board = RecorderTracker()
        board.setAbsenceReason("The recorder has ended.")
        #expect(board.presence["text"] == "The recorder has ended.")
        #expect(board.notRunningResponse.status == 503)
        board.recorderConnected()
        #expect(board.presence["text"] == nil)
        #expect(board.presence["there"] == true)
    }

    @Test("marks a status that changes the phase, because the program's stream changes with it")
    func phases() throws {
        let board = RecorderTracker()
        let first = try #require(board.update(status: #"{"state":"standby","time_ns":1}"#))
        #expect(first.isOtherPhase && first.message["type"] == "state")
        #expect(board.update(status: #"{"state":"standby","time_ns":2}"#) == nil)
        let change = try #require(board.update(status: #"{"state":"recording","time_ns":3}"#))
        #expect(change.isOtherPhase && change.message["type"] == "change" && board.isRecording)
    }
}

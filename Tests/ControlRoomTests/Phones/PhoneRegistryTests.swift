import Foundation
import MulticamControl
import MulticamMedia
import MulticamSessionFolder
import Testing

@testable import MulticamControlRoom
@testable import MulticamStudio

@Suite("Admission of phones")
struct PhoneRegistryTests {
    /// The messages sent to a phone, and the state of its connection.
    private final class SentMessages {
        var texts: [String] = []
        var isClosed = false
        func contains(_ word: String) -> Bool { texts.contains { $0.contains(word) } }
    }

    /// A registry whose supervisor is simulated by the test.
    private final class RegistryFixture {
        var lines: [SupervisorMessage] = []
        var uploads: PhoneUploads?
        var registry: PhoneRegistry?

        init(awaitsStatus: Bool = false) {
            let uploads = PhoneUploads { [unowned self] in lines.append($0) }
            self.uploads = uploads
            let recorder = PhoneSource.RecorderAccess(process: { nil }) { _ throws(ControlError) in
                throw .notRunning("No session runs.")
            }
            registry = PhoneRegistry(recorder, uploads, awaitsStatus: awaitsStatus) { _, _ in }
        }

        deinit { registry?.close() }

        /// Connects a phone with a synchronized clock and sends its offer.
        func connect(_ name: String, key: String) throws -> (PhoneConnection, SentMessages) {
            let told = SentMessages()
            let board = try #require(registry)
            let link = board.admit(
                PhoneConnection.Transport(
                    send: { told.texts.append($0) }, close: { told.isClosed = true },
                    disconnect: { told.isClosed = true }, endIfStalled: { _ in }))
            var now = MonotonicClock().now
            for id in 1...5 {
                link.queryClock(at: now)
                now = now + .milliseconds(200)
                board.handle(
                    link.handle(text: #"{"type":"pong","id":\#(id),"at_us":1}"#, at: now), from: link)
            }
            let offer =
                #"{"type":"offer","name":"\#(name)","key":"\#(key)","dated":"arrival","video":{"codec":"h264","width":640,"height":360,"rate":30}}"#
            board.handle(link.handle(text: offer, at: now), from: link)
            return (link, told)
        }

        func sendStatus(recording: String?, isProgramPaused: Bool = false) {
            registry?.update(
                state: recording == nil ? "standby" : "recording", cameras: ["phone:anna": ("guest", "off")],
                isProgramPaused: isProgramPaused, recording: recording)
        }

        /// Answers the pending claim of a recording.
        func answer(_ status: Int, _ text: String = "{}") throws {
            let ticket = try #require(lines.last?.order?.ticket)
            #expect(lines.last?.order?.task == .claim)
            #expect(
                uploads?.handle(SupervisorMessage.Result(ticket: ticket, status: status, output: text))
                    == true)
        }
    }

    private static let key = String(repeating: "k", count: 32)
    private static let other = String(repeating: "x", count: 32)

    @Test(
        "a phone that connects on standby is admitted, and claims the recording once one starts"
    )
    func standby() throws {
        let stage = RegistryFixture()
        stage.sendStatus(recording: nil)
        let (_, told) = try stage.connect("anna", key: Self.key)
        #expect(told.contains("welcome") && stage.lines.isEmpty)
        stage.sendStatus(recording: "talk")
        let order = try #require(stage.lines.last?.order)
        #expect(order.task == .claim && order.name == "talk" && order.phone?.device == "phone:anna")
        #expect(
            order.phone?.key.count == 64 && order.phone?.key.contains("k") == false, "a hash, not the key")
        try stage.answer(200)
        stage.sendStatus(recording: "talk")
        #expect(stage.lines.count == 1, "asked once per recording")
        stage.sendStatus(recording: nil)
        stage.sendStatus(recording: "next")
        #expect(stage.lines.last?.order?.name == "next")
    }

    @Test("a phone is notified when the program is paused")
    func pausedProgram() throws {
        let stage = RegistryFixture()
        stage.sendStatus(recording: nil)
        let (_, told) = try stage.connect("anna", key: Self.key)
        #expect(told.contains(#""paused":false"#) && !told.contains(#""paused":true"#))
        stage.sendStatus(recording: nil, isProgramPaused: true)
        #expect(told.contains(#""paused":true"#))
    }

    @Test("a phone that joins a recording with another key sends nothing, and does not block the name")
    func takeover() throws {
        let stage = RegistryFixture()
        stage.sendStatus(recording: "talk")
        let (_, told) = try stage.connect("anna", key: Self.other)
        #expect(!told.contains("welcome"))
        try stage.answer(403, "Another phone was the camera.")
        #expect(
            !told.contains("welcome") && told.contains("refused") && told.contains("Another phone")
                && told.isClosed)
        let (_, owner) = try stage.connect("anna", key: Self.key)
        try stage.answer(200)
        #expect(owner.contains("welcome") && !owner.isClosed)
    }

    @Test("no phone is admitted until the state of a running recorder is known")
    func unknownState() throws {
        let stage = RegistryFixture(awaitsStatus: true)
        let (_, told) = try stage.connect("anna", key: Self.other)
        #expect(!told.contains("welcome") && stage.lines.isEmpty)
        stage.sendStatus(recording: "talk")
        #expect(!told.contains("welcome"))
        try stage.answer(403, "Another phone was the camera.")
        #expect(told.isClosed)
    }

    @Test("a starting recorder without a state receives the phone it waits for")
    func startingRecorder() throws {
        let stage = RegistryFixture(awaitsStatus: true)
        let (_, told) = try stage.connect("anna", key: Self.key)
        let now = MonotonicClock().now
        stage.registry?.checkPhones(at: now + .seconds(5))
        #expect(!told.contains("welcome"), "it cannot be reached yet")
        stage.registry?.recorderConnected(at: now)
        stage.registry?.checkPhones(at: now + .milliseconds(500))
        #expect(!told.contains("welcome"))
        stage.registry?.checkPhones(at: now + .milliseconds(1100))
        #expect(told.contains("welcome"))
    }

    @Test("a claim is retried if the supervisor cannot answer yet")
    func again() throws {
        let stage = RegistryFixture()
        stage.sendStatus(recording: "talk")
        let (_, told) = try stage.connect("anna", key: Self.key)
        try stage.answer(404, "No recording of that name is there.")
        #expect(!told.contains("welcome") && !told.isClosed)
        stage.registry?.checkPhones(at: MonotonicClock().now)
        #expect(stage.lines.count == 2)
        try stage.answer(200)
        #expect(told.contains("welcome"))
    }
}

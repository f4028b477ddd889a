import MulticamMedia
import Testing

@testable import MulticamPublishing

/// A connection that follows a script and records the items sent.
private final class ScriptedConnection: LiveOutputConnection {
    struct Script {
        /// Errors of the next connection attempts and sends; `nil` means success.
        var openings: [PublishingError?] = []
        var sendings: [PublishingError?] = []
        var opened = 0
        var sent: [Int64] = []
    }

    static let content = PublishedContent.packets
    static let script = ConditionLock(Script())

    init(_ request: ConnectionRequest) throws(PublishingError) {
        let error = Self.script.broadcast { script in
            script.opened += 1
            return script.openings.isEmpty ? nil : script.openings.removeFirst()
        }
        if let error { throw error }
    }

    func send(_ item: PublishedItem) throws(PublishingError) {
        let error = Self.script.broadcast { script -> PublishingError? in
            if !script.sendings.isEmpty, let error = script.sendings.removeFirst() { return error }
            script.sent.append(item.mark)
            return nil
        }
        if let error { throw error }
    }

    var statistics: ConnectionStatistics { ConnectionStatistics() }
    func close() {}
}

@Suite("Sender of a live output", .serialized)
struct LiveOutputSenderTests {
    private let reports = ConditionLock<[LiveReport]>([])

    private func run(
        _ script: ScriptedConnection.Script, longestLead: Nanoseconds = .seconds(-1),
        _ body: (LiveOutputSender) throws -> Void
    ) throws {
        ScriptedConnection.script.withLock { $0 = script }
        let reports = reports
        let liveOutput = try RequestedOutput(LiveRequest(name: "show", url: Secret("srt://host:9000")))
        let sender = LiveOutputSender(
            liveOutput, ScriptedConnection.self, longestLead: longestLead
        ) { report in
            reports.broadcast { $0.append(report) }
        }
        let packets = PacketFeed(path: "/nowhere/media", includesStandby: false)
        let feed = LiveOutputFeed(
            liveOutput, ScriptedConnection.content, packets, path: "/nowhere/media", handler: { _ in })
        sender.start(with: feed)
        try body(sender)
        sender.close()
        #expect(sender.hasEnded(by: MonotonicClock().now + .seconds(60)))
    }

    private func states() -> [LiveReport.State] { reports.withLock { $0.map(\.state) } }

    private func wait(for state: LiveReport.State, count: Int = 1) {
        reports.wait { reports in reports.count { $0.state == state } >= count ? () : nil }
    }

    /// Sends one item of each stream, so that both are known before the connection is opened.
    private func introduce(_ sender: LiveOutputSender) {
        sender.receive(.item(.video(0, isKey: true)))
        sender.receive(.item(.audio(0)))
    }

    @Test("connects when both streams are known, and begins with the next key frame")
    func beginning() throws {
        try run(ScriptedConnection.Script()) { sender in
            introduce(sender)
            wait(for: .connected)
            for item in [
                PublishedItem.video(33, isKey: false), .video(66, isKey: true), .audio(70),
                .video(100, isKey: false),
            ] { sender.receive(.item(item)) }
            ScriptedConnection.script.wait { $0.sent.count == 3 ? () : nil }
            #expect(ScriptedConnection.script.withLock(\.sent) == [66, 70, 100])
        }
        #expect(states() == [.connecting, .connected, .ended])
        #expect(reports.withLock { $0.last?.dropped_frames } == 2)
    }

    @Test("begins with the key frame that described the stream if that frame is recent enough")
    func lead() throws {
        try run(ScriptedConnection.Script(), longestLead: .seconds(3600)) { sender in
            introduce(sender)
            wait(for: .connected)
            sender.receive(.item(.video(33, isKey: false)))
            ScriptedConnection.script.wait { $0.sent.count == 3 ? () : nil }
            #expect(ScriptedConnection.script.withLock(\.sent) == [0, 0, 33])
        }
        #expect(reports.withLock { $0.last?.dropped_frames } == 0)
    }

    @Test("reconnects after a lost connection, and begins with a key frame")
    func lost() throws {
        let script = ScriptedConnection.Script(
            openings: [.lost("nobody listens."), nil], sendings: [nil, .lost("the peer has gone.")])
        try run(script) { sender in
            introduce(sender)
            wait(for: .connected)
            sender.receive(.item(.video(33, isKey: true)))
            sender.receive(.item(.video(66, isKey: false)))
            wait(for: .connected, count: 2)
            sender.receive(.item(.video(100, isKey: false)))
            sender.receive(.item(.video(133, isKey: true)))
            ScriptedConnection.script.wait { $0.sent.count == 2 ? () : nil }
            #expect(ScriptedConnection.script.withLock(\.sent) == [33, 133])
        }
        let told = reports.withLock { $0.filter { $0.state == .waiting } }
        #expect(told.map(\.text) == ["nobody listens.", "the peer has gone."])
        #expect(told.allSatisfy { report in report.retry_ns.map { $0 > report.at_ns } ?? false })
    }

    @Test("reports a refusal once, waits before it retries, and stops with the live output")
    func refused() throws {
        try run(ScriptedConnection.Script(openings: [.refused("the key is wrong.")])) { sender in
            introduce(sender)
            wait(for: .refused)
            let report = reports.withLock { $0.last { $0.state == .refused } }
            #expect(report?.text == "the key is wrong.")
            #expect(
                report.flatMap { report in report.retry_ns.map { $0 - report.at_ns >= 59_000_000_000 } }
                    == true)
        }
        #expect(ScriptedConnection.script.withLock(\.opened) == 1)
    }
}

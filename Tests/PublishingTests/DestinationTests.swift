import Media
import Testing

@testable import Publishing

/// A connection that does what a script says, and keeps what it was given.
private final class ScriptedConnection: DestinationConnection {
    struct Script {
        /// Errors of the next connections, and of their sends; `nil` for none.
        var openings: [PublishingError?] = []
        var sendings: [PublishingError?] = []
        var opened = 0
        var sent: [Int64] = []
    }

    static let content = PublishedContent.packets
    static let script = ConditionLock(Script())

    init(_ request: DestinationRequest) throws(PublishingError) {
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

@Suite("A destination", .serialized)
struct DestinationTests {
    private let reports = ConditionLock<[LiveReport]>([])

    private func run(
        _ script: ScriptedConnection.Script, longestLead: Nanoseconds = .seconds(-1),
        _ body: (Destination) throws -> Void
    ) throws {
        ScriptedConnection.script.withLock { $0 = script }
        let reports = reports
        let publication = try Publication(LiveRequest(name: "show", url: Secret("srt://host:9000")))
        let destination = Destination(
            publication, ScriptedConnection.self, longestLead: longestLead
        ) { report in
            reports.broadcast { $0.append(report) }
        }
        let packets = PacketFeed(path: "/nowhere/media", includesStandby: false)
        let feed = PublicationFeed(
            publication, ScriptedConnection.content, packets, path: "/nowhere/media", tell: { _ in })
        destination.start(with: feed)
        try body(destination)
        destination.close()
        #expect(destination.hasEnded(by: MonotonicClock().now + .seconds(60)))
    }

    private func states() -> [LiveReport.State] { reports.withLock { $0.map(\.state) } }

    private func wait(for state: LiveReport.State, count: Int = 1) {
        reports.wait { reports in reports.count { $0.state == state } >= count ? () : nil }
    }

    /// What a connection begins with: both streams are known.
    private func introduce(_ destination: Destination) {
        destination.take(.item(.video(0, isKey: true)))
        destination.take(.item(.audio(0)))
    }

    @Test("connects when there is something to send, and begins with the next key frame")
    func beginning() throws {
        try run(ScriptedConnection.Script()) { destination in
            introduce(destination)
            wait(for: .connected)
            for item in [
                PublishedItem.video(33, isKey: false), .video(66, isKey: true), .audio(70),
                .video(100, isKey: false),
            ] { destination.take(.item(item)) }
            ScriptedConnection.script.wait { $0.sent.count == 3 ? () : nil }
            #expect(ScriptedConnection.script.withLock(\.sent) == [66, 70, 100])
        }
        #expect(states() == [.connecting, .connected, .ended])
        #expect(reports.withLock { $0.last?.dropped_frames } == 2)
    }

    @Test("begins with the key frame that it has learnt the streams from, where that is young enough")
    func lead() throws {
        try run(ScriptedConnection.Script(), longestLead: .seconds(3600)) { destination in
            introduce(destination)
            wait(for: .connected)
            destination.take(.item(.video(33, isKey: false)))
            ScriptedConnection.script.wait { $0.sent.count == 3 ? () : nil }
            #expect(ScriptedConnection.script.withLock(\.sent) == [0, 0, 33])
        }
        #expect(reports.withLock { $0.last?.dropped_frames } == 0)
    }

    @Test("a lost connection is followed by another one, which begins with a key frame")
    func lost() throws {
        let script = ScriptedConnection.Script(
            openings: [.lost("nobody listens."), nil], sendings: [nil, .lost("the peer has gone.")])
        try run(script) { destination in
            introduce(destination)
            wait(for: .connected)
            destination.take(.item(.video(33, isKey: true)))
            destination.take(.item(.video(66, isKey: false)))
            wait(for: .connected, count: 2)
            destination.take(.item(.video(100, isKey: false)))
            destination.take(.item(.video(133, isKey: true)))
            ScriptedConnection.script.wait { $0.sent.count == 2 ? () : nil }
            #expect(ScriptedConnection.script.withLock(\.sent) == [33, 133])
        }
        let told = reports.withLock { $0.filter { $0.state == .waiting } }
        #expect(told.map(\.text) == ["nobody listens.", "the peer has gone."])
        #expect(told.allSatisfy { report in report.retry_ns.map { $0 > report.at_ns } ?? false })
    }

    @Test("a refusal is told once and not hammered, and ends with the publication")
    func refused() throws {
        try run(ScriptedConnection.Script(openings: [.refused("the key is wrong.")])) { destination in
            introduce(destination)
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

import MulticamMedia
import Testing

@testable import MulticamInputs
@testable import MulticamSessionFolder

@Suite("Rate limit for outage events")
struct OutageEventLimiterTests {
    private static let lost = SessionEvent.Content.deviceLost(
        SessionEvent.DeviceLost(track: "desk", cause: "unplugged", text: "lost"))
    private static let restored = SessionEvent.Content.deviceRestored(
        SessionEvent.DeviceRestored(track: "desk", text: "back"))

    /// Returns the events that are reported if a device disconnects and returns at regular intervals.
    private static func reportedEvents(outages: Int64, every period: Int64) -> [SessionEvent] {
        var telling = OutageEventLimiter(of: "camera desk", kind: .external)
        return (0..<outages).flatMap { index in
            [lost, restored].enumerated().compactMap { half, content in
                telling.filter(
                    SessionEvent(
                        content, at: MediaTime(nanoseconds: (index * 2 + Int64(half)) * period / 2)))
            }
        }
    }

    @Test(
        "the warning's advice matches the kind of device",
        arguments: [SourceKind.file, .network, .phone, .screen])
    func advice(kind: SourceKind) {
        var telling = OutageEventLimiter(of: "camera desk", kind: kind)
        let events = (0..<20).compactMap { _ in telling.filter(SessionEvent(Self.lost, at: .zero)) }
        let warnings = events.filter { $0.name == .warning }.map { $0.line() }
        #expect(warnings.count == 1 && warnings[0].contains(kind.advice) && !warnings[0].contains("cable"))
    }

    @Test("a cable pulled once per second is reported every time")
    func hand() {
        let told = Self.reportedEvents(outages: 200, every: 1_000_000_000)
        #expect(
            told.map(\.name) == (0..<200).flatMap { _ in [SessionEvent.Name.deviceLost, .deviceRestored] })
    }

    @Test(
        "a loose contact with ten outages per second for a minute is limited to two events per second, and no more warnings than that"
    )
    func looseContact() throws {
        let told = Self.reportedEvents(outages: 600, every: 100_000_000)
        let changes = told.count { $0.name != .warning }
        #expect((120...132).contains(changes))
        #expect(told.count - changes <= changes)
        let warning = try #require(told.first { $0.name == .warning })
        guard case .warning(let content) = warning.content else { return }
        #expect(content.track == "desk" && content.cause == "unplugged")
    }

    @Test("other events pass, and extreme times don't crash")
    func extremes() {
        var telling = OutageEventLimiter(of: "camera desk", kind: .external)
        for time in [Int64.min, .max, 0, .max, .min] {
            let event = SessionEvent(
                .drop(SessionEvent.Drop(track: "desk", cause: "bus")), at: MediaTime(nanoseconds: time))
            #expect(telling.filter(event) == event)
            #expect(
                telling.filter(SessionEvent(Self.lost, at: MediaTime(nanoseconds: time)))?.name == .deviceLost
            )
        }
    }
}

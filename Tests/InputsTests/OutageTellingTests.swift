import Media
import Testing

@testable import Inputs
@testable import SessionFolder

@Suite("Which comings and goings are told")
struct OutageTellingTests {
    /// As often as a device goes and comes back, evenly over a time.
    private static func told(outages: Int64, every period: Int64) -> [SessionEvent] {
        var telling = OutageTelling(of: "camera desk")
        return (0..<outages).flatMap { index in
            [SessionEvent.Name.unplug, .replug].enumerated().compactMap { half, name in
                telling.told(
                    SessionEvent(
                        name, at: MediaTime(nanoseconds: (index * 2 + Int64(half)) * period / 2),
                        ["track": .string("desk")]))
            }
        }
    }

    @Test("a cable that is pulled each second is told each time")
    func hand() {
        let told = Self.told(outages: 200, every: 1_000_000_000)
        #expect(told.map(\.name) == (0..<200).flatMap { _ in [SessionEvent.Name.unplug, .replug] })
    }

    @Test(
        "a loose contact, ten times a second for a minute, is two events a second and as many warnings at most"
    )
    func looseContact() {
        let told = Self.told(outages: 600, every: 100_000_000)
        let changes = told.count { $0.name != .warning }
        #expect((120...132).contains(changes))
        #expect(told.count - changes <= changes)
        #expect(told.first { $0.name == .warning }?.fields["track"] == .string("desk"))
    }

    @Test("other events pass, and times at the ends of what can be are survived")
    func extremes() {
        var telling = OutageTelling(of: "camera desk")
        for time in [Int64.min, .max, 0, .max, .min] {
            let event = SessionEvent(.drop, at: MediaTime(nanoseconds: time))
            #expect(telling.told(event) == event)
            #expect(telling.told(SessionEvent(.unplug, at: MediaTime(nanoseconds: time)))?.name == .unplug)
        }
    }
}

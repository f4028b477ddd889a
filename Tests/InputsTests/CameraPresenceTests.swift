import MulticamMedia
import Testing

@testable import MulticamInputs

@Suite("Presence of a camera")
struct CameraPresenceTests {
    private static func time(_ milliseconds: Int64) -> ClockTime {
        ClockTime(nanoseconds: milliseconds * 1_000_000)
    }

    private static func outage(
        _ milliseconds: Int64, _ reason: String = "unplugged", _ cause: LossCause = .disconnected,
        isFinal: Bool = false
    ) -> CameraOutage {
        CameraOutage(since: time(milliseconds), reason: reason, cause: cause, isFinal: isFinal)
    }

    /// Checks for silence with frames expected every 20 ms.
    private static func check(
        _ presence: inout CameraPresence, at now: Int64, last: Int64?, start: Int64 = 0
    ) -> ClockTime? {
        presence.checkSilence(
            at: time(now), since: time(start), lastArrival: last.map(time), interval: .milliseconds(20),
            firstExpected: last.map { time($0 + 20) })
    }

    @Test("a repeated report of the same outage is delivered once; another reason, cause, or an end is new")
    func reports() {
        var presence = CameraPresence()
        let news = [
            presence.beginOutage(Self.outage(10)), presence.beginOutage(Self.outage(30)),
            presence.beginOutage(Self.outage(30, "no device")),
            presence.beginOutage(Self.outage(30, "no device", .network)),
            presence.beginOutage(Self.outage(30, "no device", .network, isFinal: true)),
        ]
        #expect(news == [true, false, true, true, true])
    }

    @Test("frames count for the outage until the first frame, not only until its reported end")
    func back() {
        var presence = CameraPresence()
        _ = presence.beginOutage(Self.outage(10, "cable", .network))
        presence.endOutage(at: Self.time(50), isAnnounced: true)
        #expect(presence.outage == nil && presence.isAway && presence.lossCause == .network)
        let endsSilence = presence.recordFrame()
        #expect(!endsSilence && !presence.isAway && presence.lossCause == .disconnected)
    }

    @Test("the camera's own loss counts explain an outage only while there is one")
    func explained() {
        var presence = CameraPresence()
        presence.explainLoss(of: 3)
        #expect(presence.explainedFrames == 0)
        _ = presence.beginOutage(Self.outage(10))
        presence.explainLoss(of: 3)
        presence.explainLoss(of: 2)
        #expect(presence.explainedFrames == 5)
        _ = presence.recordFrame()
        #expect(presence.explainedFrames == 0)
    }

    @Test("a silence is announced once, from the first missing frame, and ends with the next frame")
    func silence() {
        var presence = CameraPresence()
        #expect(Self.check(&presence, at: 1_000, last: 40) == nil)
        #expect(Self.check(&presence, at: 1_100, last: 40) == nil, "overdue, but not confirmed")
        #expect(Self.check(&presence, at: 1_200, last: 40) == Self.time(60))
        #expect(Self.check(&presence, at: 1_300, last: 40) == nil)
        #expect(presence.silentSince == Self.time(60))
        let ends = [presence.recordFrame(), presence.recordFrame()]
        #expect(ends == [true, false] && presence.silentSince == nil)
    }

    @Test("a frame that arrives before the confirmation prevents the announcement of a silence")
    func suspended() {
        var presence = CameraPresence()
        #expect(Self.check(&presence, at: 5_000, last: 40) == nil)
        let endsSilence = presence.recordFrame()
        #expect(!endsSilence)
        #expect(Self.check(&presence, at: 5_150, last: 5_010) == nil && presence.silentSince == nil)
    }

    @Test("a camera that has reported an outage isn't silent as well; after its return it can become silent")
    func away() {
        var presence = CameraPresence()
        _ = presence.beginOutage(Self.outage(60))
        for now: Int64 in [2_000, 2_200] { #expect(Self.check(&presence, at: now, last: 40) == nil) }
        presence.endOutage(at: Self.time(3_000), isAnnounced: true)
        #expect(Self.check(&presence, at: 3_900, last: 40) == nil, "frames are due from the return")
        #expect(Self.check(&presence, at: 4_100, last: 40) == nil)
        #expect(Self.check(&presence, at: 4_200, last: 40) == Self.time(3_000))
    }

    @Test("a new recording forgets a silence, so that it can be announced again")
    func recording() {
        var presence = CameraPresence()
        for now: Int64 in [1_100, 1_200] { _ = Self.check(&presence, at: now, last: 40) }
        presence.beginRecording()
        #expect(presence.silentSince == nil)
        _ = Self.check(&presence, at: 3_100, last: 40, start: 2_000)
        #expect(Self.check(&presence, at: 3_200, last: 40, start: 2_000) == Self.time(2_000))
    }
}

import MulticamMedia
import Testing

@testable import MulticamControlRoom

@Suite("Clock synchronization with a phone")
struct PhoneClockTests {
    /// A phone with a clock offset and drift, behind a network with asymmetric delays.
    private struct Phone {
        var clock = PhoneClock()
        var now = ClockTime(nanoseconds: 1_000_000_000_000)
        var zero = ClockTime(nanoseconds: 990_000_000_000)
        let partsPerMillion: Double
        private var steps = 0

        init(partsPerMillion: Double) { self.partsPerMillion = partsPerMillion }

        func time(at instant: ClockTime) -> Nanoseconds {
            Nanoseconds.seconds(rounding: (instant - zero).inSeconds * (1 + partsPerMillion / 1e6))
        }

        /// Queries the clock once, with delays of `there` and `back`.
        mutating func query(requestDelay: Nanoseconds, replyDelay: Nanoseconds) {
            let asked = now
            clock.record(
                time(at: asked + requestDelay), queriedAt: asked,
                answeredAt: asked + requestDelay + replyDelay)
            now = now + .seconds(1)
        }

        /// Returns the error of the estimated time of an instant. The error is positive if the time is too
        /// late.
        func offset(at instant: ClockTime) -> Nanoseconds? {
            clock.time(of: time(at: instant)).map { $0 - instant }
        }
    }

    /// Reproducible random numbers (Steele et al., SplitMix64).
    private struct SplitMix64: RandomNumberGenerator {
        var state: UInt64 = 29

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    @Test("provides no time before a few answers")
    func first() {
        var phone = Phone(partsPerMillion: 0)
        for _ in 0..<4 { phone.query(requestDelay: .milliseconds(2), replyDelay: .milliseconds(2)) }
        #expect(!phone.clock.isKnown && phone.offset(at: phone.now) == nil)
        phone.query(requestDelay: .milliseconds(2), replyDelay: .milliseconds(2))
        #expect(phone.clock.isKnown && phone.offset(at: phone.now) == .zero)
        #expect(phone.clock.error(at: phone.now).map { $0 < .milliseconds(3) } == true)
    }

    @Test(
        "never exceeds the stated error, for any delays and drift",
        arguments: [-90.0, 0, 55, 90])
    func bounded(partsPerMillion: Double) throws {
        var phone = Phone(partsPerMillion: partsPerMillion)
        var ways = SplitMix64()
        for _ in 0..<300 {
            // The network is Wi-Fi: mostly 3 ms, with an occasional stall in one direction.
            let stall =
                Int.random(in: 0..<8, using: &ways) == 0 ? Int64.random(in: 20...400, using: &ways) : 0
            let isThere = Bool.random(using: &ways)
            phone.query(
                requestDelay: .milliseconds(Int64.random(in: 1...4, using: &ways) + (isThere ? stall : 0)),
                replyDelay: .milliseconds(Int64.random(in: 1...4, using: &ways) + (isThere ? 0 : stall)))
            guard let off = phone.offset(at: phone.now) else { continue }
            let error = try #require(phone.clock.error(at: phone.now))
            // The tolerance includes half a microsecond of rounding.
            #expect(off.magnitude <= error + Nanoseconds(500))
            #expect(error < .milliseconds(30))
        }
    }

    @Test("changes times only slightly after one slow answer, and follows a drift")
    func steady() throws {
        var phone = Phone(partsPerMillion: 80)
        for _ in 0..<60 { phone.query(requestDelay: .milliseconds(2), replyDelay: .milliseconds(2)) }
        let before = try #require(phone.offset(at: phone.now))
        #expect(before.magnitude < .milliseconds(3))
        phone.query(requestDelay: .milliseconds(2), replyDelay: .milliseconds(600))
        let after = try #require(phone.offset(at: phone.now))
        #expect((after - before).magnitude < .milliseconds(1))
    }

    @Test("resynchronizes after the phone's clock paused during sleep, and provides no time meanwhile")
    func slept() throws {
        var phone = Phone(partsPerMillion: 0)
        for _ in 0..<10 { phone.query(requestDelay: .milliseconds(2), replyDelay: .milliseconds(2)) }
        phone.zero = phone.zero + .seconds(20)
        phone.query(requestDelay: .milliseconds(2), replyDelay: .milliseconds(2))
        #expect(phone.offset(at: phone.now) == nil)
        for _ in 0..<5 { phone.query(requestDelay: .milliseconds(2), replyDelay: .milliseconds(2)) }
        #expect(phone.offset(at: phone.now) == .zero)
    }

    @Test("tolerates impossible answers and extreme numbers")
    func rubbish() {
        var phone = Phone(partsPerMillion: 0)
        let now = phone.now
        phone.clock.record(Nanoseconds(.max), queriedAt: now, answeredAt: now)
        phone.clock.record(Nanoseconds(.min), queriedAt: now, answeredAt: now)
        phone.clock.record(.zero, queriedAt: now, answeredAt: now - .seconds(1))
        phone.clock.record(.zero, queriedAt: now, answeredAt: now + .seconds(100))
        #expect(!phone.clock.isKnown)
        for _ in 0..<10 { phone.clock.record(Nanoseconds(.max), queriedAt: now, answeredAt: now) }
        #expect(phone.clock.time(of: Nanoseconds(.min)) != nil)
    }
}

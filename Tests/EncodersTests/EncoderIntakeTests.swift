import MulticamMedia
import Testing

@testable import MulticamEncoders

@Suite("Frame admission of a governed encoder")
struct EncoderIntakeTests {
    private let rate: FrameRate = FrameRate(30)

    private func acceptedCount(
        _ intake: inout EncoderIntake, _ ticks: Range<Int64>, queue: Int, backlog: Nanoseconds = .zero
    ) -> Int {
        var count = 0
        for tick in ticks
        where intake.shouldEncode(rate.time(ofTick: tick), queueLength: queue, backlog: backlog) {
            count += 1
        }
        return count
    }

    @Test("admits all frames while the queue has room, fewer at a lower rate, and all again afterwards")
    func rates() {
        var intake = EncoderIntake(rate: rate, room: 30)
        #expect(acceptedCount(&intake, 0..<30, queue: 20) == 30)
        intake.lowerRate(to: FrameRate(15))
        #expect((15...16).contains(acceptedCount(&intake, 30..<60, queue: 20)))
        intake.lowerRate(to: rate)
        #expect(acceptedCount(&intake, 60..<90, queue: 20) == 30)
        #expect(intake.overflowCount == 0)
    }

    @Test("drops every other frame before the queue overflows, then every frame, and counts the drops")
    func overflow() {
        var intake = EncoderIntake(rate: rate, room: 30)
        #expect((15...16).contains(acceptedCount(&intake, 0..<30, queue: 25)))
        #expect((14...15).contains(intake.overflowCount))
        let before = intake.overflowCount
        #expect(acceptedCount(&intake, 30..<60, queue: 29) == 0)
        #expect(intake.overflowCount == before + 30)
    }

    @Test(
        "also thins out a short queue of slow frames, so that a crash loses at most a second")
    func slow() {
        var intake = EncoderIntake(rate: rate, room: 30)
        #expect(acceptedCount(&intake, 0..<30, queue: 4, backlog: .milliseconds(390)) == 30)
        #expect((15...16).contains(acceptedCount(&intake, 30..<60, queue: 4, backlog: .milliseconds(410))))
        #expect(acceptedCount(&intake, 60..<90, queue: 5, backlog: .milliseconds(510)) == 0)
        #expect((44...45).contains(intake.overflowCount))
    }

    @Test("does not count frames omitted by a lower rate as overflow")
    func both() {
        var intake = EncoderIntake(rate: rate, room: 30)
        intake.lowerRate(to: FrameRate(15))
        _ = acceptedCount(&intake, 0..<30, queue: 29)
        #expect((15...16).contains(intake.overflowCount))
    }

    @Test("never overflows with an unlimited queue, as in simulated time")
    func endless() {
        var intake = EncoderIntake(rate: rate, room: .max)
        #expect(acceptedCount(&intake, 0..<30, queue: 10_000) == 30)
    }
}

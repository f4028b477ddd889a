import MulticamMedia
import Testing

@testable import MulticamPublishing

@Suite("Rate adaptation of a separate encoder")
struct LiveRatePolicyTests {
    private let full = LiveRatePolicy.Level(
        size: FrameSize(width: 1280, height: 720), rate: FrameRate(30, per: 1), bitrate: 2_000_000)
    private let ease = LiveRatePolicy.Measurement()

    private var strain: LiveRatePolicy.Measurement {
        var measurement = ease
        measurement.queuedDuration = .seconds(1)
        measurement.sentBits = 10_000_000
        return measurement
    }

    /// Returns the level changes within the given number of seconds.
    private func steps(
        _ policy: inout LiveRatePolicy, _ measurement: LiveRatePolicy.Measurement, seconds: Int
    ) -> [LiveRatePolicy.Level] {
        var levels: [LiveRatePolicy.Level] = []
        for _ in 0..<seconds {
            let before = policy.level
            let level = policy.update(measurement)
            if level != before { levels.append(level) }
        }
        return levels
    }

    @Test("the level is constant if the network has capacity")
    func room() {
        var policy = LiveRatePolicy(full)
        #expect(steps(&policy, ease, seconds: 100).isEmpty)
    }

    @Test("congestion lowers the bit rate to a quarter, then halves the rate, then the size")
    func down() {
        var policy = LiveRatePolicy(full)
        let levels = steps(&policy, strain, seconds: 100)
        #expect(levels.map(\.bitrate) == [1_500_000, 1_125_000, 843_750, 632_812, 500_000, 500_000, 500_000])
        #expect(levels.dropLast(2).allSatisfy { $0.rate == full.rate && $0.size == full.size })
        #expect(levels[5].rate == FrameRate(15, per: 1))
        #expect(levels[5].size == full.size)
        #expect(levels[6].size == FrameSize(width: 640, height: 360))
    }

    @Test("without congestion, the level rises again in reverse order, one step every ten seconds")
    func up() {
        var policy = LiveRatePolicy(full)
        _ = steps(&policy, strain, seconds: 100)
        var levels: [LiveRatePolicy.Level] = []
        for _ in 0..<10 { levels += steps(&policy, ease, seconds: 10) }
        #expect(levels.count == 10)
        #expect(levels[0].size == full.size)
        #expect(levels[0].rate == FrameRate(15, per: 1))
        #expect(levels[1].rate == full.rate)
        #expect(levels[2].bitrate == 700_000)
        #expect(levels.last == full)
    }

    @Test("the bit rate sent during one second of congestion is used as the network's capacity")
    func measured() {
        var policy = LiveRatePolicy(full)
        var narrow = strain
        narrow.sentBits = 1_000_000
        #expect(steps(&policy, narrow, seconds: 3).map(\.bitrate) == [900_000])
    }

    @Test("dropped frames and a longer round trip also count as congestion")
    func others() {
        var dropping = ease
        dropping.droppedFrames = 1
        var policy = LiveRatePolicy(full)
        #expect(steps(&policy, dropping, seconds: 3).count == 1)
        var (short, long) = (ease, ease)
        short.roundTrip = .milliseconds(40)
        long.roundTrip = .milliseconds(300)
        policy = LiveRatePolicy(full)
        #expect(steps(&policy, short, seconds: 10).isEmpty)
        #expect(steps(&policy, long, seconds: 3).count == 1)
    }

    @Test("packet loss without other congestion lowers only the bit rate")
    func losses() {
        var lossy = ease
        lossy.lostShare = 0.2
        var policy = LiveRatePolicy(full)
        let levels = steps(&policy, lossy, seconds: 100)
        #expect(levels.last?.bitrate == 500_000)
        #expect(levels.allSatisfy { $0.rate == full.rate && $0.size == full.size })
    }

    @Test("the level is constant between the thresholds for lowering and raising it")
    func between() {
        var middle = ease
        middle.queuedDuration = .milliseconds(300)
        var policy = LiveRatePolicy(full)
        _ = steps(&policy, strain, seconds: 3)
        #expect(steps(&policy, middle, seconds: 100).isEmpty)
    }
}

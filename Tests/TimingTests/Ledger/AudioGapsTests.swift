import Media
import Testing

@testable import Timing

@Suite("Silence for want of audio")
struct AudioGapsTests {
    private let start = ClockTime(nanoseconds: 5_000_000_000)

    private func time(_ samples: Int64) -> MediaTime { FrameRate(48_000, per: 1).time(ofTick: samples) }

    @Test("A hole over several blocks is one gap, told when it has ended")
    func merged() {
        let outages = OutageLog(track: "host", start: start)
        var holes = AudioGaps(track: "host")
        #expect(holes.take([400..<480], through: 480, besides: outages).isEmpty)
        #expect(holes.take([480..<960], through: 960, besides: outages).isEmpty)
        let gap = Gap(track: "host", from: time(400), to: time(1000), cause: "late")
        #expect(holes.take([960..<1000], through: 1440, besides: outages) == [gap])
        #expect(holes.gaps == [gap])
    }

    @Test("What the source said it lost is the cause of the next hole, and of no other")
    func cause() {
        let outages = OutageLog(track: "host", start: start)
        var holes = AudioGaps(track: "host")
        // Told of before the first of them has ended.
        holes.lose(at: time(1010), cause: .bus)
        holes.lose(at: time(20_001), cause: .driver)
        _ = holes.take([1000..<1200, 10_000..<11_000, 20_000..<20_100], through: 24_000, besides: outages)
        #expect(holes.gaps.map(\.cause) == ["bus", "late", "driver"])
    }

    @Test("A second of which nothing comes is the device's silence; what came too late is late, however long")
    func silence() {
        let outages = OutageLog(track: "host", start: start)
        var holes = AudioGaps(track: "host")
        _ = holes.take([0..<47_999], through: 48_000, besides: outages)
        #expect(holes.causes(of: [50_000..<98_000], besides: outages).map(\.cause) == [.away])
        _ = holes.take([50_000..<98_000], through: 100_000, besides: outages)
        _ = holes.take([100_000..<200_000], through: 200_000, besides: outages)
        holes.comeLate()
        #expect(holes.causes(of: [200_000..<200_100], besides: outages).map(\.cause) == [.late])
        _ = holes.take([200_000..<200_100], through: 200_480, besides: outages)
        _ = holes.take([300_000..<400_000], through: 400_480, besides: outages)
        #expect(holes.gaps.map(\.cause) == ["late", "silent", "late", "silent"])
    }

    @Test("Silence while the device was away stands with its outage")
    func outage() {
        var outages = OutageLog(track: "host", start: start)
        var holes = AudioGaps(track: "host")
        outages.begin(at: start + .milliseconds(100), cause: "unplugged")
        #expect(holes.take([4790..<9600], through: 9600, besides: outages).isEmpty)
        outages.end(at: start + .milliseconds(220))
        #expect(holes.take([9600..<10_600], through: 14_400, besides: outages).isEmpty)
        #expect(holes.gaps.isEmpty)
    }

    @Test(
        "The causes of a block's stretches are known at once: of a loss that was told, an outage near, or lateness"
    )
    func causes() {
        var outages = OutageLog(track: "host", start: start)
        var holes = AudioGaps(track: "host")
        holes.lose(at: time(1010), cause: .bus)
        #expect(
            holes.causes(of: [1000..<1200, 20_000..<21_000], besides: outages).map(\.cause) == [.bus, .late])
        _ = holes.take([1000..<1200], through: 1200, besides: outages)
        // It goes on where the last one ended.
        #expect(holes.causes(of: [1200..<4000], besides: outages).map(\.cause) == [.bus])
        // The last slice before an unplugging goes with the device.
        outages.begin(at: start + .milliseconds(500), cause: "unplugged")
        #expect(
            holes.causes(of: [23_600..<24_000, 24_000..<24_960], besides: outages).map(\.cause) == [
                .away, .away,
            ])
        #expect(holes.causes(of: [10_000..<10_100], besides: outages).map(\.cause) == [.late])
    }

    @Test("A hole that lasts until the end is told then")
    func atTheEnd() {
        let outages = OutageLog(track: "host", start: start)
        var holes = AudioGaps(track: "host")
        _ = holes.take([900..<960], through: 960, besides: outages)
        #expect(holes.finish(besides: outages).map(\.to) == [time(960)])
    }
}

import MulticamMedia
import Testing

@testable import MulticamTiming

@Suite("Gaps in a microphone's audio")
struct AudioGapsTests {
    private let start = ClockTime(nanoseconds: 5_000_000_000)

    private func time(_ samples: Int64) -> MediaTime { FrameRate(48_000, per: 1).time(ofTick: samples) }

    @Test("Silence across several blocks is one gap, reported when it ends")
    func merged() {
        let outages = OutageLog(track: "host", start: start)
        var holes = AudioGaps(track: "host")
        #expect(holes.add([400..<480], through: 480, besides: outages).isEmpty)
        #expect(holes.add([480..<960], through: 960, besides: outages).isEmpty)
        let gap = Gap(track: "host", from: time(400), to: time(1000), cause: "late")
        #expect(holes.add([960..<1000], through: 1440, besides: outages) == [gap])
        #expect(holes.gaps == [gap])
    }

    @Test("A loss reported by the source is the cause of only the nearest gap")
    func cause() {
        let outages = OutageLog(track: "host", start: start)
        var holes = AudioGaps(track: "host")
        // The loss is reported before the first gap has ended.
        holes.recordLoss(at: time(1010), cause: .bus)
        holes.recordLoss(at: time(20_001), cause: .driver)
        _ = holes.add([1000..<1200, 10_000..<11_000, 20_000..<20_100], through: 24_000, besides: outages)
        #expect(holes.gaps.map(\.cause) == ["bus", "late", "driver"])
    }

    @Test("A second without audio counts as a silent device; late audio counts as late at any length")
    func silence() {
        let outages = OutageLog(track: "host", start: start)
        var holes = AudioGaps(track: "host")
        _ = holes.add([0..<47_999], through: 48_000, besides: outages)
        #expect(holes.causes(of: [50_000..<98_000], besides: outages).map(\.cause) == [.disconnected])
        _ = holes.add([50_000..<98_000], through: 100_000, besides: outages)
        _ = holes.add([100_000..<200_000], through: 200_000, besides: outages)
        holes.recordLateAudio()
        #expect(holes.causes(of: [200_000..<200_100], besides: outages).map(\.cause) == [.late])
        _ = holes.add([200_000..<200_100], through: 200_480, besides: outages)
        _ = holes.add([300_000..<400_000], through: 400_480, besides: outages)
        #expect(holes.gaps.map(\.cause) == ["late", "silent", "late", "silent"])
    }

    @Test("Silence during an outage of the device is part of the outage")
    func outage() {
        var outages = OutageLog(track: "host", start: start)
        var holes = AudioGaps(track: "host")
        outages.begin(at: start + .milliseconds(100), cause: "unplugged")
        #expect(holes.add([4790..<9600], through: 9600, besides: outages).isEmpty)
        outages.end(at: start + .milliseconds(220))
        #expect(holes.add([9600..<10_600], through: 14_400, besides: outages).isEmpty)
        #expect(holes.gaps.isEmpty)
    }

    @Test(
        "The cause of a silent period is available immediately: a reported loss, a nearby outage, or late audio"
    )
    func causes() {
        var outages = OutageLog(track: "host", start: start)
        var holes = AudioGaps(track: "host")
        holes.recordLoss(at: time(1010), cause: .bus)
        #expect(
            holes.causes(of: [1000..<1200, 20_000..<21_000], besides: outages).map(\.cause) == [.bus, .late])
        _ = holes.add([1000..<1200], through: 1200, besides: outages)
        // This period continues the last one.
        #expect(holes.causes(of: [1200..<4000], besides: outages).map(\.cause) == [.bus])
        // The last slice before a disconnect is lost with the device.
        outages.begin(at: start + .milliseconds(500), cause: "unplugged")
        #expect(
            holes.causes(of: [23_600..<24_000, 24_000..<24_960], besides: outages).map(\.cause) == [
                .disconnected, .disconnected,
            ])
        #expect(holes.causes(of: [10_000..<10_100], besides: outages).map(\.cause) == [.late])
    }

    @Test("A gap that lasts until the end of the recording is reported at the end")
    func atTheEnd() {
        let outages = OutageLog(track: "host", start: start)
        var holes = AudioGaps(track: "host")
        _ = holes.add([900..<960], through: 960, besides: outages)
        #expect(holes.finish(besides: outages).map(\.to) == [time(960)])
    }
}

import MulticamMedia
import Testing

@testable import MulticamTiming

@Suite("Frame counts")
struct FrameCountsTests {
    @Test(
        "ticks missing from the file are lost with their cause, but duplicates among them are not lost frames"
    )
    func dropped() {
        var delivery = DeliveryCounts()
        (delivery.decimated, delivery.lost) = (1, [.bus: 4])
        var dropped = FateCounts()
        dropped.add(.captured, count: 14)
        dropped.add(.replaced(.encoder), count: 66)
        dropped.add(.slate(.bus), count: 2)
        let counts = FrameCounts(
            delivery, written: FateCounts(Array(repeating: .captured, count: 10)),
            dropped: [.disk: dropped])
        #expect(counts.written == 10 && counts.captured == 11 && counts.decimated == 1)
        #expect(counts.lost == [.bus: 4, .encoder: 66, .disk: 14])
    }
}

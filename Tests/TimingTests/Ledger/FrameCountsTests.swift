import Media
import Testing

@testable import Timing

@Suite("Frame counts")
struct FrameCountsTests {
    @Test("a track whose file ended early counts what is in the file, and the frames that are not are lost")
    func endingEarly() {
        var counts = FrameCounts()
        counts.captured = 25
        counts.skipped = 1
        counts.repeated = 66
        counts.slate = 2
        counts.lost = [.encoder: 66]
        let cut = counts.endingAfter(10, cause: .disk)
        #expect(cut.written == 10)
        #expect(cut.captured == 11)
        #expect(cut.lost == [.encoder: 66, .disk: 14])
        #expect(counts.endingAfter(90, cause: .disk).lost == [.encoder: 66])
        #expect(counts.endingAfter(92, cause: .disk) == counts)
    }
}

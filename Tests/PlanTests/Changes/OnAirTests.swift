import Media
import Testing
import Timing

@Suite("What the program loses of a camera")
struct OnAirTests {
    private func at(_ seconds: Int64) -> MediaTime { MediaTime(nanoseconds: seconds * 1_000_000_000) }

    @Test("is what was lost while it was to be seen")
    func losses() {
        var onAir = OnAir()
        #expect(onAir.lost([.bus: 5]).isEmpty && !onAir.isOn)
        onAir.set(true, at: at(1), lost: [.bus: 5])
        #expect(onAir.lost([.bus: 7, .corrupt: 1]) == [.bus: 2, .corrupt: 1])
        onAir.set(false, at: at(2), lost: [.bus: 8, .corrupt: 1])
        #expect(onAir.lost([.bus: 20]) == [.bus: 3, .corrupt: 1])
        onAir.set(true, at: at(3), lost: [.bus: 20, .corrupt: 1])
        #expect(onAir.lost([.bus: 21, .corrupt: 1]) == [.bus: 4, .corrupt: 1])
    }

    @Test("has the gaps in which it was to be seen, cut where it was not")
    func gaps() {
        var onAir = OnAir()
        onAir.set(true, at: at(1), lost: [:])
        onAir.set(false, at: at(4), lost: [:])
        onAir.set(true, at: at(6), lost: [:])
        let gap = Gap(track: "program", from: at(3), to: at(8), cause: "unplugged")
        #expect(
            onAir.gaps([gap]) == [
                Gap(track: "program", from: at(3), to: at(4), cause: "unplugged"),
                Gap(track: "program", from: at(6), to: at(8), cause: "unplugged"),
            ])
        #expect(onAir.gaps([Gap(track: "program", from: at(4), to: at(6), cause: "unplugged")]).isEmpty)
    }
}

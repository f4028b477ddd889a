import MulticamMedia
import MulticamTiming
import Testing

@Suite("Gaps of a camera in the program")
struct OnAirTests {
    private func at(_ seconds: Int64) -> MediaTime { MediaTime(nanoseconds: seconds * 1_000_000_000) }

    @Test("a gap counts only while the program shows the camera")
    func gaps() {
        var onAir = OnAirLog()
        onAir.set(true, at: at(1))
        onAir.set(false, at: at(4))
        onAir.set(true, at: at(6))
        let gap = Gap(track: "program", from: at(3), to: at(8), cause: "unplugged")
        #expect(
            onAir.gapsOnAir(in: [gap]) == [
                Gap(track: "program", from: at(3), to: at(4), cause: "unplugged"),
                Gap(track: "program", from: at(6), to: at(8), cause: "unplugged"),
            ])
        #expect(
            onAir.gapsOnAir(in: [Gap(track: "program", from: at(4), to: at(6), cause: "unplugged")]).isEmpty)
    }
}

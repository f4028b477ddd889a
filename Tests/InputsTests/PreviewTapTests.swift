import MulticamMedia
import Testing

@testable import MulticamInputs

@Suite("Preview-only taps")
struct PreviewTapTests {
    private func frame(_ number: Int64) -> CapturedFrame {
        let size = FrameSize(width: 2, height: 2)
        let (planes, byteCount) = FramePlane.packed(.i420, size)
        return CapturedFrame(
            pixel: .i420, size: size, color: .jpeg, capturedAt: ClockTime(nanoseconds: number),
            sequence: number, memory: SharedBytes(count: byteCount), planes: planes, isOwned: true)
    }

    @Test(
        "previews attached while previews are paused are paused too, and all resume together"
    )
    func paused() {
        let board = TapRegistry()
        func tap(isPreview: Bool) -> FrameTap {
            FrameTap(role: "desk", FrameRequest(), isPreview: isPreview, capacity: 8) { _ in }
        }
        let (early, other) = (tap(isPreview: true), tap(isPreview: false))
        board.attach(early)
        board.attach(other)
        board.forward(frame(0), of: "desk")
        board.pausePreviews(true)
        let late = tap(isPreview: true)
        board.attach(late)
        for number in 1...3 { board.forward(frame(Int64(number)), of: "desk") }
        #expect([early, late, other].map(\.droppedCount) == [3, 3, 0])
        board.pausePreviews(false)
        let last = tap(isPreview: true)
        board.attach(last)
        board.forward(frame(4), of: "desk")
        #expect([early, late, other, last].map(\.droppedCount) == [3, 3, 0, 0])
        #expect(board.hasPreviews)
    }

    @Test("the program is composed as often as its most demanding tap requests, at most at its own rate")
    func programRate() {
        let board = TapRegistry()
        func tap(_ rate: FrameRate?, of role: String = TapRegistry.program) -> FrameTap {
            FrameTap(role: role, FrameRequest(rate: rate), isPreview: true) { _ in }
        }
        func rate() -> FrameRate? { board.programFrameRate(atMost: FrameRate(30)) }
        board.attach(tap(nil, of: "desk"))
        #expect(rate() == nil)
        let slow = tap(FrameRate(10))
        board.attach(slow)
        #expect(rate() == FrameRate(10))
        let fast = tap(FrameRate(60))
        board.attach(fast)
        #expect(rate() == FrameRate(30))
        board.detach(fast)
        #expect(rate() == FrameRate(10))
        slow.request.rate = nil
        #expect(rate() == FrameRate(30))
    }
}

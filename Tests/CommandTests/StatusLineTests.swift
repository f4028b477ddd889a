import Media
import Testing

@testable import Session
@testable import multicam

@Suite("the status line")
struct StatusLineTests {
    private func clock(_ residual: Nanoseconds, isLocked: Bool) -> ClockReading {
        ClockReading(
            interval: .milliseconds(33), partsPerMillion: 12, residual: residual, isLocked: isLocked,
            restarts: 0,
            moved: .zero)
    }

    @Test("it tells how sure each device's clock is, and plainly when it is not")
    func clocks() {
        var status = SessionStatus()
        status.phase = .recording
        status.time = MediaTime(nanoseconds: 187_000_000_000)
        status.cameras = [
            .init(role: "desk", rate: 30, lost: 0, clock: clock(.microseconds(203), isLocked: true)),
            .init(role: "face", rate: 14.98, lost: 3, clock: clock(.milliseconds(2), isLocked: false)),
        ]
        status.microphones = [.init(role: "host", peak: 0.1, clock: clock(.zero, isLocked: true))]
        #expect(
            StatusLine.text(status, freeMinutes: 90)
                == "● 0:03:07  desk 30.0/s ±0.3 ms  face 15.0/s (clock unsure) −3  host ▮▮▮▮▮▯▯▯ ±0.1 ms  disk 90 min"
        )
    }
}

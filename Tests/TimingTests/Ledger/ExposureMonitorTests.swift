import MulticamMedia
import Testing

@testable import MulticamTiming

@Suite("Frames omitted by a camera in low light")
struct ExposureMonitorTests {
    private let nominal = Nanoseconds.seconds(rounding: 1 / 30.0)

    @Test("A camera at its nominal rate, within rounding, does not omit frames")
    func steady() {
        var watch = ExposureMonitor(nominal: nominal)
        for interval in [nominal, .seconds(rounding: 1 / 29.97), .seconds(rounding: 1 / 30.1)] {
            for _ in 0..<1000 {
                let (missing, becameSlow) = watch.recordFrame(interval: interval)
                #expect(missing == 0 && !becameSlow)
            }
        }
    }

    @Test(
        "Delivered and omitted frames add up to the nominal rate",
        arguments: [15.0, 20, 7.5, 25])
    func complete(rate: Double) {
        var watch = ExposureMonitor(nominal: nominal)
        var (delivered, missing, warnings) = (0, 0, 0)
        for _ in 0..<Int(rate * 60) {
            let step = watch.recordFrame(interval: .seconds(rounding: 1 / rate))
            delivered += 1
            missing += step.missing
            warnings += step.becameSlow ? 1 : 0
        }
        #expect(abs(delivered + missing - 1800) <= 1)
        #expect(warnings == 1)
        #expect(watch.isSlow)
    }

    @Test("Each period of low light is reported once; rapid changes of the rate are not reported repeatedly")
    func spells() {
        func told(slow: Int, fast: Int, times: Int) -> Int {
            var watch = ExposureMonitor(nominal: nominal)
            var told = 0
            for _ in 0..<times {
                for _ in 0..<slow { told += watch.recordFrame(interval: nominal * 2).becameSlow ? 1 : 0 }
                for _ in 0..<fast { _ = watch.recordFrame(interval: nominal) }
            }
            return told
        }
        #expect(told(slow: 100, fast: 600, times: 3) == 3)
        #expect(told(slow: 60, fast: 60, times: 50) == 1)
        #expect(told(slow: 5, fast: 5, times: 50) == 0)
    }
}

import MulticamMedia
import Testing

@testable import MulticamTiming

@Suite("Outages of a device")
struct OutageLogTests {
    private let start = ClockTime(nanoseconds: 5_000_000_000)

    private func at(_ milliseconds: Int64) -> ClockTime { start + .milliseconds(milliseconds) }
    private func gap(_ from: Int64, _ to: Int64, _ cause: String) -> Gap {
        Gap(
            track: "desk", from: MediaTime(at(from), since: start), to: MediaTime(at(to), since: start),
            cause: cause)
    }

    @Test("are one gap if only the reason changes, and two if the loss cause changes")
    func split() {
        var log = OutageLog(track: "desk", start: start)
        log.begin(at: at(100), cause: "silent")
        log.begin(at: at(300), cause: "unplugged")
        log.end(at: at(500))
        log.begin(at: at(1000), cause: "governor: desk on → off", loss: .governor)
        #expect(log.currentCause == .governor)
        log.begin(at: at(1700), cause: "unplugged")
        #expect(log.currentCause == .disconnected && log.awaySince == at(1700))
        log.end(at: at(2000))
        #expect(log.currentCause == nil)
        #expect(
            log.gaps == [
                gap(100, 500, "unplugged"), gap(1000, 1700, "governor: desk on → off"),
                gap(1700, 2000, "unplugged"),
            ])
    }

    @Test("end with the recording, and ignore a later return or disconnect of the device")
    func finish() {
        var log = OutageLog(track: "desk", start: start)
        log.begin(at: at(100), cause: "unplugged")
        log.end(at: at(800))
        log.begin(at: at(900), cause: "unplugged")
        log.finish(at: at(600))
        #expect(log.gaps == [gap(100, 600, "unplugged")])
        #expect(log.awaySince == nil)
    }
}

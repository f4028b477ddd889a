import Foundation
import MulticamMedia
import Testing

@testable import MulticamVirtualDevices

@Suite("Virtual microphones")
struct VirtualMicrophoneTests {
    private typealias Run = DeviceRun<MicrophoneEvent>

    /// Returns all samples of the first channel with their true times since the clock's origin.
    private func timedSamples(_ run: Run) -> [(seconds: Double, value: Float)] {
        run.audioBlocks.flatMap { audio in
            (0..<audio.frameCount).map { index in
                let offset = Double(index) / Double(audio.format.rate)
                return (
                    audio.capturedAt.nanosecondsAfterSecond + offset,
                    audio.samples[index * audio.format.channels]
                )
            }
        }
    }

    @Test("each clap is a beep of 40 ms: 1 kHz, amplitude 0.5, phase 0")
    func beeps() throws {
        let run = try Run("virtual:clap?channels=2", seconds: 3)
        var loud = 0
        for (seconds, value) in timedSamples(run) {
            let time = seconds.truncatingRemainder(dividingBy: 1)
            let expected = time < 0.04 ? 0.5 * sin(2 * .pi * 1000 * time) : 0
            #expect(abs(Double(value) - expected) < 1e-4)
            if value != 0 { loud += 1 }
        }
        // There are three claps of 1920 samples, minus the zero crossings and the incomplete clap at the end.
        #expect(loud > 3 * 1800)
        let audio = run.audioBlocks[0]
        #expect(audio.frameCount == 480)
        #expect(
            zip(audio.samples.indices, audio.samples).allSatisfy {
                $0 % 2 == 0 || $1 == audio.samples[$0 - 1]
            })
    }

    @Test("a tone is continuous; silence is silent")
    func tone() throws {
        let tone = timedSamples(try Run("virtual:tone?rate=44100", seconds: 2.5))
        for (seconds, value) in tone {
            #expect(abs(Double(value) - 0.5 * sin(2 * .pi * 1000 * seconds)) < 1e-4)
        }
        #expect(tone.count >= 44_100 * 2)
        #expect(
            try Run("virtual:silence", seconds: 0.5).audioBlocks.allSatisfy {
                $0.samples.allSatisfy { $0 == 0 }
            })
    }

    @Test(
        "slices are contiguous, dated by their first sample, and delivered at their end plus the latency"
    )
    func dates() throws {
        let run = try Run("virtual:silence?rate=48000&drift=500&phase=2&latency=30", seconds: 5)
        let timebase = DeviceTimebase(
            rate: FrameRate(48_000), driftPerBillion: 500_000, phase: .milliseconds(2))
        var next = run.audioBlocks[0].firstSample
        for arrival in run.arrivals {
            guard case .audio(let audio) = arrival.event else { continue }
            #expect(audio.firstSample == next)
            #expect(audio.capturedAt == timebase.time(of: next))
            next += Int64(audio.frameCount)
            #expect(arrival.at == timebase.time(of: next) + .milliseconds(30))
        }
        #expect(run.audioBlocks.count > 490)
    }

    @Test("lost slices are counted in samples; a disconnect is reported; a stalled microphone is silent")
    func faults() throws {
        let run = try Run("virtual:silence?drop=0.2&unplug=2&replug=2.5&stall=4:0.5", seconds: 6)
        var lost: [LossCause: Int64] = [:]
        var changes: [String] = []
        var expected: Int64?
        for arrival in run.arrivals {
            switch arrival.event {
            case .audio(let audio):
                if let expected { #expect(audio.firstSample == expected) }
                expected = audio.firstSample + Int64(audio.frameCount)
            case .lost(let count, let cause, _):
                lost[cause, default: 0] += count
                if let next = expected { expected = next + count }
            case .outageBegan(let time, let cause):
                changes.append("\(cause) \((time - Run.start).count)")
                expected = nil
            case .outageEnded(let time): changes.append("back \((time - Run.start).count)")
            case .notice, .ended: Issue.record("a virtual microphone neither remarks nor ends")
            }
        }
        #expect(changes == ["unplugged 2000000000", "back 2500000000"])
        #expect(lost[.disconnected] == 24_000)
        let share = Double(lost[.bus] ?? 0) / 480 / 500
        #expect((0.14...0.26).contains(share))
    }

    @Test("jitter changes a slice's timestamp within its bounds")
    func jitter() throws {
        let run = try Run("virtual:silence?jitter=2&phase=0", seconds: 1)
        let errors = run.audioBlocks.map {
            $0.capturedAt - DeviceTimebase(rate: FrameRate(48_000)).time(of: $0.firstSample)
        }
        #expect(errors.allSatisfy { $0.magnitude <= .milliseconds(2) })
        #expect(Set(errors).count > 90)
    }
}

extension ClockTime {
    /// The fraction of the second. A double can't represent the full time precisely enough.
    fileprivate var nanosecondsAfterSecond: Double { Double(nanoseconds % 1_000_000_000) / 1e9 }
}

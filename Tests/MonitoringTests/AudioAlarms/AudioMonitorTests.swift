import Foundation
import Media
import Testing

@testable import Monitoring

@Suite("audio monitoring of a microphone")
struct AudioMonitorTests {
    /// A monitor that receives slices of 10 ms, starting at 0.
    private struct Ear {
        var watch: AudioMonitor
        var now = ClockTime(nanoseconds: 0)
        var told: [String] = []
        var isAway = false
        private var heard = ClockTime(nanoseconds: 0)
        private let rate = 48_000

        init(channels: Int = 1, sourceChannels: [Int] = []) {
            watch = AudioMonitor(
                format: AudioFormat(rate: rate, channels: channels), sourceChannels: sourceChannels)
        }

        /// Repeats the samples of one slice.
        mutating func hear(_ samples: [Float], for seconds: Double) {
            let end = now + .seconds(rounding: seconds)
            while now < end {
                watch.take(samples, at: now)
                now = now + .milliseconds(10)
                heard = now
                listen()
            }
        }

        mutating func hear(_ value: Float, for seconds: Double, channels: Int = 1) {
            hear([Float](repeating: value, count: 480 * channels), for: seconds)
        }

        /// Simulates a period in which no audio arrives.
        mutating func wait(_ seconds: Double) {
            now = now + .seconds(rounding: seconds)
            listen()
        }

        private mutating func listen() {
            let hasStopped = now - heard >= .seconds(2)
            for alarm in watch.takeAlarms(through: now, hasStopped: hasStopped, isAway: isAway) {
                let seconds = Double(alarm.at.nanoseconds) / 1e9
                told.append("\(alarm.kind.rawValue) \(alarm.isEnd ? "ends" : "begins") \(seconds)")
            }
        }
    }

    @Test("initial silence is reported once after 1.5 s, and again when a signal arrives")
    func muted() {
        var ear = Ear()
        ear.hear(0, for: 60)
        #expect(ear.watch.inForce == [.noSignal])
        ear.hear(0.01, for: 1)
        #expect(ear.told == ["no-signal begins 1.5", "no-signal ends 60.0"])
        #expect(ear.watch.inForce.isEmpty)
    }

    @Test("after a signal, silence is reported after 10 s; noise of an open microphone is a signal")
    func pauses() {
        var ear = Ear()
        ear.hear(0.1, for: 1)
        ear.hear(0, for: 9.9)
        ear.hear(0.1, for: 1)
        ear.hear(0.0002, for: 100)
        #expect(ear.told.isEmpty)
        ear.hear(0, for: 11)
        #expect(ear.told == ["no-signal begins 121.9"])
    }

    @Test(
        "the profile's silence limit counts levels below −60 dB from the recording's start, again after each signal"
    )
    func limit() {
        var ear = Ear()
        ear.watch.limitSilence(to: .seconds(2))
        ear.hear(0.0009, for: 1.5)
        ear.watch.begin(at: ear.now, wasOpen: true)
        ear.hear(0.0009, for: 3)
        ear.hear(0.01, for: 0.5)
        ear.hear(0.0009, for: 2.5)
        #expect(ear.told == ["silence begins 3.5", "silence ends 4.5", "silence begins 7.0"])
    }

    @Test("the start of silence is available while the alarm is active, even if no audio arrives")
    func since() {
        var ear = Ear()
        ear.hear(0.1, for: 1)
        ear.hear(0, for: 9)
        #expect(ear.watch.silentSince == nil)
        ear.wait(3)
        #expect(ear.watch.silentSince == ClockTime(nanoseconds: 1_000_000_000))
        ear.hear(0.1, for: 0.01)
        #expect(ear.watch.silentSince == nil)
        ear.watch.limitSilence(to: .seconds(2))
        ear.hear(0.0009, for: 3)
        #expect(ear.watch.silentSince == ClockTime(nanoseconds: 13_010_000_000))
    }

    @Test(
        "clipping is counted at most once per second, per recording, and separately for the last minute"
    )
    func clips() {
        var ear = Ear()
        ear.hear([1, 1, 1, 1, 0], for: 2)
        #expect(ear.watch.clips.total == 2)
        ear.watch.begin(at: ear.now, wasOpen: true)
        #expect(ear.watch.clips == ClipCount())
        ear.hear([1, 1, 1, 1, 0], for: 0.5)
        ear.hear(0.1, for: 0.4)
        ear.hear([1, 1, 1, 1, 0], for: 0.05)
        #expect(ear.watch.clips.total == 1)
        ear.hear(0.1, for: 58)
        ear.hear([1, 1, 1, 1, 0], for: 0.01)
        #expect(ear.watch.clips.total == 2 && ear.watch.clips.inLastMinute(at: ear.now) == 2)
        ear.hear(0.1, for: 2)
        #expect(ear.watch.clips.total == 2 && ear.watch.clips.inLastMinute(at: ear.now) == 1)
    }

    @Test(
        "a connected device that delivers nothing is reported after two seconds, and its level is reset"
    )
    func nothing() {
        var ear = Ear()
        ear.hear(0.1, for: 1)
        ear.wait(1.9)
        #expect(ear.told.isEmpty && ear.watch.level.peak > 0)
        ear.wait(0.1)
        #expect(ear.watch.level == AudioLevel() && ear.watch.inForce == [.noSignal])
        ear.wait(10)
        ear.hear(0.1, for: 1)
        #expect(ear.told == ["no-signal begins 3.0", "no-signal ends 13.0"])
    }

    @Test("missing audio of a disconnected device counts as silence")
    func away() {
        var ear = Ear()
        ear.isAway = true
        ear.watch.limitSilence(to: .seconds(5))
        ear.hear(0.1, for: 1)
        ear.wait(4.9)
        #expect(ear.told.isEmpty)
        ear.wait(0.1)
        ear.wait(10)
        #expect(ear.told == ["silence begins 6.0", "no-signal begins 16.0"])
    }

    @Test(
        "three consecutive full-scale samples in one channel are clipping; fewer or quieter ones aren't",
        arguments: [
            (slice: [0.5, 1, 1, 1, 0.5], isClipping: true),
            (slice: [0.5, -1, -1, -1, 0.5], isClipping: true),
            (slice: [0.5, 1, 1, 0.5, 1], isClipping: false),
            (slice: [0.999, 0.999, 0.999, 0.999, 0.999], isClipping: false),
            (slice: [0, 32_767.0 / 32_768, 32_767.0 / 32_768, 32_767.0 / 32_768, 0], isClipping: true),
        ] as [(slice: [Float], isClipping: Bool)])
    func fullScale(slice: [Float], isClipping: Bool) {
        var ear = Ear()
        ear.hear(slice, for: 0.01)
        #expect(ear.watch.inForce.contains(.clipping) == isClipping)
    }

    @Test("a run across two slices counts as one; samples of two channels don't form a run")
    func runs() {
        var ear = Ear()
        ear.hear([0, 0, 0, 1, 1], for: 0.01)
        #expect(ear.watch.inForce.isEmpty)
        ear.hear([1, 0, 0, 0, 0], for: 0.01)
        #expect(ear.watch.inForce == [.clipping])
        var stereo = Ear(channels: 2)
        stereo.hear([1, 0, 1, 0, 0, 1, 0, 1], for: 0.01)
        #expect(stereo.watch.inForce.isEmpty)
    }

    @Test(
        "clipping is reported once, and again when a recording starts, until it stops for 10 s; its samples are counted"
    )
    func clipping() {
        var ear = Ear()
        ear.hear([1, 1, 1, 1, 0], for: 0.02)
        ear.watch.begin(at: ear.now, wasOpen: true)
        for _ in 0..<5 {
            ear.hear([1, 1, 1, 1, 0], for: 0.01)
            ear.hear(0.1, for: 5)
        }
        ear.hear(0.1, for: 20)
        ear.hear([0, 1, 1, 1, 0], for: 0.01)
        #expect(
            ear.told.map { $0.prefix(15) } == [
                "clipping begins", "clipping begins", "clipping ends 3", "clipping begins",
            ])
        #expect(ear.watch.takeOverloads(through: ear.now) == 5 * 4 + 3)
    }

    @Test("unselected channels are ignored")
    func sourceChannels() {
        var ear = Ear(channels: 2, sourceChannels: [1])
        ear.hear((0..<960).map { $0.isMultiple(of: 2) ? 1 : 0 }, for: 2)
        #expect(ear.watch.inForce == [.noSignal])
        #expect(ear.watch.level.peak == 0)
    }

    @Test("the meter falls by 20 dB in 1.7 s, and the level is the root mean square")
    func levels() {
        var ear = Ear()
        ear.hear((0..<480).map { Float(sin(Double($0) / 480 * 20 * .pi)) }, for: 3)
        #expect(abs(ear.watch.level.rootMeanSquare - 0.7071) < 0.001)
        #expect(ear.watch.level.peak == 1)
        ear.hear(0, for: 1.7)
        #expect(abs((AudioLevel.decibels(ear.watch.level.peak) ?? 0) + 20) < 0.1)
    }
}

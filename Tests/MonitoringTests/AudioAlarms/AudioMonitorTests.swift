import Foundation
import MulticamMedia
import Testing

@testable import MulticamMonitoring

@Suite("audio monitoring of a microphone")
struct AudioMonitorTests {
    /// A monitor that receives slices of 10 ms, starting at 0.
    private struct MonitorRun {
        var monitor: AudioMonitor
        var now = ClockTime(nanoseconds: 0)
        var reports: [String] = []
        var isAway = false
        private var lastArrival = ClockTime(nanoseconds: 0)
        private let rate = 48_000

        init(channels: Int = 1, sourceChannels: [Int] = []) {
            monitor = AudioMonitor(
                format: AudioFormat(rate: rate, channels: channels), sourceChannels: sourceChannels)
        }

        /// Repeats the samples of one slice.
        mutating func feed(_ samples: [Float], for seconds: Double) {
            let end = now + .seconds(rounding: seconds)
            while now < end {
                monitor.process(samples, at: now)
                now = now + .milliseconds(10)
                lastArrival = now
                collectAlarms()
            }
        }

        mutating func feed(_ value: Float, for seconds: Double, channels: Int = 1) {
            feed([Float](repeating: value, count: 480 * channels), for: seconds)
        }

        /// Simulates a period in which no audio arrives.
        mutating func wait(_ seconds: Double) {
            now = now + .seconds(rounding: seconds)
            collectAlarms()
        }

        private mutating func collectAlarms() {
            let hasStopped = now - lastArrival >= .seconds(2)
            for alarm in monitor.dequeueAlarms(through: now, hasStopped: hasStopped, isAway: isAway) {
                let seconds = Double(alarm.at.nanoseconds) / 1e9
                reports.append("\(alarm.kind.rawValue) \(alarm.isEnd ? "ends" : "begins") \(seconds)")
            }
        }
    }

    @Test("initial silence is reported once after 1.5 s, and again when a signal arrives")
    func muted() {
        var ear = MonitorRun()
        ear.feed(0, for: 60)
        #expect(ear.monitor.activeAlarms == [.noSignal])
        ear.feed(0.01, for: 1)
        #expect(ear.reports == ["no-signal begins 1.5", "no-signal ends 60.0"])
        #expect(ear.monitor.activeAlarms.isEmpty)
    }

    @Test("after a signal, silence is reported after 10 s; noise of an open microphone is a signal")
    func pauses() {
        var ear = MonitorRun()
        ear.feed(0.1, for: 1)
        ear.feed(0, for: 9.9)
        ear.feed(0.1, for: 1)
        ear.feed(0.0002, for: 100)
        #expect(ear.reports.isEmpty)
        ear.feed(0, for: 11)
        #expect(ear.reports == ["no-signal begins 121.9"])
    }

    @Test(
        "the profile's silence limit counts levels below −60 dB from the recording's start, again after each signal"
    )
    func limit() {
        var ear = MonitorRun()
        ear.monitor.limitSilence(to: .seconds(2))
        ear.feed(0.0009, for: 1.5)
        ear.monitor.beginRecording(at: ear.now, wasOpen: true)
        ear.feed(0.0009, for: 3)
        ear.feed(0.01, for: 0.5)
        ear.feed(0.0009, for: 2.5)
        #expect(ear.reports == ["silence begins 3.5", "silence ends 4.5", "silence begins 7.0"])
    }

    @Test("the start of silence is available while the alarm is active, even if no audio arrives")
    func since() {
        var ear = MonitorRun()
        ear.feed(0.1, for: 1)
        ear.feed(0, for: 9)
        #expect(ear.monitor.silentSince == nil)
        ear.wait(3)
        #expect(ear.monitor.silentSince == ClockTime(nanoseconds: 1_000_000_000))
        ear.feed(0.1, for: 0.01)
        #expect(ear.monitor.silentSince == nil)
        ear.monitor.limitSilence(to: .seconds(2))
        ear.feed(0.0009, for: 3)
        #expect(ear.monitor.silentSince == ClockTime(nanoseconds: 13_010_000_000))
    }

    @Test(
        "clipping is counted at most once per second, per recording, and separately for the last minute"
    )
    func clips() {
        var ear = MonitorRun()
        ear.feed([1, 1, 1, 1, 0], for: 2)
        #expect(ear.monitor.clips.total == 2)
        ear.monitor.beginRecording(at: ear.now, wasOpen: true)
        #expect(ear.monitor.clips == ClipCount())
        ear.feed([1, 1, 1, 1, 0], for: 0.5)
        ear.feed(0.1, for: 0.4)
        ear.feed([1, 1, 1, 1, 0], for: 0.05)
        #expect(ear.monitor.clips.total == 1)
        ear.feed(0.1, for: 58)
        ear.feed([1, 1, 1, 1, 0], for: 0.01)
        #expect(ear.monitor.clips.total == 2 && ear.monitor.clips.inLastMinute(at: ear.now) == 2)
        ear.feed(0.1, for: 2)
        #expect(ear.monitor.clips.total == 2 && ear.monitor.clips.inLastMinute(at: ear.now) == 1)
    }

    @Test(
        "a connected device that delivers nothing is reported after two seconds, and its level is reset"
    )
    func nothing() {
        var ear = MonitorRun()
        ear.feed(0.1, for: 1)
        ear.wait(1.9)
        #expect(ear.reports.isEmpty && ear.monitor.level.peak > 0)
        ear.wait(0.1)
        #expect(ear.monitor.level == AudioLevel() && ear.monitor.activeAlarms == [.noSignal])
        ear.wait(10)
        ear.feed(0.1, for: 1)
        #expect(ear.reports == ["no-signal begins 3.0", "no-signal ends 13.0"])
    }

    @Test("missing audio of a disconnected device counts as silence")
    func away() {
        var ear = MonitorRun()
        ear.isAway = true
        ear.monitor.limitSilence(to: .seconds(5))
        ear.feed(0.1, for: 1)
        ear.wait(4.9)
        #expect(ear.reports.isEmpty)
        ear.wait(0.1)
        ear.wait(10)
        #expect(ear.reports == ["silence begins 6.0", "no-signal begins 16.0"])
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
        var ear = MonitorRun()
        ear.feed(slice, for: 0.01)
        #expect(ear.monitor.activeAlarms.contains(.clipping) == isClipping)
    }

    @Test("a run across two slices counts as one; samples of two channels don't form a run")
    func runs() {
        var ear = MonitorRun()
        ear.feed([0, 0, 0, 1, 1], for: 0.01)
        #expect(ear.monitor.activeAlarms.isEmpty)
        ear.feed([1, 0, 0, 0, 0], for: 0.01)
        #expect(ear.monitor.activeAlarms == [.clipping])
        var stereo = MonitorRun(channels: 2)
        stereo.feed([1, 0, 1, 0, 0, 1, 0, 1], for: 0.01)
        #expect(stereo.monitor.activeAlarms.isEmpty)
    }

    @Test(
        "clipping is reported once, and again when a recording starts, until it stops for 10 s; its samples are counted"
    )
    func clipping() {
        var ear = MonitorRun()
        ear.feed([1, 1, 1, 1, 0], for: 0.02)
        ear.monitor.beginRecording(at: ear.now, wasOpen: true)
        for _ in 0..<5 {
            ear.feed([1, 1, 1, 1, 0], for: 0.01)
            ear.feed(0.1, for: 5)
        }
        ear.feed(0.1, for: 20)
        ear.feed([0, 1, 1, 1, 0], for: 0.01)
        #expect(
            ear.reports.map { $0.prefix(15) } == [
                "clipping begins", "clipping begins", "clipping ends 3", "clipping begins",
            ])
        #expect(ear.monitor.drainOverloadCount(through: ear.now) == 5 * 4 + 3)
    }

    @Test("unselected channels are ignored")
    func sourceChannels() {
        var ear = MonitorRun(channels: 2, sourceChannels: [1])
        ear.feed((0..<960).map { $0.isMultiple(of: 2) ? 1 : 0 }, for: 2)
        #expect(ear.monitor.activeAlarms == [.noSignal])
        #expect(ear.monitor.level.peak == 0)
    }

    @Test("the meter falls by 20 dB in 1.7 s, and the level is the root mean square")
    func levels() {
        var ear = MonitorRun()
        ear.feed((0..<480).map { Float(sin(Double($0) / 480 * 20 * .pi)) }, for: 3)
        #expect(abs(ear.monitor.level.rootMeanSquare - 0.7071) < 0.001)
        #expect(ear.monitor.level.peak == 1)
        ear.feed(0, for: 1.7)
        #expect(abs((AudioLevel.decibels(ear.monitor.level.peak) ?? 0) + 20) < 0.1)
    }
}

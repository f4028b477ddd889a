import MulticamMedia
import MulticamSessionFolder
import Testing

@testable import MulticamInputs
@testable import MulticamMonitoring
@testable import MulticamTiming
@testable import multicam

@Suite("the status line")
struct StatusLineTests {
    private func clock(_ residual: Nanoseconds, isLocked: Bool) -> ClockReading {
        ClockReading(
            interval: .milliseconds(33), partsPerMillion: 12, residual: residual, isLocked: isLocked,
            restarts: 0,
            moved: .zero)
    }

    @Test("shows the uncertainty of each device clock, and marks an unstable one")
    func clocks() {
        var status = SessionStatus()
        status.phase = .recording
        status.time = MediaTime(nanoseconds: 187_000_000_000)
        status.cameras = [
            .init(role: "desk", rate: 30, lost: 0, clock: clock(.microseconds(203), isLocked: true)),
            .init(role: "face", rate: 14.98, lost: 3, clock: clock(.milliseconds(2), isLocked: false)),
        ]
        status.microphones = [
            .init(role: "host", level: AudioLevel(peak: 0.1), clock: clock(.zero, isLocked: true))
        ]
        #expect(
            StatusLine.text(status)
                == "● 0:03:07 │ desk 30.0 fps clock ±0.3 ms │ face 15.0 fps −3 clock unstable │ host ▮▮▮▮▮▯▯▯ clock ±0.1 ms"
        )
    }

    @Test("shows the active live outputs and the state of the others")
    func live() {
        var status = SessionStatus()
        status.phase = .recording
        status.cameras = [.init(role: "desk", rate: 30, lost: 0, clock: clock(.zero, isLocked: true))]
        let states: [(String, LiveOutputStatus.State)] = [
            ("show", .connected), ("tube", .waiting), ("cam", .off), ("mic", .ended),
        ]
        status.liveOutputs = states.map {
            LiveOutputStatus(name: $0.0, kind: .srt, state: $0.1, since: ClockTime(nanoseconds: 0))
        }
        #expect(StatusLine.text(status).hasPrefix("● 0:00:00 │ live show │ tube waiting │ desk 30.0 fps"))
        #expect(StatusLine.text(status, columns: 30).hasPrefix("● 0:00:00 live 1/2 desk 30"))
    }

    /// Returns the status line after five readings of a computer's state, one per second.
    private func line(_ change: (inout HostState) -> Void) -> String {
        var assessment = PressureAssessment()
        var pressure: SystemPressure?
        for second in Int64(0)..<5 {
            var state = HostState()
            state.disk = DiskSpace(freeBytes: 1_260_000_000, recordedBytes: second * 1_000_000)
            change(&state)
            let time = ClockTime(nanoseconds: second * 1_000_000_000)
            pressure = assessment.assess(state, readAt: time, queues: [], at: time)
        }
        var status = SessionStatus()
        status.phase = .recording
        status.time = MediaTime(nanoseconds: 187_000_000_000)
        status.microphones = [.init(role: "host", level: AudioLevel(), clock: clock(.zero, isLocked: false))]
        status.pressure = pressure
        return StatusLine.text(status)
    }

    @Test("shows the remaining disk time, and nothing about a healthy computer")
    func nominal() {
        #expect(line { _ in } == "● 0:03:07 │ host ▯▯▯▯▯▯▯▯ clock unstable │ disk 21 min")
    }

    @Test("shows the pressure level and its main cause")
    func serious() {
        let line = line {
            $0.power = PowerSupply(isDischarging: true, charge: 0.5)
            $0.stalls = [ResourceStall(.processor, .machine, some: 0.8, full: 0)]
        }
        #expect(
            line
                == "● 0:03:07 │ serious: busy processor, close other programs │ host ▯▯▯▯▯▯▯▯ clock unstable │ disk 21 min"
        )
    }

    @Test("shows the last two minutes of disk time in seconds")
    func lastSeconds() {
        let line = line {
            $0.disk = $0.disk.map { DiskSpace(freeBytes: 119_000_000, recordedBytes: $0.recordedBytes) }
        }
        #expect(
            line
                == "● 0:03:07 │ critical: disk nearly full, free some space │ host ▯▯▯▯▯▯▯▯ clock unstable │ disk 119 s"
        )
    }

    @Test(
        "fits the terminal with any content, and keeps the time, the losses, and the disk time",
        arguments: [40, 60, 80, 100])
    func width(columns: Int) {
        var assessment = PressureAssessment()
        var status = SessionStatus()
        for second in Int64(0)..<5 {
            var state = HostState()
            state.disk = DiskSpace(freeBytes: 1_260_000_000, recordedBytes: second * 1_000_000)
            state.stalls = [ResourceStall(.processor, .machine, some: 0.8, full: 0)]
            let time = ClockTime(nanoseconds: second * 1_000_000_000)
            status.pressure = assessment.assess(state, readAt: time, queues: [], at: time)
        }
        status.phase = .recording
        status.time = MediaTime(nanoseconds: 187_000_000_000)
        status.measures = [
            GovernorMeasure(
                .preset(stream: "program", from: .superfast, to: .ultrafast), relieves: []),
            GovernorMeasure(.cameraRate(role: "face", from: FrameRate(30), to: FrameRate(20)), relieves: []),
        ]
        status.cameras = ["desk", "face", "window"].map {
            .init(role: $0, rate: 30, lost: 2, clock: clock(.microseconds(203), isLocked: true))
        }
        status.microphones = ["host", "guest"].map {
            .init(
                role: $0, level: AudioLevel(peak: 0.1), alarms: [.clipping], missing: .milliseconds(60),
                clock: clock(.zero, isLocked: true))
        }
        let line = StatusLine.text(status, columns: columns)
        #expect(line.count <= columns)
        #expect(line.hasPrefix("● 0:03:07"))
        #expect(line.hasSuffix("disk 21 min"))
        if columns >= 80 { #expect(line.contains("−") && line.contains("serious: close other programs")) }
    }
}

extension SessionStatus.Camera {
    fileprivate init(role: String, rate: Double, lost: Int, clock: ClockReading) {
        var counts = FrameCounts()
        if lost > 0 { counts.lost = [.bus: lost] }
        self.init(
            role: role, name: role,
            format: VideoFormat(
                pixel: .mjpeg, size: FrameSize(width: 320, height: 180), rate: FrameRate(30)),
            rate: rate, counts: counts, clock: clock, outage: nil)
    }
}

extension SessionStatus.Microphone {
    fileprivate init(
        role: String, level: AudioLevel, loudness: Loudness? = nil, alarms: [AudioAlarm.Kind] = [],
        missing: Nanoseconds = .zero, clock: ClockReading
    ) {
        self.init(
            role: role, name: role, channels: 1, level: level, loudness: loudness, alarms: alarms,
            silentSince: nil, clips: ClipCount(), missing: missing, clock: clock)
    }
}

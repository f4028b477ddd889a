import Media
import SessionFolder
import Testing

@testable import Inputs
@testable import Monitoring
@testable import Timing
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
        status.microphones = [
            .init(role: "host", level: AudioLevel(peak: 0.1), clock: clock(.zero, isLocked: true))
        ]
        #expect(
            StatusLine.text(status)
                == "● 0:03:07 │ desk 30.0/s clock ±0.3 ms │ face 15.0/s −3 clock unsure │ host ▮▮▮▮▮▯▯▯ clock ±0.1 ms"
        )
    }

    @Test("it tells what is live, and what keeps an output from it")
    func live() {
        var status = SessionStatus()
        status.phase = .recording
        status.cameras = [.init(role: "desk", rate: 30, lost: 0, clock: clock(.zero, isLocked: true))]
        let states: [(String, PublicationStatus.State)] = [
            ("show", .connected), ("tube", .waiting), ("cam", .off), ("mic", .ended),
        ]
        status.publications = states.map {
            PublicationStatus(name: $0.0, kind: .srt, state: $0.1, since: ClockTime(nanoseconds: 0))
        }
        #expect(StatusLine.text(status).hasPrefix("● 0:00:00 │ live show │ tube waiting │ desk 30.0/s"))
        #expect(StatusLine.text(status, columns: 30).hasPrefix("● 0:00:00 live 1/2 desk 30"))
    }

    /// What is said after five looks at a computer, a second apart.
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

    @Test("says how long the disk lasts, and nothing of a computer that is well")
    func nominal() {
        #expect(line { _ in } == "● 0:03:07 │ host ▯▯▯▯▯▯▯▯ clock unsure │ disk 21 min")
    }

    @Test("names the level and its worst cause where the computer is not well")
    func serious() {
        let line = line {
            $0.power = PowerSupply(isDischarging: true, charge: 0.5)
            $0.stalls = [ResourceStall(.processor, .machine, some: 0.8, full: 0)]
        }
        #expect(
            line
                == "● 0:03:07 │ serious: busy processor, close other programs │ host ▯▯▯▯▯▯▯▯ clock unsure │ disk 21 min"
        )
    }

    @Test("counts the disk's last two minutes in seconds")
    func lastSeconds() {
        let line = line {
            $0.disk = $0.disk.map { DiskSpace(freeBytes: 119_000_000, recordedBytes: $0.recordedBytes) }
        }
        #expect(
            line
                == "● 0:03:07 │ critical: disk nearly full, free some space │ host ▯▯▯▯▯▯▯▯ clock unsure │ disk 119 s"
        )
    }

    @Test(
        "fits the terminal whatever there is to tell, and keeps the time, the losses and the disk's minutes",
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
        status.givenUp = ["program preset superfast → ultrafast", "face rate 30 → 20"]
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
            rate: rate, counts: counts, clock: clock, absence: nil)
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

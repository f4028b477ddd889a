import MulticamMedia
import MulticamVirtualDevices

/// All events of a synthetic device during a period of simulated time, with their arrival times.
struct DeviceRun<Event: Sendable> {
    struct Arrival {
        let at: ClockTime
        let event: Event
    }

    /// Start of simulated time. It isn't aligned with claps or a grid.
    static var start: ClockTime { ClockTime(nanoseconds: 1_000_123_456_789) }

    let arrivals: [Arrival]

    private init(
        seconds: Double, _ begin: (SimulatedClock, @escaping @Sendable (Event) -> Void) throws -> Void,
        _ end: () -> Void
    ) throws {
        let clock = SimulatedClock(start: Self.start)
        let last = Self.start + .seconds(rounding: seconds)
        let heard = ConditionLock<[Arrival]>([])
        let isOver = ConditionLock(false)
        clock.hold()
        try begin(clock) { event in
            let now = clock.now
            heard.withLock { if now <= last { $0.append(Arrival(at: now, event: event)) } }
        }
        let watch = try clock.startThread(named: "watch") {
            clock.sleep(until: last + Nanoseconds(1), unless: Cancellation())
            isOver.broadcast { $0 = true }
        }
        clock.release()
        isOver.wait { $0 ? true : nil }
        end()
        watch.join()
        arrivals = heard.withLock { $0 }
    }
}

extension DeviceRun<CameraEvent> {
    /// Runs a device. T0 is `recordingAfter` seconds after the start. `react` is called with each event on
    /// the camera's thread.
    init(
        _ camera: any CameraSource, seconds: Double, recordingAfter: Double? = 0,
        reacting react: @escaping @Sendable (CameraEvent) -> Void = { _ in }
    ) throws {
        if let recordingAfter { camera.setRecordingStart(Self.start + .seconds(rounding: recordingAfter)) }
        try self.init(
            seconds: seconds,
            { clock, receive in
                try camera.start(on: clock) { event in
                    receive(event)
                    react(event)
                }
            }, { camera.stop() })
    }

    init(
        _ selector: String, role: String = "desk", wanted: VideoFormat? = nil, seconds: Double,
        recordingAfter: Double? = 0
    ) throws {
        let camera = try VirtualSources.camera(selector: selector, role: role, wanted: wanted)
        try self.init(camera, seconds: seconds, recordingAfter: recordingAfter)
    }

    var frames: [CapturedFrame] {
        arrivals.compactMap { if case .frame(let frame) = $0.event { frame } else { nil } }
    }

    /// All events as text, without pixels.
    var eventLog: [String] {
        arrivals.map { arrival in
            let at = (arrival.at - Self.start).count
            switch arrival.event {
            case .frame(let frame), .preroll(let frame):
                return
                    "\(at) frame \(frame.sequence) \(frame.capturedAt.nanoseconds) \(frame.memory.count)"
            case .lost(let count, let cause, let time):
                return "\(at) lost \(count) \(cause) \(time.nanoseconds)"
            case .outageBegan(let time, let cause, let isRequested):
                return "\(at) \(isRequested ? "asked" : "away") \((time - Self.start).count) \(cause)"
            case .formatRefused(let format, let time, _):
                return "\(at) refused \((time - Self.start).count) \(format)"
            case .outageEnded(let time, _): return "\(at) returned \((time - Self.start).count)"
            case .formatChanged(let format): return "\(at) format \(format)"
            case .notice(let time, let text): return "\(at) remarked \((time - Self.start).count) \(text)"
            case .timestampCorrected(let time): return "\(at) corrected \((time - Self.start).count)"
            case .headerClockMissing(let time, let cause):
                return "\(at) without header clock \((time - Self.start).count) \(cause)"
            case .controls(let outcomes, let time):
                return "\(at) controls \((time - Self.start).count) \(outcomes.map(\.request.name))"
            case .ended(let time, let cause): return "\(at) ended \((time - Self.start).count) \(cause)"
            }
        }
    }

    func lost(_ cause: LossCause) -> Int {
        arrivals.reduce(0) { sum, arrival in
            if case .lost(let count, cause, _) = arrival.event { return sum + count }
            return sum
        }
    }
}

extension DeviceRun<MicrophoneEvent> {
    init(_ microphone: any MicrophoneSource, seconds: Double, recordingAfter: Double? = 0) throws {
        if let recordingAfter {
            microphone.setRecordingStart(Self.start + .seconds(rounding: recordingAfter))
        }
        try self.init(
            seconds: seconds, { try microphone.start(on: $0, delivering: $1) }, { microphone.stop() })
    }

    init(_ selector: String, role: String = "host", seconds: Double, recordingAfter: Double? = 0) throws {
        let microphone = try VirtualSources.microphone(selector: selector, role: role)
        try self.init(microphone, seconds: seconds, recordingAfter: recordingAfter)
    }

    var audioBlocks: [CapturedAudio] {
        arrivals.compactMap { if case .audio(let audio) = $0.event { audio } else { nil } }
    }
}

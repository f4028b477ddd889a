internal import Inputs
public import Media
public import Plan
internal import Timing

/// Observes cameras and microphones that run as for a recording; no file is written.
///
/// The clock models of a recording date what the devices deliver, without latencies and offsets. A handler gets it on
/// a thread of its own: however long the handler takes, no device waits for it.
public final class Observation: Sendable {
    private let inputs: ConditionLock<SessionInputs?>
    private let clock: any SessionClock
    private let controls = SessionControls()

    /// How often deliveries are fetched: a few frames at a time.
    private static let interval = Nanoseconds.milliseconds(20)

    /// Creates an observation of opened devices, which do not run yet.
    ///
    /// - Parameters:
    ///   - plan: Names the cameras and microphones. Their latencies and offsets are ignored.
    ///   - cameras: An opened source for each camera of the plan, by role.
    ///   - microphones: An opened source for each microphone of the plan, by role.
    ///   - clock: The session clock: `MonotonicClock` for real devices.
    ///   - codecs: Makes the decoders of H.264 streams.
    /// - Throws: `EncodingError` when a camera delivers a stream that has no decoder.
    public init(
        plan: SessionPlan, cameras: [String: any CameraSource], microphones: [String: any MicrophoneSource],
        clock: any SessionClock, codecs: any CodecFactory
    ) throws(EncodingError) {
        self.clock = clock
        var inputs: [CameraInput] = []
        for planned in plan.cameras {
            guard let source = cameras[planned.role] else {
                preconditionFailure("no source was given for camera `\(planned.role)`")
            }
            inputs.append(
                try CameraInput(
                    role: planned.role, source: source, latency: .zero,
                    decodes: source.format.pixel == .h264, taps: TapBoard(), keepsLog: false, clock: clock,
                    codecs: codecs))
        }
        let ears = plan.microphones.map { planned in
            guard let source = microphones[planned.role] else {
                preconditionFailure("no source was given for microphone `\(planned.role)`")
            }
            return MicrophoneInput(
                role: planned.role, source: source, offset: .zero, pick: planned.pick, clock: clock)
        }
        self.inputs = ConditionLock(SessionInputs(cameras: inputs, microphones: ears))
    }

    /// Ends the observation soon. Any thread may call it, also before `run`.
    public func stop() { controls.stop(at: clock.now) }

    /// Runs the devices until `stop`, until the handler returns `false`, or until all devices have ended. May be
    /// called once. Blocks its thread, which must not be one of the session clock's.
    ///
    /// - Parameters:
    ///   - limit: How long each device may take at the start to deliver good frames or audio.
    ///   - handle: Called some fifty times a second, on a thread of its own, with what has come since the last call
    ///     and the present instant. Returns whether to go on.
    /// - Throws: `RecordingError.device` when a device refuses to start or stays silent, `.stopped` when stopped
    ///   before all deliver.
    public func run(
        startTimeLimit limit: Nanoseconds = .seconds(10),
        _ handle: sending @escaping (_ news: [Observed], _ now: ClockTime) -> Bool
    ) throws(RecordingError) {
        guard let inputs = inputs.withLock({ inputs in inputs.take() }) else {
            preconditionFailure("an observation runs once")
        }
        defer { for stop in inputs.stop(on: clock) { stop.join() } }
        // Devices and observer begin at one instant, so that simulated observations are repeatable.
        clock.hold()
        do {
            try inputs.start(on: clock)
        } catch {
            clock.release()
            throw error
        }
        // This thread only waits while the observer's uses inputs and handler: `join` hands them over and back.
        nonisolated(unsafe) let (carried, body) = (inputs, handle)
        nonisolated(unsafe) var outcome: Result<Void, RecordingError>?
        let observer = clock.startThread(named: "observer") { [clock, controls] in
            do throws(RecordingError) {
                try carried.wait(for: .enough, on: clock, limit: limit, controls: controls)
                Self.follow(carried, on: clock, controls, body)
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
        }
        clock.release()
        observer.join()
        guard let outcome else { preconditionFailure("the observer ended without a result") }
        try outcome.get()
    }

    // MARK: On the observer's thread

    private static func follow(
        _ inputs: SessionInputs, on clock: any SessionClock, _ controls: SessionControls,
        _ handle: ([Observed], ClockTime) -> Bool
    ) {
        // As in a recording, devices get a moment to begin together: files play from here.
        let (now, lead) = (clock.now, Nanoseconds.milliseconds(120))
        inputs.tellBeginning(now + lead, stamped: clock.stamp(of: now + lead))
        var running = inputs.cameras.count + inputs.microphones.count
        while running > 0, controls.stopTime == nil {
            clock.sleep(until: clock.now + interval, unless: controls.cancellation)
            let news = news(of: inputs)
            for case .ended in news { running -= 1 }
            guard handle(news, clock.now) else { return }
        }
    }

    private static func news(of inputs: SessionInputs) -> [Observed] {
        var news: [Observed] = []
        for (index, camera) in inputs.cameras.enumerated() {
            let model = camera.clockModel
            let error = Self.error(of: model, camera.source.device)
            for delivery in inputs.takeDeliveries(ofCamera: index) {
                switch delivery {
                case .frame(let dated):
                    guard let shown = dated.shown else { continue }
                    // A decoder may give a frame later than it took it.
                    let time = dated.time - model.interval * (dated.frame.sequence - shown.sequence)
                    news.append(
                        .frame(
                            ObservedFrame(
                                role: camera.role, frame: shown, time: time, interval: model.interval,
                                error: error)
                        ))
                case .away(_, let cause, _): news.append(.away(role: camera.role, cause: cause))
                case .returned: news.append(.returned(role: camera.role))
                case .ended(_, let cause): news.append(.ended(role: camera.role, cause: cause))
                case .lost, .warning, .formatChanged: break
                }
            }
        }
        for microphone in inputs.microphones {
            let error = Self.error(of: microphone.clockModel, microphone.source.device)
            for delivery in microphone.takeDeliveries() {
                switch delivery {
                case .audio(let audio, let time, _, _):
                    news.append(
                        .audio(
                            ObservedAudio(
                                role: microphone.role, samples: microphone.picked(audio),
                                channels: microphone.channels, rate: audio.format.rate,
                                firstSample: audio.firstSample, time: time, error: error)))
                case .away(_, let cause): news.append(.away(role: microphone.role, cause: cause))
                case .returned: news.append(.returned(role: microphone.role))
                case .ended(_, let cause): news.append(.ended(role: microphone.role, cause: cause))
                case .lost: break
                }
            }
        }
        return news
    }

    /// Standard error of a device's dates: zero where its times are exact, else that of its clock model.
    private static func error(of model: DeviceClock, _ device: CaptureDevice) -> Nanoseconds {
        device.deviceType.hasExactTimes ? .zero : model.residual
    }
}

internal import MulticamInputs
package import MulticamMedia
package import MulticamPlan
internal import MulticamTiming

/// Observes cameras and microphones running under recording conditions, without writing a file.
///
/// The delivered data gets its timestamps from the same clock models as in a recording, without compensation
/// of latencies and offsets. A separate thread calls the handler, so a slow handler never delays a device.
package final class Observation: Sendable {
    private let inputs: ConditionLock<SessionInputs?>
    private let clock: any SessionClock
    private let controls = SessionControls()

    /// Polling interval for deliveries, during which a few frames arrive.
    private static let interval = Nanoseconds.milliseconds(20)

    /// Creates an observation of opened devices that aren't running yet.
    ///
    /// - Parameters:
    ///   - plan: The plan, which names the cameras and microphones. Latencies and offsets in the plan are ignored.
    ///   - cameras: An opened source for each camera of the plan, by role.
    ///   - microphones: An opened source for each microphone of the plan, by role.
    ///   - clock: The session clock: `MonotonicClock` for real devices.
    ///   - codecs: Creates the decoders of H.264 streams.
    /// - Throws: `EncodingError` when a camera's stream can't be decoded.
    package init(
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
                    decodes: source.format.pixel == .h264, taps: TapRegistry(), keepsLog: false, clock: clock,
                    codecs: codecs))
        }
        let ears = plan.microphones.map { planned in
            guard let source = microphones[planned.role] else {
                preconditionFailure("no source was given for microphone `\(planned.role)`")
            }
            return MicrophoneInput(
                role: planned.role, source: source, offset: .zero, sourceChannels: planned.sourceChannels,
                clock: clock)
        }
        self.inputs = ConditionLock(SessionInputs(cameras: inputs, microphones: ears))
    }

    /// Requests the end of the observation, which then ends within milliseconds. Any thread may call this
    /// method, even before `run`.
    package func stop() { controls.stop(at: clock.now) }

    /// Runs the devices until `stop`, until the handler returns `false`, or until all devices have ended.
    /// This method may be called only once. The method blocks the calling thread, which must not be one of
    /// the session clock's threads.
    ///
    /// - Parameters:
    ///   - limit: Maximum time after the start for each device to deliver valid frames or audio.
    ///   - handle: Called about 50 times per second on a separate thread, with the data delivered since the last call
    ///     and the current time. Returns `true` to continue.
    /// - Throws: `RecordingError.device` when a device fails to start or doesn't deliver data, `.stopped`
    ///   when stopped before all devices deliver data.
    package func run(
        startTimeLimit limit: Nanoseconds = .seconds(10),
        _ handle: sending @escaping (_ news: [ObservationEvent], _ now: ClockTime) -> Bool
    ) throws(RecordingError) {
        guard let inputs = inputs.withLock({ inputs in inputs.take() }) else {
            preconditionFailure("the observation has already run")
        }
        defer { _ = SessionInputs.wait(for: inputs.stop(on: clock)) }
        // The devices and the observer thread begin at the same instant, so simulated observations are
        // reproducible.
        clock.hold()
        do {
            try inputs.start(on: clock)
        } catch {
            clock.release()
            throw error
        }
        // While the observer thread uses the inputs and the handler, this thread only waits. `join` transfers
        // both back to this thread.
        nonisolated(unsafe) let (carried, body) = (inputs, handle)
        nonisolated(unsafe) var outcome: Result<Void, RecordingError>?
        let observer: MediaThread
        do throws(ThreadError) {
            observer = try clock.startThread(named: "observer") { [clock, controls] in
                do throws(RecordingError) {
                    try carried.wait(for: .enough, on: clock, limit: limit, controls: controls)
                    Self.observe(carried, on: clock, controls, body)
                    outcome = .success(())
                } catch {
                    outcome = .failure(error)
                }
            }
        } catch {
            clock.release()
            throw .thread(error)
        }
        clock.release()
        observer.join()
        guard let outcome else { preconditionFailure("the observer ended without a result") }
        try outcome.get()
    }

    // MARK: Observer thread

    private static func observe(
        _ inputs: SessionInputs, on clock: any SessionClock, _ controls: SessionControls,
        _ handle: ([ObservationEvent], ClockTime) -> Bool
    ) {
        // As in a recording, the lead time allows all devices to begin at the same time. File sources start
        // playing at this instant.
        let (now, lead) = (clock.now, Nanoseconds.milliseconds(120))
        inputs.notifyRecordingStarted(now + lead, stamped: clock.stamp(of: now + lead))
        var running = inputs.cameras.count + inputs.microphones.count
        while running > 0, controls.stopTime == nil {
            clock.sleep(until: clock.now + interval, unless: controls.cancellation)
            let news = dequeueEvents(from: inputs)
            for case .ended in news { running -= 1 }
            guard handle(news, clock.now) else { return }
        }
    }

    private static func dequeueEvents(from inputs: SessionInputs) -> [ObservationEvent] {
        var news: [ObservationEvent] = []
        for (index, camera) in inputs.cameras.enumerated() {
            let model = camera.clockModel
            let error = Self.error(of: model, camera.source.device)
            for delivery in inputs.dequeueDeliveries(ofCamera: index) {
                switch delivery {
                case .frame(let dated):
                    guard let shown = dated.shown else { continue }
                    // A decoder may return a frame with a delay.
                    let time = dated.time - model.interval * (dated.frame.sequence - shown.sequence)
                    news.append(
                        .frame(
                            ObservedFrame(
                                role: camera.role, frame: shown, time: time, interval: model.interval,
                                error: error)
                        ))
                case .away(let outage):
                    news.append(
                        outage.isFinal
                            ? .ended(role: camera.role, cause: outage.reason)
                            : .away(role: camera.role, cause: outage.reason))
                case .returned: news.append(.returned(role: camera.role))
                case .lost, .warning, .formatChanged, .silent, .resumed: break
                }
            }
        }
        for microphone in inputs.microphones {
            let error = Self.error(of: microphone.clockModel, microphone.source.device)
            for delivery in microphone.dequeueDeliveries() {
                switch delivery {
                case .audio(let audio, let time, _, _):
                    news.append(
                        .audio(
                            ObservedAudio(
                                role: microphone.role, samples: microphone.selectedSamples(of: audio),
                                channels: microphone.channels, rate: audio.format.rate,
                                firstSample: audio.firstSample, time: time, error: error)))
                case .away(_, let cause): news.append(.away(role: microphone.role, cause: cause))
                case .returned: news.append(.returned(role: microphone.role))
                case .ended(_, let cause): news.append(.ended(role: microphone.role, cause: cause))
                case .lost, .warning: break
                }
            }
        }
        return news
    }

    /// Returns the standard error of a device's timestamps: zero if its times are exact, otherwise the error of its
    /// clock model.
    private static func error(of model: DeviceClock, _ device: CaptureDevice) -> Nanoseconds {
        device.deviceType.hasExactTimes ? .zero : model.residual
    }
}

/// Data delivered by an observed device, or a change of its state.
package enum ObservationEvent: Sendable {
    case frame(ObservedFrame)
    case audio(ObservedAudio)
    /// The device is disconnected. When the device is reconnected, its data is timestamped on the same clock.
    case away(role: String, cause: String)
    case returned(role: String)
    /// The device has ended and won't deliver any more data.
    case ended(role: String, cause: String)
}

/// A frame of an observed camera, with the timestamp it would get in a recording.
package struct ObservedFrame: Sendable {
    /// The camera's role.
    package let role: String
    /// The frame: decoded if it arrived in an H.264 stream, otherwise as captured.
    package let frame: CapturedFrame
    /// Start of the exposure on the session's clock, from the camera's clock model, without latency compensation.
    package let time: ClockTime
    /// Interval to the next frame from the camera's clock model, in nanoseconds. The exposure time can't be
    /// longer than this interval.
    package let interval: Nanoseconds
    /// Standard error of `time`, in nanoseconds; zero for a file.
    package let error: Nanoseconds
}

/// A slice of an observed microphone's audio, with the timestamp it would get in a recording.
package struct ObservedAudio: Sendable {
    /// The microphone's role.
    package let role: String
    /// Interleaved samples of the role's selected source channels; full scale is ±1.
    package let samples: [Float]
    /// Number of channels in `samples`.
    package let channels: Int
    /// Nominal sample rate, in hertz.
    package let rate: Int
    /// Number of samples per channel that the device counted before this slice. A jump of this number
    /// indicates lost samples.
    package let firstSample: Int64
    /// Time of the first sample on the session's clock, from the microphone's clock model, without offset.
    package let time: ClockTime
    /// Standard error of `time`, in nanoseconds; zero for a file.
    package let error: Nanoseconds
}

/// A microphone of any kind, opened in one format. It delivers on a thread that is not the receiver's.
public protocol MicrophoneSource: Sendable {
    var device: CaptureDevice { get }
    var format: AudioFormat { get }
    /// How long after capture audio is delivered, at most, as far as known.
    var deliveryDelay: Nanoseconds { get }
    /// Over what time its slices' stamps share their error, as where few reports date many slices. Zero where each stamp has an
    /// error of its own.
    var stampCorrelation: Nanoseconds { get }
    /// How long it may deliver nothing after its start, beyond what any device takes, before it is taken for silent.
    var settlingTime: Nanoseconds { get }

    /// Starts streaming. Returns at once; audio follows.
    func start(on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void)
        throws(DeviceError)

    /// Tells the instant at which the recording begins.
    func recordingBegins(at start: ClockTime)

    /// Ends streaming; no event follows its return.
    func stop()

    /// Processor time of the threads that stand in for hardware.
    var simulationTime: Nanoseconds { get }
}

extension MicrophoneSource {
    public var stampCorrelation: Nanoseconds { .zero }
    public var settlingTime: Nanoseconds { .zero }
    public func recordingBegins(at start: ClockTime) {}
    public var simulationTime: Nanoseconds { .zero }
}

/// What a microphone tells while it streams, in the order of capture.
public enum MicrophoneEvent: Sendable {
    case audio(CapturedAudio)
    /// Samples that did not arrive or arrived damaged; counted in samples per channel of the device's rate.
    case lost(count: Int64, cause: LossCause, capturedAt: ClockTime)
    case away(at: ClockTime, cause: String)
    case returned(at: ClockTime)
    case ended(at: ClockTime, cause: String)
}

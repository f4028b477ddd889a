/// A microphone of any kind, opened in one format. It delivers on a thread that is not the receiver's.
public protocol MicrophoneSource: Sendable {
    /// The device that was opened.
    var device: CaptureDevice { get }
    /// The rate and the channels of the audio that the microphone delivers.
    var format: AudioFormat { get }
    /// The longest time from capture to the delivery of audio, as far as known.
    var deliveryDelay: Nanoseconds { get }
    /// The time over which the time stamps of slices share their error, as where few reports date many slices. Zero where
    /// each stamp has an error of its own.
    var stampCorrelation: Nanoseconds { get }
    /// The additional time that the microphone may deliver nothing after its start, beyond what every device is given,
    /// before it counts as silent.
    var settlingTime: Nanoseconds { get }

    /// Starts streaming. Returns at once; `receive` is then called on a thread that is not the caller's.
    ///
    /// - Throws: `DeviceError` when the device or the sound server refuses.
    func start(on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void)
        throws(DeviceError)

    /// Tells the source the instant at which the recording begins. Files play from it, and scripts of faults count from it.
    func recordingBegins(at start: ClockTime)

    /// Ends streaming; no event follows its return.
    func stop()

    /// How far off the capture times of slices may be, as far as who dates them says so.
    var timeError: Nanoseconds { get }

    /// Who dates the slices; `nil` where the driver does.
    var timeOrigin: TimeOrigin? { get }

    /// The cause of what is missing while the device is away.
    var outageCause: LossCause { get }

    /// Processor time of the threads that stand in for hardware; every reported figure leaves it out.
    var simulationTime: Nanoseconds { get }
}

extension MicrophoneSource {
    /// Always zero: each time stamp has an error of its own.
    public var stampCorrelation: Nanoseconds { .zero }
    /// Always zero: the microphone needs no longer than any other device.
    public var settlingTime: Nanoseconds { .zero }
    /// Does nothing: what the microphone delivers does not depend on the recording's beginning.
    public func recordingBegins(at start: ClockTime) {}
    /// Always zero: nobody says that the times are off.
    public var timeError: Nanoseconds { .zero }
    /// Always `nil`: the driver dates.
    public var timeOrigin: TimeOrigin? { nil }
    /// Always `away`: the device was unplugged or silent.
    public var outageCause: LossCause { .away }
    /// Always zero: no thread stands in for hardware.
    public var simulationTime: Nanoseconds { .zero }
}

/// The reports of a microphone while it streams, in the order of capture. Instants are on the session clock.
public enum MicrophoneEvent: Sendable {
    /// A slice of audio was captured.
    case audio(CapturedAudio)
    /// Audio did not arrive, or arrived damaged. `count` is in samples per channel at the device's rate; `capturedAt` is
    /// the time of the first of them.
    case lost(count: Int64, cause: LossCause, capturedAt: ClockTime)
    /// The microphone went away or fell silent at an instant. It may return.
    case away(at: ClockTime, cause: String)
    /// The microphone delivers audio again.
    case returned(at: ClockTime)
    /// The microphone will deliver no more: the file is at its end, or the device is gone for good.
    case ended(at: ClockTime, cause: String)
}

/// A microphone of any kind, opened in one format. A microphone source never delivers audio on the receiver's
/// own thread.
public protocol MicrophoneSource: Sendable {
    /// The microphone that this source has opened.
    var device: CaptureDevice { get }
    /// Sample rate and channels of the delivered audio.
    var format: AudioFormat { get }
    /// Longest known time from capture to delivery of the audio.
    var deliveryDelay: Nanoseconds { get }

    /// Starts streaming. This method returns immediately; `receive` is then called on another thread.
    ///
    /// - Throws: `DeviceError` if the device or the sound server refuses to stream.
    func start(on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void)
        throws(DeviceError)

    /// Stops streaming; no events are delivered after this method returns.
    func stop()

    /// Loss cause recorded while the device is disconnected.
    var outageCause: LossCause { get }
}

extension MicrophoneSource {
    /// Always `disconnected`: the device was unplugged or stopped delivering audio.
    public var outageCause: LossCause { .disconnected }
}

/// A microphone source with features that only the sources of this package need. A source of an application uses the
/// default implementations.
package protocol DetailedMicrophoneSource: MicrophoneSource {
    /// Duration over which the timestamps of audio slices share the same error, for example because one
    /// timing report covers many slices. The value is zero if each timestamp has an independent error.
    var stampCorrelation: Nanoseconds { get }

    /// Additional time that the microphone may need before it delivers audio. A microphone is considered
    /// silent only after the usual time limit plus this settling time.
    var settlingTime: Nanoseconds { get }

    /// Notifies the source of the instant at which the recording starts. File sources start playing at this
    /// instant, and times in fault scripts are relative to this instant.
    func setRecordingStart(_ start: ClockTime)

    /// Maximum error of the slices' capture times, if the source of the timestamps reports an error.
    var timeError: Nanoseconds { get }

    /// Origin of the slices' timestamps; `nil` if the driver sets them.
    var timeOrigin: TimeOrigin? { get }

    /// CPU time of the threads that simulate hardware. Reported CPU figures exclude this time.
    var simulationTime: Nanoseconds { get }
}

extension DetailedMicrophoneSource {
    /// Always zero: each timestamp has an independent error.
    package var stampCorrelation: Nanoseconds { .zero }
    /// Always zero: the microphone starts as quickly as other devices.
    package var settlingTime: Nanoseconds { .zero }
    /// Does nothing: the microphone's audio doesn't depend on the start of the recording.
    package func setRecordingStart(_ start: ClockTime) {}
    /// Always zero: the source of the timestamps doesn't report an error.
    package var timeError: Nanoseconds { .zero }
    /// Always `nil`: the driver sets the timestamps.
    package var timeOrigin: TimeOrigin? { nil }
    /// Always zero: no thread simulates hardware.
    package var simulationTime: Nanoseconds { .zero }
}

extension MicrophoneSource {
    /// This source with all features, or `nil` for a source of an application.
    private var detailed: (any DetailedMicrophoneSource)? { self as? any DetailedMicrophoneSource }

    /// See `DetailedMicrophoneSource`.
    package var stampCorrelation: Nanoseconds { detailed?.stampCorrelation ?? .zero }
    /// See `DetailedMicrophoneSource`.
    package var settlingTime: Nanoseconds { detailed?.settlingTime ?? .zero }
    /// See `DetailedMicrophoneSource`.
    package func setRecordingStart(_ start: ClockTime) { detailed?.setRecordingStart(start) }
    /// See `DetailedMicrophoneSource`.
    package var timeError: Nanoseconds { detailed?.timeError ?? .zero }
    /// See `DetailedMicrophoneSource`.
    package var timeOrigin: TimeOrigin? { detailed?.timeOrigin }
    /// See `DetailedMicrophoneSource`.
    package var simulationTime: Nanoseconds { detailed?.simulationTime ?? .zero }
}

/// Events from a microphone while it is streaming, in capture order. All instants are on the session clock.
public enum MicrophoneEvent: Sendable {
    /// A slice of audio was captured.
    case audio(CapturedAudio)
    /// Audio didn't arrive, or arrived damaged. `count` is in samples per channel at the device's rate;
    /// `capturedAt` is the time of the first lost sample.
    case lost(count: Int64, cause: LossCause, capturedAt: ClockTime)
    /// The microphone disconnected or stopped delivering audio, but may return later.
    case outageBegan(at: ClockTime, cause: String)
    /// The microphone delivers audio again.
    case outageEnded(at: ClockTime)
    /// A notice for the user, as a complete sentence, about something that doesn't affect the recording.
    case notice(at: ClockTime, String)
    /// The microphone won't deliver more audio: the file has ended, or the device is permanently gone.
    case ended(at: ClockTime, cause: String)
}

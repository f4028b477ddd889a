/// A camera of any kind, opened in one format.
///
/// A source delivers frames on its own thread and never waits for the receiver.
public protocol CameraSource: Sendable {
    /// The camera that this source has opened.
    var device: CaptureDevice { get }
    /// Video format that the camera delivers at first, determined when the camera was opened.
    var format: VideoFormat { get }
    /// Color matrix and range of the camera's frames.
    var color: ColorDescription { get }
    /// Longest known time from the start of exposure to the delivery of a frame: exposure plus transport. The
    /// slowest camera determines the session's alignment delay.
    var deliveryDelay: Nanoseconds { get }

    /// Starts streaming. This method returns immediately; `receive` is then called on the source's own
    /// thread.
    ///
    /// - Throws: `DeviceError` if the device refuses to stream, for example because it is busy or unplugged,
    ///   or the bus lacks bandwidth.
    func start(on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void)
        throws(DeviceError)

    /// Whether `changeFormat(to:)` has an effect.
    var canChangeFormat: Bool { get }

    /// Restarts the stream in another format. This method returns immediately. The source then delivers the
    /// events `outageBegan` (marked as requested), `formatChanged`, and `outageEnded` on its own thread. Call this
    /// method only while the camera is streaming.
    ///
    /// If the device rejects the format or delivers no frame in that format, the previous format stays in use
    /// and `formatRefused` reports the failure. If the device is disconnected, the format is applied after
    /// the device is connected again. While the camera is switched off, the source doesn't search for its
    /// device.
    ///
    /// - Parameter format: A format that the device offers; `nil` switches the camera off until a format is
    ///   set.
    func changeFormat(to format: VideoFormat?)

    /// Reads the camera's current control values, which takes a few milliseconds. This method can be called
    /// from any thread, but not from a Swift task.
    ///
    /// - Throws: `DeviceError` if the device is disconnected or doesn't respond. A source without controls
    ///   returns an empty array.
    func readControls() throws(DeviceError) -> [DeviceControl]

    /// Sets camera controls in the given order and reads their values back. This method can be called from
    /// any thread, but not from a Swift task. The camera may be streaming during this call.
    ///
    /// The source stores the values that the camera accepted. If the device loses its values after a stream
    /// restart or a reconnection, the source sets the stored values again.
    ///
    /// - Parameter requests: The control requests, with each automatic control before the manual control that depends on it.
    /// - Returns: The outcome of each request, in the same order.
    /// - Throws: `DeviceError` if the device is disconnected or doesn't respond.
    func setControls(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome]

    /// Stops streaming; no events are delivered after this method returns. Never call this method from the
    /// source's own thread.
    func stop()

    /// Loss cause recorded while the device is disconnected.
    var outageCause: LossCause { get }
}

extension CameraSource {
    /// Always `false`: the camera keeps the format in which it was opened.
    public var canChangeFormat: Bool { false }
    /// Does nothing: the camera keeps the format in which it was opened.
    public func changeFormat(to format: VideoFormat?) {}
    /// Always `disconnected`: the device was unplugged or stopped delivering frames.
    public var outageCause: LossCause { .disconnected }
    /// Always empty: the camera doesn't have controls.
    public func readControls() throws(DeviceError) -> [DeviceControl] { [] }
    /// Rejects every request, because the camera doesn't have controls.
    public func setControls(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
        requests.map {
            ControlOutcome(request: $0, value: nil)
        }
    }
}

/// A camera source with features that only the sources of this package need. A source of an application uses the default
/// implementations.
package protocol DetailedCameraSource: CameraSource {
    /// Asks the source to include the camera's packet header clock with each frame
    /// (`CapturedFrame.headerClock`). Call this method before `start`. Most sources don't provide a packet
    /// header clock.
    func requestHeaderClock()

    /// Sets the leeway: how much later than `deliveryDelay` frames may be delivered. The initial leeway is
    /// zero. The leeway is also set to zero while a consumer needs each frame immediately. A source that has
    /// frames available in advance may use the leeway to deliver several frames at once. This method can be
    /// called from any thread.
    func setDeliveryLeeway(_ leeway: Nanoseconds)

    /// Notifies the source of the instant at which the recording starts. File sources start playing at this
    /// instant, and times in fault scripts are relative to this instant.
    func setRecordingStart(_ start: ClockTime)

    /// Maximum error of the frames' capture times, if the source of the timestamps reports an error.
    var timeError: Nanoseconds { get }

    /// Origin of the frames' timestamps; `nil` if the driver sets them.
    var timeOrigin: TimeOrigin? { get }

    /// CPU time of the threads that simulate hardware. Reported CPU figures exclude this time.
    var simulationTime: Nanoseconds { get }
}

extension DetailedCameraSource {
    /// Does nothing: the camera's packet headers don't contain a clock.
    package func requestHeaderClock() {}
    /// Does nothing: the camera delivers each frame as it arrives.
    package func setDeliveryLeeway(_ leeway: Nanoseconds) {}
    /// Does nothing: the camera's frames don't depend on the start of the recording.
    package func setRecordingStart(_ start: ClockTime) {}
    /// Always zero: the source of the timestamps doesn't report an error.
    package var timeError: Nanoseconds { .zero }
    /// Always `nil`: the driver sets the timestamps.
    package var timeOrigin: TimeOrigin? { nil }
    /// Always zero: no thread simulates hardware.
    package var simulationTime: Nanoseconds { .zero }
}

extension CameraSource {
    /// This source with all features, or `nil` for a source of an application.
    private var detailed: (any DetailedCameraSource)? { self as? any DetailedCameraSource }

    /// See `DetailedCameraSource`.
    package func requestHeaderClock() { detailed?.requestHeaderClock() }
    /// See `DetailedCameraSource`.
    package func setDeliveryLeeway(_ leeway: Nanoseconds) { detailed?.setDeliveryLeeway(leeway) }
    /// See `DetailedCameraSource`.
    package func setRecordingStart(_ start: ClockTime) { detailed?.setRecordingStart(start) }
    /// See `DetailedCameraSource`.
    package var timeError: Nanoseconds { detailed?.timeError ?? .zero }
    /// See `DetailedCameraSource`.
    package var timeOrigin: TimeOrigin? { detailed?.timeOrigin }
    /// See `DetailedCameraSource`.
    package var simulationTime: Nanoseconds { detailed?.simulationTime ?? .zero }
}

/// Events from a camera while it is streaming, in capture order. All instants are on the session clock.
public enum CameraEvent: Sendable {
    /// A frame was captured.
    case frame(CapturedFrame)
    /// A frame that arrived before `start` and on which later frames of the stream depend. The frame's
    /// delivery time gives no information about the camera's delay.
    case preroll(CapturedFrame)
    /// Expected frames didn't arrive, or arrived damaged. `capturedAt` is the best estimate of the first
    /// missing frame's capture time.
    case lost(count: Int, cause: LossCause, capturedAt: ClockTime)
    /// The camera disconnected or stopped delivering frames, but may return later. The `outageBegan` event is sent
    /// again if the reason for the outage changes.
    ///
    /// `isRequested` indicates that the outage was requested, to change the format or to switch the camera
    /// off. If the camera turns out to be disconnected during a requested outage, another `outageBegan` event with
    /// `isRequested: false` reports the disconnection and its instant. An outage that wasn't requested keeps
    /// `isRequested: false` until the camera returns, even if a format change is requested during the outage.
    case outageBegan(at: ClockTime, cause: String, isRequested: Bool = false)
    /// The camera delivers frames again. `remark` gives details for the user, for example a different port,
    /// or a possible swap with an identical device.
    case outageEnded(at: ClockTime, remark: String? = nil)
    /// The camera continues in another format, because the change was requested or the camera accepted no
    /// other format. An `outageEnded` event follows.
    case formatChanged(VideoFormat)
    /// The camera rejected a format that was requested while it was streaming, and continues in the previous
    /// format.
    case formatRefused(VideoFormat, at: ClockTime, cause: String)
    /// The driver's timestamp for a frame was impossible, so the frame's capture time was set to this instant
    /// instead.
    case timestampCorrected(at: ClockTime)
    /// The packet header clock was requested, but the frames don't include it. Each cause of the missing
    /// clock is reported once.
    case headerClockMissing(at: ClockTime, cause: String)
    /// Results of setting the camera's controls. The results are reported when the camera is opened, and each
    /// time controls are set again because the camera lost their values.
    case controls([ControlOutcome], at: ClockTime)
    /// A notice for the user, as a complete sentence, about something that doesn't affect the recording.
    case notice(at: ClockTime, String)
    /// The camera won't deliver more frames: the file has ended, or the device is permanently gone.
    case ended(at: ClockTime, cause: String)
}

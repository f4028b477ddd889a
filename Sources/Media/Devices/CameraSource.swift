/// A camera of any kind, opened in one format.
///
/// A source delivers frames on its own thread and never waits for the receiver.
public protocol CameraSource: Sendable {
    /// The device that was opened.
    var device: CaptureDevice { get }
    /// Format that the camera initially delivers, fixed when it was opened.
    var format: VideoFormat { get }
    /// Color matrix and range of the camera's frames.
    var color: ColorDescription { get }
    /// Longest known time from the start of exposure to the delivery of a frame: exposure plus transport. The slowest
    /// camera determines the session's alignment delay.
    var deliveryDelay: Nanoseconds { get }

    /// Requests that the packet header clock be included with each frame (`CapturedFrame.headerClock`). Call
    /// it before `start`. Most sources don't have such a clock.
    func deliverHeaderClock()

    /// Starts streaming. Returns immediately; `receive` is then called on the source's own thread.
    ///
    /// - Throws: `DeviceError` if the device refuses to stream: busy, no bandwidth, unplugged.
    func start(on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void)
        throws(DeviceError)

    /// Sets how much later than `deliveryDelay` frames may be delivered. Zero until this is called, and while
    /// a consumer is waiting for each frame. A source whose frames are available in advance may deliver
    /// several together. Callable from any thread.
    func deliver(within leeway: Nanoseconds)

    /// Notifies the source of the start instant of the recording. Files play from this instant, and fault scripts count
    /// from it.
    func recordingBegins(at start: ClockTime)

    /// Whether `change(to:)` has an effect.
    var isChangeable: Bool { get }

    /// Restarts the stream in another format. Returns immediately. A requested `away` follows on the source's
    /// own thread, then `formatChanged` and `returned`. Call it only while the camera is streaming.
    ///
    /// If the device rejects the format or delivers no frame in it, the previous format stays in use and
    /// `formatRefused` reports the failure. A missing device is set to the format when it returns. A device
    /// that is switched off isn't searched for.
    ///
    /// - Parameter format: A format that the device offers; `nil` switches the camera off until a format is
    ///   set.
    func change(to format: VideoFormat?)

    /// Reads the camera's current control values, which takes a few milliseconds. Callable from any thread,
    /// but not from a Swift task.
    ///
    /// - Throws: `DeviceError` if the device is disconnected or doesn't respond. A source without controls
    ///   returns none.
    func controls() throws(DeviceError) -> [DeviceControl]

    /// Sets controls in the given order and reads them back. Callable from any thread, but not from a Swift
    /// task; also while the camera is streaming.
    ///
    /// The source remembers values that the camera accepted. It sets them again if the device loses them
    /// after a stream restart or a reconnection.
    ///
    /// - Parameter requests: In a valid order (`ControlGovernor.ordered`).
    /// - Returns: The outcome of each request, in the same order.
    /// - Throws: `DeviceError` if the device is disconnected or doesn't respond.
    func set(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome]

    /// Stops streaming; no events are delivered after it returns. Never call it from the source's own thread.
    func stop()

    /// Maximum error of the frames' capture times, if the source of the time stamps reports it.
    var timeError: Nanoseconds { get }

    /// Origin of the frames' time stamps; `nil` if the driver sets them.
    var timeOrigin: TimeOrigin? { get }

    /// Loss cause recorded while the device is disconnected.
    var outageCause: LossCause { get }

    /// CPU time of the threads that simulate hardware. All reported figures exclude it.
    var simulationTime: Nanoseconds { get }
}

extension CameraSource {
    /// Does nothing: the camera's packet headers don't contain a clock.
    public func deliverHeaderClock() {}
    /// Does nothing: the camera delivers each frame as it arrives.
    public func deliver(within leeway: Nanoseconds) {}
    /// Always `false`: the camera keeps the format it was opened in.
    public var isChangeable: Bool { false }
    /// Does nothing: the camera keeps the format it was opened in.
    public func change(to format: VideoFormat?) {}
    /// Does nothing: the camera's frames don't depend on the start of the recording.
    public func recordingBegins(at start: ClockTime) {}
    /// Always zero: no error in the times is reported.
    public var timeError: Nanoseconds { .zero }
    /// Always `nil`: the driver sets the time stamps.
    public var timeOrigin: TimeOrigin? { nil }
    /// Always `disconnected`: the device was unplugged or stopped delivering.
    public var outageCause: LossCause { .disconnected }
    /// Always zero: no thread simulates hardware.
    public var simulationTime: Nanoseconds { .zero }
    /// Returns no controls.
    public func controls() throws(DeviceError) -> [DeviceControl] { [] }
    /// Rejects every request, because the camera doesn't have controls.
    public func set(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
        requests.map {
            ControlOutcome(request: $0, value: nil, fault: .unknown($0.name, names: []))
        }
    }
}

/// Events from a camera while it is streaming, in capture order. Instants are on the session clock.
public enum CameraEvent: Sendable {
    /// A frame was captured.
    case frame(CapturedFrame)
    /// A frame that arrived before `start` and that later frames in its stream depend on. Its delivery time
    /// gives no information about the camera's delay.
    case earlier(CapturedFrame)
    /// Expected frames didn't arrive, or arrived damaged. `capturedAt` is the best estimate of the first frame's
    /// capture time.
    case lost(count: Int, cause: LossCause, capturedAt: ClockTime)
    /// The camera disconnected or stopped delivering. It may return. The event is repeated if the reason
    /// changes.
    ///
    /// `isRequested` indicates an outage on request: to change the format, or to switch the camera off. If
    /// the camera is found to be missing in the meantime, another event reports this with `false`, dated from
    /// that instant. An unrequested outage stays unrequested until the camera returns, even if a change is
    /// requested during it.
    case away(at: ClockTime, cause: String, isRequested: Bool = false)
    /// The camera delivers frames again. `remark` gives details for the user, for example a different port,
    /// or a possible swap with an identical device.
    case returned(at: ClockTime, remark: String? = nil)
    /// The camera is continuing in another format, because this was requested or because it accepted no
    /// other; `returned` follows.
    case formatChanged(VideoFormat)
    /// The camera rejected a format that was requested while it was streaming, and is continuing in the
    /// previous one.
    case formatRefused(VideoFormat, at: ClockTime, cause: String)
    /// The driver's time stamp for a frame was impossible and was replaced with this instant.
    case corrected(at: ClockTime)
    /// The packet header clock was requested, but the frames don't include it. Reported once for each cause.
    case withoutHeaderClock(at: ClockTime, cause: String)
    /// Results of setting the camera's controls. Reported when the camera was opened, and each time the
    /// camera has lost their values.
    case controls([ControlOutcome], at: ClockTime)
    /// Notice for the user, as a sentence. It doesn't affect the recording.
    case remarked(at: ClockTime, String)
    /// The camera will deliver no more frames: the file has ended, or the device is permanently gone.
    case ended(at: ClockTime, cause: String)
}

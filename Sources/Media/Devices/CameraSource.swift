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

    /// Asks the source to include the camera's packet header clock with each frame (`CapturedFrame.headerClock`). Call
    /// this method before `start`. Most sources don't provide this clock.
    func deliverHeaderClock()

    /// Starts streaming. Returns immediately; `receive` is then called on the source's own thread.
    ///
    /// - Throws: `DeviceError` if the device refuses to stream, for example because it is busy or unplugged, or the bus
    ///   lacks bandwidth.
    func start(on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void)
        throws(DeviceError)

    /// Sets how much later than `deliveryDelay` frames may be delivered. The leeway is zero until this method is
    /// called, and whenever a consumer needs each frame immediately. A source that has frames available in advance may
    /// deliver several at once. Callable from any thread.
    func deliver(within leeway: Nanoseconds)

    /// Notifies the source of the start instant of the recording. Files play from this instant, and fault scripts count
    /// from it.
    func recordingBegins(at start: ClockTime)

    /// Whether `change(to:)` has an effect.
    var isChangeable: Bool { get }

    /// Restarts the stream in another format. Returns immediately. The source then delivers the events `away` (marked
    /// as requested), `formatChanged`, and `returned` on its own thread. Call this method only while the camera is
    /// streaming.
    ///
    /// If the device rejects the format or delivers no frame in it, the previous format stays in use and
    /// `formatRefused` reports the failure. A disconnected device is set to the format when it is connected again. The
    /// source doesn't search for a device that is switched off.
    ///
    /// - Parameter format: A format that the device offers; `nil` switches the camera off until a format is
    ///   set.
    func change(to format: VideoFormat?)

    /// Reads the camera's current control values, which takes a few milliseconds. Callable from any thread,
    /// but not from a Swift task.
    ///
    /// - Throws: `DeviceError` if the device is disconnected or doesn't respond. A source without controls
    ///   returns an empty array.
    func controls() throws(DeviceError) -> [DeviceControl]

    /// Sets controls in the given order and reads them back. Callable from any thread, but not from a Swift task. The
    /// camera may be streaming.
    ///
    /// The source remembers values that the camera accepted. The source sets these values again if the device loses
    /// them after a stream restart or a reconnection.
    ///
    /// - Parameter requests: The requests, in a valid order (`ControlGovernor.ordered`).
    /// - Returns: The outcome of each request, in the same order.
    /// - Throws: `DeviceError` if the device is disconnected or doesn't respond.
    func set(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome]

    /// Stops streaming; no events are delivered after this method returns. Never call this method from the source's own
    /// thread.
    func stop()

    /// Maximum error of the frames' capture times, if the source of the timestamps reports it.
    var timeError: Nanoseconds { get }

    /// Origin of the frames' timestamps; `nil` if the driver sets them.
    var timeOrigin: TimeOrigin? { get }

    /// Loss cause recorded while the device is disconnected.
    var outageCause: LossCause { get }

    /// CPU time of the threads that simulate hardware. All reported figures exclude this time.
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
    /// Always `nil`: the driver sets the timestamps.
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
    /// A frame that arrived before `start` and that later frames in its stream depend on. The frame's delivery time
    /// gives no information about the camera's delay.
    case earlier(CapturedFrame)
    /// Expected frames didn't arrive, or arrived damaged. `capturedAt` is the best estimate of the first missing
    /// frame's capture time.
    case lost(count: Int, cause: LossCause, capturedAt: ClockTime)
    /// The camera disconnected or stopped delivering frames, and it may return. The event is repeated if the reason
    /// changes.
    ///
    /// `isRequested` indicates that the outage was requested, to change the format or to switch the camera off. If the
    /// camera turns out to be disconnected during a requested outage, another event with `isRequested: false` reports
    /// the disconnection, dated from that instant. An unrequested outage stays unrequested until the camera returns,
    /// even if a change is requested during it.
    case away(at: ClockTime, cause: String, isRequested: Bool = false)
    /// The camera delivers frames again. `remark` gives details for the user, for example a different port,
    /// or a possible swap with an identical device.
    case returned(at: ClockTime, remark: String? = nil)
    /// The camera continues in another format, because the change was requested or the camera accepted no other format.
    /// A `returned` event follows.
    case formatChanged(VideoFormat)
    /// The camera rejected a format that was requested while it was streaming, and continues in the previous format.
    case formatRefused(VideoFormat, at: ClockTime, cause: String)
    /// The driver's timestamp for a frame was impossible and was replaced with this instant.
    case corrected(at: ClockTime)
    /// The packet header clock was requested, but the frames don't include it. Each cause is reported once.
    case withoutHeaderClock(at: ClockTime, cause: String)
    /// Results of setting the camera's controls. The results are reported when the camera is opened, and each time
    /// controls are set again because the camera lost their values.
    case controls([ControlOutcome], at: ClockTime)
    /// A notice for the user, as a complete sentence, about something that doesn't affect the recording.
    case remarked(at: ClockTime, String)
    /// The camera won't deliver more frames: the file has ended, or the device is permanently gone.
    case ended(at: ClockTime, cause: String)
}

/// A camera of any kind, opened in one format.
///
/// A source delivers on a thread of its own, and never waits for the receiver.
public protocol CameraSource: Sendable {
    /// The device that was opened.
    var device: CaptureDevice { get }
    /// The format that the camera delivers from its start on, fixed when it was opened.
    var format: VideoFormat { get }
    /// The colour matrix and range of the camera's frames.
    var color: ColorDescription { get }
    /// The longest time from the start of exposure to a frame's delivery, as far as known: exposure and transport. The
    /// session's alignment delay follows from the slowest camera.
    var deliveryDelay: Nanoseconds { get }

    /// Asks for the clock of the packets' headers with each frame (`CapturedFrame.headerClock`). Call it before `start`.
    /// Most sources have no such clock.
    func deliverHeaderClock()

    /// Starts streaming. Returns at once; `receive` is then called on the source's own thread.
    ///
    /// - Throws: `DeviceError` when the device refuses to stream: busy, no bandwidth, unplugged.
    func start(on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void)
        throws(DeviceError)

    /// Says how much later than by `deliveryDelay` frames may come: zero until this is called, and while somebody waits for each of them.
    /// A source that has its frames beforehand may deliver some of them together. On any thread.
    func deliver(within leeway: Nanoseconds)

    /// Tells the source the instant at which the recording begins. Files play from it, and scripts of faults count from it.
    func recordingBegins(at start: ClockTime)

    /// Whether `change(to:)` has an effect.
    var isChangeable: Bool { get }

    /// Restarts the stream in another format. Returns at once; on the source's own thread `away` follows, as requested,
    /// then `formatChanged` and `returned`. Only while it streams.
    ///
    /// A format that the device does not take, or in which no frame comes, leaves the one before, and `formatRefused` says
    /// so. A device that is missing gets the format when it returns; one that is off is not looked for.
    ///
    /// - Parameter format: One that the device offers; `nil` switches the camera off until a format is given.
    func change(to format: VideoFormat?)

    /// Reads the camera's controls as they are now, which takes milliseconds. On any thread but a Swift task's.
    ///
    /// - Throws: `DeviceError` when the device is away, or does not answer. A source without controls returns none.
    func controls() throws(DeviceError) -> [DeviceControl]

    /// Sets controls in the given order and reads them back. On any thread but a Swift task's, also while the camera
    /// streams.
    ///
    /// Values that the camera took are kept: they are set again where the device forgot them, after its stream was started
    /// anew or it was plugged in again.
    ///
    /// - Parameter requests: In an order in which they can be carried out (`ControlGovernor.ordered`).
    /// - Returns: The outcome of each request, in the same order.
    /// - Throws: `DeviceError` when the device is away, or does not answer.
    func set(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome]

    /// Ends streaming; no event follows its return. Never call it from the source's own thread.
    func stop()

    /// How far off the capture times of frames may be, as far as who dates them says so.
    var timeError: Nanoseconds { get }

    /// Who dates the frames; `nil` where the driver does.
    var timeOrigin: TimeOrigin? { get }

    /// The cause of what is missing while the device is away.
    var outageCause: LossCause { get }

    /// Processor time of the threads that stand in for hardware; every reported figure leaves it out.
    var simulationTime: Nanoseconds { get }
}

extension CameraSource {
    /// Does nothing: the camera has no clock in its packets' headers.
    public func deliverHeaderClock() {}
    /// Does nothing: the camera delivers each frame as it comes.
    public func deliver(within leeway: Nanoseconds) {}
    /// Always `false`: the camera keeps the format it was opened in.
    public var isChangeable: Bool { false }
    /// Does nothing: the camera keeps the format it was opened in.
    public func change(to format: VideoFormat?) {}
    /// Does nothing: what the camera delivers does not depend on the recording's beginning.
    public func recordingBegins(at start: ClockTime) {}
    /// Always zero: nobody says that the times are off.
    public var timeError: Nanoseconds { .zero }
    /// Always `nil`: the driver dates.
    public var timeOrigin: TimeOrigin? { nil }
    /// Always `away`: the device was unplugged or silent.
    public var outageCause: LossCause { .away }
    /// Always zero: no thread stands in for hardware.
    public var simulationTime: Nanoseconds { .zero }
    /// Returns no controls.
    public func controls() throws(DeviceError) -> [DeviceControl] { [] }
    /// Refuses every request: the camera has no controls.
    public func set(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
        requests.map {
            ControlOutcome(request: $0, value: nil, fault: .unknown($0.name, names: []))
        }
    }
}

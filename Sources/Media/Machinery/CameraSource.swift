/// A camera of any kind, opened in one format.
///
/// A source delivers on a thread of its own; it never waits for the receiver.
public protocol CameraSource: Sendable {
    var device: CaptureDevice { get }
    /// What it delivers from the start on, fixed when it was opened.
    var format: VideoFormat { get }
    var color: ColorDescription { get }
    /// How long after the start of exposure a frame is delivered, at most, as far as known: the time of an exposure
    /// and of transport. The session's alignment delay follows from the slowest.
    var deliveryDelay: Nanoseconds { get }

    /// Asks for the clock of the packets' headers with each frame (`CapturedFrame.headerClock`). To be called before
    /// `start`. Most sources have none.
    func deliverHeaderClock()

    /// Starts streaming. Returns at once; frames follow.
    ///
    /// - Throws: When the device refuses to stream: busy, no bandwidth, unplugged.
    func start(on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void)
        throws(DeviceError)

    /// Tells the instant at which the recording begins. Files play from here; scripts of faults count from here.
    func recordingBegins(at start: ClockTime)

    /// Whether `change` does anything.
    var isChangeable: Bool { get }

    /// Restarts the stream in another format. Returns at once; on the source's own thread `away` follows, as requested,
    /// then `formatChanged` and `returned`. A format that the device does not take, or in which no frame comes, leaves
    /// the one before, and `formatRefused` says so. A device that is missing has the format when it returns; one that is
    /// off is not looked for. Only while it streams.
    ///
    /// - Parameter format: One that the device offers; `nil` switches it off until a format is given.
    func change(to format: VideoFormat?)

    /// Its controls as they are now. Asks the device, which takes milliseconds; on any thread but a Swift task's.
    ///
    /// - Throws: When it is away, or does not answer. A source without controls has none.
    func controls() throws(DeviceError) -> [DeviceControl]

    /// Sets controls in this order and reads them back. What was taken is kept from now on: set again where the device forgot
    /// it, after its stream was started anew or it was plugged in again. On any thread but a Swift task's, also while it
    /// streams.
    ///
    /// - Parameter requests: In an order in which they can be carried out (`ControlGovernor.ordered`).
    /// - Returns: What came of each, in the same order.
    /// - Throws: When the device is away, or does not answer.
    func set(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome]

    /// Ends streaming; no event follows its return. Not from the source's own thread.
    func stop()

    /// Processor time of the threads that stand in for hardware: left out of every figure that is reported.
    var simulationTime: Nanoseconds { get }
}

extension CameraSource {
    public func deliverHeaderClock() {}
    public var isChangeable: Bool { false }
    public func change(to format: VideoFormat?) {}
    public func recordingBegins(at start: ClockTime) {}
    public var simulationTime: Nanoseconds { .zero }
    public func controls() throws(DeviceError) -> [DeviceControl] { [] }
    public func set(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
        requests.map {
            ControlOutcome(request: $0, value: nil, fault: .unknown($0.name, names: []))
        }
    }
}

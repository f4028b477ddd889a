/// The USB bandwidth that a device reserves now: a camera of another program, a microphone.
public struct USBClaim: Sendable, Equatable, Codable {
    /// The device as a person reads it, with its node where it is a camera: `Studio Webcam (/dev/video0)`.
    public var device: String
    /// The camera whose stream reserves the bandwidth; `nil` for other devices.
    public var camera: DeviceIdentity?
    /// The program that uses the device, as a person reads it; `nil` where the system does not tell.
    public var holder: String?
    /// The reserved bandwidth.
    public var reservation: USBReservation
    /// The speed at which the device is connected.
    public var speed: USBSpeed
    /// The route from the controller to the device: each stretch whose bandwidth it shares.
    public var domains: [USBDomain]

    /// Makes a claim, and makes the device's name printable.
    public init(
        device: String, camera: DeviceIdentity? = nil, holder: String? = nil, reservation: USBReservation,
        speed: USBSpeed, domains: [USBDomain]
    ) {
        self.device = device.printable()
        self.camera = camera
        self.holder = holder
        self.reservation = reservation
        self.speed = speed
        self.domains = domains
    }
}

/// What a device keeps of its USB now: a camera of another program, a microphone.
public struct USBClaim: Sendable, Equatable, Codable {
    /// As a person reads it, with its node where it is a camera: `Studio Webcam (/dev/video0)`.
    public var device: String
    /// Of a camera's stream: which camera.
    public var camera: DeviceIdentity?
    /// The program that has it, where the system tells.
    public var holder: String?
    public var reservation: USBReservation
    public var speed: USBSpeed
    public var domains: [USBDomain]

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

/// The USB of a machine as a plan needs it: which cameras hang where, what is kept already, and where there is room to plug.
public struct USBTopology: Sendable, Equatable, Codable {
    public var cameras: [USBCamera]
    public var claims: [USBClaim]
    /// What a camera would have if it were plugged into a free port, one for each such stretch.
    public var freePorts: [USBDomain]

    public init(cameras: [USBCamera] = [], claims: [USBClaim] = [], freePorts: [USBDomain] = []) {
        self.cameras = cameras
        self.claims = claims
        self.freePorts = freePorts
    }

    /// `nil` for what is on no USB that is known.
    public func camera(_ identity: DeviceIdentity) -> USBCamera? {
        cameras.first { $0.identity == identity }
    }

    /// What runs now, but for the streams of some cameras.
    package func load(without cameras: Set<DeviceIdentity> = []) -> USBLoad {
        var load = USBLoad()
        for claim in claims where claim.camera.map({ !cameras.contains($0) }) ?? true {
            load.add(claim.reservation, at: claim.speed, on: claim.domains, for: claim.device)
        }
        return load
    }
}

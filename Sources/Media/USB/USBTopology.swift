/// The USB of a machine as a plan needs it: where each camera is connected, what is reserved already, and where there is a
/// free port.
public struct USBTopology: Sendable, Equatable, Codable {
    /// The connected cameras.
    public var cameras: [USBCamera]
    /// The bandwidth that devices reserve now.
    public var claims: [USBClaim]
    /// The stretch that a camera would have at a free port, one for each stretch with such a port.
    public var freePorts: [USBDomain]

    /// Makes a topology; by default an empty one.
    public init(cameras: [USBCamera] = [], claims: [USBClaim] = [], freePorts: [USBDomain] = []) {
        self.cameras = cameras
        self.claims = claims
        self.freePorts = freePorts
    }

    /// The USB side of a camera; `nil` for a device that is on no known USB.
    public func camera(_ identity: DeviceIdentity) -> USBCamera? {
        cameras.first { $0.identity == identity }
    }

    /// The bandwidth that is reserved now, without the streams of some cameras.
    package func load(without cameras: Set<DeviceIdentity> = []) -> USBLoad {
        var load = USBLoad()
        for claim in claims where claim.camera.map({ !cameras.contains($0) }) ?? true {
            load.add(claim.reservation, at: claim.speed, on: claim.domains, for: claim.device)
        }
        return load
    }
}

import MulticamKit

/// The values that the examples in docs/avfoundation.md refer to. `Rows.swift` is generated from that page, so that the compiler
/// checks every example.
final class Table {
    let session: MulticamSession
    let discovery: DiscoverySession
    let choice: DeviceChoice
    var configuration: SessionConfiguration
    let (camera, other, microphone): (CaptureDevice, CaptureDevice, CaptureDevice)
    var plan: SessionPlan
    let track: PlannedCameraTrack
    let tap: FrameTap
    let tick: SynchronizedTick
    let connections: [PlannedConnection]

    init(
        session: MulticamSession, discovery: DiscoverySession, choice: DeviceChoice,
        configuration: SessionConfiguration, devices: [CaptureDevice], track: PlannedCameraTrack,
        tap: FrameTap,
        tick: SynchronizedTick
    ) {
        (self.session, self.discovery, self.choice) = (session, discovery, choice)
        self.configuration = configuration
        (camera, other, microphone) = (devices[0], devices[1], devices[2])
        plan = session.currentPlan
        (self.track, self.tap, self.tick) = (track, tap, tick)
        connections = session.connections
    }
}

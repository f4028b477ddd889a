import MulticamKit

/// The values that the examples in docs/avfoundation.md refer to. `Rows.swift` is generated from that page, so that the compiler
/// checks every example.
final class Table {
    let setup: SessionSetup
    let session: MulticamSession
    let discovery: DiscoverySession
    let choice: DeviceChoice
    let request: SetupRequest
    let options: RecordingOptions
    let machine: MachineModel
    let (camera, other, microphone): (CaptureDevice, CaptureDevice, CaptureDevice)
    var plan: SessionPlan
    let track: PlannedCameraTrack
    let tap: FrameTap
    let tick: SynchronizedTick
    let connections: [PlannedConnection]

    init(
        setup: SessionSetup, session: MulticamSession, discovery: DiscoverySession, choice: DeviceChoice,
        request: SetupRequest, options: RecordingOptions, machine: MachineModel, devices: [CaptureDevice],
        track: PlannedCameraTrack, tap: FrameTap, tick: SynchronizedTick
    ) {
        (self.setup, self.session, self.discovery, self.choice) = (setup, session, discovery, choice)
        (self.request, self.options, self.machine) = (request, options, machine)
        (camera, other, microphone) = (devices[0], devices[1], devices[2])
        plan = setup.plan
        (self.track, self.tap, self.tick) = (track, tap, tick)
        connections = session.connections
    }
}

import MulticamMedia
import MulticamMediaLink
import MulticamMediaServing
import MulticamVirtualDevices

/// A synthetic camera that behaves like a camera in another process. Its frames pass through the media socket
/// and arrive at the same instant of a simulated clock, which waits until the session has received them.
///
/// A frame lost by the synthetic camera becomes a jump in the sequence numbers. While the camera is
/// unplugged, its process is disconnected.
final class SocketRelay: DetailedCameraSource {
    private let virtual: any CameraSource
    private let remote: any CameraSource
    private let path: String
    private let sender = ConditionLock<RemoteSource?>(nil)
    /// Frames and reconnections received by the session.
    private let arrivals = ConditionLock(0)

    /// Announces a synthetic camera to a server, in the format that a role requests.
    init(
        _ selector: String, role: String, in format: VideoFormat, to server: MediaServer, at path: String
    ) throws {
        virtual = try VirtualSources.camera(selector: selector, role: role, wanted: format)
        self.path = path
        let source = try Self.announce(virtual, at: path)
        sender.withLock { $0 = source }
        remote = try server.devices.camera("remote:\(virtual.device.name)", within: .seconds(60))
    }

    private static func announce(_ camera: any CameraSource, at path: String) throws -> RemoteSource {
        try RemoteSource(
            cameraNamed: camera.device.name, camera.format, camera.color, delay: camera.deliveryDelay,
            path: path)
    }

    var device: CaptureDevice { remote.device }
    var format: VideoFormat { remote.format }
    var color: ColorDescription { remote.color }
    var deliveryDelay: Nanoseconds { remote.deliveryDelay }

    func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    ) throws(DeviceError) {
        try remote.start(on: clock) { [arrivals] event in
            receive(event)
            if case .lost = event { return }
            arrivals.broadcast { $0 += 1 }
        }
        try virtual.start(on: clock) { [self] event in
            let before = arrivals.withLock { $0 }
            switch event {
            case .frame(let frame):
                let isSent = sender.withLock { sender in
                    sender?.send(
                        frame: frame.memory, at: frame.capturedAt, sequence: frame.sequence,
                        isKey: frame.isKey) ?? false
                }
                guard isSent else { return }
            case .outageBegan: sender.withLock { $0.take() }?.close()
            case .outageEnded:
                do {
                    let source = try Self.announce(virtual, at: path)
                    sender.withLock { $0 = source }
                } catch {
                    return receive(.ended(at: clock.now, cause: "\(error)"))
                }
            default: return
            }
            arrivals.wait { $0 > before ? () : nil }
        }
    }

    func setRecordingStart(_ start: ClockTime) { virtual.setRecordingStart(start) }

    func stop() {
        virtual.stop()
        remote.stop()
        sender.withLock { $0.take() }?.close()
    }
}

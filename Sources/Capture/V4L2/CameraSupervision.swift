import Glibc
import Media

/// Keeps a camera delivering until it is stopped: when its stream ends it is looked for, opened anew and started again.
/// Runs on the camera's thread.
struct CameraSupervision {
    /// As it was found first.
    let device: CaptureDevice
    let format: VideoFormat
    /// As they were asked for.
    let controls: [(name: String, value: Int64)]
    let roster: CameraRoster
    /// Its number there.
    let number: Int
    let wakeUp: WakeUp
    let delivery: CameraDelivery

    /// sysfs is looked at so often while the camera is away. It asks no camera anything, and takes a fraction of a
    /// millisecond.
    private static let lookInterval = Nanoseconds.milliseconds(200)

    /// Returns when it was woken.
    ///
    /// - Parameter first: Hands over the generation that streams, which nobody else may keep: its node is to be closed
    ///   before the camera is looked for.
    func run(from first: () -> CameraGeneration?) {
        var pauses = RetryPauses()
        var streaming = first()
        while let end = follow(streaming.take(), &pauses) {
            delivery.away(end.cause)
            roster.leave(number)
            streaming = awaitReturn(&pauses)
        }
    }

    /// - Returns: Why the stream ended; `nil` when it was woken, or there is none.
    private func follow(
        _ generation: consuming CameraGeneration?, _ pauses: inout RetryPauses
    ) -> V4L2Stream.End? {
        guard let generation else { return nil }
        do throws(DeviceError) {
            let stream = try V4L2Stream(generation, wakeUp: wakeUp, delivery: delivery)
            let end = stream.run()
            if stream.hasDelivered { pauses.reset() }
            return end
        } catch {
            generation.buffers.stopStreaming()
            return V4L2Stream.End(cause: error.description)
        }
    }

    /// - Returns: Streaming; `nil` when it was woken.
    private func awaitReturn(_ pauses: inout RetryPauses) -> CameraGeneration? {
        var pause = pauses.next()
        while !wakeUp.sleep(for: pause) {
            switch roster.search(for: number, among: PresentCameras().devices()) {
            case .absent:
                delivery.away("unplugged")
                pauses.reset()
                pause = Self.lookInterval
            case .ambiguous(let devices):
                let list = devices.map(\.selector).joined(separator: ", ")
                delivery.away("unplugged; which of its identical cameras is now at \(list) cannot be known")
                pause = Self.lookInterval
            case .found(let found, _):
                do throws(DeviceError) {
                    return try reopened(found)
                } catch {
                    delivery.away(error.reason == .disconnected ? "unplugged" : error.description)
                    pause = pauses.next()
                }
            }
        }
        return nil
    }

    private func reopened(_ found: CaptureDevice) throws(DeviceError) -> CameraGeneration {
        let generation = try CameraGeneration(opening: found, format, controls)
        try generation.start(on: found)
        delivery.streamRestarts(remark: roster.welcome(number, as: found))
        return generation
    }
}

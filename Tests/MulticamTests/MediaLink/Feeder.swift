import Foundation
import MulticamMedia
import MulticamMediaLink

/// Sends a gray frame that brightens, and a tone, in real time.
final class Feeder: Sendable {
    private let cancellation = Cancellation()
    private let sources = ConditionLock<[RemoteSource]>([])
    private let threads = ConditionLock<[MediaThread]>([])

    private let name: String

    /// - Parameter name: Name of the camera. The microphone has the same name with “-voice” appended.
    init(_ name: String) { self.name = name }

    func start(at path: String) throws {
        let size = FrameSize(width: 64, height: 48)
        let camera = try RemoteSource(
            cameraNamed: name, VideoFormat(pixel: .nv12, size: size, rate: FrameRate(30)),
            .bt601Limited, delay: .milliseconds(20), path: path)
        let microphone = try RemoteSource(
            microphoneNamed: name + "-voice", AudioFormat(rate: 48_000, channels: 1),
            delay: .milliseconds(40),
            path: path)
        sources.withLock { $0 = [camera, microphone] }
        let cancellation = cancellation
        let clock = MonotonicClock()
        let begin = clock.now
        let frames = MediaThread.startWhenPossible(name: "feed") {
            var number: Int64 = 0
            let count = FramePlane.packed(.nv12, size).byteCount
            while clock.sleep(until: begin + .milliseconds(33) * number, unless: cancellation) {
                let grey = SharedBytes([UInt8](repeating: UInt8(min(16 + number / 4, 235)), count: count))
                guard camera.send(frame: grey, at: begin + .milliseconds(33) * number, sequence: number)
                else { return }
                number += 1
            }
        }
        let audio = MediaThread.startWhenPossible(name: "feed") {
            var number: Int64 = 0
            while clock.sleep(until: begin + .milliseconds(20) * (number + 1), unless: cancellation) {
                let samples = (0..<960).map { Float(sin(Double($0) / 48 * 2 * .pi)) / 4 }
                guard
                    microphone.send(
                        audio: samples, at: begin + .milliseconds(20) * number, error: .milliseconds(1),
                        firstSample: number * 960)
                else { return }
                number += 1
            }
        }
        threads.withLock { $0 = [frames, audio] }
    }

    var problem: String? { sources.withLock { $0.compactMap(\.problem).first } }

    func stop() {
        cancellation.cancel()
        for source in sources.withLock({ $0 }) { source.close() }
        for thread in threads.withLock({ $0 }) { thread.join() }
    }
}

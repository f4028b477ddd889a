import Foundation
import Media
import MulticamKit
import Session
import Synchronization
import Testing

@Suite("the library in another program")
struct LibraryTests {
    /// A program's own camera: a grey square that grows brighter, in NV12.
    private final class BrighteningCamera: CameraSource {
        let device = CaptureDevice(
            mediaType: .video, deviceType: .screen, identity: DeviceIdentity(name: "brightening"),
            name: "brightening",
            node: "", selector: "")
        let format = VideoFormat(
            pixel: .nv12, size: PictureSize(width: 64, height: 48), rate: FrameRate(30, per: 1))
        let color = ColorDescription.bt601Limited
        let deliveryDelay = Nanoseconds.milliseconds(1)
        private let cancellation = Cancellation()
        private let threads = BoundedQueue<MediaThread>(capacity: 1)

        func start(
            on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
        ) throws(DeviceError) {
            let (format, color, cancellation) = (format, color, cancellation)
            let begin = clock.now
            let thread = clock.startThread(named: "brightening") {
                var number: Int64 = 0
                while clock.sleep(until: begin + format.rate.interval * (number + 1), unless: cancellation) {
                    let (planes, count) = PicturePlane.packed(format.pixel, format.size)
                    let memory = SharedBytes([UInt8](repeating: UInt8(number % 200 + 16), count: count))
                    receive(
                        .picture(
                            CapturedPicture(
                                pixel: format.pixel, size: format.size, color: color,
                                capturedAt: begin + format.rate.interval * number, sequence: number,
                                memory: memory,
                                planes: planes, isOwned: true)))
                    number += 1
                }
            }
            _ = threads.offer(thread)
        }

        func stop() {
            cancellation.cancel()
            threads.finish()
            threads.next()?.join()
        }
    }

    private static let profile = """
        cameras: { a: { device: "virtual:clap?format=nv12", size: 64x48, rate: 30, format: nv12 } }
        microphones: { m: { device: "virtual:tone" } }
        tracks: { cameras: encode, microphones: wav }
        """

    @Test("a source of the program's own is recorded like any other")
    func source() async throws {
        let recording = try await Recording(Self.profile, seconds: 2) {
            $0.cameras["a"] = BrighteningCamera()
        }
        #expect(try recording.track("a").frames?.captured == 60)
        #expect(try Reader.streams(recording.path("cameras/a.mov")).first?.frameCount == 60)
    }

    @Test(
        "sinks get every picture in the format that they name",
        arguments: [(PixelFormat.nv12, 2), (.i420, 3), (.bgra, 1)])
    func pictureTaps(pixel: PixelFormat, planeCount: Int) async throws {
        let wrong = Atomic(0)
        let tap = PictureTap(role: "a", format: .converted(pixel), capacity: 1000) { picture in
            let isRight =
                picture.pixel == pixel && picture.planes.count == planeCount
                && picture.size == PictureSize(width: 64, height: 48)
            if !isRight { wrong.add(1, ordering: .relaxed) }
        }
        _ = try await Recording(Self.profile, seconds: 1, pictureTaps: [tap])
        #expect(wrong.load(ordering: .relaxed) == 0)
        #expect(tap.deliveredCount >= 30)
        #expect(tap.droppedCount == 0)
    }

    @Test("a sink that is too slow loses pictures, counted; the recording loses none")
    func slowTap() async throws {
        let gate = Cancellation()
        let tap = PictureTap(role: "a", format: .asCaptured, capacity: 2) { _ in
            // Holds the sink up until the recording's last sample has been heard.
            while !gate.isCancelled { sched_yield() }
        }
        let last = SoundTap(role: "m", capacity: 1000) { slice in
            if slice.firstSample + Int64(slice.samples.count) >= 48_000 { gate.cancel() }
        }
        let recording = try await Recording(Self.profile, seconds: 1, pictureTaps: [tap], soundTaps: [last])
        #expect(tap.droppedCount > 20)
        #expect(try recording.track("a").frames?.captured == 30)
    }

    @Test("a sound sink gets every sample of the track, in order")
    func soundTap() async throws {
        let next = Atomic<Int64>(0)
        let tap = SoundTap(role: "m", capacity: 1000) { slice in
            let samples = Int64(slice.samples.count / slice.channels)
            _ = next.compareExchange(
                expected: slice.firstSample, desired: slice.firstSample + samples, ordering: .relaxed)
        }
        _ = try await Recording(Self.profile, seconds: 1.5, soundTaps: [tap])
        #expect(next.load(ordering: .relaxed) == 72_000)
    }
}

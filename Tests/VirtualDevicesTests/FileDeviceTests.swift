import Foundation
import MulticamMedia
import Testing

@testable import MulticamVirtualDevices

@Suite("Files as devices")
struct FileDeviceTests {
    private let scratch: Scratch
    private let movie: String

    init() throws {
        scratch = try Scratch()
        movie = scratch.path("movie.mov")
        try scratch.ffmpeg(
            "-f", "lavfi", "-i", "testsrc=s=64x48:r=25:d=1", "-f", "lavfi", "-i", "sine=f=440:r=44100:d=1",
            "-c:v",
            "mjpeg", "-pix_fmt", "yuvj420p", "-c:a", "pcm_s16le", movie)
    }

    @Test("a file's frames keep their times from T0 on, followed by the end; before T0, the first is shown")
    func camera() throws {
        let camera = try VirtualSources.camera(selector: "file:\(movie)", role: "desk")
        #expect(camera.device.deviceType == .file)
        #expect(
            camera.format
                == VideoFormat(pixel: .mjpeg, size: FrameSize(width: 64, height: 48), rate: FrameRate(25)))
        let run = try DeviceRun<CameraEvent>(camera, seconds: 3, recordingAfter: 0.51)
        let start = DeviceRun<CameraEvent>.start + .milliseconds(510)
        let before = run.frames.filter { $0.capturedAt < start }
        let after = run.frames.filter { $0.capturedAt >= start }
        #expect(before.count == 13)
        #expect(after.count == 25)
        #expect(after.enumerated().allSatisfy { $1.capturedAt == start + .milliseconds(Int64($0) * 40) })
        #expect(before.allSatisfy { $0.data == after[0].data })
        #expect(after[1].data != after[0].data)
        #expect(run.frames.map(\.sequence) == (0..<38).map { $0 })
        #expect(run.eventLog.last == "1510000000 ended 1510000000 end of file")
        for arrival in run.arrivals {
            guard case .frame(let frame) = arrival.event else { continue }
            #expect(arrival.at == frame.capturedAt + .milliseconds(40))
        }
    }

    @Test(
        "without latency-sensitive consumers, JPEGs are delivered in batches within the allowed delay"
    )
    func unhurried() throws {
        let camera = try VirtualSources.camera(selector: "file:\(movie)", role: "desk")
        camera.setDeliveryLeeway(.milliseconds(60))
        let start = DeviceRun<CameraEvent>.start
        let run = try DeviceRun<CameraEvent>(camera, seconds: 2) { event in
            if case .frame(let frame) = event, frame.capturedAt == start + .milliseconds(600) {
                camera.setDeliveryLeeway(.zero)
            }
        }
        let frames = run.arrivals.compactMap { arrival in
            if case .frame(let frame) = arrival.event { (arrival.at - start, frame) } else { nil }
        }
        #expect(frames.map(\.1.sequence) == (0..<25).map { $0 })
        for (index, (at, frame)) in frames.enumerated() {
            #expect(frame.capturedAt == start + .milliseconds(Int64(index) * 40))
            // The frames at 0 and 40 ms arrive together, as do the following pairs. From 600 ms on, each
            // frame is delivered immediately.
            #expect(at == .milliseconds(Int64(index < 16 ? index / 2 * 2 + 2 : index + 1) * 40))
        }
        #expect(Set(frames.map(\.1.data)).count == 25)
        #expect(run.eventLog.last == "1000000000 ended 1000000000 end of file")
    }

    @Test("a file with inter-frame compression is decoded")
    func decoded() throws {
        let path = scratch.path("movie.mp4")
        try scratch.ffmpeg("-i", movie, "-an", "-c:v", "libx264", "-pix_fmt", "yuv420p", path)
        let run = try DeviceRun<CameraEvent>("file:\(path)", seconds: 2)
        #expect(run.frames.count == 25)
        #expect(run.frames.allSatisfy { $0.pixel == .i420 && $0.planes.count == 3 })
    }

    @Test("without a recording, the first frame is repeated indefinitely")
    func waiting() throws {
        let run = try DeviceRun<CameraEvent>("file:\(movie)", seconds: 4, recordingAfter: nil)
        #expect(run.frames.count == 100)
        #expect(Set(run.frames.map(\.data)).count == 1)
    }

    @Test("a file's audio keeps its times from T0 on; before T0, there is silence; then the file ends")
    func microphone() throws {
        let microphone = try VirtualSources.microphone(selector: "file:\(movie)", role: "host")
        #expect(microphone.format == AudioFormat(rate: 44_100, channels: 1))
        let run = try DeviceRun<MicrophoneEvent>(microphone, seconds: 2, recordingAfter: 0.333)
        let start = DeviceRun<MicrophoneEvent>.start + .milliseconds(333)
        var next: Int64 = 0
        var played: [Float] = []
        for audio in run.audioBlocks {
            #expect(audio.firstSample == next)
            next += Int64(audio.frameCount)
            if audio.capturedAt < start {
                #expect(audio.samples.allSatisfy { $0 == 0 })
            } else {
                let expected = start + Nanoseconds(Int64((Double(played.count) / 44_100 * 1e9).rounded()))
                // The first sample of the file is at T0; the last silent sample ends within one sample of it.
                #expect((audio.capturedAt - expected).magnitude <= Nanoseconds(1))
                played += audio.samples
            }
        }
        #expect(played.count == 44_100)
        #expect((played.max() ?? 0) > 0.1)
        guard case .ended(let time, "end of file") = run.arrivals.last?.event else {
            Issue.record("a file comes to its end")
            return
        }
        #expect((time - start - .seconds(1)).magnitude < Nanoseconds(1000))
    }

    @Test("a file is played to its end even if its timestamps jump forward by days")
    func longJump() throws {
        let path = scratch.path("jump.mkv")
        // The file contains blocks of 1024 samples. The first block that begins after 1 s is 35 days late.
        try scratch.ffmpeg(
            "-f", "lavfi", "-i", "sine=f=440:r=48000:d=2", "-af", "asetpts='PTS+gte(N,48000)*3000000*SR'",
            "-c:a", "pcm_s16le", path)
        let run = try DeviceRun<MicrophoneEvent>("file:\(path)", seconds: 3)
        #expect((94_000...96_500).contains(run.audioBlocks.reduce(0) { $0 + $1.frameCount }))
        guard case .ended(_, "end of file") = run.arrivals.last?.event else {
            Issue.record("the file does not reach its end")
            return
        }
    }
}

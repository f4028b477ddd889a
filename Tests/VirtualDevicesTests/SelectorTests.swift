import MulticamMedia
import Testing

@testable import MulticamVirtualDevices

@Suite("Selectors")
struct SelectorTests {
    @Test("every key of a camera is read")
    func camera() throws {
        let settings = try VirtualCameraSettings(
            selector:
                "virtual:clap?size=640x360&fps=29.97&format=nv12&phase=1.5&drift=-12.5&latency=40&jitter=2"
                + "&drop=0.25&corrupt=0.5&unplug=5,20&replug=8,25.5&stall=1:0.5,30:2&mount=90&position=back&bus=left&seed=7"
        )
        #expect(settings.pattern == .clap)
        #expect(settings.size == FrameSize(width: 640, height: 360))
        #expect(settings.rate == FrameRate(30000, per: 1001))
        #expect(settings.pixel == .nv12)
        #expect(settings.corruptShare == 0.5)
        #expect(settings.mount == .quarter && settings.position == .back)
        let behavior = settings.behavior
        #expect(behavior.phase == .microseconds(1500))
        #expect(behavior.driftPerBillion == -12_500)
        #expect(behavior.latency == .milliseconds(40))
        #expect(behavior.jitter == .milliseconds(2))
        #expect(behavior.dropShare == 0.25)
        #expect(
            behavior.faults.outages == [
                .init(from: .seconds(5), to: .seconds(8)),
                .init(from: .seconds(20), to: .milliseconds(25_500)),
            ])
        #expect(
            behavior.faults.stalls == [
                .init(from: .seconds(1), to: .milliseconds(1500)),
                .init(from: .seconds(30), to: .seconds(32)),
            ])
        #expect(behavior.bus == "left")
        #expect(behavior.seed == 7)
    }

    @Test("every key of a microphone is read")
    func microphone() throws {
        let settings = try VirtualMicrophoneSettings(
            selector:
                "virtual:tone?rate=44100&channels=2&phase=3&drift=200&latency=5&jitter=1&drop=0.1&unplug=2"
                + "&stall=4:1&bus=b&seed=18446744073709551615")
        #expect(settings.pattern == .tone)
        #expect(settings.format == AudioFormat(rate: 44_100, channels: 2))
        #expect(settings.behavior.driftPerBillion == 200_000)
        #expect(settings.behavior.faults.outages == [.init(from: .seconds(2), to: nil)])
        #expect(settings.behavior.seed == .max)
    }

    @Test("omitted keys have the defaults in the manual")
    func defaults() throws {
        let camera = try VirtualCameraSettings(selector: "virtual:clap")
        #expect(
            camera.format(wanted: nil)
                == VideoFormat(
                    pixel: .mjpeg, size: FrameSize(width: 1280, height: 720), rate: FrameRate(30)))
        #expect(camera.behavior.seed == 1)
        #expect(camera.behavior.phase == nil)
        #expect(
            try VirtualMicrophoneSettings(selector: "virtual:clap").format
                == AudioFormat(rate: 48_000, channels: 1))
    }

    @Test("the selector's keys take precedence over the role's format, and both over the defaults")
    func wishes() throws {
        let wanted = VideoFormat(
            pixel: .yuyv, size: FrameSize(width: 640, height: 480), rate: FrameRate(15))
        #expect(try VirtualCameraSettings(selector: "virtual:bars").format(wanted: wanted) == wanted)
        let partly = try VirtualCameraSettings(selector: "virtual:bars?fps=25").format(wanted: wanted)
        #expect(partly == VideoFormat(pixel: .yuyv, size: wanted.size, rate: FrameRate(25)))
    }

    @Test("a still image's path may contain a question mark if another one follows it")
    func stillPath() throws {
        #expect(
            try VirtualCameraSettings(selector: "virtual:still:/a b/c.png").pattern
                == .still(path: "/a b/c.png"))
        let settings = try VirtualCameraSettings(selector: "virtual:still:/why?.png?fps=10")
        #expect(settings.pattern == .still(path: "/why?.png"))
        #expect(settings.rate == FrameRate(10))
    }

    @Test(
        "an invalid camera selector is rejected with the allowed values",
        arguments: [
            ("virtual:clapp", "clap, bars, noise, still"),
            ("virtual:", "clap, bars, noise, still"),
            ("virtual:still:", "clap, bars, noise, still"),
            ("virtual:tone", "clap, bars, noise, still"),
            ("virtual:clap?fsp=30", "unknown key `fsp` of a virtual camera. Available: size, fps, format"),
            ("virtual:clap?rate=48000", "unknown key `rate` of a virtual camera"),
            ("virtual:clap?channels=2", "unknown key `channels` of a virtual camera"),
            ("virtual:clap?Size=640x480", "unknown key `Size`"),
            ("virtual:clap?size", "the value of `size` is missing"),
            ("virtual:clap?size=", "the value of `size` is missing"),
            ("virtual:clap?size=640x480&", "unknown key ``"),
            ("virtual:clap?seed=1&seed=2", "`seed` was specified more than once"),
            ("virtual:clap?size=640", "size=1280x720"),
            ("virtual:clap?size=641x480", "an even width and height"),
            ("virtual:clap?size=8x8", "16 to 16384"),
            ("virtual:clap?fps=0", "a rate from 0.1 to 1000"),
            ("virtual:clap?fps=fast", "a rate from 0.1 to 1000"),
            ("virtual:clap?format=MJPG", "one of mjpeg, yuyv, nv12, h264"),
            ("virtual:clap?phase=soon", "milliseconds"),
            ("virtual:clap?drift=1e3", "parts per million"),
            ("virtual:clap?drift=100000.5", "parts per million"),
            ("virtual:clap?latency=-1", "milliseconds from 0"),
            ("virtual:clap?jitter=-0.1", "milliseconds from 0"),
            ("virtual:clap?drop=1.1", "a fraction from 0 to 1"),
            ("virtual:clap?corrupt=10%", "a fraction from 0 to 1"),
            ("virtual:clap?unplug=-1", "seconds after the start"),
            ("virtual:clap?unplug=5,5&replug=6", "in ascending order"),
            ("virtual:clap?unplug=5,,6", "seconds after the start"),
            ("virtual:clap?replug=6", "starting with `unplug`"),
            ("virtual:clap?unplug=5&replug=4", "must alternate"),
            ("virtual:clap?unplug=5,6&replug=7", "must alternate"),
            ("virtual:clap?unplug=5,9,12&replug=7", "must alternate"),
            ("virtual:clap?stall=5", "START:DURATION"),
            ("virtual:clap?stall=5:0", "START:DURATION"),
            ("virtual:clap?mount=45", "0, 90, 180, or 270"),
            ("virtual:clap?position=unspecified", "front or back"),
            ("virtual:clap?seed=-1", "a whole number from 0"),
        ])
    func wrongCamera(selector: String, expected: String) {
        let error = #expect(throws: VirtualDeviceError.self) {
            _ = try VirtualCameraSettings(selector: selector)
        }
        guard case .usage(selector, let explanation) = error else {
            Issue.record("\(selector) is a usage error, not \(String(describing: error))")
            return
        }
        #expect(explanation.contains(expected))
        #expect(error?.description.contains("`\(selector)`") == true)
    }

    @Test(
        "an invalid microphone selector is rejected with the allowed values",
        arguments: [
            ("virtual:bars", "Available: clap, tone, silence, people."),
            ("virtual:clap?fps=30", "unknown key `fps` of a virtual microphone. Available: rate, channels"),
            ("virtual:clap?corrupt=0.1", "unknown key `corrupt` of a virtual microphone"),
            ("virtual:clap?rate=4000", "8000 to 192000"),
            ("virtual:clap?rate=44100.5", "8000 to 192000"),
            ("virtual:clap?channels=9", "1 to 8"),
        ])
    func wrongMicrophone(selector: String, expected: String) {
        let error = #expect(throws: VirtualDeviceError.self) {
            _ = try VirtualSources.microphone(selector: selector, role: "host")
        }
        guard case .usage(selector, let explanation) = error else {
            Issue.record("\(selector) is a usage error, not \(String(describing: error))")
            return
        }
        #expect(explanation.contains(expected))
    }

    @Test("a device has a type, formats, and a bus")
    func description() throws {
        let selector = "virtual:clap?size=640x360&bus=usb1"
        let device = try VirtualSources.camera(selector: selector, role: "desk").device
        #expect(device.deviceType == .virtual)
        #expect(device.mediaType == .video)
        #expect(device.selector == selector)
        #expect(device.controller == "usb1")
        // A running session may lower the rate, because the selector doesn't set it.
        #expect(device.formats.map(\.description) == ["mjpeg 640x360 at 30/24/20/15/10/5"])
        let other = try VirtualSources.camera(selector: "virtual:clap", role: "face").device
        #expect(other.identity != device.identity)
        #expect(other.controller != device.controller)
        let microphone = try VirtualSources.microphone(selector: "virtual:clap", role: "desk").device
        #expect(microphone.mediaType == .audio)
        #expect(microphone.audio == AudioFormat(rate: 48_000, channels: 1))
    }

    @Test("a missing file is reported as a missing device; a file without frames or audio as unreadable")
    func files() throws {
        for selector in ["file:/none.mov", "virtual:still:/none.png"] {
            let error = #expect(throws: VirtualDeviceError.self) {
                _ = try VirtualSources.camera(selector: selector, role: "a")
            }
            #expect(reason(of: error) == .notFound)
        }
        let silent = #expect(throws: VirtualDeviceError.self) {
            _ = try VirtualSources.microphone(selector: "file:/none.wav", role: "a")
        }
        #expect(reason(of: silent) == .notFound)
        let error = #expect(throws: VirtualDeviceError.self) {
            _ = try VirtualSources.camera(selector: "file:/etc/passwd", role: "a")
        }
        guard case .other(let sentence) = reason(of: error) else {
            Issue.record("a file without frames is the device's failure")
            return
        }
        #expect(sentence.contains("ffprobe"))
        #expect(throws: VirtualDeviceError.self) {
            try VirtualSources.check(selector: "file:", mediaType: .video)
        }
    }

    private func reason(of error: VirtualDeviceError?) -> DeviceError.Reason? {
        if case .device(let error) = error { error.reason } else { nil }
    }
}

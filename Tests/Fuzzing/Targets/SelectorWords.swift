import MulticamCapture
import MulticamMedia

@testable import MulticamVirtualDevices

/// Tests a device, size, rate, or duration that a user enters on the command line or in a profile.
final class SelectorWords: FuzzTarget {
    static let name = "selector"
    static let limit = 512

    init(folder: String) {}

    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        let text = String(decoding: bytes, as: UTF8.self)
        try checkDevices(text)
        try checkCamera(text)
        try checkMicrophone(text)
        try checkNumbers(text)
    }

    private func checkDevices(_ text: String) throws(RuleViolation) {
        let device: CaptureDevice
        do throws(DeviceError) {
            device = try DeviceSelector.resolve(text, kind: "camera", among: Self.devices)
        } catch {
            return try requireDisplayable(error.description, limit: 16_384)
        }
        let again: CaptureDevice
        do throws(DeviceError) {
            again = try DeviceSelector.resolve(device.selector, kind: "camera", among: Self.devices)
        } catch {
            throw RuleViolation(description: "a device's own selector does not name it: \(error)")
        }
        try require(again == device, "a device's own selector names another one")
    }

    private func checkCamera(_ text: String) throws(RuleViolation) {
        let settings: VirtualCameraSettings
        do throws(VirtualDeviceError) {
            settings = try VirtualCameraSettings(selector: text)
        } catch {
            return try requireDisplayable(error.description)
        }
        let format = settings.format(wanted: nil)
        try require(
            (16...16_384).contains(format.size.width) && (16...16_384).contains(format.size.height),
            "a synthetic camera of \(format.size)")
        try require(format.rate.interval > .zero, "a synthetic camera without time between its frames")
        let offers = settings.offers(beside: format)
        try require(!offers.isEmpty && offers.count <= 16, "a synthetic camera offers \(offers.count) sizes")
        try require((0...1).contains(settings.corruptShare), "a share of \(settings.corruptShare)")
        for offer in offers { try requireDisplayable(offer.description) }
        try check(settings.behavior)
        let again: VirtualCameraSettings
        do throws(VirtualDeviceError) {
            again = try VirtualCameraSettings(selector: settings.selector)
        } catch {
            throw RuleViolation(description: "a selector that was understood is not understood again")
        }
        try require(again == settings, "the same words mean another camera")
    }

    private func checkMicrophone(_ text: String) throws(RuleViolation) {
        let settings: VirtualMicrophoneSettings
        do throws(VirtualDeviceError) {
            settings = try VirtualMicrophoneSettings(selector: text)
        } catch {
            return try requireDisplayable(error.description)
        }
        try require(
            (8000...192_000).contains(settings.format.rate) && (1...8).contains(settings.format.channels),
            "a synthetic microphone of \(settings.format)")
        try check(settings.behavior)
    }

    private func check(_ behavior: DeviceBehavior) throws(RuleViolation) {
        try require((0...1).contains(behavior.dropShare), "a share of \(behavior.dropShare)")
        let start = ClockTime(nanoseconds: 1_000_000_000)
        for second in [0, 1, 10_000] as [Int64] {
            let instant = start + .seconds(second)
            _ = behavior.faults.isStalled(at: instant, since: start)
            let changes = behavior.faults.changeCount(by: instant, since: start)
            try require(changes <= behavior.faults.outages.count * 2, "more changes than outages have")
        }
    }

    private func checkNumbers(_ text: String) throws(RuleViolation) {
        if let size = FrameSize(text) {
            try require(FrameSize(size.description) == size, "\(size) is not read as it is written")
        }
        if let length = Nanoseconds(text) {
            try require(Nanoseconds(length.text) == length, "\(length.text) is not read as it is written")
        }
        if let rate = FrameRate(text) {
            try require(rate.perSecond > 0 && rate.interval >= .zero, "a rate of \(rate)")
            try require(
                FrameRate(rate.description) != nil || rate.perSecond < 0.001, "\(rate) cannot be read again")
            _ = rate.ticks(before: MediaTime(nanoseconds: 36_000_000_000_000))
            _ = rate < FrameRate(30)
        }
    }

    private static let devices = [
        CaptureDevice(
            mediaType: .video, deviceType: .external,
            identity: DeviceIdentity(
                busPath: "pci-0000:00:14.0-usb-0:2:1.0", product: "046d:082d", serial: "A1", name: "Webcam"),
            name: "Webcam", node: "/dev/video0", selector: "usb:pci-0000:00:14.0-usb-0:2:1.0"),
        CaptureDevice(
            mediaType: .video, deviceType: .builtIn, position: .front,
            identity: DeviceIdentity(
                busPath: "pci-0000:00:14.0-usb-0:3:1.0", product: "04f2:b6dd", name: "Webcam Pro"),
            name: "Webcam Pro", node: "/dev/video2", selector: "usb:pci-0000:00:14.0-usb-0:3:1.0"),
        CaptureDevice(
            mediaType: .audio, deviceType: .microphone, identity: DeviceIdentity(name: "Line in"),
            name: "Line in", node: "alsa_input.pci", selector: "pulse:alsa_input.pci"),
    ]
}

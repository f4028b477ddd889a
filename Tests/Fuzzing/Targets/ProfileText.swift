import MulticamMedia
import MulticamSetup

@testable import MulticamPlan
@testable import MulticamProfiles
@testable import MulticamSessionFolder
@testable import MulticamYAML

/// Tests a profile file, which is parsed, planned for synthetic devices, and reduced to fit the machine after
/// a cost estimate.
final class ProfileText: FuzzTarget {
    static let name = "profile"
    static let limit = 4096

    init(folder: String) {}

    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        let profile: Profile
        do throws(ProfileError) {
            profile = try Profile(yaml: bytes, file: "some.yaml")
        } catch {
            return try check(error, bytes)
        }
        var devices: [String: PlannedDevice] = [:]
        for camera in profile.cameras { devices[camera.role] = Self.camera(camera) }
        for microphone in profile.microphones { devices[microphone.role] = Self.microphone(microphone) }
        let plan: SessionPlan
        do throws(ProfileError) {
            plan = try SessionPlan(profile: profile, devices: devices)
        } catch {
            return try check(error, bytes)
        }
        try require(
            plan.writesAnything == profile.writesAnything,
            "the plan writes what its profile does not, or the reverse")
        try check(plan, HardwareCost(of: plan, on: Self.machine, duration: .seconds(3600)))
        // A list of reductions for many cameras is long and doesn't find additional problems.
        guard profile.cameras.count <= 3 else { return }
        let reduction: PlanReduction
        do throws(ProfileError) {
            reduction = try PlanReduction(of: profile, devices: devices, on: Self.machine)
        } catch {
            throw RuleViolation(description: "a plan that was made is not made again: \(error)")
        }
        try check(reduction)
    }

    private func check(_ error: ProfileError, _ bytes: [UInt8]) throws(RuleViolation) {
        try requireDisplayable(error.description, limit: 64_000)
        let lines = bytes.count + 2
        try require(
            (0...lines).contains(error.line) && (0...lines).contains(error.column),
            "an error at \(error.line):\(error.column) of \(bytes.count) bytes")
    }

    private func check(_ plan: SessionPlan, _ cost: HardwareCost) throws(RuleViolation) {
        try require(!cost.total.isNaN && cost.total >= 0, "a plan that costs \(cost.total)")
        for term in cost.terms { try requireDisplayable(term.explanation) }
        if let program = plan.program {
            let (width, height) = (program.settings.size.width, program.settings.size.height)
            for layer in program.layers {
                let place = layer.rectangle
                try require(
                    place.x >= 0 && place.y >= 0 && place.width > 0 && place.height > 0
                        && place.x + place.width <= width && place.y + place.height <= height,
                    "a layer at \(place) of a program of \(program.settings.size)")
            }
        }
        let line = JSONText.line(plan)
        try require(!line.contains("\n"), "a plan in JSON is one line")
    }

    private func check(_ reduction: PlanReduction) throws(RuleViolation) {
        try require(
            reduction.cost.total <= reduction.requestedCost.total + 1e-9,
            "giving up made the plan dearer: \(reduction.requestedCost.total) to \(reduction.cost.total)")
        try require(reduction.steps.count < 1000, "\(reduction.steps.count) steps are given up")
    }

    private static let machine = MachineModel(
        processors: 2, costs: .defaults, freeMemory: 4 << 30,
        disk: MachineModel.Disk(freeBytes: 1 << 40, bytesPerSecond: 100e6))

    private static func camera(_ role: CameraRole) -> PlannedDevice {
        let rates = OfferedFormat.Rates.listed([FrameRate(30), FrameRate(15)])
        let device = CaptureDevice(
            mediaType: .video, deviceType: .external,
            identity: DeviceIdentity(busPath: "pci-0000:00:14.0-usb-0:2:1.0", name: role.role),
            name: role.role, node: "/dev/\(role.role)", selector: "usb:\(role.role)",
            formats: [
                OfferedFormat(pixel: .mjpeg, size: FrameSize(width: 1920, height: 1080), rates: rates),
                OfferedFormat(pixel: .mjpeg, size: FrameSize(width: 640, height: 480), rates: rates),
                OfferedFormat(
                    pixel: .yuyv, size: FrameSize(width: 640, height: 480),
                    rates: .any(from: FrameRate(5), through: FrameRate(60))),
                OfferedFormat(pixel: .h264, size: FrameSize(width: 1280, height: 720), rates: rates),
            ])
        if role.device.hasPrefix("virtual:") {
            return PlannedDevice(
                selector: role.device, device: device, offers: .any(pixel: nil, size: nil, rate: nil))
        }
        return PlannedDevice(selector: role.device, device: device)
    }

    private static func microphone(_ role: MicrophoneRole) -> PlannedDevice {
        PlannedDevice(
            selector: role.device,
            device: CaptureDevice(
                mediaType: .audio, deviceType: .microphone, identity: DeviceIdentity(name: role.role),
                name: role.role, node: role.role, selector: "pulse:\(role.role)",
                audio: AudioFormat(rate: 44_100, channels: 2)))
    }
}

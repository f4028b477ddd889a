import Foundation
import MulticamMedia

@testable import MulticamPlan
@testable import MulticamProfiles
@testable import MulticamSessionFolder
@testable import MulticamSetup

/// Tests files that multicam saves between runs: devices, calibration, learned bandwidth, and costs. Each
/// file is read, used, and written.
final class StateText: FuzzTarget {
    static let name = "state"
    static let limit = 4096
    private let files: ScratchFiles

    init(folder: String) { files = ScratchFiles(folder: folder) }

    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        let memory = try content(DeviceStore.self, bytes)
        let applied = memory.applied(to: Self.present)
        try require(
            applied.map(\.identity) == Self.present.map(\.identity), "a memory changes who devices are")

        var calibrations = try content(Calibrations.self, bytes)
        for device in Self.present {
            for known in calibrations.measurements(of: device, among: Self.present) {
                try require(
                    (-2_000_000_000...2_000_000_000).contains(known.correction.count),
                    "time stamps would be moved by \(known.correction.inSeconds) s")
                try require(!known.format.description.isEmpty, "a format without a name")
                _ = known.uncertainty.inMilliseconds
            }
        }
        _ = calibrations.remove("host")

        let kept = try content(BandwidthStore.self, bytes)
        for device in Self.present where device.mediaType == .video {
            let camera = USBCamera(
                identity: device.identity, speed: .high, domains: [],
                settings: [192, 1024, 3072].map { USBReservation(bytes: $0) },
                learned: kept.bandwidths(of: device, among: Self.present))
            for learned in camera.learned {
                let demand = camera.demand(in: learned.format)
                try require(demand != nil, "a camera with settings needs nothing")
            }
        }

        try check(try content(MachineCosts.self, bytes))
    }

    /// Checks that a plan can be reduced to fit a machine with these costs.
    private func check(_ costs: MachineCosts) throws(RuleViolation) {
        guard costs.table != nil || costs.disks != nil || costs.encoders != nil else { return }
        let machine = MachineModel(
            processors: 2, costs: costs.table ?? .defaults, freeMemory: 1 << 30,
            disk: MachineModel.Disk(freeBytes: 1 << 30, bytesPerSecond: costs.disks?.values.min()),
            encoders: costs.encoders ?? [])
        do throws(ProfileError) {
            let reduction = try PlanReduction(of: Self.profile, devices: Self.planned, on: machine)
            guard !reduction.cost.total.isNaN else {
                throw ProfileError(file: "", found: "no number", expected: "a cost")
            }
            guard reduction.cost.terms.allSatisfy({ !$0.explanation.isEmpty }) else {
                throw ProfileError(file: "", found: "no words", expected: "what a cost is of")
            }
        } catch {
            throw RuleViolation(description: "a plan has no cost: \(error)")
        }
    }

    private static let profile = Profile(
        name: "two", cameras: [CameraRole(role: "desk"), CameraRole(role: "face")], microphones: [],
        program: ProgramSettings(layout: .pip, main: "desk", insets: ["face"]),
        tracks: TrackSettings(cameras: .encode, microphones: .none))
    private static let planned = Dictionary(
        uniqueKeysWithValues: ["desk", "face"].map { role in
            (
                role,
                PlannedDevice(
                    selector: "virtual:clap",
                    device: CaptureDevice(
                        mediaType: .video, deviceType: .virtual, identity: DeviceIdentity(name: role),
                        name: role, node: role, selector: "virtual:clap?seed=\(role)"),
                    offers: .any(pixel: nil, size: nil, rate: nil))
            )
        })

    private func content<Content: StateFileContent>(
        _ type: Content.Type, _ bytes: [UInt8]
    ) throws(RuleViolation) -> Content {
        files.write(Content.fileName, bytes)
        let file = StateFile<Content>(path: files.path(Content.fileName))
        let (content, warning) = file.read()
        if let warning { try requireDisplayable(warning) }
        do {
            let again = try JSONDecoder().decode(Content.self, from: JSONText.pretty(content))
            try require(again == content, "\(Content.subject) is not read as it is written")
        } catch let error as RuleViolation {
            throw error
        } catch {
            throw RuleViolation(description: "\(Content.subject) cannot be read as it is written: \(error)")
        }
        return content
    }

    private static let present = [
        CaptureDevice(
            mediaType: .video, deviceType: .external,
            identity: DeviceIdentity(
                busPath: "pci-0000:00:14.0-usb-0:2:1.0", product: "046d:082d", serial: "A1", name: "Webcam"),
            name: "Webcam", node: "/dev/video0", selector: "usb:pci-0000:00:14.0-usb-0:2:1.0"),
        CaptureDevice(
            mediaType: .audio, deviceType: .microphone, identity: DeviceIdentity(name: "Line in"),
            name: "Line in", node: "alsa_input.pci", selector: "pulse:alsa_input.pci"),
    ]
}

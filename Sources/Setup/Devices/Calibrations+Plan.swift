package import Media
internal import Plan

extension Calibrations {
    /// The devices of a plan by role, and all connected devices.
    package struct Devices {
        var byRole: [String: CaptureDevice]
        package var cameras: [CaptureDevice]
        package var microphones: [CaptureDevice]
    }

    /// The plan with the measured latencies and offsets of its devices, where the profile gives none.
    ///
    /// - Parameters:
    ///   - plan: The plan as its profile was compiled.
    ///   - devices: The devices of the plan's roles, and all connected ones.
    /// - Returns: The plan, with notes on devices that were calibrated in another format or against another microphone only.
    func applied(to plan: SessionPlan, with devices: Devices) -> SessionPlan {
        var plan = plan
        var used: [CalibratedDevice] = []
        for index in plan.cameras.indices where plan.cameras[index].latencySource == .none {
            let camera = plan.cameras[index]
            guard let device = devices.byRole[camera.role] else { continue }
            let known = known(of: device, among: devices.cameras)
            let format = CalibratedFormat.video(format: camera.format)
            if let measured = known.first(where: { $0.format == format }) {
                plan.cameras[index].latency = measured.correction
                plan.cameras[index].latencySource = .calibration
                used.append(measured)
            } else if let other = known.last {
                plan.notes.append(Self.otherFormat(camera.role, other, format))
            }
        }
        for index in plan.microphones.indices where plan.microphones[index].offsetSource == .none {
            let microphone = plan.microphones[index]
            guard let device = devices.byRole[microphone.role] else { continue }
            let known = known(of: device, among: devices.microphones)
            let format = CalibratedFormat.audio(rate: microphone.format.rate)
            if let measured = known.first(where: { $0.format == format }) {
                plan.microphones[index].offset = measured.correction
                plan.microphones[index].offsetSource = .calibration
                used.append(measured)
            } else if let other = known.last {
                plan.notes.append(Self.otherFormat(microphone.role, other, format))
            }
        }
        plan.notes += Self.remarks(on: used, in: plan)
        return plan
    }

    private static func otherFormat(
        _ role: String, _ other: CalibratedDevice, _ format: CalibratedFormat
    ) -> String {
        "\(role): it was calibrated as \(other.format), not as \(format), so its time stamps are taken as they are; "
            + "`multicam calibrate` with this profile measures them."
    }

    /// Notes on the references: corrections are relative to one microphone, and cannot be combined with those of another.
    private static func remarks(on used: [CalibratedDevice], in plan: SessionPlan) -> [String] {
        var references: [DeviceIdentity] = []
        for device in used where !references.contains(device.reference) {
            references.append(device.reference)
        }
        guard let reference = references.first else { return [] }
        guard references.count == 1 else {
            let names = references.map { "“\($0.name.printable())”" }.joined(separator: " and ")
            return [
                "its devices were calibrated against different microphones, \(names); `multicam calibrate` with this "
                    + "profile measures them against one."
            ]
        }
        return plan.microphones.filter { $0.offsetSource == .none }.map { microphone in
            "\(microphone.role): it was not calibrated, but other devices were, against "
                + "“\(reference.name.printable())”; `multicam calibrate` with this profile measures it too."
        }
    }
}

extension Calibrations.Devices {
    init(_ resolver: DeviceResolver) {
        self.init(
            byRole: resolver.devices.mapValues(\.device), cameras: resolver.presentCameras,
            microphones: resolver.presentMicrophones)
    }
}

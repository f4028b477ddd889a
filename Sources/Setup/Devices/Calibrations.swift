package import MulticamMedia
internal import MulticamPlan

/// Measured timestamp error of one device in one format.
package struct CalibratedDevice: Sendable, Equatable, Codable {
    /// The device that was measured.
    package var identity: DeviceIdentity
    /// The selector of a synthetic device or a file, which can't be identified otherwise; `nil` for a real device.
    package var selector: String?
    /// The format during the measurement. The correction is valid only for this format.
    package var format: CalibratedFormat
    /// The latency of a camera, which is subtracted from each of its timestamps, or the offset of a microphone, which
    /// is added to each timestamp.
    package var correction: Nanoseconds
    /// Half the width of the interval around `correction` that contains the true value.
    package var uncertainty: Nanoseconds
    /// Half the width of the interval around `correction` that contains half of the individual measurements.
    package var spread: Nanoseconds
    /// Number of events, such as claps, that were measured.
    package var events: Int
    /// The device's role in the profile at the time of the measurement.
    package var role: String
    /// The microphone that provided the reference clock.
    package var reference: DeviceIdentity
    /// Time of the measurement in ISO 8601 format, in UTC.
    package var date: String

    /// Creates a calibration. Each parameter sets the property of the same name.
    package init(
        identity: DeviceIdentity, selector: String?, format: CalibratedFormat, correction: Nanoseconds,
        uncertainty: Nanoseconds, spread: Nanoseconds, events: Int, role: String, reference: DeviceIdentity,
        date: String
    ) {
        self.identity = identity
        self.selector = selector
        self.format = format
        self.correction = correction
        self.uncertainty = uncertainty
        self.spread = spread
        self.events = events
        self.role = role
        self.reference = reference
        self.date = date
    }
}

/// The format of a device during calibration. A device's latency depends on its format.
package enum CalibratedFormat: Sendable, Hashable, Codable {
    /// A camera's pixel format, size and frame rate.
    case video(format: VideoFormat)
    /// A microphone's sample rate in Hz.
    case audio(rate: Int)

    /// The keys used in files, which are compatible with files from earlier versions.
    private enum CodingKeys: String, CodingKey {
        case video = "picture"
        case audio = "sound"
    }

    /// Whether the calibrated device is a camera (`video`) or a microphone (`audio`).
    package var mediaType: CaptureDevice.MediaType {
        switch self {
        case .video: .video
        case .audio: .audio
        }
    }
}

extension CalibratedFormat: CustomStringConvertible {
    /// The camera's format, or the microphone's sample rate: `48000 Hz`.
    package var description: String {
        switch self {
        case .video(let format): format.description
        case .audio(let rate): "\(rate) Hz"
        }
    }
}

extension CalibratedDevice {
    /// Reads the stored calibrations of all devices and formats, in the order of measurement.
    ///
    /// - Returns: The calibrations, and a warning for the user if the file can't be read.
    package static func stored() -> (devices: [CalibratedDevice], warning: String?) {
        let (calibrations, warning) = Calibrations.file?.read() ?? (Calibrations(), nil)
        return (calibrations.devices, warning)
    }

    /// Deletes the stored calibrations of all devices that match a name. Blocks on disk I/O.
    ///
    /// - Parameter name: The role of a device during its measurement, or a device's identity, name, or selector.
    /// - Returns: The deleted calibrations, and a warning for the user if the file couldn't be read.
    /// - Throws: `StateFileError` if the file can't be written.
    package static func delete(
        _ name: String
    ) throws(StateFileError) -> (devices: [CalibratedDevice], warning: String?) {
        guard let file = Calibrations.file else { return ([], nil) }
        var (known, problem) = file.read()
        // If no calibration matches the name, the file isn't written.
        guard !known.remove(name).isEmpty else { return ([], problem) }
        var forgotten: [CalibratedDevice] = []
        let warning = try file.update { forgotten = $0.remove(name) }
        return (forgotten, warning)
    }
}

/// Measured timestamp errors of all calibrated devices, one entry per device and format.
///
/// This value is stored in a `StateFile`.
package struct Calibrations: StateFileContent {
    package static let fileName = "calibration.json"
    package static let subject = "the device calibration"
    package static let currentSchema = 1

    package var schema = Calibrations.currentSchema
    private(set) var devices: [CalibratedDevice] = []

    package init() {}

    /// Decodes stored calibrations.
    ///
    /// - Throws: `DecodingError` if a correction exceeds ±2 s, so that a damaged file can't shift timestamps.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        schema = try values.decode(Int.self, forKey: .schema)
        devices = try values.decode([CalibratedDevice].self, forKey: .devices)
        guard
            devices.allSatisfy({
                (Nanoseconds.zero - Self.maxCorrection...Self.maxCorrection).contains($0.correction)
            })
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .devices, in: values, debugDescription: "implausible timestamp correction")
        }
    }

    /// Maximum accepted correction. Larger values can't occur, because `LatencyEstimate.expectations` doesn't
    /// match events that are farther apart, and profiles don't allow larger corrections.
    private static let maxCorrection = Nanoseconds.seconds(2)

    /// Adds a measurement, replacing the earlier one for the same device and format.
    ///
    /// - Parameters:
    ///   - measured: The new measurement.
    ///   - device: The device that was measured.
    ///   - present: All connected devices of the same media type. This list is used to recognize a device
    ///     that was moved to another port.
    package mutating func add(
        _ measured: CalibratedDevice, of device: CaptureDevice, among present: [CaptureDevice]
    ) {
        let known = measurements(of: device, among: present).filter { $0.format == measured.format }
        devices.removeAll { known.contains($0) }
        devices.append(measured)
    }

    /// Returns all measurements of a device in any format.
    func measurements(of device: CaptureDevice, among present: [CaptureDevice]) -> [CalibratedDevice] {
        let sameKind = devices.filter { $0.format.mediaType == device.mediaType }
        if let selector = Self.ownSelector(of: device) {
            return sameKind.filter { $0.selector == selector && $0.identity == device.identity }
        }
        let real = sameKind.filter { $0.selector == nil }
        return zip(real, DeviceIdentity.search(for: real.map(\.identity), among: present)).compactMap {
            known, result in
            // If an entry matches two identical devices, it isn't used for either of them.
            guard case .found(let found, _) = result, found.identity == device.identity else { return nil }
            return known
        }
    }

    /// Deletes the measurements of all devices that match a name.
    ///
    /// - Parameter name: The role of a device during its measurement, or a device's identity, name, or
    ///   selector.
    /// - Returns: The deleted measurements.
    mutating func remove(_ name: String) -> [CalibratedDevice] {
        let forgotten = devices.filter { device in
            [device.role, device.identity.description, device.identity.name, device.selector].contains(name)
        }
        devices.removeAll { forgotten.contains($0) }
        return forgotten
    }

    /// Returns the selector that identifies a device that isn't local hardware, or `nil` for a local device. A
    /// synthetic device is identified by its selector with all options, a file by its path, and a remote source by its
    /// address or name.
    package static func ownSelector(of device: CaptureDevice) -> String? {
        switch device.deviceType {
        case .virtual, .file, .network, .screen: device.selector
        case .builtIn, .external, .microphone: nil
        }
    }
}

extension Calibrations {
    /// The devices of a plan by role, and all connected devices.
    package struct Devices {
        var byRole: [String: CaptureDevice]
        package var cameras: [CaptureDevice]
        package var microphones: [CaptureDevice]
    }

    /// Returns the plan with the measured latencies and offsets of its devices. Values in the profile take precedence.
    ///
    /// - Parameters:
    ///   - plan: The plan, as compiled from the profile.
    ///   - devices: The devices of the plan's roles, and all connected devices.
    /// - Returns: The plan, with notes about devices that were calibrated only in another format or with another
    ///   microphone.
    func applied(to plan: SessionPlan, with devices: Devices) -> SessionPlan {
        var plan = plan
        var used: [CalibratedDevice] = []
        for index in plan.cameras.indices where plan.cameras[index].latencySource == .none {
            let camera = plan.cameras[index]
            guard let device = devices.byRole[camera.role] else { continue }
            let known = measurements(of: device, among: devices.cameras)
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
            let known = measurements(of: device, among: devices.microphones)
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

    private static var advice: String { onCommandLine(" Run `multicam calibrate` with this profile.") }

    private static func otherFormat(
        _ role: String, _ other: CalibratedDevice, _ format: CalibratedFormat
    ) -> String {
        "\(role): the device was calibrated with the format \(other.format), not with \(format), so its timestamps are not corrected.\(Self.advice)"
    }

    /// Returns notes about the reference microphones. Corrections relative to different microphones can't be combined.
    private static func remarks(on used: [CalibratedDevice], in plan: SessionPlan) -> [String] {
        var references: [DeviceIdentity] = []
        for device in used where !references.contains(device.reference) {
            references.append(device.reference)
        }
        guard let reference = references.first else { return [] }
        guard references.count == 1 else {
            let names = references.map { "“\($0.name.printable())”" }.joined(separator: " and ")
            return [
                "the devices of this profile were calibrated against different microphones (\(names)).\(advice)"
            ]
        }
        return plan.microphones.filter { $0.offsetSource == .none }.map { microphone in
            "\(microphone.role): the microphone was not calibrated, but other devices were calibrated against “\(reference.name.printable())”.\(advice)"
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

package import Media

/// The measured time stamp errors of all calibrated devices, one entry for each device and format.
///
/// This value is stored by a `StateFile`.
package struct Calibrations: StateFileContent {
    package static let fileName = "calibration.json"
    package static let subject = "the calibration of devices"
    package static let currentSchema = 1

    package var schema = Calibrations.currentSchema
    private(set) var devices: [CalibratedDevice] = []

    package init() {}

    /// Decodes stored calibrations.
    ///
    /// - Throws: `DecodingError` when a correction exceeds ±2 s: a damaged file must not move time stamps.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        schema = try values.decode(Int.self, forKey: .schema)
        devices = try values.decode([CalibratedDevice].self, forKey: .devices)
        guard devices.allSatisfy({ (Nanoseconds.zero - Self.largest...Self.largest).contains($0.correction) })
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .devices, in: values, debugDescription: "no time stamp is off by so much")
        }
    }

    /// The largest correction that is accepted: events are not matched farther apart (`LatencyEstimate.expectations`), and
    /// profiles allow no more.
    private static let largest = Nanoseconds.seconds(2)

    /// Adds a measurement, and removes the earlier one of the same device in the same format.
    ///
    /// - Parameters:
    ///   - measured: The new measurement.
    ///   - device: The device that was measured.
    ///   - present: All connected devices of its media type, so that a device at another port is recognized.
    package mutating func add(
        _ measured: CalibratedDevice, of device: CaptureDevice, among present: [CaptureDevice]
    ) {
        let known = known(of: device, among: present).filter { $0.format == measured.format }
        devices.removeAll { known.contains($0) }
        devices.append(measured)
    }

    /// All measurements of a device, in whatever format.
    func known(of device: CaptureDevice, among present: [CaptureDevice]) -> [CalibratedDevice] {
        let sameKind = devices.filter { $0.format.mediaType == device.mediaType }
        if let selector = Self.ownSelector(of: device) {
            return sameKind.filter { $0.selector == selector && $0.identity == device.identity }
        }
        let real = sameKind.filter { $0.selector == nil }
        return zip(real, DeviceIdentity.search(for: real.map(\.identity), among: present)).compactMap {
            known, result in
            // An entry that could mean either of two identical devices is used for neither.
            guard case .found(let found, _) = result, found.identity == device.identity else { return nil }
            return known
        }
    }

    /// Deletes the measurements of the devices that a name fits.
    ///
    /// - Parameter name: A role that a device played, or its identity, name or selector.
    /// - Returns: The deleted measurements.
    mutating func forget(_ name: String) -> [CalibratedDevice] {
        let forgotten = devices.filter { device in
            [device.role, device.identity.description, device.identity.name, device.selector].contains(name)
        }
        devices.removeAll { forgotten.contains($0) }
        return forgotten
    }

    /// The selector that identifies a synthetic device (by all its options), a file (by its path), or what another process sends (by its
    /// address or name); `nil` for a device of this computer.
    package static func ownSelector(of device: CaptureDevice) -> String? {
        switch device.deviceType {
        case .virtual, .file, .network, .screen: device.selector
        case .builtIn, .external, .microphone: nil
        }
    }
}

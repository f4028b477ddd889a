package import Media

/// What has been measured of devices' time stamps, by device and format.
///
/// A value; a `StateFile` keeps it.
package struct Calibrations: StateFileContent {
    package static let fileName = "calibration.json"
    package static let subject = "the calibration of devices"
    package static let currentSchema = 1

    package var schema = Calibrations.currentSchema
    private(set) var devices: [CalibratedDevice] = []

    package init() {}

    /// - Throws: When a value is none that was ever measured: time stamps are not to be moved by what somebody damaged.
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

    /// No event is matched farther away (`LatencyEstimate.expectations`), and no profile says more.
    private static let largest = Nanoseconds.seconds(2)

    /// Adds what was measured, in place of what was known of the same device in the same format.
    ///
    /// - Parameters:
    ///   - measured: What was measured.
    ///   - device: Of which.
    ///   - present: All devices of its media type: one that moved to another port is known again.
    package mutating func add(
        _ measured: CalibratedDevice, of device: CaptureDevice, among present: [CaptureDevice]
    ) {
        let known = known(of: device, among: present).filter { $0.format == measured.format }
        devices.removeAll { known.contains($0) }
        devices.append(measured)
    }

    /// Everything that is known of a device, in whatever format.
    func known(of device: CaptureDevice, among present: [CaptureDevice]) -> [CalibratedDevice] {
        let sameKind = devices.filter { $0.format.mediaType == device.mediaType }
        if let selector = Self.ownSelector(of: device) {
            return sameKind.filter { $0.selector == selector && $0.identity == device.identity }
        }
        let real = sameKind.filter { $0.selector == nil }
        return zip(real, DeviceIdentity.search(for: real.map(\.identity), among: present)).compactMap {
            known, result in
            // What could be meant for either of two twins is meant for none.
            guard case .found(let found, _) = result, found.identity == device.identity else { return nil }
            return known
        }
    }

    /// Takes out what is known of devices that are named so.
    ///
    /// - Parameter name: A role that they played, or their identity, name or selector.
    /// - Returns: What was forgotten.
    mutating func forget(_ name: String) -> [CalibratedDevice] {
        let forgotten = devices.filter { device in
            [device.role, device.identity.description, device.identity.name, device.selector].contains(name)
        }
        devices.removeAll { forgotten.contains($0) }
        return forgotten
    }

    /// A synthetic device is the same only with the same words, a file only at the same place.
    package static func ownSelector(of device: CaptureDevice) -> String? {
        switch device.deviceType {
        case .virtual, .file: device.selector
        case .builtIn, .external, .network, .screen, .microphone: nil
        }
    }
}

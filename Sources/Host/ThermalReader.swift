import Media

/// Reads temperatures and trip points (kernel, Documentation/driver-api/thermal/sysfs-api.rst).
struct ThermalReader {
    let files: HostFiles

    private static let folder = "/sys/class/thermal"
    /// Plausible temperatures in thousandths of a degree Celsius; values outside are of sensors that are off or broken.
    private static let possible: ClosedRange<Int64> = -40_000...150_000
    /// Plausible trip points in thousandths of a degree Celsius; a trip point at zero or below is not set.
    private static let tripRange: ClosedRange<Int64> = 1...200_000
    /// Most trip points of a zone that are read (`THERMAL_MAX_TRIPS` was 12; since Linux 6.8 drivers may have some
    /// more).
    private static let mostTrips = 32

    /// Reads all thermal zones that have a trip point into `state`.
    func read(into state: inout HostState) {
        let names = files.numbered("thermal_zone", in: Self.folder)
        guard !names.isEmpty else {
            state.missing.append(
                MissingSource(
                    .temperature,
                    "there is no \(Self.folder)/thermal_zone*: virtual machines and many containers show none"
                ))
            return
        }
        for name in names {
            do throws(HostFileError) {
                state.zones.append(try zone(name))
            } catch {
                state.missing.append(MissingSource(.temperature, part: name, error.reason))
            }
        }
    }

    private func zone(_ name: String) throws(HostFileError) -> ThermalZone {
        let folder = "\(Self.folder)/\(name)"
        if try files.optionalText("\(folder)/mode") == "disabled" {
            throw HostFileError(reason: "it is switched off")
        }
        let temperature = try files.integer("\(folder)/temp", in: Self.possible)
        var trips: [String: Temperature] = [:]
        for index in 0..<Self.mostTrips {
            guard let kind = try files.optionalText("\(folder)/trip_point_\(index)_type") else { break }
            // Some drivers give a point that is not set as 0, some as −274 °C; others refuse to tell it.
            guard let value = try trip("\(folder)/trip_point_\(index)_temp") else { continue }
            // The lowest trip point of a kind acts first.
            trips[kind] = min(trips[kind] ?? value, value)
        }
        let zone = ThermalZone(
            name: [name, try files.optionalText("\(folder)/type")].compactMap(\.self).joined(separator: " "),
            temperature: Temperature(millidegrees: Int(temperature)), passive: trips["passive"],
            hot: trips["hot"], critical: trips["critical"])
        guard zone.passive != nil || zone.hot != nil || zone.critical != nil else {
            throw HostFileError(
                reason: "it is at \(zone.temperature), and no trip point is set to hold that against")
        }
        return zone
    }

    /// Reads a trip point; `nil` where it is not set.
    private func trip(_ path: String) throws(HostFileError) -> Temperature? {
        let text = try files.text(path)
        guard let value = Int64(text) else {
            throw HostFileError(reason: "\(path) says `\(text.printable(limit: 40))`, which is no number")
        }
        guard value > 0 else { return nil }
        guard Self.tripRange.contains(value) else {
            throw HostFileError(reason: "\(path) says \(value), which cannot be")
        }
        return Temperature(millidegrees: Int(value))
    }
}

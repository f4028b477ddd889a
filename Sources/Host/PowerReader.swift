import Media

/// Reads batteries and mains (kernel, Documentation/ABI/testing/sysfs-class-power).
struct PowerReader {
    let files: HostFiles

    private static let folder = "/sys/class/power_supply"
    /// Plausible values in µWh, µAh, µW or µA: up to far more than any battery has.
    private static let amount: ClosedRange<Int64> = 0...1_000_000_000_000

    private struct Battery {
        let isDischarging: Bool
        let charge: Double?
        let hoursLeft: Double?
    }

    /// Reads whether the computer runs on battery, and its charge and remaining time, into `state`.
    func read(into state: inout HostState) {
        var batteries: [Battery] = []
        var isKnown = false
        for name in files.entries(Self.folder) {
            do throws(HostFileError) {
                let folder = "\(Self.folder)/\(name)"
                // The battery of a mouse is not the computer's.
                if try files.optionalText("\(folder)/scope") == "Device" { continue }
                switch try files.text("\(folder)/type") {
                case "Battery", "UPS": if let battery = try battery(folder) { batteries.append(battery) }
                default: break
                }
                isKnown = true
            } catch {
                state.missing.append(MissingSource(.power, part: name, error.reason))
            }
        }
        guard isKnown else {
            if !state.missing.contains(where: { $0.source == .power }) {
                state.missing.append(
                    MissingSource(
                        .power,
                        "no power supply tells of itself: many desktop computers, containers and virtual machines have none"
                    ))
            }
            return
        }
        state.power = PowerSupply(
            isDischarging: batteries.contains(where: \.isDischarging),
            charge: batteries.compactMap(\.charge).max(), timeToEmpty: timeToEmpty(batteries))
    }

    /// Reads one battery.
    ///
    /// - Returns: `nil` for an empty bay.
    private func battery(_ folder: String) throws(HostFileError) -> Battery? {
        if try files.optionalInteger("\(folder)/present", in: 0...1) == 0 { return nil }
        let isDischarging = try files.text("\(folder)/status") == "Discharging"
        let percent = try files.optionalInteger("\(folder)/capacity", in: 0...100)
        var hours: Double?
        for (store, flow) in [("energy_now", "power_now"), ("charge_now", "current_now")] where hours == nil {
            guard let content = try files.optionalInteger("\(folder)/\(store)", in: Self.amount),
                // Some drivers give the current out of the battery as a negative one.
                let rate = try files.optionalInteger(
                    "\(folder)/\(flow)", in: -Self.amount.upperBound...Self.amount.upperBound),
                rate != 0, isDischarging
            else { continue }
            hours = Double(content) / Double(rate.magnitude)
        }
        return Battery(
            isDischarging: isDischarging, charge: percent.map { Double($0) / 100 }, hoursLeft: hours)
    }

    /// The time until all batteries are empty, at least: batteries are used one after the other or at once, so it is
    /// the longest time that one of them reports.
    private func timeToEmpty(_ batteries: [Battery]) -> Nanoseconds? {
        guard let hours = batteries.compactMap(\.hoursLeft).max() else { return nil }
        // A rate near zero gives no meaningful time.
        return hours < 1000 ? Nanoseconds.seconds(rounding: hours * 3600) : nil
    }
}

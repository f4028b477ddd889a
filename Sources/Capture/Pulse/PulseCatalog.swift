public import Media

/// Lists the sound server's microphones and resolves selectors.
public enum PulseCatalog {
    /// Returns the microphones that the server has now. Blocks for at most a few seconds.
    ///
    /// - Parameters:
    ///   - includeMonitors: Whether to include the monitors of outputs, which record what the computer plays.
    ///   - server: PulseAudio server string; `nil` for the user's own server.
    /// - Returns: The sources in the server's order.
    /// - Throws: `DeviceError` with `noSoundServer`.
    public static func microphones(
        includeMonitors: Bool = false, server: String? = nil
    ) throws(DeviceError) -> [PulseSource] {
        let sources = try PulseConnection(server: server).sources().filter { !$0.isOwn }
        return includeMonitors ? sources : sources.filter { !$0.isMonitor }
    }

    /// Returns the source that `selector` names: `default`, `pulse:<name>`, or a part of a name or description in any
    /// case.
    ///
    /// Only `pulse:` reaches monitors, so that a loose word never selects the computer's own audio as a microphone.
    /// - Throws: `DeviceError` with `notFound`, or with `ambiguous` and a selector for each candidate.
    public static func resolve(
        _ selector: String, among sources: [PulseSource]
    ) throws(DeviceError) -> PulseSource {
        if selector == "default" { return try defaultMicrophone(among: sources) }
        if selector.hasPrefix("pulse:") {
            let name = selector.dropFirst("pulse:".count)
            if let source = sources.first(where: { $0.name == name }) { return source }
            throw DeviceError(device: selector, operation: "find", reason: .notFound)
        }
        let part = selector.lowercased()
        let microphones = sources.filter { !$0.isMonitor }
        if let source = microphones.first(where: { $0.name.lowercased() == part }) { return source }
        let fitting =
            part.isEmpty
            ? []
            : microphones.filter {
                $0.name.lowercased().contains(part) || $0.description.lowercased().contains(part)
            }
        guard let first = fitting.first else {
            throw DeviceError(device: selector, operation: "find", reason: .notFound)
        }
        guard fitting.count == 1 else {
            throw DeviceError(
                device: selector, operation: "find", reason: .ambiguous(candidates: fitting.map(\.selector)))
        }
        return first
    }

    private static func defaultMicrophone(among sources: [PulseSource]) throws(DeviceError) -> PulseSource {
        let chosen = sources.first(where: \.isDefault)
        if let chosen, !chosen.isMonitor { return chosen }
        let why =
            chosen == nil
            ? "the sound server's default source is no microphone"
            : "the sound server's default source is the monitor of an output, not a microphone"
        throw DeviceError(device: "default", operation: "find (\(why))", reason: .notFound)
    }
}

package import MulticamMedia

/// Lists and configures the sound server's cards. The server saves the configuration.
package enum PulseCards {
    /// Returns the cards that can act as microphones. Blocks for a few seconds at most.
    ///
    /// - Parameter server: PulseAudio server string; `nil` for the user's default server.
    /// - Returns: The cards in the server's order.
    /// - Throws: `DeviceError` with `noSoundServer`.
    package static func all(server: String? = nil) throws(DeviceError) -> [SoundCard] {
        try PulseConnection(server: server).cards().map(\.card).filter(\.canRecord)
    }

    /// Switches a card to another profile, or its microphone to another port. Programs that record from the
    /// card lose their microphone briefly, or permanently if the profile doesn't include the microphone.
    ///
    /// - Parameters:
    ///   - selector: Selector of a microphone, or a card's name, or a part of its name or description.
    ///   - profile: Name of the new profile; `nil` keeps the current one.
    ///   - port: Name of the microphone's new port in that profile; `nil` keeps the current one.
    ///   - server: PulseAudio server string; `nil` for the user's default server.
    /// - Throws: `DeviceError` with `notFound` or `ambiguous`, with a list of profiles or ports if the card doesn't
    ///   have the requested one, or with `noSoundServer`.
    package static func configure(
        _ selector: String, profile: String?, port: String?, server: String? = nil
    ) throws(DeviceError) {
        let connection = try PulseConnection(server: server)
        let card = try card(selector, on: connection)
        if let profile { try setProfile(profile, of: card.card, on: connection) }
        if let port { try setPort(port, ofSourcesOf: card.index, named: selector, on: connection) }
    }

    private static func card(
        _ selector: String, on connection: PulseConnection
    ) throws(DeviceError) -> (index: UInt32, card: SoundCard) {
        let cards = try connection.cards().filter(\.card.canRecord)
        let part = selector.lowercased()
        let fitting = cards.filter {
            $0.card.name == selector || $0.card.name.lowercased().contains(part)
                || $0.card.description.lowercased().contains(part)
        }
        if let exact = fitting.first(where: { $0.card.name == selector }) { return exact }
        if fitting.count == 1 { return fitting[0] }
        // If the selector doesn't match a card, it may match a microphone, which belongs to a card.
        let source: PulseSource
        do throws(DeviceError) {
            source = try PulseCatalog.resolve(selector, among: try connection.sources())
        } catch  where fitting.count > 1 {
            throw DeviceError(
                device: selector, operation: "searching for a microphone",
                reason: .other(
                    "several cards match: \(fitting.map(\.card.name).joined(separator: ", ")). Specify one of them."
                ))
        }
        guard let card = cards.first(where: { $0.index == source.cardIndex }) else {
            throw DeviceError(
                device: selector, operation: "finding the sound card",
                reason: .other(
                    "the microphone does not belong to a sound card. Choose another microphone."))
        }
        return card
    }

    private static func setProfile(
        _ profile: String, of card: SoundCard, on connection: PulseConnection
    ) throws(DeviceError) {
        guard card.profiles.contains(where: { $0.name == profile }) else {
            let names = card.profiles.map(\.name).joined(separator: ", ")
            throw DeviceError(
                device: card.name, operation: "selecting the profile \(profile.printable())",
                reason: .other("the card does not have this profile. Available: \(names)."))
        }
        guard card.activeProfile != profile else { return }
        if let refusal = try connection.setProfile(profile, ofCard: card.name) {
            throw DeviceError(
                device: card.name, operation: "selecting the profile \(profile)",
                reason: .other("\(refusal.printable()). Check the sound server's log."))
        }
    }

    private static func setPort(
        _ port: String, ofSourcesOf card: UInt32, named selector: String, on connection: PulseConnection
    ) throws(DeviceError) {
        let sources = try connection.sources().filter { !$0.isMonitor && $0.cardIndex == card }
        guard let source = sources.first(where: { $0.ports.contains { $0.name == port } }) else {
            let names = sources.flatMap(\.ports).map(\.name)
            throw DeviceError(
                device: selector, operation: "selecting the port \(port.printable())",
                reason: .other(
                    names.isEmpty
                        ? "the microphone has no selectable ports. Omit `--port`."
                        : "this microphone has no such port. Available: \(names.joined(separator: ", "))."))
        }
        if let refusal = try connection.setPort(port, ofSource: source.name) {
            throw DeviceError(
                device: selector, operation: "selecting the port \(port)",
                reason: .other("\(refusal.printable()). Check the sound server's log."))
        }
    }
}

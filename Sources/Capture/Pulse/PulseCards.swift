public import Media

/// Lists and configures the sound server's cards. The server remembers what is chosen.
public enum PulseCards {
    /// Returns the cards that can be microphones. Blocks for at most a few seconds.
    ///
    /// - Parameter server: PulseAudio server string; `nil` for the user's own server.
    /// - Returns: The cards in the server's order.
    /// - Throws: `DeviceError` with `noSoundServer`.
    public static func all(server: String? = nil) throws(DeviceError) -> [SoundCard] {
        try PulseConnection(server: server).cards().map(\.card).filter(\.canRecord)
    }

    /// Switches a card to another profile, or its microphone to another port. Programs that record from the card lose
    /// their microphone for a moment, or for good where the profile does not have it.
    ///
    /// - Parameters:
    ///   - selector: Selector of a microphone, or a card's name or a part of its name or description.
    ///   - profile: Name of the new profile; `nil` keeps the present one.
    ///   - port: Name of the new port of the microphone in that profile; `nil` keeps the present one.
    ///   - server: PulseAudio server string; `nil` for the user's own server.
    /// - Throws: `DeviceError` with `notFound` or `ambiguous`, with a list of profiles or ports when the card lacks the
    ///   wanted one, or with `noSoundServer`.
    public static func use(
        _ selector: String, profile: String?, port: String?, server: String? = nil
    ) throws(DeviceError) {
        let connection = try PulseConnection(server: server)
        let card = try card(selector, on: connection)
        if let profile { try choose(profile, of: card.card, on: connection) }
        if let port { try choose(port, ofSourcesOf: card.index, named: selector, on: connection) }
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
        // A selector that does not name one card may name a microphone, which is a part of a card.
        let source: PulseSource
        do throws(DeviceError) {
            source = try PulseCatalog.resolve(selector, among: try connection.sources())
        } catch  where fitting.count > 1 {
            throw DeviceError(
                device: selector, operation: "find",
                reason: .other(
                    "it could be any of the cards \(fitting.map(\.card.name).joined(separator: ", ")): name one of them."
                ))
        }
        guard let card = cards.first(where: { $0.index == source.cardIndex }) else {
            throw DeviceError(
                device: selector, operation: "find its card",
                reason: .other("it is no part of a card, so it has no profiles: choose another microphone."))
        }
        return card
    }

    private static func choose(
        _ profile: String, of card: SoundCard, on connection: PulseConnection
    ) throws(DeviceError) {
        guard card.profiles.contains(where: { $0.name == profile }) else {
            let names = card.profiles.map(\.name).joined(separator: ", ")
            throw DeviceError(
                device: card.name, operation: "choose the profile \(profile.printable())",
                reason: .other("the card has no such profile. It has \(names)."))
        }
        guard card.activeProfile != profile else { return }
        if let refusal = try connection.setProfile(profile, ofCard: card.name) {
            throw DeviceError(
                device: card.name, operation: "choose the profile \(profile)",
                reason: .other("\(refusal.printable()). Look at the sound server's log."))
        }
    }

    private static func choose(
        _ port: String, ofSourcesOf card: UInt32, named selector: String, on connection: PulseConnection
    ) throws(DeviceError) {
        let sources = try connection.sources().filter { !$0.isMonitor && $0.cardIndex == card }
        guard let source = sources.first(where: { $0.ports.contains { $0.name == port } }) else {
            let names = sources.flatMap(\.ports).map(\.name)
            throw DeviceError(
                device: selector, operation: "choose the port \(port.printable())",
                reason: .other(
                    names.isEmpty
                        ? "it has no ports to choose from: leave out --port."
                        : "it has no such port. It has \(names.joined(separator: ", "))."))
        }
        if let refusal = try connection.setPort(port, ofSource: source.name) {
            throw DeviceError(
                device: selector, operation: "choose the port \(port)",
                reason: .other("\(refusal.printable()). Look at the sound server's log."))
        }
    }
}

internal import Media
internal import Plan

/// Decides which device plays which role, from what is there and what is remembered. Pure.
struct RoleAssignment {
    /// A role that wants a real device.
    struct Role: Equatable {
        let name: String
        /// `any`, `remembered`, or what names a device.
        let selector: String
    }

    /// The words and option of one media type, for messages.
    struct Kind {
        let name: String
        let option: String

        static let camera = Self(name: "camera", option: "--camera")
        static let microphone = Self(name: "microphone", option: "--mic")
    }

    /// By role.
    private(set) var devices: [String: CaptureDevice] = [:]
    /// What a person should know of the choices: one sentence each.
    private(set) var notes: [String] = []
    private let kind: Kind
    private let present: [CaptureDevice]
    private var players: [CaptureDevice: String] = [:]

    /// Assigns roles in this order: those that name a device; the leading one, if somebody wants a certain device for it; those
    /// whose device is remembered; the rest, in the profile's order, from what is left. No device is given twice, but to roles
    /// that name it.
    ///
    /// - Parameters:
    ///   - roles: In the profile's order.
    ///   - kind: For messages.
    ///   - present: All devices of that kind.
    ///   - remembered: Which device played a role last, by role.
    ///   - leader: The role with `any` that gets the preferred device.
    ///   - named: Finds the device that a selector names.
    ///   - wish: The device that somebody wants for `leader`, of those that are left.
    ///   - best: Chooses for a role with `any` among those that are left.
    /// - Throws: When a named or remembered device is not there or could be several, or none is left.
    init(
        _ roles: [Role], kind: Kind, present: [CaptureDevice], remembered: [String: DeviceIdentity],
        leader: String? = nil, named: (String) throws(DeviceError) -> CaptureDevice,
        wish: ([CaptureDevice]) -> PreferredDevice? = { _ in nil },
        best: (Role, [CaptureDevice]) -> CaptureDevice?
    ) throws(DeviceError) {
        self.kind = kind
        self.present = present
        for role in roles where !role.isOpen { give(try named(role.selector), to: role) }
        var reasons: [String: String] = [:]
        if let role = roles.first(where: { $0.name == leader && $0.selector == Role.any }),
            let wanted = wish(free)
        {
            prefer(wanted, for: role, remembered[role.name])
        }
        let known = roles.filter { $0.isOpen && remembered[$0.name] != nil && devices[$0.name] == nil }
        let searches = DeviceIdentity.search(for: known.compactMap { remembered[$0.name] }, among: free)
        for (role, search) in zip(known, searches) {
            guard let identity = remembered[role.name] else { continue }
            reasons[role.name] = try recall(identity, search, for: role)
        }
        for role in roles where role.selector == Role.remembered && devices[role.name] == nil {
            throw failure(
                role,
                reasons[role.name].map { "\($0). \(advice(role))" }
                    ?? "no \(kind.name) is remembered for this role. Record once with `\(kind.option) \(role.name)=…`."
            )
        }
        for role in roles where devices[role.name] == nil {
            guard let device = best(role, free) else { throw noneLeft(role) }
            if let reason = reasons[role.name] {
                notes.append("\(role.name): \(reason), so \(word(device)) is taken.")
            }
            give(device, to: role)
        }
    }

    private var free: [CaptureDevice] { present.filter { players[$0] == nil } }

    private mutating func give(_ device: CaptureDevice, to role: Role) {
        devices[role.name] = device
        players[device] = players[device] ?? role.name
    }

    /// Gives the leading role the device that somebody wants, and tells if that is news.
    private mutating func prefer(
        _ wanted: PreferredDevice, for role: Role, _ identity: DeviceIdentity?
    ) {
        let device = wanted.device
        if case .found(device, _)? = identity?.search(among: free) { return }
        if wanted.isElsewhere { notes.append(elsewhere(role, device)) }
        if let identity {
            notes.append(
                "\(role.name): \(word(device)) is taken, as \(wanted.reason.sentence); "
                    + "“\(identity.name.printable())” played it last.")
        }
        give(device, to: role)
    }

    private func elsewhere(_ role: Role, _ device: CaptureDevice) -> String {
        "\(role.name): its \(kind.name) “\(device.name.printable())” is at another port now: "
            + "\(device.selector.printable())."
    }

    /// Gives a role the device that it is known by.
    ///
    /// - Returns: Why it cannot have it, if so: a sentence without its end.
    private mutating func recall(
        _ identity: DeviceIdentity, _ search: DeviceSearch, for role: Role
    ) throws(DeviceError) -> String? {
        switch search {
        case .found(let device, let isElsewhere):
            if let player = players[device] {
                return "its \(kind.name) \(word(device)) is taken by \(player)"
            }
            if isElsewhere { notes.append(elsewhere(role, device)) }
            give(device, to: role)
            return nil
        case .ambiguous(let candidates):
            throw DeviceError(
                device: "\(kind.name) \(role.name) (\(role.selector))",
                operation: "search for “\(identity.name.printable())”, which played it last,",
                reason: .ambiguous(candidates: candidates.map { "\($0.selector) (\($0.name))" }))
        case .absent:
            let taken = present.first { players[$0] != nil && $0.identity == identity }
            if let taken, let player = players[taken] {
                return "its \(kind.name) \(word(taken)) is taken by \(player)"
            }
            return
                "its \(kind.name) “\(identity.name.printable())” (\(identity.description.printable())) is not connected"
        }
    }

    private func noneLeft(_ role: Role) -> DeviceError {
        let also =
            kind.option == Kind.camera.option
            ? "name a file with `--camera \(role.name)=file:PATH`, or " : "or "
        return failure(
            role, operation: "choose",
            present.isEmpty
                ? "no \(kind.name) is connected. Connect one, \(also)try `--virtual`."
                : "all \(present.count) \(kind.name)s are taken by other roles. Connect another one, \(also)try `--virtual`."
        )
    }

    private func failure(_ role: Role, operation: String = "search", _ sentence: String) -> DeviceError {
        DeviceError(
            device: "\(kind.name) \(role.name) (\(role.selector))", operation: operation,
            reason: .other(sentence))
    }

    private func advice(_ role: Role) -> String {
        "Connect it, or name another one with `\(kind.option) \(role.name)=…`."
    }

    private func word(_ device: CaptureDevice) -> String {
        "“\(device.name.printable())” (\(device.selector.printable()))"
    }
}

extension RoleAssignment.Role {
    static let any = "any"
    static let remembered = "remembered"

    /// Whether the choice is ours.
    var isOpen: Bool { selector == Self.any || selector == Self.remembered }
}

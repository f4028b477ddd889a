internal import Media
internal import Plan

/// Decides which device plays which role, from the connected and the remembered devices. Pure.
struct RoleAssignment {
    /// A role that wants a real device.
    struct Role: Equatable {
        let name: String
        /// `any`, `remembered`, or a selector that names a device.
        let selector: String
    }

    /// The noun and the option of one media type, for messages.
    struct Kind {
        let name: String
        let option: String

        static let camera = Self(name: "camera", option: "--camera")
        static let microphone = Self(name: "microphone", option: "--mic")
    }

    /// The assigned devices by role.
    private(set) var devices: [String: CaptureDevice] = [:]
    /// Notes on the choices for the user, one sentence each.
    private(set) var notes: [String] = []
    private let kind: Kind
    private let present: [CaptureDevice]
    private var players: [CaptureDevice: String] = [:]

    /// Assigns devices in this order: to roles that name one; to the leading role, if the user wants a certain device for it; to
    /// roles whose device is remembered; to the rest, in the profile's order, from what is left. Only roles that name the same
    /// device share one.
    ///
    /// - Parameters:
    ///   - roles: The roles in the profile's order.
    ///   - kind: The words for messages.
    ///   - present: All connected devices of that kind.
    ///   - remembered: The device that last played each role.
    ///   - leader: The role with `any` that gets the preferred device.
    ///   - named: Finds the device that a selector names.
    ///   - wish: The device that the user wants for `leader`, among those that are left.
    ///   - best: Chooses a device for a role with `any` among those that are left.
    /// - Throws: `DeviceError` when a named or remembered device is missing or ambiguous, or none is left.
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

    /// Gives the leading role the device that the user wants, and notes a change.
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

    /// Gives a role the device that is remembered for it.
    ///
    /// - Returns: Why the role cannot have it, as a sentence without its end; `nil` when it has it.
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

    /// Whether the role leaves the choice to the program.
    var isOpen: Bool { selector == Self.any || selector == Self.remembered }
}

internal import MulticamMedia
internal import MulticamPlan

/// Assigns devices to roles, based on the connected devices and the stored assignments. Has no side effects.
struct RoleAssignment {
    /// A role that requires a real device.
    struct Role: Equatable {
        let name: String
        /// `any`, `remembered`, or the selector of a specific device.
        let selector: String
    }

    /// The noun and the command-line option that messages use for one media type.
    struct Kind {
        let name: String
        let option: String

        static let camera = Self(name: "camera", option: "--camera")
        static let microphone = Self(name: "microphone", option: "--mic")
    }

    /// The assigned devices by role.
    private(set) var devices: [String: CaptureDevice] = [:]
    /// Notes for the user about the choices that were made, one sentence each.
    private(set) var notes: [String] = []
    private let kind: Kind
    private let present: [CaptureDevice]
    private var assignedRoles: [CaptureDevice: String] = [:]

    /// Assigns devices in this order: first to roles that name a specific device; then to the leading role,
    /// if the user prefers a specific device; then to roles with a stored device; then to the remaining roles
    /// in the profile's order. Two roles share a device only if both name it.
    ///
    /// - Parameters:
    ///   - roles: The roles in the profile's order.
    ///   - kind: The words that messages use for this kind of device.
    ///   - present: All connected devices of this kind.
    ///   - remembered: The last device of each role.
    ///   - leader: The role with the selector `any` that gets the preferred device.
    ///   - named: Finds the device that matches a selector.
    ///   - preferred: Returns the device that the user prefers for `leader` among the remaining devices.
    ///   - best: Chooses a device for a role with the selector `any` among the remaining devices.
    /// - Throws: `DeviceError` if a named or stored device is missing or ambiguous, or if no device remains.
    init(
        _ roles: [Role], kind: Kind, present: [CaptureDevice], remembered: [String: DeviceIdentity],
        leader: String? = nil, named: (String) throws(DeviceError) -> CaptureDevice,
        preferred: ([CaptureDevice]) -> PreferredDevice? = { _ in nil },
        best: (Role, [CaptureDevice]) -> CaptureDevice?
    ) throws(DeviceError) {
        self.kind = kind
        self.present = present
        for role in roles where !role.acceptsAnyDevice { assign(try named(role.selector), to: role) }
        var reasons: [String: String] = [:]
        if let role = roles.first(where: { $0.name == leader && $0.selector == Role.any }),
            let wanted = preferred(free)
        {
            assignPreferred(wanted, for: role, remembered[role.name])
        }
        let known = roles.filter {
            $0.acceptsAnyDevice && remembered[$0.name] != nil && devices[$0.name] == nil
        }
        let searches = DeviceIdentity.search(for: known.compactMap { remembered[$0.name] }, among: free)
        for (role, search) in zip(known, searches) {
            guard let identity = remembered[role.name] else { continue }
            reasons[role.name] = try assignStored(identity, search, for: role)
        }
        for role in roles where role.selector == Role.remembered && devices[role.name] == nil {
            throw failure(
                role,
                reasons[role.name].map { "\($0). \(advice(role))" }
                    ?? "no \(kind.name) was saved for this role. Choose one\(option(role))."
            )
        }
        for role in roles where devices[role.name] == nil {
            guard let device = best(role, free) else { throw noneLeft(role) }
            if let reason = reasons[role.name] {
                notes.append("\(role.name): \(reason), so \(label(device)) is used.")
            }
            assign(device, to: role)
        }
    }

    private var free: [CaptureDevice] { present.filter { assignedRoles[$0] == nil } }

    private mutating func assign(_ device: CaptureDevice, to role: Role) {
        devices[role.name] = device
        assignedRoles[device] = assignedRoles[device] ?? role.name
    }

    /// Assigns the user's preferred device to the leading role, and adds a note if the role used a different
    /// device before.
    private mutating func assignPreferred(
        _ wanted: PreferredDevice, for role: Role, _ identity: DeviceIdentity?
    ) {
        let device = wanted.device
        if case .found(device, _)? = identity?.search(among: free) { return }
        if wanted.isElsewhere { notes.append(movedNote(role, device)) }
        if let identity {
            notes.append(
                "\(role.name): \(label(device)) is used because \(wanted.reason.sentence). Last time, “\(identity.name.printable())” was used."
            )
        }
        assign(device, to: role)
    }

    private func movedNote(_ role: Role, _ device: CaptureDevice) -> String {
        "\(role.name): the \(kind.name) “\(device.name.printable())” is now connected to another port: "
            + "\(device.selector.printable())."
    }

    /// Assigns the stored device to a role.
    ///
    /// - Returns: The reason why the device can't be assigned, as a clause without punctuation. `nil` on
    ///   success.
    private mutating func assignStored(
        _ identity: DeviceIdentity, _ search: DeviceSearch, for role: Role
    ) throws(DeviceError) -> String? {
        switch search {
        case .found(let device, let isElsewhere):
            if let player = assignedRoles[device] {
                return "the \(kind.name) \(label(device)) is already used for \(player)"
            }
            if isElsewhere { notes.append(movedNote(role, device)) }
            assign(device, to: role)
            return nil
        case .ambiguous(let candidates):
            throw DeviceError(
                device: "\(kind.name) \(role.name) (\(role.selector))",
                operation: "searching for “\(identity.name.printable())” (used last time)",
                reason: .ambiguous(candidates: candidates.map { "\($0.selector) (\($0.name))" }))
        case .absent:
            let taken = present.first { assignedRoles[$0] != nil && $0.identity == identity }
            if let taken, let player = assignedRoles[taken] {
                return "the \(kind.name) \(label(taken)) is already used for \(player)"
            }
            return
                "the \(kind.name) “\(identity.name.printable())” (\(identity.description.printable())) is not connected"
        }
    }

    private func noneLeft(_ role: Role) -> DeviceError {
        let file =
            kind.option == Kind.camera.option ? "use a file with `--camera \(role.name)=file:PATH`, " : ""
        let advice = onCommandLine(", \(file)or try `--virtual`.", otherwise: ", or choose a virtual device.")
        return failure(
            role,
            present.isEmpty
                ? "no \(kind.name) is connected. Connect one\(advice)"
                : "all \(present.count) \(kind.name)s are already used for other roles. Connect another one\(advice)"
        )
    }

    private func failure(_ role: Role, _ sentence: String) -> DeviceError {
        DeviceError(
            device: "\(kind.name) \(role.name) (\(role.selector))", operation: "choosing a device",
            reason: .other(sentence))
    }

    private func advice(_ role: Role) -> String {
        "Connect it, or choose another device\(option(role))."
    }

    private func option(_ role: Role) -> String { onCommandLine(" with `\(kind.option) \(role.name)=…`") }

    private func label(_ device: CaptureDevice) -> String {
        "“\(device.name.printable())” (\(device.selector.printable()))"
    }
}

extension RoleAssignment.Role {
    static let any = "any"
    static let remembered = "remembered"

    /// Whether the role doesn't name a specific device.
    var acceptsAnyDevice: Bool { selector == Self.any || selector == Self.remembered }
}

public import Media

/// The cameras or microphones that a person chose in one application, as far as they are remembered: a short list.
///
/// A value; who keeps it, keeps it across launches and reboots.
public struct DeviceHistory: Sendable, Equatable, Codable {
    public struct Choice: Sendable, Equatable, Codable {
        public var identity: DeviceIdentity
        /// The role that it was chosen for; `nil` for a choice that is about none.
        public var role: String?

        public init(identity: DeviceIdentity, role: String? = nil) {
            self.identity = identity
            self.role = role
        }
    }

    /// How many choices are kept. More than anybody plugs in one after the other, and few enough to be read at a glance.
    public static let capacity = 8

    /// What a person chose, the latest first.
    public private(set) var chosen: [Choice] = []
    /// What profiles and programs began with, the latest first. A person's choice always stands before it.
    public private(set) var proposed: [Choice] = []
    /// The names under which something was proposed: each may once.
    public private(set) var proposals: [String] = []

    public init() {}

    public var isEmpty: Bool { chosen.isEmpty && proposed.isEmpty }

    /// Everything that is wanted, the most wanted first.
    public var choices: [Choice] { chosen + proposed }

    /// Puts a person's choice first.
    ///
    /// - Parameters:
    ///   - device: That was chosen.
    ///   - role: For which role, if for one.
    ///   - present: All devices of its kind that are there: one that has moved to another port is kept once.
    public mutating func choose(
        _ device: DeviceIdentity, for role: String? = nil, among present: [CaptureDevice]
    ) {
        _ = take(device, among: present)
        chosen.insert(Choice(identity: device, role: role), at: 0)
        chosen = Array(chosen.prefix(Self.capacity))
    }

    /// Begins with a device, unless this name has done so before. It comes behind all that a person chose.
    ///
    /// - Parameters:
    ///   - device: To begin with.
    ///   - name: Of the profile or program that proposes.
    ///   - present: As of `choose`.
    /// - Returns: Whether it was the first time.
    @discardableResult
    public mutating func propose(_ device: DeviceIdentity, by name: String, among present: [CaptureDevice])
        -> Bool
    {
        guard !hasProposal(by: name) else { return false }
        proposals = Array(([name] + proposals).prefix(Self.proposalCapacity))
        // What a person chose already needs no proposal.
        guard !chosen.contains(where: { Self.means($0, device, among: present) }) else { return true }
        proposed.removeAll { Self.means($0, device, among: present) }
        proposed.insert(Choice(identity: device), at: 0)
        proposed = Array(proposed.prefix(Self.capacity))
        return true
    }

    public func hasProposal(by name: String) -> Bool { proposals.contains(name) }

    /// Forgets a device.
    ///
    /// - Parameters:
    ///   - device: To be forgotten.
    ///   - present: As of `choose`.
    /// - Returns: Whether anything was known of it.
    public mutating func forget(_ device: DeviceIdentity, among present: [CaptureDevice]) -> Bool {
        take(device, among: present)
    }

    /// Enters where a device is now, which may have moved to another port. What is not known of is not entered.
    public mutating func renew(_ device: DeviceIdentity, among present: [CaptureDevice]) {
        for index in chosen.indices where Self.means(chosen[index], device, among: present) {
            chosen[index].identity = device
        }
        for index in proposed.indices where Self.means(proposed[index], device, among: present) {
            proposed[index].identity = device
        }
    }

    /// Without the choices that were made for a role of `roles` other than `leader`: those are about that role alone.
    public func narrowed(to leader: String, of roles: [String]) -> Self {
        var history = self
        history.chosen.removeAll { choice in
            choice.role.map { $0 != leader && roles.contains($0) } ?? false
        }
        return history
    }

    /// Profiles are files that people make: there may be many, but not without end.
    private static let proposalCapacity = 256

    private mutating func take(_ device: DeviceIdentity, among present: [CaptureDevice]) -> Bool {
        let before = chosen.count + proposed.count
        chosen.removeAll { Self.means($0, device, among: present) }
        proposed.removeAll { Self.means($0, device, among: present) }
        return chosen.count + proposed.count < before
    }

    private static func means(_ choice: Choice, _ device: DeviceIdentity, among present: [CaptureDevice])
        -> Bool
    {
        if choice.identity == device { return true }
        guard case .found(let found, _) = choice.identity.search(among: present) else { return false }
        return found.identity == device
    }
}

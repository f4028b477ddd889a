public import Media

/// The cameras or microphones that a person chose in one application: a short list of the latest ones.
///
/// A value; its owner stores it across launches and reboots.
public struct DeviceHistory: Sendable, Equatable, Codable {
    /// One device that was chosen or proposed.
    public struct Choice: Sendable, Equatable, Codable {
        /// The device.
        public var identity: DeviceIdentity
        /// The role that the device was chosen for; `nil` for a choice that is not about a role.
        public var role: String?

        /// Creates a choice of a device, for a role or for none.
        public init(identity: DeviceIdentity, role: String? = nil) {
            self.identity = identity
            self.role = role
        }
    }

    /// The number of choices that are kept: more than anybody plugs in one after the other, and few enough to read at a glance.
    public static let capacity = 8

    /// The devices that a person chose, the latest first.
    public private(set) var chosen: [Choice] = []
    /// The devices that profiles and programs began with, the latest first. A person's choices always come before them.
    public private(set) var proposed: [Choice] = []
    /// The names of the profiles and programs that have made their proposal, the latest first: each may propose once.
    public private(set) var proposals: [String] = []

    /// Creates an empty history.
    public init() {}

    /// Whether no device was chosen or proposed.
    public var isEmpty: Bool { chosen.isEmpty && proposed.isEmpty }

    /// Choices and proposals together, the most wanted first.
    public var choices: [Choice] { chosen + proposed }

    /// Puts a person's choice first.
    ///
    /// - Parameters:
    ///   - device: The device that was chosen.
    ///   - role: The role that it was chosen for; `nil` for a choice that is not about a role.
    ///   - present: All present devices of its kind, so that a device that moved to another port is listed once.
    public mutating func choose(
        _ device: DeviceIdentity, for role: String? = nil, among present: [CaptureDevice]
    ) {
        _ = take(device, among: present)
        chosen.insert(Choice(identity: device, role: role), at: 0)
        chosen = Array(chosen.prefix(Self.capacity))
    }

    /// Proposes a device to begin with, unless this name has proposed before. Proposals come after all of a person's choices.
    ///
    /// - Parameters:
    ///   - device: The device to begin with.
    ///   - name: The name of the profile or program that proposes.
    ///   - present: All present devices of its kind, so that a device that moved to another port is listed once.
    /// - Returns: Whether it was the first proposal by this name.
    @discardableResult
    public mutating func propose(_ device: DeviceIdentity, by name: String, among present: [CaptureDevice])
        -> Bool
    {
        guard !hasProposal(by: name) else { return false }
        proposals = Array(([name] + proposals).prefix(Self.proposalCapacity))
        // A device that a person chose already needs no proposal.
        guard !chosen.contains(where: { Self.means($0, device, among: present) }) else { return true }
        proposed.removeAll { Self.means($0, device, among: present) }
        proposed.insert(Choice(identity: device), at: 0)
        proposed = Array(proposed.prefix(Self.capacity))
        return true
    }

    /// Whether a profile or program of this name has made its proposal.
    public func hasProposal(by name: String) -> Bool { proposals.contains(name) }

    /// Removes a device from the choices and proposals.
    ///
    /// - Parameters:
    ///   - device: The device to forget.
    ///   - present: All present devices of its kind, so that a device that moved to another port is found.
    /// - Returns: Whether the device was in the history.
    public mutating func forget(_ device: DeviceIdentity, among present: [CaptureDevice]) -> Bool {
        take(device, among: present)
    }

    /// Updates the identity of a device that may have moved to another port. A device that is not in the history is not added.
    public mutating func renew(_ device: DeviceIdentity, among present: [CaptureDevice]) {
        for index in chosen.indices where Self.means(chosen[index], device, among: present) {
            chosen[index].identity = device
        }
        for index in proposed.indices where Self.means(proposed[index], device, among: present) {
            proposed[index].identity = device
        }
    }

    /// The history without the choices made for a role of `roles` other than `leader`, which concern that role alone.
    public func narrowed(to leader: String, of roles: [String]) -> Self {
        var history = self
        history.chosen.removeAll { choice in
            choice.role.map { $0 != leader && roles.contains($0) } ?? false
        }
        return history
    }

    /// The number of proposal names that are kept: profiles are files that people make, and may be many.
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

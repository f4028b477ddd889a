package import MulticamMedia

/// The cameras or microphones that the user chose most recently in one application.
///
/// The owner of this value type stores it persistently, so that choices survive restarts.
package struct DeviceHistory: Sendable, Equatable, Codable {
    /// One device that was chosen or proposed.
    package struct Choice: Sendable, Equatable, Codable {
        /// Identity of the device.
        package var identity: DeviceIdentity
        /// The role that the device was chosen for; `nil` for a choice without a role.
        package var role: String?

        /// Creates a choice of a device, optionally for a role.
        package init(identity: DeviceIdentity, role: String? = nil) {
            self.identity = identity
            self.role = role
        }
    }

    /// Maximum number of stored choices. The limit is higher than the number of devices that users typically
    /// alternate between, and low enough for a readable list.
    package static let capacity = 8

    /// Devices that the user chose, most recent first.
    package private(set) var chosen: [Choice] = []
    /// Devices that profiles and clients proposed as initial devices, most recent first. The user's choices
    /// always rank before proposals.
    package private(set) var proposed: [Choice] = []
    /// Names of the profiles and clients that have proposed a device, most recent first. Each profile or
    /// client can make only one proposal.
    package private(set) var proposals: [String] = []

    /// Creates an empty history.
    package init() {}

    /// Whether no device has been chosen or proposed.
    package var isEmpty: Bool { chosen.isEmpty && proposed.isEmpty }

    /// Choices followed by proposals, in descending order of preference.
    package var choices: [Choice] { chosen + proposed }

    /// Adds a user's choice at the beginning of the list.
    ///
    /// - Parameters:
    ///   - device: The device that was chosen.
    ///   - role: The role that the device was chosen for; `nil` for a choice without a role.
    ///   - present: All present devices of the same kind, used to recognize a device that was moved to
    ///     another port, so that the device is listed only once.
    package mutating func choose(
        _ device: DeviceIdentity, for role: String? = nil, among present: [CaptureDevice]
    ) {
        _ = removeChoices(of: device, among: present)
        chosen.insert(Choice(identity: device, role: role), at: 0)
        chosen = Array(chosen.prefix(Self.capacity))
    }

    /// Adds a proposed initial device, unless a profile or client with this name has already made a proposal.
    /// Proposals rank after all user choices.
    ///
    /// - Parameters:
    ///   - device: The proposed device.
    ///   - name: The name of the profile or client that makes the proposal.
    ///   - present: All present devices of the same kind, used to recognize a device that was moved to
    ///     another port, so that the device is listed only once.
    /// - Returns: Whether this is the first proposal under this name.
    @discardableResult
    package mutating func propose(_ device: DeviceIdentity, by name: String, among present: [CaptureDevice])
        -> Bool
    {
        guard !hasProposal(by: name) else { return false }
        proposals = Array(([name] + proposals).prefix(Self.proposalCapacity))
        // A device that the user has already chosen isn't added to the proposals.
        guard !chosen.contains(where: { Self.matches($0, device, among: present) }) else { return true }
        proposed.removeAll { Self.matches($0, device, among: present) }
        proposed.insert(Choice(identity: device), at: 0)
        proposed = Array(proposed.prefix(Self.capacity))
        return true
    }

    /// Whether a profile or client with this name has made its proposal.
    package func hasProposal(by name: String) -> Bool { proposals.contains(name) }

    /// Removes a device from the choices and proposals.
    ///
    /// - Parameters:
    ///   - device: The device to remove.
    ///   - present: All present devices of the same kind. The list is used to recognize a device that was
    ///     moved to another port.
    /// - Returns: Whether the device was in the history.
    package mutating func forget(_ device: DeviceIdentity, among present: [CaptureDevice]) -> Bool {
        removeChoices(of: device, among: present)
    }

    /// Updates the stored identity of a device that may have been moved to another port. A device that isn't
    /// in the history isn't added.
    package mutating func updateIdentity(of device: DeviceIdentity, among present: [CaptureDevice]) {
        for index in chosen.indices where Self.matches(chosen[index], device, among: present) {
            chosen[index].identity = device
        }
        for index in proposed.indices where Self.matches(proposed[index], device, among: present) {
            proposed[index].identity = device
        }
    }

    /// Returns a copy of the history without the choices that were made for other roles in `roles` than
    /// `leader`.
    package func narrowed(to leader: String, of roles: [String]) -> Self {
        var history = self
        history.chosen.removeAll { choice in
            choice.role.map { $0 != leader && roles.contains($0) } ?? false
        }
        return history
    }

    /// Maximum number of stored proposal names. This limit is high because users can create many profiles.
    private static let proposalCapacity = 256

    private mutating func removeChoices(of device: DeviceIdentity, among present: [CaptureDevice]) -> Bool {
        let before = chosen.count + proposed.count
        chosen.removeAll { Self.matches($0, device, among: present) }
        proposed.removeAll { Self.matches($0, device, among: present) }
        return chosen.count + proposed.count < before
    }

    private static func matches(_ choice: Choice, _ device: DeviceIdentity, among present: [CaptureDevice])
        -> Bool
    {
        if choice.identity == device { return true }
        guard case .found(let found, _) = choice.identity.search(among: present) else { return false }
        return found.identity == device
    }
}

/// The user's preferences for devices of one media type: the stored choices, and the devices plugged in since
/// the last choice.
///
/// Connected and disconnected devices are reported as `DeviceChange` values.
struct DevicePreferences: Sendable, Equatable {
    let mediaType: CaptureDevice.MediaType
    var history: DeviceHistory
    /// Devices of the media type that are present, in listing or connection order.
    private(set) var present: [CaptureDevice] = []
    /// Present devices that were plugged in since the last choice, most recent first.
    private(set) var arrivals: [DeviceIdentity] = []
    /// Whether devices of this media type can't be listed at the moment. Devices that appear when the list
    /// becomes available again don't count as plugged in.
    private var isListUnavailable = false

    init(of mediaType: CaptureDevice.MediaType, history: DeviceHistory, present: [CaptureDevice] = []) {
        self.mediaType = mediaType
        self.history = history
        self.present = present.filter { $0.mediaType == mediaType }
    }

    /// Updates the device list after devices are connected, disconnected, or changed. Devices of another
    /// media type are ignored.
    ///
    /// - Parameter changes: The changes that were reported at the same time.
    mutating func handle(_ changes: [DeviceChange]) {
        let wasBlind = isListUnavailable
        for change in changes {
            guard change.device.map({ $0.mediaType == mediaType }) ?? true else { continue }
            switch change {
            case .present(let device):
                add(device)
                isListUnavailable = false
            case .connected(let device):
                add(device)
                // A built-in device can appear without being plugged in by the user.
                if !wasBlind, device.deviceType != .builtIn { arrivals.insert(device.identity, at: 0) }
                isListUnavailable = false
            case .disconnected(let device):
                present.removeAll { Self.isSame($0, device) }
                arrivals.removeAll { $0 == device.identity }
            case .changed(let device, let before):
                guard let index = present.firstIndex(where: { Self.isSame($0, before) }) else { continue }
                present[index] = device
                arrivals = arrivals.map { $0 == before.identity ? device.identity : $0 }
            case .problem:
                // Only the list of microphones depends on a sound server, which may be unavailable.
                if mediaType == .audio { isListUnavailable = true }
            }
        }
    }

    /// Records a device that the user chose. The choice takes precedence over earlier choices and over
    /// devices that were plugged in earlier.
    mutating func choose(_ device: DeviceIdentity, for role: String? = nil) {
        history.choose(device, for: role, among: present)
        arrivals = []
    }

    /// Returns the most recently plugged-in device that may be opened. A device that can't be opened yet is
    /// returned as soon as it can be opened. A grayscale camera is usually part of another camera, so it is
    /// returned only if no color camera was plugged in.
    func pluggedIn(without taken: Set<DeviceIdentity> = []) -> CaptureDevice? {
        let arrived = arrivals.filter { !taken.contains($0) }
            .compactMap { arrival in present.first { $0.identity == arrival && $0.mayBeOpened } }
        return arrived.first { !$0.isGray } ?? arrived.first
    }

    /// Returns the highest-ranked device of the history that is present.
    ///
    /// A stored choice that matches two identical devices is ignored.
    func remembered(
        without taken: Set<DeviceIdentity> = []
    ) -> (device: CaptureDevice, isProposed: Bool, isElsewhere: Bool)? {
        let choices = history.choices
        let searches = DeviceIdentity.search(for: choices.map(\.identity), among: present)
        for (index, search) in searches.enumerated() {
            guard case .found(let device, let isElsewhere) = search, !taken.contains(device.identity) else {
                continue
            }
            return (device, index >= history.chosen.count, isElsewhere)
        }
        return nil
    }

    /// An ambiguous choice, which is ignored because it matches several present devices, together with those
    /// devices; `nil` if no choice is ambiguous.
    var ambiguousChoice: (identity: DeviceIdentity, candidates: [CaptureDevice])? {
        let choices = history.choices
        let searches = DeviceIdentity.search(for: choices.map(\.identity), among: present)
        for (choice, search) in zip(choices, searches) {
            switch search {
            case .found: return nil
            case .ambiguous(let candidates): return (choice.identity, candidates)
            case .absent: continue
            }
        }
        return nil
    }

    private mutating func add(_ device: CaptureDevice) {
        if let index = present.firstIndex(where: { Self.isSame($0, device) }) {
            present[index] = device
        } else {
            present.append(device)
        }
    }

    private static func isSame(_ one: CaptureDevice, _ other: CaptureDevice) -> Bool {
        one.identity == other.identity && one.node == other.node
    }
}

extension CaptureDevice {
    /// Whether the device responds and the user has permission to open it. The device may already be in use,
    /// even by this process.
    var mayBeOpened: Bool {
        switch problem {
        case nil, .inUse: true
        case .noPermission, .failing: false
        }
    }
}

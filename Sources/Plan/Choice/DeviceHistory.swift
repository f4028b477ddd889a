public import Media

/// The cameras or microphones that the user chose in one application: a short list of the most recent ones.
///
/// This is a value type, which its owner stores across launches and reboots.
public struct DeviceHistory: Sendable, Equatable, Codable {
    /// One device that was chosen or proposed.
    public struct Choice: Sendable, Equatable, Codable {
        /// Identity of the device.
        public var identity: DeviceIdentity
        /// The role that the device was chosen for; `nil` for a choice without a role.
        public var role: String?

        /// Creates a choice of a device, optionally for a role.
        public init(identity: DeviceIdentity, role: String? = nil) {
            self.identity = identity
            self.role = role
        }
    }

    /// Maximum number of stored choices: more devices than a user plugs in one after another, and few enough
    /// to read at a glance.
    public static let capacity = 8

    /// Devices that the user chose, most recent first.
    public private(set) var chosen: [Choice] = []
    /// Devices that profiles and clients proposed initially, most recent first. The user's choices always
    /// rank before these devices.
    public private(set) var proposed: [Choice] = []
    /// Names of the profiles and clients that have made their proposal, most recent first. Each name can make only one
    /// proposal.
    public private(set) var proposals: [String] = []

    /// Creates an empty history.
    public init() {}

    /// Whether no device has been chosen or proposed.
    public var isEmpty: Bool { chosen.isEmpty && proposed.isEmpty }

    /// Choices followed by proposals, in descending order of preference.
    public var choices: [Choice] { chosen + proposed }

    /// Puts a user's choice first.
    ///
    /// - Parameters:
    ///   - device: The device that was chosen.
    ///   - role: The role that the device was chosen for; `nil` for a choice without a role.
    ///   - present: All present devices of its kind, so that a device that moved to another port is listed only once.
    public mutating func choose(
        _ device: DeviceIdentity, for role: String? = nil, among present: [CaptureDevice]
    ) {
        _ = take(device, among: present)
        chosen.insert(Choice(identity: device, role: role), at: 0)
        chosen = Array(chosen.prefix(Self.capacity))
    }

    /// Proposes an initial device, unless this name has already made a proposal. Proposals rank after all user choices.
    ///
    /// - Parameters:
    ///   - device: The proposed device.
    ///   - name: The name of the profile or client that makes the proposal.
    ///   - present: All present devices of its kind, so that a device that moved to another port is listed only once.
    /// - Returns: Whether this is the first proposal by this name.
    @discardableResult
    public mutating func propose(_ device: DeviceIdentity, by name: String, among present: [CaptureDevice])
        -> Bool
    {
        guard !hasProposal(by: name) else { return false }
        proposals = Array(([name] + proposals).prefix(Self.proposalCapacity))
        // A device that the user has already chosen doesn't need a proposal.
        guard !chosen.contains(where: { Self.means($0, device, among: present) }) else { return true }
        proposed.removeAll { Self.means($0, device, among: present) }
        proposed.insert(Choice(identity: device), at: 0)
        proposed = Array(proposed.prefix(Self.capacity))
        return true
    }

    /// Whether a profile or client with this name has made its proposal.
    public func hasProposal(by name: String) -> Bool { proposals.contains(name) }

    /// Removes a device from the choices and proposals.
    ///
    /// - Parameters:
    ///   - device: The device to remove.
    ///   - present: All present devices of its kind, so that a device that moved to another port is found.
    /// - Returns: Whether the device was in the history.
    public mutating func forget(_ device: DeviceIdentity, among present: [CaptureDevice]) -> Bool {
        take(device, among: present)
    }

    /// Updates the identity of a device that may have moved to another port. Devices that aren't in the history aren't
    /// added.
    public mutating func renew(_ device: DeviceIdentity, among present: [CaptureDevice]) {
        for index in chosen.indices where Self.means(chosen[index], device, among: present) {
            chosen[index].identity = device
        }
        for index in proposed.indices where Self.means(proposed[index], device, among: present) {
            proposed[index].identity = device
        }
    }

    /// Returns the history without choices made for a role in `roles` other than `leader`, because these concern only
    /// that role.
    public func narrowed(to leader: String, of roles: [String]) -> Self {
        var history = self
        history.chosen.removeAll { choice in
            choice.role.map { $0 != leader && roles.contains($0) } ?? false
        }
        return history
    }

    /// Maximum number of stored proposal names. Users can create many profiles.
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

/// The user's preferences for devices of one media type: the remembered choices, and the devices plugged in since the
/// last choice.
///
/// Devices are added and removed as `DeviceChange` values.
struct DevicePreferences: Sendable, Equatable {
    let mediaType: CaptureDevice.MediaType
    var history: DeviceHistory
    /// Present devices of the media type, in listing or connection order.
    private(set) var present: [CaptureDevice] = []
    /// Present devices that were plugged in since the last choice, most recent first.
    private(set) var arrivals: [DeviceIdentity] = []
    /// Whether devices of this kind can't currently be listed. Devices that appear when listing works again don't count
    /// as plugged in.
    private var isBlind = false

    init(of mediaType: CaptureDevice.MediaType, history: DeviceHistory, present: [CaptureDevice] = []) {
        self.mediaType = mediaType
        self.history = history
        self.present = present.filter { $0.mediaType == mediaType }
    }

    /// Applies connections, disconnections, and changes to devices. Devices of another media type are
    /// ignored.
    ///
    /// - Parameter changes: The changes that were reported at the same time.
    mutating func handle(_ changes: [DeviceChange]) {
        let wasBlind = isBlind
        for change in changes {
            guard change.device.map({ $0.mediaType == mediaType }) ?? true else { continue }
            switch change {
            case .present(let device):
                add(device)
                isBlind = false
            case .arrived(let device):
                add(device)
                // A built-in device that appears wasn't plugged in by the user.
                if !wasBlind, device.deviceType != .builtIn { arrivals.insert(device.identity, at: 0) }
                isBlind = false
            case .departed(let device):
                present.removeAll { Self.isSame($0, device) }
                arrivals.removeAll { $0 == device.identity }
            case .changed(let device, let before):
                guard let index = present.firstIndex(where: { Self.isSame($0, before) }) else { continue }
                present[index] = device
                arrivals = arrivals.map { $0 == before.identity ? device.identity : $0 }
            case .problem:
                // Only microphones depend on a server that may be unavailable.
                if mediaType == .audio { isBlind = true }
            }
        }
    }

    /// Records a user's choice. The choice becomes the most recent preference, and devices plugged in earlier no longer
    /// have priority.
    mutating func choose(_ device: DeviceIdentity, for role: String? = nil) {
        history.choose(device, for: role, among: present)
        arrivals = []
    }

    /// Returns the most recently plugged-in device that may be opened. A device that can't be opened yet is preferred
    /// as soon as it can be opened. A grayscale camera is usually part of another camera, so it is returned only if it
    /// was connected on its own.
    func pluggedIn(without taken: Set<DeviceIdentity> = []) -> CaptureDevice? {
        let arrived = arrivals.filter { !taken.contains($0) }
            .compactMap { arrival in present.first { $0.identity == arrival && $0.mayBeOpened } }
        return arrived.first { !$0.isGray } ?? arrived.first
    }

    /// Returns the present device that ranks highest in the history.
    ///
    /// A choice that matches two identical devices is ignored.
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

    /// The choice that would apply if it didn't match several present devices, together with those devices;
    /// `nil` if there is none.
    var doubtful: (identity: DeviceIdentity, candidates: [CaptureDevice])? {
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
    /// Whether the device responds and the user may open it. The device may be in use, possibly by this process.
    var mayBeOpened: Bool {
        switch problem {
        case nil, .inUse: true
        case .noPermission, .failing: false
        }
    }
}

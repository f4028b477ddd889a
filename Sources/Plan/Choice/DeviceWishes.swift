internal import Media

/// What a person wants, by word and by deed: the choices that are remembered, and what was plugged in since the last of them.
///
/// A value for one media type. Devices come and go as `DeviceChange`s.
struct DeviceWishes: Sendable, Equatable {
    let mediaType: CaptureDevice.MediaType
    var history: DeviceHistory
    /// All that are there, in the order in which they are listed or came.
    private(set) var present: [CaptureDevice] = []
    /// Those of them that were plugged in since the last choice, the latest first.
    private(set) var arrivals: [DeviceIdentity] = []
    /// Whether the devices of this kind could not be listed: what is there when they can be again was not plugged in now.
    private var isBlind = false

    init(of mediaType: CaptureDevice.MediaType, history: DeviceHistory, present: [CaptureDevice] = []) {
        self.mediaType = mediaType
        self.history = history
        self.present = present.filter { $0.mediaType == mediaType }
    }

    /// Takes over what has become of devices.
    ///
    /// - Parameter changes: What was told at once.
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
                // A built-in device that appears was not plugged in by anybody.
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
                // Only microphones are behind a server that may be away.
                if mediaType == .audio { isBlind = true }
            }
        }
    }

    /// A person's choice: the latest wish.
    mutating func choose(_ device: DeviceIdentity, for role: String? = nil) {
        history.choose(device, for: role, among: present)
        arrivals = []
    }

    /// The latest of the devices plugged in that may be opened; one that may not is wanted as soon as it may. A camera without
    /// colour, which mostly is a part of another, is meant only where it came alone.
    func pluggedIn(without taken: Set<DeviceIdentity> = []) -> CaptureDevice? {
        let arrived = arrivals.filter { !taken.contains($0) }
            .compactMap { arrival in present.first { $0.identity == arrival && $0.mayBeOpened } }
        return arrived.first { !$0.isGrey } ?? arrived.first
    }

    /// The first device of the history that is there.
    ///
    /// What could be meant for either of two twins is meant for none.
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

    /// The choice that would count if it did not fit several devices that are there, with those.
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
    /// Whether it answers and the user may open it. It may be in use: by us, perhaps.
    var mayBeOpened: Bool {
        switch problem {
        case nil, .inUse: true
        case .noPermission, .failing: false
        }
    }
}

internal import Media

/// A person's wishes for devices of one media type: the remembered choices, and the devices plugged in since the last choice.
///
/// Devices come and go as `DeviceChange`s.
struct DeviceWishes: Sendable, Equatable {
    let mediaType: CaptureDevice.MediaType
    var history: DeviceHistory
    /// The devices of the media type that are present, in the order in which they were listed or arrived.
    private(set) var present: [CaptureDevice] = []
    /// The present devices that were plugged in since the last choice, the latest first.
    private(set) var arrivals: [DeviceIdentity] = []
    /// Whether the devices of this kind cannot be listed: those that show up when they can be again were not plugged in just now.
    private var isBlind = false

    init(of mediaType: CaptureDevice.MediaType, history: DeviceHistory, present: [CaptureDevice] = []) {
        self.mediaType = mediaType
        self.history = history
        self.present = present.filter { $0.mediaType == mediaType }
    }

    /// Takes over arrivals, departures and changes of devices; devices of another media type are ignored.
    ///
    /// - Parameter changes: The changes that were reported together.
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

    /// Records a person's choice, which is the latest wish and ends the effect of devices plugged in before.
    mutating func choose(_ device: DeviceIdentity, for role: String? = nil) {
        history.choose(device, for: role, among: present)
        arrivals = []
    }

    /// The device plugged in last that may be opened; a device that may not be opened is wanted as soon as it may. A camera
    /// without colour, which mostly is a part of another one, is meant only where it came alone.
    func pluggedIn(without taken: Set<DeviceIdentity> = []) -> CaptureDevice? {
        let arrived = arrivals.filter { !taken.contains($0) }
            .compactMap { arrival in present.first { $0.identity == arrival && $0.mayBeOpened } }
        return arrived.first { !$0.isGrey } ?? arrived.first
    }

    /// The most wanted device of the history that is present.
    ///
    /// A choice that fits either of two twins counts for neither.
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

    /// The choice that would count if it did not fit several present devices, and those devices; `nil` where there is none.
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
    /// Whether the device answers and the user may open it. It may be in use, perhaps by this process.
    var mayBeOpened: Bool {
        switch problem {
        case nil, .inUse: true
        case .noPermission, .failing: false
        }
    }
}

internal import Capture
internal import Media

/// The list of connected devices; computes what an update changes. A value.
struct DeviceRoster {
    /// Selects the devices to list.
    struct Filter: Equatable {
        var mediaType: CaptureDevice.MediaType?
        /// The device types to list, in this order; all when `nil`.
        var deviceTypes: [CaptureDevice.DeviceType]?
        /// The position to list; all when `unspecified`.
        var position = CaptureDevice.Position.unspecified

        func passes(_ device: CaptureDevice) -> Bool {
            (mediaType == nil || device.mediaType == mediaType)
                && (deviceTypes?.contains(device.deviceType) ?? true)
                && (position == .unspecified || device.position == position)
        }

        /// The primary sort key of a device in the list; devices of equal rank stay in the order in which they are found.
        func rank(_ device: CaptureDevice) -> Int { deviceTypes?.firstIndex(of: device.deviceType) ?? 0 }
    }

    private struct Entry {
        let instance: UInt64
        let device: CaptureDevice
    }

    private let filter: Filter
    /// The cameras as the system reports them.
    private var found: [LocatedDevice] = []
    /// The cameras with the user's remarks applied.
    private var cameras: [LocatedDevice] = []
    private var microphones: [LocatedDevice] = []
    private var entries: [Entry] = []

    init(_ filter: Filter) {
        self.filter = filter
    }

    /// The devices that pass the filter: by its order of device types, if any; within a type, cameras by node number, then
    /// microphones in the sound server's order.
    var devices: [CaptureDevice] { entries.map(\.device) }

    /// Replaces the cameras.
    ///
    /// - Parameters:
    ///   - cameras: All connected cameras.
    ///   - memory: The user's remarks on cameras.
    /// - Returns: Departures, then arrivals and changes, each in the order of the list.
    mutating func update(cameras: [LocatedDevice], memory: DeviceMemory) -> [DeviceChange] {
        found = cameras
        let told = memory.applied(to: cameras.map(\.device))
        self.cameras = zip(cameras, told).map {
            LocatedDevice(device: $1, usbDevice: $0.usbDevice, instance: $0.instance)
        }
        return refresh()
    }

    /// Applies changed remarks to the same cameras.
    mutating func update(memory: DeviceMemory) -> [DeviceChange] { update(cameras: found, memory: memory) }

    mutating func update(microphones: [LocatedDevice]) -> [DeviceChange] {
        self.microphones = microphones
        return refresh()
    }

    private mutating func refresh() -> [DeviceChange] {
        let joined = Companions.joined(cameras: cameras, microphones: microphones)
        let instances = (cameras + microphones).map(\.instance)
        let passing = zip(instances, joined.cameras + joined.microphones)
            .map { Entry(instance: $0, device: $1) }.filter { filter.passes($0.device) }
        let now = passing.enumerated()
            .sorted {
                (filter.rank($0.element.device), $0.offset) < (filter.rank($1.element.device), $1.offset)
            }
            .map(\.element)
        let before = entries
        entries = now
        func counterpart(of entry: Entry, in others: [Entry]) -> Entry? {
            others.first { $0.instance == entry.instance && $0.device.mediaType == entry.device.mediaType }
        }
        let departed = before.filter { counterpart(of: $0, in: now) == nil }.map {
            DeviceChange.departed($0.device)
        }
        let others = now.compactMap { entry -> DeviceChange? in
            guard let earlier = counterpart(of: entry, in: before) else { return .arrived(entry.device) }
            return earlier.device == entry.device ? nil : .changed(entry.device, before: earlier.device)
        }
        return departed + others
    }
}

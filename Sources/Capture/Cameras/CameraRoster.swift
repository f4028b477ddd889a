import Media

/// Tells apart the cameras of one session, so that a camera that returns is never taken for another.
///
/// Each camera has a place, by number. Any thread may call.
package final class CameraRoster: Sendable {
    private struct Place {
        /// Identity of the camera as it was found last; the bus path changes with the port.
        var identity: DeviceIdentity
        var isAway = false
        /// Whether a camera that differs from this one only by its port was away at the same time.
        var sharesOutage = false
        /// Bus paths of cameras that were there when this one went, and have been since: none of them can be it.
        var strangers: Set<String> = []

        /// Whether a device belongs to this place: its present camera, or at its port the camera that it waits for.
        func owns(_ device: CaptureDevice) -> Bool {
            let path = device.identity.busPath
            // A device that is on no bus is identified by its name alone.
            guard path == identity.busPath, !path.isEmpty || device.name == identity.name else {
                return false
            }
            return !isAway || identity.search(among: [device]) == .found(device, isElsewhere: false)
        }
    }

    private let places = ConditionLock<[Place]>([])

    /// Makes a roster without cameras.
    package init() {}

    /// Adds a camera.
    ///
    /// - Returns: The camera's number in this roster.
    func join(_ identity: DeviceIdentity) -> Int {
        places.withLock { places in
            places.append(Place(identity: identity))
            return places.count - 1
        }
    }

    /// Notes that a camera went away.
    ///
    /// - Parameters:
    ///   - number: The camera's number.
    ///   - present: All cameras that are there now, perhaps itself among them.
    func leave(_ number: Int, among present: [CaptureDevice]) {
        places.withLock { places in
            guard !places[number].isAway else { return }
            places[number].isAway = true
            let home = places[number].identity.busPath
            places[number].strangers = Set(present.map(\.identity.busPath)).subtracting([home, ""])
            for other in places.indices where other != number && places[other].isAway {
                guard places[other].identity.isTwin(of: places[number].identity) else { continue }
                places[other].sharesOutage = true
                places[number].sharesOutage = true
            }
        }
    }

    /// Finds a camera that is away among the present ones, except those that belong to other places.
    func search(for number: Int, among present: [CaptureDevice]) -> DeviceSearch {
        places.withLock { places in
            let others = places.indices.filter { $0 != number }.map { places[$0] }
            places[number].strangers.formIntersection(present.map(\.identity.busPath))
            let strangers = places[number].strangers
            let free = present.filter { device in
                !strangers.contains(device.identity.busPath) && !others.contains { $0.owns(device) }
            }
            let search = places[number].identity.search(among: free)
            guard case .found(let device, isElsewhere: true) = search else { return search }
            // At a new port it could as well be a twin of another place that is empty.
            let isDoubtful = others.contains { $0.isAway && $0.identity.isTwin(of: device.identity) }
            return isDoubtful ? .ambiguous([device]) : search
        }
    }

    /// Notes that a camera is back.
    ///
    /// - Parameters:
    ///   - number: The camera's number.
    ///   - device: The camera as it was found.
    /// - Returns: What a person should know about the return, such as a new port; `nil` when there is nothing.
    func welcome(_ number: Int, as device: CaptureDevice) -> String? {
        places.withLock { places in
            let isElsewhere = places[number].identity.busPath != device.identity.busPath
            var remarks: [String] = []
            if isElsewhere { remarks.append("it is at another port now (\(device.selector))") }
            if places[number].sharesOutage {
                remarks.append(
                    "an identical camera without a serial number of its own was away at the same time: "
                        + "look whether the two were exchanged")
            }
            places[number] = Place(identity: device.identity)
            return remarks.isEmpty ? nil : remarks.joined(separator: "; ")
        }
    }
}

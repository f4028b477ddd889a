import MulticamMedia

/// Distinguishes the cameras of one session, so that a reconnected camera is never confused with another one.
///
/// Each camera has a numbered place in the roster. All methods are thread-safe.
package final class CameraRoster: Sendable {
    private struct Place {
        /// The camera's most recent identity. Its bus path changes if the camera is plugged into another port.
        var identity: DeviceIdentity
        var isDisconnected = false
        /// Whether an identical camera at another port was disconnected at the same time as this camera.
        var sharesOutage = false
        /// Bus paths of cameras that were present when this camera was disconnected and have stayed present
        /// since. These cameras can't be the disconnected camera.
        var excludedPaths: Set<String> = []

        /// Whether a device is the camera of this place: either the connected camera, or the missing camera
        /// after it was reconnected to the same port.
        func matches(_ device: CaptureDevice) -> Bool {
            let path = device.identity.busPath
            // A device without a bus path is identified only by its name.
            guard path == identity.busPath, !path.isEmpty || device.name == identity.name else {
                return false
            }
            return !isDisconnected || identity.search(among: [device]) == .found(device, isElsewhere: false)
        }
    }

    private let places = ConditionLock<[Place]>([])

    /// Creates a roster without cameras.
    package init() {}

    /// Adds a camera.
    ///
    /// - Returns: The camera's number in this roster.
    func register(_ identity: DeviceIdentity) -> Int {
        places.withLock { places in
            places.append(Place(identity: identity))
            return places.count - 1
        }
    }

    /// Records that a camera was disconnected.
    ///
    /// - Parameters:
    ///   - number: The camera's number.
    ///   - present: All cameras that are connected now. The list may still include the disconnected camera.
    func markDisconnected(_ number: Int, among present: [CaptureDevice]) {
        places.withLock { places in
            guard !places[number].isDisconnected else { return }
            places[number].isDisconnected = true
            let home = places[number].identity.busPath
            places[number].excludedPaths = Set(present.map(\.identity.busPath)).subtracting([home, ""])
            for other in places.indices where other != number && places[other].isDisconnected {
                guard places[other].identity.differsOnlyInPort(from: places[number].identity) else {
                    continue
                }
                places[other].sharesOutage = true
                places[number].sharesOutage = true
            }
        }
    }

    /// Searches the connected cameras for a missing camera. Ignores cameras that belong to other places in
    /// the roster.
    func search(for number: Int, among present: [CaptureDevice]) -> DeviceSearch {
        places.withLock { places in
            let others = places.indices.filter { $0 != number }.map { places[$0] }
            places[number].excludedPaths.formIntersection(present.map(\.identity.busPath))
            let strangers = places[number].excludedPaths
            let free = present.filter { device in
                !strangers.contains(device.identity.busPath) && !others.contains { $0.matches(device) }
            }
            let search = places[number].identity.search(among: free)
            guard case .found(let device, isElsewhere: true) = search else { return search }
            // A device at a new port could also be an identical camera that is missing from another place in
            // the roster.
            let isDoubtful = others.contains {
                $0.isDisconnected && $0.identity.differsOnlyInPort(from: device.identity)
            }
            return isDoubtful ? .ambiguous([device]) : search
        }
    }

    /// Records that a camera is connected again.
    ///
    /// - Parameters:
    ///   - number: The camera's number.
    ///   - device: The camera that was found.
    /// - Returns: A remark for the user, such as a changed port; `nil` if there is nothing to report.
    func markReconnected(_ number: Int, as device: CaptureDevice) -> String? {
        places.withLock { places in
            let isElsewhere = places[number].identity.busPath != device.identity.busPath
            var remarks: [String] = []
            if isElsewhere {
                remarks.append("the camera is now connected to another port (\(device.selector))")
            }
            if places[number].sharesOutage {
                remarks.append(
                    "an identical camera without a unique serial number was disconnected at the same time. Check that the two cameras are not swapped"
                )
            }
            places[number] = Place(identity: device.identity)
            return remarks.isEmpty ? nil : remarks.joined(separator: "; ")
        }
    }
}

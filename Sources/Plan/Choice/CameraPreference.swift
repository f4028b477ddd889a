public import Media

/// Which camera the user prefers, and which is the best to use now: the rule, as a value.
///
/// What came and went and what a person chose goes in; who looks at it decides what to do. In this order it prefers
/// 1. the camera that was plugged in last, if nothing was chosen since: plugging in is a wish;
/// 2. the first of the person's choices, the latest first, that is there, used by another program or not;
/// 3. what a profile or program proposed to begin with;
/// 4. of those that can be used now, one that has streamed before, the latest first;
/// 5. one that looks where a camera should, then external ones, which look anywhere.
public struct CameraPreference: Sendable, Equatable {
    private var wishes: DeviceWishes
    /// Cameras that have streamed, the latest first.
    public var streamed: [DeviceIdentity]
    /// Where the camera looks that is taken without any wish.
    public var defaultPosition: CaptureDevice.Position

    /// - Parameters:
    ///   - history: What the person chose in this application.
    ///   - streamed: Cameras that have streamed, the latest first.
    ///   - defaultPosition: `front`, as of a computer whose user it shows, unless the program says otherwise.
    ///   - present: Cameras that are there at the beginning; others in it are passed over.
    public init(
        history: DeviceHistory = DeviceHistory(), streamed: [DeviceIdentity] = [],
        defaultPosition: CaptureDevice.Position = .front, present: [CaptureDevice] = []
    ) {
        wishes = DeviceWishes(of: .video, history: history, present: present)
        self.streamed = streamed
        self.defaultPosition = defaultPosition
    }

    /// What the person chose. Whoever reads it anew from where it is kept sets it.
    public var history: DeviceHistory {
        get { wishes.history }
        set { wishes.history = newValue }
    }

    /// All cameras that are there.
    public var cameras: [CaptureDevice] { wishes.present }

    /// Takes over what has become of devices; other ones than cameras are passed over.
    ///
    /// - Parameter changes: What was told at once.
    public mutating func handle(_ changes: [DeviceChange]) {
        wishes.handle(changes)
    }

    /// A person's choice, by whatever means. An automatic switch is none.
    ///
    /// - Parameters:
    ///   - camera: That was chosen.
    ///   - role: For which role, if for one.
    public mutating func choose(_ camera: DeviceIdentity, for role: String? = nil) {
        wishes.choose(camera, for: role)
    }

    /// What to take over when another process has changed what is remembered: a new choice there is one here.
    ///
    /// - Parameters:
    ///   - history: As it is now.
    ///   - streamed: As it is now.
    public mutating func adopt(_ history: DeviceHistory, streamed: [DeviceIdentity]) {
        let isNewChoice = history.chosen.first != nil && history.chosen.first != self.history.chosen.first
        self.history = history
        self.streamed = streamed
        if isNewChoice, let choice = history.chosen.first { wishes.choose(choice.identity, for: choice.role) }
    }

    /// The first camera of the history that is there; `nil` when none is.
    public var userPreferred: CaptureDevice? { wishes.remembered()?.device }

    /// The best camera to use now; `nil` where there is none.
    public var systemPreferred: PreferredDevice? { systemPreferred() }

    /// The best camera to use now.
    ///
    /// - Parameter taken: Cameras that are not to be had, as they play other roles.
    /// - Returns: `nil` where none is left.
    public func systemPreferred(without taken: Set<DeviceIdentity> = []) -> PreferredDevice? {
        if let device = wishes.pluggedIn(without: taken) {
            return PreferredDevice(device: device, reason: .pluggedIn)
        }
        if let wish = wishes.remembered(without: taken) {
            return PreferredDevice(
                device: wish.device, reason: wish.isProposed ? .proposed : .chosen,
                isElsewhere: wish.isElsewhere)
        }
        return ranked(cameras.filter { !taken.contains($0.identity) }).first
    }

    /// A sentence for the user where a choice could mean either of two cameras that are there, and so means none.
    public var doubt: String? {
        wishes.doubtful.map { identity, candidates in
            let names = candidates.map { $0.selector.printable() }.joined(separator: " or ")
            return
                "the camera that you prefer, “\(identity.name.printable())”, could be \(names), so it counts for nothing. "
                + "Say which with `multicam prefer CAMERA`."
        }
    }

    /// Cameras by what is known of them without anybody's wish: those of colour, as one of infrared light is meant only when it is
    /// named; of them those that can be used now first; of them those that have
    /// streamed, the latest first; then by position, then as they were.
    public func ranked(_ cameras: [CaptureDevice]) -> [PreferredDevice] {
        let streams = DeviceIdentity.search(for: streamed, among: cameras).map { search -> CaptureDevice? in
            if case .found(let device, _) = search { device } else { nil }
        }
        func rank(_ camera: CaptureDevice, _ index: Int) -> [Int] {
            [
                camera.isGrey ? 1 : 0, camera.problem == nil ? 0 : camera.mayBeOpened ? 1 : 2,
                streams.firstIndex(of: camera) ?? streams.count, positionRank(camera.position), index,
            ]
        }
        return cameras.enumerated().map { (camera: $1, rank: rank($1, $0)) }
            .sorted { $0.rank.lexicographicallyPrecedes($1.rank) }
            .map { entry in
                let reason: PreferredDevice.Reason =
                    if entry.camera.problem != nil {
                        .noneIsReady
                    } else if streams.contains(entry.camera) {
                        .streamedBefore
                    } else if defaultPosition != .unspecified, entry.camera.position == defaultPosition {
                        .position
                    } else {
                        .ready
                    }
                return PreferredDevice(device: entry.camera, reason: reason)
            }
    }

    private func positionRank(_ position: CaptureDevice.Position) -> Int {
        switch position {
        case defaultPosition: 0
        case .unspecified: 1
        case .front, .back: 2
        }
    }
}

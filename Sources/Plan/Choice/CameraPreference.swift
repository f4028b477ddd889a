public import Media

/// The rule that decides which camera the user prefers, and which camera is the best to use now.
///
/// A value: device changes and a person's choices go in, and the caller decides what to do with the answer.
/// The best camera is the first of these that exists:
/// 1. the camera that was plugged in last, if nothing was chosen since: plugging in counts as a wish;
/// 2. the latest of the person's choices that is present, whether or not another program uses it;
/// 3. the camera that a profile or program proposed to begin with;
/// 4. of the cameras that can be used now, the one that streamed most recently;
/// 5. a camera that looks towards `defaultPosition`, then external cameras, which may look anywhere.
public struct CameraPreference: Sendable, Equatable {
    private var wishes: DeviceWishes
    /// Cameras that have streamed, the most recent first.
    public var streamed: [DeviceIdentity]
    /// The position that is preferred among cameras that nobody wished for.
    public var defaultPosition: CaptureDevice.Position

    /// Creates the rule from what is stored of earlier choices and from the cameras that are present.
    ///
    /// - Parameters:
    ///   - history: The choices that the person made in this application.
    ///   - streamed: Cameras that have streamed, the most recent first.
    ///   - defaultPosition: The position preferred without any wish; `front` suits a computer whose camera shows its user.
    ///   - present: Cameras that are present at the beginning; devices of other kinds in it are ignored.
    public init(
        history: DeviceHistory = DeviceHistory(), streamed: [DeviceIdentity] = [],
        defaultPosition: CaptureDevice.Position = .front, present: [CaptureDevice] = []
    ) {
        wishes = DeviceWishes(of: .video, history: history, present: present)
        self.streamed = streamed
        self.defaultPosition = defaultPosition
    }

    /// The cameras that the person chose; assign it after the stored history was read again.
    public var history: DeviceHistory {
        get { wishes.history }
        set { wishes.history = newValue }
    }

    /// The cameras that are present, in the order in which they were listed or arrived.
    public var cameras: [CaptureDevice] { wishes.present }

    /// The cameras that are present, as they are preferred without anybody's wish: colour cameras before infrared ones, then in the
    /// order in which they were listed or arrived. Choosing or using a camera does not change it, so that who goes through them
    /// comes to each.
    public var order: [CaptureDevice] {
        cameras.filter { !$0.isGrey } + cameras.filter(\.isGrey)
    }

    /// Takes over arrivals, departures and changes of devices; devices other than cameras are ignored.
    ///
    /// - Parameter changes: The changes that were reported together.
    public mutating func handle(_ changes: [DeviceChange]) {
        wishes.handle(changes)
    }

    /// Records that a person chose a camera, by whatever means. An automatic switch must not be reported here.
    ///
    /// - Parameters:
    ///   - camera: The camera that was chosen.
    ///   - role: The role that it was chosen for; `nil` for a choice that is not about a role.
    public mutating func choose(_ camera: DeviceIdentity, for role: String? = nil) {
        wishes.choose(camera, for: role)
    }

    /// Takes over the stored choices after another process changed them; a new latest choice there counts as a choice here.
    ///
    /// - Parameters:
    ///   - history: The stored choices as they are now.
    ///   - streamed: The cameras that have streamed, as stored now, the most recent first.
    public mutating func adopt(_ history: DeviceHistory, streamed: [DeviceIdentity]) {
        let isNewChoice = history.chosen.first != nil && history.chosen.first != self.history.chosen.first
        self.history = history
        self.streamed = streamed
        if isNewChoice, let choice = history.chosen.first { wishes.choose(choice.identity, for: choice.role) }
    }

    /// The most wanted camera of the history that is present; `nil` when none is.
    public var userPreferred: CaptureDevice? { wishes.remembered()?.device }

    /// The best camera to use now and the reason; `nil` where no camera is present.
    public var systemPreferred: PreferredDevice? { systemPreferred() }

    /// Returns the best camera to use now and the reason.
    ///
    /// - Parameter taken: Cameras that play other roles and cannot be chosen.
    /// - Returns: The camera, or `nil` where none is left.
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

    /// A sentence for people where a remembered choice fits several present cameras and so counts for none; `nil` otherwise.
    public var doubt: String? {
        wishes.doubtful.map { identity, candidates in
            let names = candidates.map { $0.selector.printable() }.joined(separator: " or ")
            return
                "the camera that you prefer, “\(identity.name.printable())”, could be \(names), so it counts for nothing. "
                + "Say which with `multicam prefer CAMERA`."
        }
    }

    /// Ranks cameras without regard to anybody's wish, the best first.
    ///
    /// Colour cameras come before infrared ones, which are meant only when they are named; then cameras that can be used now;
    /// then those that have streamed, the most recent first; then by position; then in the given order.
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

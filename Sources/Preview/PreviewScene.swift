internal import MulticamControl
internal import MulticamMedia

/// State of a preview, and the resulting content of its window: the frame or a notice. This is a pure value type.
struct PreviewScene: Equatable {
    /// A notice in two parts, shown instead of a missing frame.
    struct Notice: Equatable {
        /// Sentence about the current problem.
        let fact: String
        /// Sentence about what happens next.
        let outlook: String
    }

    /// State of the camera or the program, as reported by the session.
    private enum Source: Equatable {
        /// The session hasn't reported the state yet.
        case unknown
        case running
        /// The session has no such camera, or no program.
        case missing
        /// The camera delivers no frames, with the reason as text and the duration in seconds.
        case away(String, seconds: Int64)
        /// The governor has paused previews.
        case paused
        /// The governor has paused the program.
        case programPaused
    }

    /// Role of the camera; `nil` for the program.
    let role: String?
    /// Rotation that makes a frame upright.
    private(set) var rotation = Rotation.none
    /// Whether the picture is mirrored horizontally after the rotation.
    private(set) var isMirrored = false
    private var source = Source.unknown {
        // When frames resume, the previous frame is outdated.
        didSet { if source != .running { hasFrame = false } }
    }
    private var isConnected = false
    private var isResponding = true
    private var hasFrame = false
    /// Age of the latest frame in seconds, if the frame is too old to be shown; otherwise `nil`.
    private var frozenSeconds: Int64?
    private var refusal: String?

    /// Maximum age of a frame that is shown: 1 s, or 2.5 frame periods at a low rate.
    private(set) var maxAge = minMaxAge
    private static let minMaxAge = Nanoseconds.seconds(1)

    /// Creates the scene of a disconnected preview.
    init(role: String?) { self.role = role }

    /// Name of the source, as shown in the window's title.
    var name: String { role?.printable(limit: 40) ?? "program" }

    /// Notice shown instead of the frame; `nil` while the frame is shown.
    var notice: Notice? {
        guard isConnected else {
            return Notice(fact: "session ended", outlook: "waiting for the next session")
        }
        guard isResponding else {
            return Notice(fact: "the recorder is not responding", outlook: "a recording may still be running")
        }
        if let refusal { return Notice(fact: refusal.printable(limit: 80), outlook: "retrying") }
        switch source {
        case .missing:
            return Notice(
                fact: role == nil ? "this session has no program" : "this session has no such camera",
                outlook: "waiting for another session")
        case .away(let reason, let seconds):
            return Notice(
                fact: "no signal \(Self.clock(seconds))", outlook: reason.printable(limit: 80))
        case .paused:
            return Notice(fact: "preview paused", outlook: "the recording is not affected")
        case .programPaused:
            return Notice(fact: "program paused", outlook: "the tracks are not affected")
        case .unknown, .running:
            guard hasFrame else {
                return Notice(fact: "no picture yet", outlook: "waiting for the first frame")
            }
            return frozenSeconds.map {
                Notice(fact: "frozen \(Self.clock($0))", outlook: "waiting for the next frame")
            }
        }
    }

    /// Formats a duration in minutes and seconds, such as 0:12.
    private static func clock(_ seconds: Int64) -> String {
        "\(seconds / 60):" + String("\(100 + seconds % 60)".dropFirst())
    }

    /// The window's title.
    var title: String {
        let notice = notice.map { ": \($0.fact), \($0.outlook)" } ?? ""
        return "\(name)\(notice) – multicam"
    }

    // MARK: Events

    /// Handles the discovery of a session.
    mutating func connect() { self = Self(role: role, isConnected: true) }

    /// Handles the end of a session.
    mutating func disconnect() { self = Self(role: role, isConnected: false) }

    private init(role: String?, isConnected: Bool) { (self.role, self.isConnected) = (role, isConnected) }

    /// Handles the arrival of a frame.
    mutating func receiveFrame() { (hasFrame, frozenSeconds, refusal) = (true, nil, nil) }

    /// Applies the time since the latest frame was received.
    mutating func setAge(_ age: Nanoseconds) {
        frozenSeconds = age < maxAge ? nil : age.count / 1_000_000_000
    }

    /// Handles the session's refusal to send frames, with the reason as a sentence.
    mutating func receiveRefusal(_ sentence: String) { (refusal, hasFrame) = (sentence, false) }

    /// Handles the absence of status reports.
    mutating func setUnresponsive() { isResponding = false }

    /// Applies a status of the session.
    mutating func apply(_ status: ControlStatus) {
        isResponding = true
        let rate =
            role == nil ? status.arrangement?.rate : status.cameras.first { $0.role == role }?.nominal_rate
        maxAge = max(Self.minMaxAge, Nanoseconds(Int64(2.5e9 / max(rate ?? 30, 0.01))))
        guard let role else {
            source =
                status.program == nil
                ? .missing : status.paused.contains(.program) ? .programPaused : running(status)
            return
        }
        guard let camera = status.cameras.first(where: { $0.role == role }) else {
            source = .missing
            return
        }
        rotation = Rotation(rawValue: camera.rotation) ?? .none
        isMirrored = camera.mirrored
        source =
            camera.away
            ? .away(camera.reason ?? "no frames received", seconds: (camera.away_ns ?? 0) / 1_000_000_000)
            : running(status)
    }

    private func running(_ status: ControlStatus) -> Source {
        status.paused.contains(.previews) ? .paused : .running
    }
}

/// Position of a frame in a window, uncropped and with its aspect ratio, in SDL's terms: the frame is mirrored first
/// and then rotated about the center of its rectangle.
struct PreviewFit: Equatable {
    /// Rectangle of the frame before rotation, in pixels of the window. Parts of the rectangle may be outside the
    /// window.
    let x: Int
    let y: Int
    let width: Int
    let height: Int
    /// Clockwise rotation in degrees.
    let degrees: Int
    let isMirrored: Bool

    /// Fits a frame into a window.
    ///
    /// - Parameters:
    ///   - frame: Width × height of the stored frame.
    ///   - rotation: Clockwise rotation that makes the frame upright.
    ///   - isMirrored: Whether the picture is mirrored horizontally after the rotation.
    ///   - window: Width × height of the window in pixels.
    init(_ frame: FrameSize, rotation: Rotation, isMirrored: Bool, in window: FrameSize) {
        let upright = rotation.swapsSides ? frame.transposed : frame
        let (across, down) = (Int64(window.width), Int64(window.height))
        // The largest size with the frame's aspect ratio that fits into the window.
        let isWider = Int64(upright.width) * down > Int64(upright.height) * across
        let (columns, rows) =
            isWider
            ? (across, max(Int64(upright.height).rescaled(from: Int64(upright.width), to: across), 1))
            : (max(Int64(upright.width).rescaled(from: Int64(upright.height), to: down), 1), down)
        let (stored, other) = rotation.swapsSides ? (rows, columns) : (columns, rows)
        (width, height) = (Int(stored), Int(other))
        // Both rectangles have the same center.
        (x, y) = (Int((across - stored) / 2), Int((down - other) / 2))
        // Mirroring after a rotation is equivalent to rotating in the opposite direction after mirroring.
        degrees = isMirrored ? (360 - rotation.degrees) % 360 : rotation.degrees
        self.isMirrored = isMirrored
    }
}

internal import Control
internal import Media

/// What a preview knows of the session, and what its window shows for it: the frame, or a sentence. A pure value.
struct PreviewScene: Equatable {
    /// A sentence of two halves, which the window shows while it has no frame.
    struct Notice: Equatable {
        /// What is the matter.
        let fact: String
        /// What happens next.
        let outlook: String
    }

    /// What the session tells of the camera or the program.
    private enum Source: Equatable {
        /// The session has not told yet.
        case unknown
        case running
        /// The session has no such camera, or no program.
        case missing
        /// The camera delivers nothing, for a reason in words.
        case away(String)
        /// The governor gives up previews for now.
        case paused
    }

    /// The role of the camera; `nil` for the program.
    let role: String?
    /// The rotation after which a frame is upright.
    private(set) var rotation = Rotation.none
    /// Whether left and right are exchanged after the rotation.
    private(set) var isMirrored = false
    private var source = Source.unknown {
        // The frame of before is not what is seen when frames come again.
        didSet { if source != .running { hasFrame = false } }
    }
    private var isConnected = false
    private var answers = true
    private var hasFrame = false
    private var refusal: String?

    /// Creates the scene of a preview that is not connected.
    init(role: String?) { self.role = role }

    /// Where the frames come from, as the window's title has it.
    var name: String { role?.printable(limit: 40) ?? "program" }

    /// What is said in place of the frame; `nil` while that is shown.
    var notice: Notice? {
        guard isConnected else {
            return Notice(fact: "the session has ended", outlook: "waiting for the next one")
        }
        guard answers else {
            return Notice(fact: "the recorder does not answer", outlook: "a recording may go on")
        }
        if let refusal { return Notice(fact: refusal.printable(limit: 80), outlook: "trying again") }
        switch source {
        case .missing:
            return Notice(
                fact: role == nil ? "this session has no program" : "this session has no such camera",
                outlook: "waiting for one that has")
        case .away(let reason):
            return Notice(fact: "away: \(reason.printable(limit: 80))", outlook: "waiting for it")
        case .paused:
            return Notice(fact: "the computer is busy recording", outlook: "the preview comes back later")
        case .unknown, .running:
            return hasFrame ? nil : Notice(fact: "no picture yet", outlook: "waiting for the first")
        }
    }

    /// The window's title.
    var title: String {
        let notice = notice.map { ": \($0.fact), \($0.outlook)" } ?? ""
        return "\(name)\(notice) – multicam"
    }

    // MARK: Events

    /// A session was found.
    mutating func connect() { self = Self(role: role, isConnected: true) }

    /// The session has ended.
    mutating func disconnect() { self = Self(role: role, isConnected: false) }

    private init(role: String?, isConnected: Bool) { (self.role, self.isConnected) = (role, isConnected) }

    /// A frame has come.
    mutating func takeFrame() { (hasFrame, refusal) = (true, nil) }

    /// The session refuses the frames, for the reason in a sentence.
    mutating func refuse(_ sentence: String) { (refusal, hasFrame) = (sentence, false) }

    /// The session has told nothing for a while.
    mutating func missStatus() { answers = false }

    /// The session tells how it goes.
    mutating func take(_ status: ControlStatus) {
        answers = true
        guard let role else {
            source = status.program == nil ? .missing : running(status)
            return
        }
        guard let camera = status.cameras.first(where: { $0.role == role }) else {
            source = .missing
            return
        }
        rotation = Rotation(rawValue: camera.rotation) ?? .none
        isMirrored = camera.mirrored
        source = camera.away ? .away(camera.reason ?? "no frames come") : running(status)
    }

    private func running(_ status: ControlStatus) -> Source {
        status.given_up.contains { $0.hasPrefix("previews ") } ? .paused : .running
    }
}

public import Inputs
public import Media
public import Plan

extension MulticamSession {
    /// An instant by which a device has stamped, as frames of a camera's tap are, on the session clock, as audio and the program's frames
    /// are. They differ in a group's recording alone. Any thread may call it.
    public nonisolated func time(stamped stamp: ClockTime) -> ClockTime { clock.time(stamped: stamp) }

    /// Attaches a tap, in any phase: from now on its handler gets frames, until `detach` or the session's end. Any thread may
    /// call it.
    ///
    /// - Parameter tap: A tap that no session has had, of a camera's role or of `program`.
    /// - Throws: `SessionChangeError` when the session has no such camera, or no program. The tap may be attached elsewhere then.
    public nonisolated func attach(_ tap: FrameTap) throws(SessionChangeError) {
        try check(tap.role, isKnown: { $0.cameras.contains { $0.role == tap.role } }, "camera")
        sinks.taps.attach(tap)
    }

    /// Attaches a tap, in any phase: from now on its handler gets audio, until `detach` or the session's end. Any thread may
    /// call it.
    ///
    /// - Parameter tap: A tap that no session has had, of a microphone's role or of `program`.
    /// - Throws: `SessionChangeError` when the session has no such microphone, or no program.
    public nonisolated func attach(_ tap: AudioTap) throws(SessionChangeError) {
        try check(tap.role, isKnown: { $0.microphones.contains { $0.role == tap.role } }, "microphone")
        sinks.taps.attach(tap)
    }

    /// Attaches a tap, in any phase: from now on its handler gets metadata while something is recorded, until `detach` or the
    /// session's end. Any thread may call it.
    ///
    /// - Parameter tap: A tap that no session has had, of a camera's role.
    /// - Throws: `SessionChangeError` when the session has no such camera.
    public nonisolated func attach(_ tap: MetadataTap) throws(SessionChangeError) {
        let cameras = currentPlan.cameras.map(\.role)
        guard cameras.contains(tap.role) else { throw Self.unknown(tap.role, "camera", among: cameras) }
        sinks.taps.attach(tap)
    }

    /// Attaches a tap, in any phase: from now on its handler gets the program's packets while the session records or runs, and on
    /// standby where the tap asks for that, until `detach` or the session's end. Any thread may call it.
    ///
    /// - Parameter tap: A tap that no session has had.
    /// - Throws: `SessionChangeError` when the session has no program.
    public nonisolated func attach(_ tap: PacketTap) throws(SessionChangeError) {
        try check("program", isKnown: { _ in false }, "program")
        sinks.taps.attach(tap)
    }

    /// Detaches a tap: its handler gets what waits for it, and nothing after. Does nothing when the tap is not attached.
    public nonisolated func detach(_ tap: FrameTap) { sinks.taps.detach(tap) }

    /// Detaches a tap: its handler gets what waits for it, and nothing after. Does nothing when the tap is not attached.
    public nonisolated func detach(_ tap: AudioTap) { sinks.taps.detach(tap) }

    /// Detaches a tap: its handler gets what waits for it, and nothing after. Does nothing when the tap is not attached.
    public nonisolated func detach(_ tap: MetadataTap) { sinks.taps.detach(tap) }

    /// Detaches a tap: its handler gets what waits for it, and nothing after. Does nothing when the tap is not attached.
    public nonisolated func detach(_ tap: PacketTap) { sinks.taps.detach(tap) }

    private nonisolated func check(
        _ role: String, isKnown: (SessionPlan) -> Bool, _ kind: String
    ) throws(SessionChangeError) {
        let plan = currentPlan
        if role == TapBoard.program {
            guard plan.program != nil else {
                throw SessionChangeError("this session composes no program, so nothing of it can be tapped.")
            }
        } else if !isKnown(plan) {
            let known = kind == "camera" ? plan.cameras.map(\.role) : plan.microphones.map(\.role)
            throw Self.unknown(role, kind, among: known)
        }
    }

    private static func unknown(_ role: String, _ kind: String, among known: [String]) -> SessionChangeError {
        let names = known.isEmpty ? "none" : known.joined(separator: ", ")
        return SessionChangeError(
            "there is no \(kind) \(role.printable()) to tap: this session has \(names).")
    }
}

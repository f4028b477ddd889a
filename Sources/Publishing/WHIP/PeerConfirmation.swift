import Media

/// Decides from a peer's reports whether it lives. A value: time is an argument.
///
/// ICE as GStreamer 1.22 has it does not notice that a peer is gone. A peer that lives reports what it has received (RFC 3550): browsers
/// and most servers each second, GStreamer's own each six or seven seconds. So the peer's own pace tells how long is too long.
struct PeerConfirmation {
    /// How long a peer may be silent whose pace is not known, and at most.
    static let longestSilence = Nanoseconds.seconds(20)
    /// How long each peer may be silent.
    static let shortestSilence = Nanoseconds.seconds(4)
    /// Time from one look to the next.
    private static let interval = Nanoseconds.milliseconds(500)
    /// Reports that tell a peer's pace.
    private static let enough = 3

    private var looked: ClockTime
    private var last: WebRTCPeer.Report?
    private var changed: ClockTime
    private var longestGap = Nanoseconds.zero
    private var count = 0

    init(since now: ClockTime) { (looked, changed) = (now, now) }

    /// Whether it is time to look again.
    func isDue(at now: ClockTime) -> Bool { now - looked >= Self.interval }

    /// Takes the newest report there is.
    mutating func heard(_ report: WebRTCPeer.Report?, at now: ClockTime) {
        looked = now
        guard report != last else { return }
        longestGap = max(longestGap, now - changed)
        (last, changed, count) = (report, now, count + 1)
    }

    /// How long the peer may be silent: three times as long as it ever was.
    private var patience: Nanoseconds {
        guard count >= Self.enough else { return Self.longestSilence }
        return min(max(longestGap + longestGap + longestGap, Self.shortestSilence), Self.longestSilence)
    }

    /// Whether the peer lives.
    func isAlive(at now: ClockTime) -> Bool { now - changed < patience }
}

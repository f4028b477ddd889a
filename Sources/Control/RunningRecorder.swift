internal import FoundationEssentials
internal import Media
internal import SessionFolder

/// A process that has a control socket, and what it does, in words.
struct RunningRecorder: Sendable {
    let process: Int32
    /// The process's answer to `status`; `nil` when it did not answer.
    let status: ControlStatus?
    /// The absolute path of the folder that the process records into; `nil` while it records nothing.
    let folder: String?

    /// What the process does, such as `records profile “pip” into /home/ann/recordings/2026-11-21_142310_pip`.
    var activity: String {
        guard let status else { return "does not answer" }
        let profile = "profile “\(status.profile.printable())”"
        let place = (folder ?? status.folder).map { " into \($0.printable(limit: 1000))" } ?? ""
        switch status.state {
        case .standby: return "stands by with \(profile)"
        case .starting: return "begins to record \(profile)"
        case .paused: return "waits with \(profile)"
        case .finishing: return "finishes its recording of \(profile)\(place)"
        case .recording: return "records \(profile)\(place)"
        }
    }

    /// Whether a crashed process left a session folder unfinished.
    ///
    /// - Parameter folder: The session folder that it was recording into.
    /// - Returns: Whether the folder's manifest says that it is still being recorded.
    static func isUnfinished(_ folder: String) -> Bool {
        struct Outcome: Decodable {
            let outcome: String
        }
        do {
            let manifest = try Data(contentsOf: URL(fileURLWithPath: folder).appending(path: "manifest.json"))
            return try JSONText.decoder().decode(Outcome.self, from: manifest).outcome == "recording"
        } catch {
            // The folder was removed or moved, so nothing is known of it.
            return false
        }
    }
}

internal import Foundation
internal import Media
internal import SessionFolder

/// A process that has a control socket, and what it does, as people read it.
struct RunningRecorder: Sendable {
    let process: Int32
    /// What it answered to `status`; `nil` where it did not answer.
    let status: ControlStatus?
    /// The whole path of the folder that it records into; `nil` while it records nothing.
    let folder: String?

    /// What it does, such as `records profile “pip” into /home/ann/recordings/2026-11-21_142310_pip`.
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

    /// The folder that a crashed process left unfinished.
    ///
    /// - Parameter folder: That it was recording into.
    /// - Returns: Whether its manifest says that it is still being recorded.
    static func isUnfinished(_ folder: String) -> Bool {
        struct Outcome: Decodable {
            let outcome: String
        }
        do {
            let manifest = try Data(contentsOf: URL(fileURLWithPath: folder).appending(path: "manifest.json"))
            return try JSONText.decoder().decode(Outcome.self, from: manifest).outcome == "recording"
        } catch {
            // Removed or moved since, so that nobody knows.
            return false
        }
    }
}

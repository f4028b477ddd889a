import Media
import Session
import SessionFolder
internal import Writers

/// The final messages about a recording: about all of its sessions when it was resumed.
struct RecordConclusion {
    private let results: [RecordingResult]

    /// Creates the conclusion of a recording.
    ///
    /// - Parameter results: The results of its sessions, in order.
    init(_ results: [RecordingResult]) { self.results = results }

    /// The failures, one message each, and the verdict on each session.
    var messages: [String] {
        results.flatMap { result in
            let verdict = result.verdict.text
            // A failure that the verdict mentions is not repeated.
            let failures = (storage(result) + result.encodingFailures.map(\.description)).filter {
                !verdict.contains($0.hasSuffix(".") ? String($0.dropLast()) : $0)
            }
            let messages = failures + PublicationText.lines(result.manifest) + [verdict]
            // With several sessions each message names its folder.
            return results.count == 1 ? messages : messages.map { "\(result.folder.printable()): \($0)" }
        }
    }

    /// The verdicts on all sessions, as one text.
    private var verdict: String {
        results.count == 1
            ? results[0].verdict.text
            : results.map { "\($0.folder.printable()): \($0.verdict.text)" }.joined(separator: " ")
    }

    /// The failures of the session folder and its safety copy, and which of them is whole.
    private func storage(_ result: RecordingResult) -> [String] {
        var sentences = result.storageFailures.map(\.description)
        guard let copy = result.copy else { return sentences }
        sentences += copy.storageFailures.map { "the safety copy: \($0)" }
        switch (result.storageFailures.isEmpty, copy.storageFailures.isEmpty) {
        case (true, true): break
        case (false, true):
            let what =
                copy.content == .program
                ? "the program is whole in the safety copy" : "the safety copy is whole"
            sentences.append("\(what): \(copy.folder.printable())")
        case (true, false):
            sentences.append("the recording itself is whole: \(result.folder.printable())")
        case (false, false):
            sentences.append(
                "neither folder is whole; each holds what its manifest says: \(result.folder.printable()), "
                    + copy.folder.printable())
        }
        return sentences
    }

    /// The worst exit status of all sessions. An end by system pressure counts only for the last session.
    var status: ExitStatus {
        if results.contains(where: { !$0.isStored }) { return .storageFailed }
        if results.contains(where: { !$0.encodingFailures.isEmpty }) || results.last?.pressureEnd != nil {
            return .failed
        }
        return results.contains { !$0.exceededLimits.isEmpty } ? .lossesBeyondLimit : .done
    }

    /// The final event: that of the last session, with the exit status of all; `nil` without a session.
    var event: SessionEvent? {
        results.last.map { last in
            SessionEvent(
                .finished, at: MediaTime(nanoseconds: last.manifest.duration_ns),
                [
                    "folder": .string(last.folder), "outcome": .string(last.manifest.outcome.rawValue),
                    "exit": .integer(Int64(status.rawValue)), "verdict": .string(verdict),
                ])
        }
    }
}

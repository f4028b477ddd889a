internal import Media
internal import SessionFolder

/// Keeps the clock's file of the recording that runs. Its readings come from one thread.
final class ClockRecorder: Sendable {
    private let journal: NodeJournal
    private let output: String
    private let present = ConditionLock<(recording: String, log: ClockLog)?>(nil)

    /// How often the journal is written with the largest values, in readings.
    private static let pace = 10

    init(_ journal: NodeJournal, output: String) { (self.journal, self.output) = (journal, output) }

    /// Takes what chrony has measured, `nil` while there is nothing, and when it was read.
    func take(_ reading: ClockReading?, at now: ClockPair) {
        present.withLock { present in
            guard let entry = journal.running, let folder = entry.folder, let start = entry.t0_monotonic_ns
            else {
                if let (recording, log) = present { journal.update(recording) { $0.clock = log.largest } }
                present = nil
                return
            }
            if present?.recording != entry.recording {
                do throws(GroupError) {
                    let log = try ClockLog(
                        in: "\(output)/\(folder)", from: ClockTime(nanoseconds: start), after: entry.clock)
                    present = (entry.recording, log)
                } catch {
                    present = nil
                }
            }
            guard let reading, let log = present?.log else { return }
            log.write(reading, at: now)
            if log.largest.map({ $0.readings % Self.pace == 1 }) ?? false {
                journal.update(entry.recording) { $0.clock = log.largest }
            }
        }
    }
}

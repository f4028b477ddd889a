import MulticamLedgerCheck
import MulticamSession
import MulticamSessionFolder
import Testing

extension MulticamSession {
    /// Makes a recording, and compares its manifest and the backup's manifest with their files.
    func recordChecked() async throws -> RecordingResult {
        let result = try await record()
        try result.checkLedgers()
        return result
    }
}

extension RecordingResult {
    /// Compares the manifests of the recording and its backup with their files.
    func checkLedgers() throws {
        var breaches = try LedgerCheck.breaches(of: manifest, in: folder)
        if let backup {
            breaches += try LedgerCheck.breaches(
                of: LedgerCheck.manifest(of: backup.folder), in: backup.folder)
        }
        #expect(breaches.isEmpty, "\(breaches.joined(separator: "\n"))")
    }
}

extension Manifest.Frames {
    /// Checks a recording in real time. On a starved computer, the last frames of an encoder are dropped and counted, so
    /// that the recording ends in time.
    ///
    /// - Parameter count: Number of ticks of the track.
    /// - Returns: Whether each tick is in the file or counted as lost.
    func accounts(for count: Int) -> Bool {
        written <= count && written + lost.values.reduce(0, +) >= count
    }
}

internal import Containers
package import Foundation
package import Media
internal import SessionFolder

/// One microphone's file in one folder, and those that continue it. The file's thread only.
package final class SegmentedWave: SegmentedContent {
    /// What comes for it.
    package enum Item: Sendable {
        case begin(Date)
        case samples([Float])
        /// Of every channel, for want of what was captured.
        case silence(Int)
        case split(Part, startedAt: Date)
    }

    /// A file that continues the one before it.
    package struct Part: Sendable {
        package let relativePath: String
        /// Its place in the recording.
        package let firstSample: Int64

        package init(relativePath: String, firstSample: Int64) {
            self.relativePath = relativePath
            self.firstSample = firstSample
        }
    }

    /// What came, and what was left out of it before the queue.
    package struct Intake: Sendable {
        let channels: Int
        let limits: WriteLimits
        /// The number in the recording of the next sample that comes.
        var position: Int64 = 0
        /// That wait to be told as silence.
        var missing = 0
        private(set) var silenced: [Range<Int64>] = []

        init(channels: Int, limits: WriteLimits) {
            self.channels = channels
            self.limits = limits
        }

        /// So many samples came, and were taken or left out.
        mutating func advance(by count: Int, isTaken: Bool) {
            let begin = position
            position += Int64(count)
            guard !isTaken else { return }
            missing += count
            if let last = silenced.indices.last, silenced[last].upperBound == begin {
                silenced[last] = silenced[last].lowerBound..<position
            } else {
                silenced.append(begin..<position)
            }
        }
    }

    private let channels: Int
    private let startedAt: Date
    private let make: (_ relativePath: String, _ startedAt: Date) throws(FileError) -> WaveFile
    private let finishing: PartFinishing
    /// `nil` where it could not be made.
    private var file: WaveFile?
    private var relativePath: String
    private var hasFailed = false
    package private(set) var parts: [Part] = []
    package private(set) var splitFailure: FileError?

    /// - Parameters:
    ///   - disk: Whose folder the files are made in.
    ///   - relativePath: The first's, from there.
    ///   - channels: Of the track.
    ///   - startedAt: The date of its first sample, or about that.
    ///   - finishing: Finishes what is left for the next.
    init(
        _ disk: RecordingDisk, relativePath: String, channels: Int, startedAt: Date, finishing: PartFinishing
    ) {
        self.channels = channels
        self.startedAt = startedAt
        self.relativePath = relativePath
        self.finishing = finishing
        let (folder, conduct) = (disk.folder, disk.conduct)
        make = { (relativePath, startedAt) throws(FileError) in
            try WaveFile(
                path: try folder.file(relativePath), channels: channels, startedAt: startedAt, disk: conduct)
        }
    }

    package func makeFirst() throws(FileError) { file = try make(relativePath, startedAt) }

    package func carryOut(_ item: Item) throws(FileError) -> Bool {
        // What comes for a file that is not there is thrown away, so that it takes no memory.
        guard let file, !hasFailed else { return false }
        switch item {
        case .begin(let date): try file.begin(startedAt: date)
        case .samples(let samples): try file.append(samples: samples)
        case .silence(let count): try appendSilence(count, to: file)
        case .split(let part, let startedAt): split(file, to: part, startedAt: startedAt)
        }
        return false
    }

    package func fail() { hasFailed = true }

    /// Others say that nothing more comes, by the end of the queue.
    package var isComplete: Bool { false }
    package var finishingByteCount: Int64 { file?.finishingByteCount ?? 0 }
    package var abandonedCounts: [Int] { [0] }

    package func writeRest(until end: Int64?) throws(FileError) { try file?.writeRest() }

    package func close() -> PartFinishing.Outcome? { file.map { Self.close($0, named: relativePath) } }

    package static func shed(_ intake: Intake) -> [[Range<Int64>]] { [intake.silenced] }

    package static func end(_ file: FileWriter<SegmentedWave>) { file.finish() }

    /// Where the new file cannot be made the old one goes on.
    private func split(_ file: WaveFile, to part: Part, startedAt: Date) {
        do throws(FileError) {
            let following = try make(part.relativePath, startedAt)
            // From here on it is the other thread's alone.
            nonisolated(unsafe) let last = file
            let lastPath = relativePath
            finishing.add(byteCount: last.finishingByteCount) { Self.close(last, named: lastPath) }
            (self.file, relativePath) = (following, part.relativePath)
            parts.append(part)
        } catch {
            splitFailure = splitFailure ?? error
        }
    }

    /// Finishes a file and reads it again.
    private static func close(_ file: WaveFile, named relativePath: String) -> PartFinishing.Outcome {
        var outcome = PartFinishing.Outcome(sampleCounts: [])
        do throws(FileError) {
            try file.finish()
            outcome.closed = ClosedFile(
                relativePath: relativePath, byteCount: file.byteCount, checksum: file.checksum,
                fault: FileVerification.fault(ofWave: file.path, holding: file.byteCount))
        } catch {
            outcome.failure = error
        }
        outcome.sampleCounts = [Int(file.sampleCount)]
        return outcome
    }

    /// A second at a time, so that an hour of it takes no memory.
    private func appendSilence(_ count: Int, to file: WaveFile) throws(FileError) {
        var rest = count
        while rest > 0 {
            let step = min(rest, AudioFormat.sessionRate)
            try file.append(samples: [Float](repeating: 0, count: step * channels))
            rest -= step
        }
    }
}

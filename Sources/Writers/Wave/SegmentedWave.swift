package import Containers
package import FoundationEssentials
internal import Glibc
package import Media
internal import SessionFolder

/// Writes one microphone's wave file in one folder, and the parts that continue it after splits. The file's thread only.
package final class SegmentedWave: SegmentedContent {
    /// An item of the wave file's queue.
    package enum Item: Sendable {
        /// Sets the exact date of the first sample.
        case begin(Date)
        /// Writes samples, interleaved by channel.
        case samples([Float])
        /// Writes this number of silent samples per channel, in place of dropped audio.
        case silence(Int)
        /// Begins a new file, with the date of its first sample.
        case split(Part, startedAt: Date)
    }

    /// A file that continues the one before it.
    package struct Part: Sendable {
        /// Path of the file relative to the session folder.
        package let relativePath: String
        /// Index of the file's first sample since T0, per channel, at 48 000 samples per second.
        package let firstSample: Int64

        /// Describes a part; each parameter sets the property of its name.
        package init(relativePath: String, firstSample: Int64) {
            self.relativePath = relativePath
            self.firstSample = firstSample
        }
    }

    /// The record, kept on the queueing side, of samples that came and of those that were dropped before the queue.
    package struct Intake: Sendable {
        let channels: Int
        let limits: WriteLimits
        /// Index since T0 of the next sample that comes, per channel.
        var position: Int64 = 0
        /// Number of dropped samples per channel that are not yet queued as silence.
        var missing = 0
        /// Ranges of dropped samples by their index since T0, in order; adjacent ranges are one.
        private(set) var silenced: [Range<Int64>] = []

        init(channels: Int, limits: WriteLimits) {
            self.channels = channels
            self.limits = limits
        }

        /// Notes that `count` samples per channel came, and whether they were queued or dropped.
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
    /// The file that is written; `nil` when the first one could not be created.
    private var file: WaveFile?
    private var relativePath: String
    private var hasFailed = false
    /// The files that continue the first one, in order.
    package private(set) var parts: [Part] = []
    /// The first error in creating a part, after which the file before it goes on; `nil` when there was none.
    package private(set) var splitFailure: FileError?

    /// Creates a wave recording without creating its first file: `makeFirst` does that.
    ///
    /// - Parameters:
    ///   - disk: The disk whose session folder gets the files.
    ///   - relativePath: Path of the first file relative to the session folder.
    ///   - channels: Number of channels.
    ///   - startedAt: The approximate date of the first sample.
    ///   - finishing: Finishes each file that a split leaves.
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

    /// Creates the first file.
    ///
    /// - Throws: `FileError` when the file cannot be created.
    package func makeFirst() throws(FileError) { file = try make(relativePath, startedAt) }

    /// Carries out an item of the queue, or discards it when no file is open or a write has failed.
    ///
    /// - Returns: `false`: a split of a wave file waits for no stream.
    /// - Throws: `FileError` when the file cannot be written.
    package func carryOut(_ item: Item) throws(FileError) -> Bool {
        // Items for a file that does not exist are discarded, so that they take no memory.
        guard let file, !hasFailed else { return false }
        switch item {
        case .begin(let date): try file.begin(startedAt: date)
        case .samples(let samples): try file.append(samples: samples)
        case .silence(let count): try appendSilence(count, to: file)
        case .split(let part, let startedAt): split(file, to: part, startedAt: startedAt)
        }
        return false
    }

    /// Discards all later items after an error.
    package func fail() { hasFailed = true }

    /// Always `false`: the end of the queue ends the file.
    package var isComplete: Bool { false }
    /// When the open file writes next; `nil` where that is not known.
    package var rhythm: WriteRhythm? { hasFailed ? nil : file?.rhythm }
    /// Number of bytes that finishing the open file would write now.
    package var finishingByteCount: Int64 { file?.finishingByteCount ?? 0 }
    /// Always 0: a wave file is closed even after a failure, and its samples are counted then.
    package var abandonedCounts: [Int] { [0] }

    /// Writes all pending samples to the disk.
    ///
    /// - Parameter end: Unused: a wave file ends with its last queued sample.
    /// - Throws: `FileError` when the file cannot be written.
    package func writeRest(until end: Int64?) throws(FileError) { try file?.writeRest() }

    /// Finishes the last file and verifies it.
    ///
    /// - Returns: The outcome for that file, or `nil` when the first file could not be created.
    package func close() -> PartFinishing.Outcome? { file.map { Self.close($0, named: relativePath) } }

    /// Returns the ranges of dropped samples, by their index since T0, as the only stream's.
    package static func shed(_ intake: Intake) -> [[Range<Int64>]] { [intake.silenced] }

    /// Ends the audio of a wave file, so that its thread closes it.
    package static func end(_ file: FileWriter<SegmentedWave>) { file.finish() }

    /// Begins a new file; when it cannot be created, the old one goes on and the error becomes `splitFailure`.
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

    /// Finishes a wave file and verifies it.
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

    /// Writes `count` silent samples per channel, a second at a time, so that an hour of silence takes no memory.
    private func appendSilence(_ count: Int, to file: WaveFile) throws(FileError) {
        var rest = count
        while rest > 0 {
            let step = min(rest, AudioFormat.sessionRate)
            try file.append(samples: [Float](repeating: 0, count: step * channels))
            rest -= step
        }
    }
}

internal import Containers
internal import Foundation
package import Media
internal import SessionFolder

/// The thread that alone touches one microphone's file, and its later parts, in one folder.
///
/// Nobody waits for the disk: audio that finds no room in the queue, which holds most of a minute, becomes silence of the same
/// length.
package final class WaveFileWriter: Sendable {
    private enum Item: Sendable {
        case begin(Date)
        case samples([Float])
        /// Of every channel, for want of what was captured.
        case silence(Int)
        case split(WaveWriter.Part, startedAt: Date)
    }

    package struct Result: Sendable {
        /// The files after the first.
        package var parts: [WaveWriter.Part] = []
        /// All that could be finished.
        package var closed: [ClosedFile] = []
        /// Per channel, in all parts.
        package var sampleCount: Int64 = 0
        /// What the disk was too slow for, by the track's samples.
        package var silenced: [Range<Int64>] = []
        /// Where it was ended before the recording was, for want of room on the disk.
        package var conclusion: Int64?
        package var failure: FileError?
        /// Of a split, while the recording goes on: the next file could not be begun, so that it goes on in the one before it;
        /// or the one before could not be finished, and stays as it was.
        package var splitFailure: FileError?

        package init(
            parts: [WaveWriter.Part] = [], closed: [ClosedFile] = [], sampleCount: Int64 = 0,
            silenced: [Range<Int64>] = [], conclusion: Int64? = nil, failure: FileError? = nil,
            splitFailure: FileError? = nil
        ) {
            self.parts = parts
            self.closed = closed
            self.sampleCount = sampleCount
            self.silenced = silenced
            self.conclusion = conclusion
            self.failure = failure
            self.splitFailure = splitFailure
        }
    }

    private struct Shared {
        /// The number in the recording of the next sample that comes.
        var position: Int64 = 0
        /// That wait to be told as silence.
        var missing = 0
        var finishingBytes: Int64 = 0
        var result = Result()

        /// So many samples came, and were taken or left out.
        mutating func advance(by count: Int, isTaken: Bool) {
            let begin = position
            position += Int64(count)
            guard !isTaken else { return }
            missing += count
            if let last = result.silenced.indices.last, result.silenced[last].upperBound == begin {
                result.silenced[last] = result.silenced[last].lowerBound..<position
            } else {
                result.silenced.append(begin..<position)
            }
        }
    }

    private let channels: Int
    private let limits: WriteLimits
    private let queue: WriteQueue<Item>
    private let shared = ConditionLock(Shared())
    private let thread: MediaThread

    private let finishing: PartFinishing

    /// Makes the file and starts its thread. That of a safety copy is made by its thread, and one that cannot be made is this
    /// file's failure.
    ///
    /// - Parameters:
    ///   - disk: Whose folder it is made in.
    ///   - relativePath: From there.
    ///   - channels: Of the track.
    ///   - startedAt: The date of its first sample, or about that: see `begin`.
    /// - Throws: When the file cannot be made.
    init(_ disk: RecordingDisk, relativePath: String, channels: Int, startedAt: Date) throws(FileError) {
        self.channels = channels
        limits = disk.memory.limits
        let (folder, conduct, gate) = (disk.folder, disk.conduct, disk.gate)
        let make: Making = { (relativePath: String, startedAt: Date) throws(FileError) in
            try WaveFile(
                path: try folder.file(relativePath), channels: channels, startedAt: startedAt, disk: conduct)
        }
        let made = Carried(disk.isCopy ? nil : try make(relativePath, startedAt))
        let queue: WriteQueue<Item> = disk.queue()
        self.queue = queue
        let shared = shared
        let name = relativePath.split(separator: "/").last.map(String.init) ?? relativePath
        let finishing = PartFinishing(of: name)
        self.finishing = finishing
        gate.enter()
        thread = MediaThread(name: "write:\(name)") {
            var first = made.value
            do throws(FileError) {
                if first == nil { first = try make(relativePath, startedAt) }
            } catch {
                shared.withLock { $0.result.failure = error }
            }
            guard let first else {
                // What comes for it is thrown away, so that it takes no memory.
                while queue.next() != nil {}
                return gate.pass()
            }
            Self.run(
                first, named: relativePath, queue: queue, shared: shared, channels: channels,
                finishing: finishing, gate: gate, next: make)
        }
    }

    private typealias Making =
        @Sendable (_ relativePath: String, _ startedAt: Date) throws(FileError) ->
        WaveFile

    /// See `WaveWriter`.
    func begin(startedAt: Date, from first: Int64 = 0) {
        shared.withLock { $0.position = first }
        _ = queue.offer(.begin(startedAt), bytes: 0, as: .order)
    }

    /// Takes the next samples, or their length where there is no room for them.
    func append(_ samples: [Float]) {
        guard !samples.isEmpty else { return }
        let wanted = shared.withLock { shared in
            let rest = shared.result.conclusion.map { max(0, $0 - shared.position) } ?? .max
            return Int(min(Int64(samples.count / channels), rest))
        }
        guard wanted > 0 else { return }
        let kept = wanted * channels == samples.count ? samples : Array(samples[..<(wanted * channels)])
        // Nobody else adds to it: what finds room now finds it in a moment, with the silence before it.
        let isTaken = limits.hasRoom(forAudio: kept.count * 4, file: queue.byteCount)
        if isTaken {
            tellSilence()
            _ = queue.offer(.samples(kept), bytes: kept.count * 4, as: .audio)
        }
        shared.withLock { $0.advance(by: wanted, isTaken: isTaken) }
    }

    func split(_ part: WaveWriter.Part, startedAt: Date) {
        tellSilence()
        _ = queue.offer(.split(part, startedAt: startedAt), bytes: 0, as: .order)
    }

    /// Takes nothing more from a sample on that has not come.
    func conclude(at sample: Int64) {
        shared.withLock { $0.result.conclusion = $0.result.conclusion ?? max(sample, $0.position) }
    }

    func finish() {
        tellSilence()
        queue.finish()
    }

    /// What is missing so far becomes one order.
    private func tellSilence() {
        let missing = shared.withLock { shared in
            defer { shared.missing = 0 }
            return shared.missing
        }
        if missing > 0 { _ = queue.offer(.silence(missing), bytes: 0, as: .order) }
    }

    /// How long the next samples have waited: the disk's backlog.
    var backlog: Nanoseconds { queue.age }
    package var failure: FileError? { shared.withLock { $0.result.failure } }
    /// What went wrong at a split.
    package var splitFailure: FileError? { shared.withLock { $0.result.splitFailure } ?? finishing.failure }
    var isOpen: Bool { shared.withLock { $0.result.failure == nil && $0.result.conclusion == nil } }
    /// Samples per channel left out so far.
    package var silencedCount: Int64 {
        shared.withLock { $0.result.silenced.reduce(0) { $0 + Int64($1.count) } }
    }
    /// What is still to be written if the recording ended now, in bytes.
    package var finishingByteCount: Int64 {
        shared.withLock { $0.finishingBytes } + finishing.byteCount + Int64(queue.byteCount)
    }

    package func join() -> Result {
        thread.join()
        return shared.withLock { $0.result }
    }

    private static func run(
        _ first: WaveFile, named relativePath: String, queue: WriteQueue<Item>, shared: ConditionLock<Shared>,
        channels: Int, finishing: PartFinishing, gate: FinalizeBarrier, next: Making
    ) {
        var (file, name) = (first, relativePath)
        var hasFailed = false
        while let item = queue.next() {
            guard !hasFailed else { continue }
            do throws(FileError) {
                switch item {
                case .begin(let date): try file.begin(startedAt: date)
                case .samples(let samples): try file.append(samples: samples)
                case .silence(let count): try appendSilence(count, channels: channels, to: file)
                case .split(let part, let startedAt):
                    let following: WaveFile
                    do throws(FileError) { following = try next(part.relativePath, startedAt) } catch {
                        shared.withLock { $0.result.splitFailure = $0.result.splitFailure ?? error }
                        continue
                    }
                    // From here on it is the other thread's alone.
                    nonisolated(unsafe) let last = file
                    let lastName = name
                    finishing.add(byteCount: last.finishingByteCount) { close(last, named: lastName) }
                    (file, name) = (following, part.relativePath)
                    shared.withLock { $0.result.parts.append(part) }
                }
            } catch {
                hasFailed = true
                shared.withLock { $0.result.failure = error }
            }
            let finishingBytes = file.finishingByteCount
            shared.withLock { $0.finishingBytes = finishingBytes }
        }
        var restFailure: FileError?
        do throws(FileError) { try file.writeRest() } catch { restFailure = error }
        gate.pass()
        var last = close(file, named: name)
        if let restFailure { (last.closed, last.failure) = (nil, restFailure) }
        let left = finishing.join()
        shared.withLock { shared in
            shared.result.failure = shared.result.failure ?? last.failure
            shared.result.splitFailure = shared.result.splitFailure ?? finishing.failure
            shared.result.closed = (left + [last]).compactMap(\.closed)
            shared.result.sampleCount = (left + [last]).reduce(0) { $0 + Int64($1.sampleCounts[0]) }
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
    private static func appendSilence(_ count: Int, channels: Int, to file: WaveFile) throws(FileError) {
        var rest = count
        while rest > 0 {
            let step = min(rest, AudioFormat.sessionRate)
            try file.append(samples: [Float](repeating: 0, count: step * channels))
            rest -= step
        }
    }
}

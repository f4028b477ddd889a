internal import Containers
internal import Foundation
internal import Media

/// The thread that alone touches one microphone's file, and its later parts, in one folder.
///
/// Nobody waits for the disk: sound that finds no room in the queue, which holds most of a minute, becomes silence of the same
/// length.
final class WaveFileWriter: Sendable {
    private enum Item: Sendable {
        case samples([Float])
        /// Of every channel, for want of what was captured.
        case silence(Int)
        case split(WaveWriter.Part, startedAt: Date)
    }

    struct Result: Sendable {
        /// The files after the first.
        var parts: [WaveWriter.Part] = []
        /// All that could be finished.
        var closed: [ClosedFile] = []
        /// Per channel, in all parts.
        var sampleCount: Int64 = 0
        /// What the disk was too slow for, by the track's samples.
        var silenced: [Range<Int64>] = []
        /// Where it was ended before the recording was, for want of room on the disk.
        var conclusion: Int64?
        var failure: FileError?
        /// A file that could not be begun at a split: it went on in the one before it.
        var splitFailure: FileError?
    }

    private struct Shared {
        /// Samples that came, per channel.
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
    private let shared = Monitor(Shared())
    private let thread: MediaThread

    init(_ disk: RecordingDisk, relativePath: String, channels: Int, startedAt: Date) throws(FileError) {
        self.channels = channels
        limits = disk.memory.limits
        let (folder, conduct) = (disk.folder, disk.conduct)
        let file = try WaveFile(
            path: try folder.file(relativePath), channels: channels, startedAt: startedAt, disk: conduct)
        let carried = Carried(file)
        let queue: WriteQueue<Item> = disk.queue()
        self.queue = queue
        let shared = shared
        let name = relativePath.split(separator: "/").last.map(String.init) ?? relativePath
        thread = MediaThread(name: "write:\(name)") {
            Self.run(
                carried.value, named: relativePath, queue: queue, shared: shared, channels: channels
            ) { (part: WaveWriter.Part, startedAt: Date) throws(FileError) in
                try WaveFile(
                    path: try folder.file(part.relativePath), channels: channels, startedAt: startedAt,
                    disk: conduct)
            }
        }
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
        let isTaken = limits.hasRoom(forSound: kept.count * 4, file: queue.byteCount)
        if isTaken {
            tellSilence()
            _ = queue.offer(.samples(kept), bytes: kept.count * 4, as: .sound)
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
    var failure: FileError? { shared.withLock { $0.result.failure } }
    var isOpen: Bool { shared.withLock { $0.result.failure == nil && $0.result.conclusion == nil } }
    /// Samples per channel left out so far.
    var silencedCount: Int64 {
        shared.withLock { $0.result.silenced.reduce(0) { $0 + Int64($1.count) } }
    }
    /// What is still to be written if the recording ended now, in bytes.
    var finishingByteCount: Int64 { shared.withLock { $0.finishingBytes } + Int64(queue.byteCount) }

    func join() -> Result {
        thread.join()
        return shared.withLock { $0.result }
    }

    private static func run(
        _ first: WaveFile, named relativePath: String, queue: WriteQueue<Item>, shared: Monitor<Shared>,
        channels: Int,
        next: (WaveWriter.Part, Date) throws(FileError) -> WaveFile
    ) {
        var (file, name) = (first, relativePath)
        var hasFailed = false
        while let item = queue.next() {
            guard !hasFailed else { continue }
            do throws(FileError) {
                switch item {
                case .samples(let samples): try file.append(samples: samples)
                case .silence(let count): try appendSilence(count, channels: channels, to: file)
                case .split(let part, let startedAt):
                    let following: WaveFile
                    do throws(FileError) { following = try next(part, startedAt) } catch {
                        shared.withLock { $0.result.splitFailure = $0.result.splitFailure ?? error }
                        continue
                    }
                    let (last, lastName) = (file, name)
                    (file, name) = (following, part.relativePath)
                    shared.withLock { $0.result.parts.append(part) }
                    let count = try last.finish()
                    let closed = check(last, named: lastName)
                    shared.withLock { shared in
                        shared.result.sampleCount += count
                        shared.result.closed.append(closed)
                    }
                }
            } catch {
                hasFailed = true
                shared.withLock { $0.result.failure = error }
            }
            let finishingBytes = file.finishingByteCount
            shared.withLock { $0.finishingBytes = finishingBytes }
        }
        do throws(FileError) {
            try file.finish()
            let closed = check(file, named: name)
            shared.withLock { $0.result.closed.append(closed) }
        } catch {
            shared.withLock { shared in
                if shared.result.failure == nil { shared.result.failure = error }
            }
        }
        let count = file.sampleCount
        shared.withLock { $0.result.sampleCount += count }
    }

    /// Reads a finished file again.
    private static func check(_ file: WaveFile, named relativePath: String) -> ClosedFile {
        ClosedFile(
            relativePath: relativePath, byteCount: file.byteCount, checksum: file.checksum,
            fault: FileVerification.fault(ofWave: file.path, holding: file.byteCount))
    }

    /// A second at a time, so that an hour of it takes no memory.
    private static func appendSilence(_ count: Int, channels: Int, to file: WaveFile) throws(FileError) {
        var rest = count
        while rest > 0 {
            let step = min(rest, SoundFormat.sessionRate)
            try file.append(samples: [Float](repeating: 0, count: step * channels))
            rest -= step
        }
    }
}

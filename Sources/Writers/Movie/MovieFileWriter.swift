internal import Containers
internal import Foundation
package import Media

/// The thread that alone touches one movie file, and its later parts, in one folder, and the queue before it.
///
/// Nobody waits for the disk: the queue is bounded in bytes, and what finds no room is left out by the rules of
/// `PacketShedding`. A file that fails ends; what follows for it is thrown away and the others go on.
package final class MovieFileWriter: Sendable {
    private enum Item: Sendable {
        case begin(Date, from: MediaTime)
        case packet(EncodedPacket, stream: Int)
        case split(MovieWriter.Part)
        case pass(Int)
        case conclude(MediaTime)
        case finishStream(Int)
    }

    /// What the file holds, once it is closed, or why it failed.
    package struct Result: Sendable {
        /// The files after the first.
        package var parts: [MovieWriter.Part] = []
        /// All that could be finished.
        package var closed: [ClosedFile] = []
        /// Of each stream, in all parts.
        package var packetCounts: [Int]
        /// Of each stream, what the disk was too slow for.
        package var shed: [[Shed]]
        /// Where it was ended before the recording was, for want of room on the disk.
        package var conclusion: MediaTime?
        package var failure: FileError?
        /// Of a split, while the recording goes on: the next file could not be begun, so that it goes on in the one before it;
        /// or the one before could not be finished, and stays as it was.
        package var splitFailure: FileError?

        package init(
            parts: [MovieWriter.Part] = [], closed: [ClosedFile] = [], packetCounts: [Int], shed: [[Shed]],
            conclusion: MediaTime? = nil, failure: FileError? = nil, splitFailure: FileError? = nil
        ) {
            self.parts = parts
            self.closed = closed
            self.packetCounts = packetCounts
            self.shed = shed
            self.conclusion = conclusion
            self.failure = failure
            self.splitFailure = splitFailure
        }
    }

    /// A stretch of a stream that is not in the file.
    package struct Shed: Sendable, Equatable {
        package let from: MediaTime
        package let to: MediaTime
        /// Packets.
        package let count: Int
    }

    private struct Shared {
        var end: MediaTime?
        /// From the request for a new part until all streams have come to it.
        var isSplitting = false
        /// Nothing is written any more.
        var isOver = false
        var shedding: [PacketShedding]
        /// What finishing it would write.
        var finishingBytes: Int64 = 0
        var result: Result
    }

    private let queue: WriteQueue<Item>
    private let shared: ConditionLock<Shared>
    private let thread: MediaThread
    private let streams: [MovieTrack]
    private let finishing: PartFinishing

    /// Makes the file and starts its thread.
    ///
    /// A safety copy's file is made by its thread, when its disk has time: nobody waits for that, and one that cannot be made
    /// is this file's failure.
    ///
    /// - Parameters:
    ///   - disk: Whose folder it is made in.
    ///   - relativePath: From there.
    ///   - streams: What packets come for.
    ///   - startedAt: The date of T0, or about that: see `begin`.
    /// - Throws: When the file cannot be made.
    init(_ disk: RecordingDisk, relativePath: String, streams: [MovieTrack], startedAt: Date)
        throws(FileError)
    {
        self.streams = streams
        let (folder, conduct, gate) = (disk.folder, disk.conduct, disk.gate)
        let make: @Sendable () throws(FileError) -> MoviePart = { () throws(FileError) in
            try MoviePart(
                in: folder, relativePath: relativePath, streams: streams,
                timecode: streams.timecode(at: startedAt), createdAt: startedAt, start: .zero, disk: conduct)
        }
        let made = Carried(disk.isCopy ? nil : try make())
        let shared = ConditionLock(
            Shared(
                shedding: streams.map { PacketShedding(needsKeys: $0.needsKeys) },
                result: Result(
                    packetCounts: Array(repeating: 0, count: streams.count),
                    shed: Array(repeating: [], count: streams.count))))
        self.shared = shared
        let queue: WriteQueue<Item> = disk.queue()
        self.queue = queue
        let name = relativePath.split(separator: "/").last.map(String.init) ?? relativePath
        let finishing = PartFinishing(of: name)
        self.finishing = finishing
        gate.enter()
        thread = MediaThread(name: "write:\(name)") {
            var first = made.value
            do throws(FileError) {
                if first == nil { first = try make() }
            } catch {
                shared.withLock { $0.result.failure = error }
            }
            let parts = MoviePartSequence(
                first: first, streams: streams, startedAt: startedAt, folder: folder, disk: conduct,
                finishing: finishing, gate: gate)
            Self.run(parts, queue: queue, shared: shared)
        }
    }

    /// Tells the date of T0, once it is known, and when the file begins. Before the first packet.
    func begin(startedAt: Date, from start: MediaTime) { order(.begin(startedAt, from: start)) }

    /// Takes a packet, or leaves it out where there is no room for it.
    func append(_ packet: EncodedPacket, stream: Int) {
        let isAudio = streams[stream].isAudio
        let claim = shared.withLock { $0.shedding[stream].claim(isKey: packet.isKey) }
        let isTaken =
            claim.map { least in
                queue.offer(
                    .packet(packet, stream: stream), bytes: packet.bytes.count,
                    as: isAudio ? .audio : .frame(least: least))
            } ?? false
        shared.withLock { $0.shedding[stream].note(packet, isTaken: isTaken) }
    }

    func finishStream(_ stream: Int) { order(.finishStream(stream)) }

    /// A stream has nothing to send at the split that was asked for last: it is not waited for there.
    func pass(_ stream: Int) { order(.pass(stream)) }

    /// Goes on in a new file. It is not made when this one has failed, or has ended before it.
    func split(_ part: MovieWriter.Part) {
        shared.withLock { $0.isSplitting = true }
        order(.split(part))
    }

    /// Takes nothing more that is shown from a time on, which no stream has come to.
    func conclude(at time: MediaTime) {
        shared.withLock { $0.result.conclusion = $0.result.conclusion ?? time }
        order(.conclude(time))
    }

    private func order(_ item: Item) { _ = queue.offer(item, bytes: 0, as: .order) }

    var isSplitting: Bool {
        shared.withLock {
            $0.isSplitting && !$0.isOver && $0.result.failure == nil && $0.result.conclusion == nil
        }
    }

    /// Whether it can go on in a new file: it has not failed, nor has every one of its streams ended.
    var isOpen: Bool {
        shared.withLock { !$0.isOver && $0.result.failure == nil && $0.result.conclusion == nil }
    }

    /// How long the next packet has waited: the disk's backlog.
    var backlog: Nanoseconds { queue.age }
    package var failure: FileError? { shared.withLock { $0.result.failure } }
    /// What went wrong at a split.
    package var splitFailure: FileError? { shared.withLock { $0.result.splitFailure } ?? finishing.failure }

    /// Packets left out so far.
    package var shedCount: Int { shared.withLock { $0.shedding.reduce(0) { $0 + $1.count } } }

    /// What is still to be written if the recording ended now, in bytes.
    package var finishingByteCount: Int64 {
        shared.withLock { $0.finishingBytes } + finishing.byteCount + Int64(queue.byteCount)
    }

    /// Tells where all streams end, before the last of them is finished. Of several ends the earliest holds.
    func setEnd(_ end: MediaTime) { shared.withLock { $0.end = $0.end.map { min($0, end) } ?? end } }

    /// Waits until the file is closed.
    package func join() -> Result {
        thread.join()
        return shared.withLock { shared in
            var result = shared.result
            result.shed = zip(streams, shared.shedding).map { track, shedding in
                shedding.stretches.map {
                    Shed(
                        from: max(track.time(ofTicks: $0.from), .zero), to: track.time(ofTicks: $0.to),
                        count: $0.count)
                }
            }
            return result
        }
    }

    private static func run(
        _ parts: MoviePartSequence, queue: WriteQueue<Item>, shared: ConditionLock<Shared>
    ) {
        var open = parts.streamCount
        while open > 0, let item = queue.next() {
            let wasSplitting = parts.isSplitting
            do throws(FileError) {
                switch item {
                case .begin(let date, let start): parts.begin(startedAt: date, from: start)
                case .packet(let packet, let stream): try parts.append(packet, stream: stream)
                case .split(let part): try split(parts, to: part, shared)
                case .pass(let stream): parts.pass(stream: stream)
                case .conclude(let time): parts.conclude(at: time)
                case .finishStream(let stream):
                    open -= 1
                    parts.finish(stream: stream)
                }
            } catch {
                parts.fail()
                shared.withLock { shared in
                    if shared.result.failure == nil { shared.result.failure = error }
                }
            }
            let finishingBytes = parts.finishingByteCount
            let hasSplit = wasSplitting && !parts.isSplitting
            shared.withLock { shared in
                shared.finishingBytes = finishingBytes
                if hasSplit { shared.isSplitting = false }
            }
        }
        close(parts, queue: queue, shared: shared)
    }

    /// Where the new file cannot be made the old one goes on, unless what follows would not fit into it.
    private static func split(
        _ parts: MoviePartSequence, to part: MovieWriter.Part, _ shared: ConditionLock<Shared>
    ) throws(FileError) {
        do throws(FileError) {
            if try parts.split(part) { shared.withLock { $0.result.parts.append(part) } }
        } catch {
            guard part.changes.isEmpty else { throw error }
            shared.withLock { shared in
                shared.isSplitting = false
                shared.result.splitFailure = shared.result.splitFailure ?? error
            }
        }
    }

    private static func close(
        _ parts: MoviePartSequence, queue: WriteQueue<Item>, shared: ConditionLock<Shared>
    ) {
        shared.withLock { $0.isOver = true }
        queue.finish()
        do throws(FileError) {
            let hasAllParts = try parts.finish(at: shared.withLock { $0.end })
            if !hasAllParts { shared.withLock { _ = $0.result.parts.popLast() } }
        } catch {
            shared.withLock { shared in
                if shared.result.failure == nil { shared.result.failure = error }
            }
        }
        let (counts, closed) = (parts.writtenCounts, parts.outcomes.compactMap(\.closed))
        let leftFailure = parts.leftFailure
        shared.withLock { shared in
            shared.result.packetCounts = counts
            shared.result.closed = closed
            shared.result.splitFailure = shared.result.splitFailure ?? leftFailure
        }
    }
}

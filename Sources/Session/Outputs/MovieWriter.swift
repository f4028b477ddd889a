internal import Containers
internal import Foundation
internal import Media

/// The thread that alone touches one movie file and its later parts, and the queue before it.
///
/// Packets are never shed: the queue is bounded, and whoever brings more waits, so that a slow disk is felt upstream
/// where pictures can be dropped with a reason. A file that fails ends; what follows for it is thrown away and the others
/// go on.
final class MovieWriter: Sendable {
    private enum Item: Sendable {
        case packet(EncodedPacket, stream: Int)
        case split(Part)
        case pass(Int)
        case finishStream(Int)
    }

    /// A file that continues the one before it from `start` on.
    struct Part: Sendable {
        let path: String
        let relativePath: String
        let start: MediaTime
        /// Of streams that go on as something else, by their place: pictures of another size.
        var changes: [Int: StreamParameters] = [:]
    }

    /// What the file holds, once it is closed, or why it failed.
    struct Result: Sendable {
        /// The files after the first.
        var parts: [Part] = []
        /// Of each stream, in all parts.
        var packetCounts: [Int]
        var failure: FileError?
    }

    private struct Shared {
        var end: MediaTime?
        /// From the request for a new part until all streams have come to it.
        var isSplitting = false
        /// Nothing is written any more.
        var isOver = false
        var result: Result
    }

    let relativePath: String
    private let queue = BoundedQueue<Waiting<Item>>(capacity: 1024)
    private let shared: Monitor<Shared>
    private let thread: MediaThread
    let streamCount: Int

    /// Makes the file and starts its thread.
    ///
    /// - Parameters:
    ///   - path: Its place on the disk.
    ///   - relativePath: From the session folder.
    ///   - streams: What packets come for.
    ///   - startedAt: The date of T0.
    /// - Throws: When the file cannot be made.
    init(path: String, relativePath: String, streams: [MovieTrack], startedAt: Date) throws(FileError) {
        self.relativePath = relativePath
        streamCount = streams.count
        let first = try MoviePart(
            path: path, streams: streams, timecode: streams.timecode(at: startedAt), createdAt: startedAt,
            start: .zero)
        let shared = Monitor(Shared(result: Result(packetCounts: Array(repeating: 0, count: streams.count))))
        self.shared = shared
        let queue = queue
        let carried = Carried(MoviePartSequence(first: first, streams: streams, startedAt: startedAt))
        let name = relativePath.split(separator: "/").last.map(String.init) ?? relativePath
        thread = MediaThread(name: "write:\(name)") {
            Self.run(carried.value, queue: queue, shared: shared)
        }
    }

    func append(_ packet: EncodedPacket, stream: Int) { queue.put(Waiting(.packet(packet, stream: stream))) }
    func finishStream(_ stream: Int) { queue.put(Waiting(.finishStream(stream))) }

    /// A stream has nothing to send at the split that was asked for last: it is not waited for there.
    func pass(_ stream: Int) { queue.put(Waiting(.pass(stream))) }

    /// Goes on in a new file. It is not made when this one has failed, or has ended before it.
    func split(_ part: Part) {
        shared.withLock { $0.isSplitting = true }
        queue.put(Waiting(.split(part)))
    }

    var isSplitting: Bool { shared.withLock { $0.isSplitting && !$0.isOver && $0.result.failure == nil } }

    /// Whether it can go on in a new file: it has not failed, nor has every one of its streams ended.
    var isOpen: Bool { shared.withLock { !$0.isOver && $0.result.failure == nil } }

    /// How long the next packet has waited: the disk's backlog.
    var backlog: Nanoseconds { queue.oldest?.age ?? .zero }
    var failure: FileError? { shared.withLock { $0.result.failure } }

    /// Tells where all streams end, before the last of them is finished.
    func setEnd(_ end: MediaTime) { shared.withLock { $0.end = end } }

    /// Closes the file with what it has, for a recording that does not begin.
    func abandon() {
        for stream in 0..<streamCount { finishStream(stream) }
        thread.join()
    }

    /// Waits until the file is closed.
    func join() -> Result {
        thread.join()
        return shared.withLock { $0.result }
    }

    private static func run(
        _ parts: MoviePartSequence, queue: BoundedQueue<Waiting<Item>>, shared: Monitor<Shared>
    ) {
        var open = parts.streamCount
        while open > 0, let item = queue.next()?.item {
            let wasSplitting = parts.isSplitting
            do throws(FileError) {
                switch item {
                case .packet(let packet, let stream): try parts.append(packet, stream: stream)
                case .split(let part):
                    if try parts.split(part) { shared.withLock { $0.result.parts.append(part) } }
                case .pass(let stream): try parts.pass(stream: stream)
                case .finishStream(let stream):
                    open -= 1
                    try parts.finish(stream: stream)
                }
                if wasSplitting && !parts.isSplitting { shared.withLock { $0.isSplitting = false } }
            } catch {
                parts.fail()
                shared.withLock { shared in
                    if shared.result.failure == nil { shared.result.failure = error }
                }
            }
        }
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
        let counts = parts.writtenCounts
        shared.withLock { $0.result.packetCounts = counts }
    }
}

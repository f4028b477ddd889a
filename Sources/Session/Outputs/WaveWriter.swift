internal import Containers
internal import Foundation
internal import Media

/// The thread that alone touches one microphone's file and its later parts.
final class WaveWriter: Sendable {
    private enum Item: Sendable {
        case samples([Float])
        case split(path: String, Part, startedAt: Date)
    }

    /// A file that continues the one before it.
    struct Part: Sendable {
        let relativePath: String
        /// Its place in the recording.
        let firstSample: Int64
    }

    struct Result: Sendable {
        /// The files after the first.
        var parts: [Part] = []
        /// Per channel, in all parts.
        var sampleCount: Int64 = 0
        var failure: FileError?
    }

    let relativePath: String
    private let queue = BoundedQueue<Waiting<Item>>(capacity: 1024)
    private let result = Monitor(Result())
    private let thread: MediaThread

    init(path: String, relativePath: String, channels: Int, startedAt: Date) throws(FileError) {
        self.relativePath = relativePath
        let file = try WaveFile(path: path, channels: channels, startedAt: startedAt)
        let carried = Carried(file)
        let (queue, result) = (queue, result)
        let name = relativePath.split(separator: "/").last.map(String.init) ?? relativePath
        thread = MediaThread(name: "write:\(name)") {
            Self.run(carried.value, channels: channels, queue: queue, result: result)
        }
    }

    func append(_ samples: [Float]) { queue.put(Waiting(.samples(samples))) }

    func split(path: String, _ part: Part, startedAt: Date) {
        queue.put(Waiting(.split(path: path, part, startedAt: startedAt)))
    }

    func finish() { queue.finish() }

    /// How long the next samples have waited: the disk's backlog.
    var backlog: Nanoseconds { queue.oldest?.age ?? .zero }
    var failure: FileError? { result.withLock { $0.failure } }

    func join() -> Result {
        thread.join()
        return result.withLock { $0 }
    }

    private static func run(
        _ first: WaveFile, channels: Int, queue: BoundedQueue<Waiting<Item>>, result: Monitor<Result>
    ) {
        var file = first
        var hasFailed = false
        while let item = queue.next()?.item {
            guard !hasFailed else { continue }
            do throws(FileError) {
                switch item {
                case .samples(let samples): try file.append(samples: samples)
                case .split(let path, let part, let startedAt):
                    let count = try file.finish()
                    result.withLock { $0.sampleCount += count }
                    file = try WaveFile(path: path, channels: channels, startedAt: startedAt)
                    result.withLock { $0.parts.append(part) }
                }
            } catch {
                hasFailed = true
                result.withLock { $0.failure = error }
            }
        }
        do throws(FileError) {
            try file.finish()
        } catch {
            result.withLock { result in
                if result.failure == nil { result.failure = error }
            }
        }
        let count = file.sampleCount
        result.withLock { $0.sampleCount += count }
    }
}

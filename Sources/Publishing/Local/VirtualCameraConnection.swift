internal import Capture
internal import Encoding
internal import Media

/// A node of v4l2loopback that other programs read as a camera.
///
/// A thread of its own writes, so that the node goes on with the last frame while none comes.
package final class VirtualCameraConnection: DestinationConnection {
    package static let content = PublishedContent(frames: .i420)

    package private(set) var statistics = ConnectionStatistics()
    private let node: V4L2Output
    private let codecs = Codecs()
    private let board = ConditionLock(Board())
    private let writer: MediaThread

    /// What the thread that sends and the thread that writes have in common.
    private struct Board {
        /// The newest frame, until it is written.
        var frame: SharedBytes?
        var isClosed = false
        var failure: PublishingError?
    }

    /// Opens the node in the size and rate of the frames that will come.
    ///
    /// - Throws: `PublishingError`.
    package init(_ request: DestinationRequest) throws(PublishingError) {
        let path = request.address.path
        guard let format = request.streams.frames else {
            throw .refused(
                "\(path.printable()): there are no frames to show; the profile needs a program or a camera.")
        }
        do throws(DeviceError) {
            node = try V4L2Output(path: path, size: format.size, rate: format.rate)
        } catch {
            throw Self.explained(error, path)
        }
        // A frame that is a little late must not be written twice.
        let two = Nanoseconds.duration(of: 2 * format.rate.seconds, perSecond: format.rate.frames)
        let hold = max(two, .milliseconds(100))
        writer = Self.startWriting(to: node, path, from: board, repeatingAfter: hold)
    }

    private static func startWriting(
        to node: V4L2Output, _ path: String, from board: ConditionLock<Board>,
        repeatingAfter hold: Nanoseconds
    ) -> MediaThread {
        MediaThread(name: "v4l2:write") { write(to: node, path, from: board, repeatingAfter: hold) }
    }

    /// Writes frames as they come, and the last one again after `hold` without one.
    private static func write(
        to node: V4L2Output, _ path: String, from board: ConditionLock<Board>,
        repeatingAfter hold: Nanoseconds
    ) {
        var last: SharedBytes?
        while true {
            let deadline = MonotonicClock().now + hold
            let news = board.wait(until: deadline) { board -> (frame: SharedBytes?, isClosed: Bool)? in
                defer { board.frame = nil }
                return board.isClosed || board.frame != nil ? (board.frame, board.isClosed) : nil
            }
            if news?.isClosed == true { return }
            last = news?.frame ?? last
            guard let last else { continue }
            do throws(DeviceError) {
                _ = try node.write(last)
            } catch {
                let failure = explained(error, path)
                board.broadcast { $0.failure = failure }
                return
            }
        }
    }

    /// Hands a frame to the node, in the node's format and size.
    package func send(_ item: PublishedItem) throws(PublishingError) {
        guard case .frame(let frame) = item else { return }
        try check()
        let made: CapturedFrame
        do throws(EncodingError) {
            made = try codecs.convert(frame, to: node.pixel, part: nil, size: node.size)
        } catch {
            return  // A damaged frame; the next one comes soon.
        }
        guard let bytes = made.packedBytes else { return }
        board.broadcast { $0.frame = bytes }
        statistics.sentBytes += Int64(bytes.count)
    }

    /// - Throws: `PublishingError.lost` when the node is gone.
    package func check() throws(PublishingError) {
        if let failure = board.withLock({ $0.failure }) { throw failure }
    }

    /// Closes the node.
    package func close() {
        board.broadcast { $0.isClosed = true }
        writer.join()
    }

    /// What a person is told of a node's failure.
    static func explained(_ error: DeviceError, _ path: String) -> PublishingError {
        let node = path.printable()
        switch error.reason {
        case .notFound:
            return .lost(
                "there is no \(node): make it with `sudo modprobe v4l2loopback video_nr=\(number(in: path)) exclusive_caps=1 card_label=multicam`."
            )
        case .busy:
            return .lost("another program sends to \(node) already: end it, or make another virtual camera.")
        case .noPermission(let obstacle):
            return .refused("\(node): \((obstacle ?? .notInGroup("video")).explanation(node: path))")
        case .disconnected: return .lost("\(node) has gone: the module v4l2loopback was removed.")
        case .formatNotSupported(_, let offered):
            return .lost(
                "\(node) keeps \(offered.first ?? "another format") for the programs that read it: close them, so that the format can change."
            )
        case .other(let sentence): return .refused("\(node) is no virtual camera: \(sentence)")
        default: return .lost(error.description)
        }
    }

    /// The number of a node `/dev/videoN`; 9 where its name has none.
    private static func number(in path: String) -> Int {
        Int(path.reversed().prefix { $0.isNumber }.reversed().map(String.init).joined()) ?? 9
    }
}

extension CapturedFrame {
    /// The bytes of all planes, one after the other without padding; the frame's own memory where it is so already. `nil` for planes that
    /// do not lie in the memory.
    fileprivate var packedBytes: SharedBytes? {
        let packed = FramePlane.packed(pixel, size)
        if planes == packed.planes, memory.count == packed.byteCount { return memory }
        guard planes.count == packed.planes.count else { return nil }
        let made = SharedBytes(count: packed.byteCount)
        for (index, to) in packed.planes.enumerated() {
            let end = index + 1 < planes.count ? packed.planes[index + 1].offset : packed.byteCount
            for row in 0..<(end - to.offset) / to.stride {
                let source = planes[index].offset + row * planes[index].stride
                guard source >= 0, source + to.stride <= memory.count else { return nil }
                made.start.advanced(by: to.offset + row * to.stride).copyMemory(
                    from: memory.start.advanced(by: source), byteCount: to.stride)
            }
        }
        return made
    }
}

internal import MulticamCapture
internal import MulticamEncoding
internal import MulticamMedia

/// A connection to a v4l2loopback device, which other programs use as a camera.
///
/// A separate thread writes the frames to the device, so that it can repeat the last frame while no new
/// frames arrive.
package final class VirtualCameraConnection: LiveOutputConnection {
    package static let content = PublishedContent(frames: .i420)

    package private(set) var statistics = ConnectionStatistics()
    private let node: V4L2Output
    private let codecs = Codecs()
    private let state = ConditionLock(State())
    private let writer: MediaThread

    /// State shared between the sending and writing threads.
    private struct State {
        /// The latest frame to be written; `nil` after the frame has been written.
        var frame: SharedBytes?
        var isClosed = false
        var failure: PublishingError?
    }

    /// Opens the device with the size and the rate of the frames to send.
    ///
    /// - Throws: `PublishingError` if the device can't be opened with this size and rate.
    package init(_ request: ConnectionRequest) throws(PublishingError) {
        let path = request.address.path
        guard let format = request.streams.frames else {
            throw .refused(
                "\(path.printable()): no frames to show. Add a program or a camera to the profile.")
        }
        do throws(DeviceError) {
            node = try V4L2Output(path: path, size: format.size, rate: format.rate)
        } catch {
            throw Self.publishingError(for: error, path)
        }
        // The hold time is two frame intervals, so that a slightly late frame doesn't cause the previous one
        // to be written twice.
        let two = Nanoseconds.duration(of: 2 * format.rate.seconds, perSecond: format.rate.frames)
        let hold = max(two, .milliseconds(100))
        writer = Self.startWriting(to: node, path, from: state, repeatingAfter: hold)
    }

    private static func startWriting(
        to node: V4L2Output, _ path: String, from board: ConditionLock<State>,
        repeatingAfter hold: Nanoseconds
    ) -> MediaThread {
        MediaThread.startWhenPossible(name: "v4l2:write") {
            write(to: node, path, from: board, repeatingAfter: hold)
        }
    }

    /// Writes frames as they arrive, and repeats the last frame if no new frame arrives within `hold`.
    private static func write(
        to node: V4L2Output, _ path: String, from board: ConditionLock<State>,
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
                let failure = publishingError(for: error, path)
                board.broadcast { $0.failure = failure }
                return
            }
        }
    }

    /// Converts a frame to the device's pixel format and size, and passes it to the writing thread.
    package func send(_ item: PublishedItem) throws(PublishingError) {
        guard case .frame(let frame) = item else { return }
        try check()
        let made: CapturedFrame
        do throws(EncodingError) {
            made = try codecs.convert(frame, to: node.pixel, part: nil, size: node.size)
        } catch {
            return  // The frame is damaged, but the next one follows soon.
        }
        guard let bytes = made.packedBytes else { return }
        state.broadcast { $0.frame = bytes }
        statistics.sentBytes += Int64(bytes.count)
    }

    /// Checks whether the device still exists.
    ///
    /// - Throws: `PublishingError.lost` if the device has been removed.
    package func check() throws(PublishingError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// Closes the v4l2loopback device.
    package func close() {
        state.broadcast { $0.isClosed = true }
        writer.join()
    }

    /// Converts a device error to a user-facing error.
    static func publishingError(for error: DeviceError, _ path: String) -> PublishingError {
        let node = path.printable()
        switch error.reason {
        case .notFound:
            return .lost(
                "\(node) does not exist. Create it with `sudo modprobe v4l2loopback video_nr=\(number(in: path)) exclusive_caps=1 card_label=multicam`."
            )
        case .busy:
            return .lost(
                "another program is already sending to \(node). Close that program, or create another virtual camera."
            )
        case .noPermission(let obstacle):
            return .refused("\(node): \((obstacle ?? .notInGroup("video")).explanation(node: path))")
        case .disconnected: return .lost("\(node) was removed: the module v4l2loopback is no longer loaded.")
        case .formatNotSupported(_, let offered):
            return .lost(
                "the format of \(node) can't be changed from \(offered.first ?? "the current format") while other programs are reading from it. Close these programs."
            )
        case .other(let sentence): return .refused("\(node) is not a virtual camera: \(sentence)")
        default: return .lost(error.description)
        }
    }

    /// Returns the number of a device `/dev/videoN`; 9 if the path contains no number.
    private static func number(in path: String) -> Int {
        Int(path.reversed().prefix { $0.isNumber }.reversed().map(String.init).joined()) ?? 9
    }
}

extension CapturedFrame {
    /// The bytes of all planes, contiguous and without padding. If the frame's memory already has this
    /// layout, it is returned without copying. The value is `nil` if a plane is outside the frame's memory.
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

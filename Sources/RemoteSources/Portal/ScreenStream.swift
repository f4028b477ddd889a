internal import CMulticamMedia
internal import CMulticamPipeWire
internal import Glibc
internal import MulticamMedia

/// A screen that the desktop shares: frames that arrive over PipeWire in shared memory. Use this type only on the
/// thread that creates it.
///
/// The desktop sends a frame when something has changed. The newest frame is copied at the track's rate, and its buffer
/// is returned.
final class ScreenStream {
    private let loop: UnsafeMutablePointer<pw_loop>
    private let context: OpaquePointer
    private let core: OpaquePointer
    private let stream: OpaquePointer
    private let coreHook: UnsafeMutablePointer<spa_hook>
    private let streamHook: UnsafeMutablePointer<spa_hook>
    private let address: SourceAddress
    private let clock = MonotonicClock()
    /// Time at which a started stream was paused; `nil` while it is running.
    private var paused: ClockTime?
    /// A buffer with a frame that hasn't been processed yet.
    private var pending: UnsafeMutablePointer<pw_buffer>?
    private var format: spa_video_info_raw?
    /// PipeWire's reason for the end of the stream: the desktop ended it, or PipeWire is gone. `nil` while the stream
    /// exists.
    private(set) var endReason: String?
    /// PipeWire's reason for losing the connection; `nil` while it is connected.
    private var problem: String?
    private var memory = SharedBytes(count: 0)
    private var size = FrameSize(width: 0, height: 0)

    /// Maximum time between the end of the stream and the report of a lost connection.
    private static let lossReportTimeout = Nanoseconds.milliseconds(200)
    /// Longest allowed gap in a stream after it has started.
    private static let longestPause = Nanoseconds.seconds(3)
    /// Maximum size of a stream parameter in bytes.
    private static let longestParameter = 1024

    /// Connects to the desktop's PipeWire.
    ///
    /// - Parameters:
    ///   - descriptor: A connection that the desktop opened for this stream only. The connection is closed even if this
    ///     initializer throws.
    ///   - node: PipeWire node ID of the stream.
    ///   - address: The screen's address, used in messages.
    /// - Throws: `SourceError` if PipeWire rejects the connection.
    init(owning descriptor: Int32, node: UInt32, _ address: SourceAddress) throws(SourceError) {
        Self.prepare
        self.address = address
        guard let loop = pw_loop_new(nil) else {
            close(descriptor)
            throw Self.noMemory(address)
        }
        guard let context = pw_context_new(loop, nil, 0) else {
            pw_loop_destroy(loop)
            close(descriptor)
            throw .refused(
                "the PipeWire configuration cannot be read, but \(address) requires PipeWire. Check that PipeWire is installed."
            )
        }
        screen_enter(loop)
        guard let core = pw_context_connect_fd(context, descriptor, nil, 0) else {
            screen_leave(loop)
            pw_context_destroy(context)
            pw_loop_destroy(loop)
            throw .lost("the desktop's PipeWire rejected the connection for \(address).")
        }
        let properties = pw_properties_new_string(
            "media.type=Video media.category=Capture media.role=Screen media.name=multicam")
        guard let stream = pw_stream_new(core, "multicam", properties) else {
            pw_core_disconnect(core)
            screen_leave(loop)
            pw_context_destroy(context)
            pw_loop_destroy(loop)
            throw Self.noMemory(address)
        }
        (self.loop, self.context, self.core, self.stream) = (loop, context, core, stream)
        (coreHook, streamHook) = (.allocate(capacity: 1), .allocate(capacity: 1))
        coreHook.initialize(to: spa_hook())
        streamHook.initialize(to: spa_hook())
        let own = Unmanaged.passUnretained(self).toOpaque()
        screen_observe_core(core, coreHook, Self.coreEvents, own)
        pw_stream_add_listener(stream, streamHook, Self.streamEvents, own)
        let result = Self.withParameters([screen_formats]) { parameters, count in
            pw_stream_connect(
                stream, SPA_DIRECTION_INPUT, node,
                pw_stream_flags(
                    PW_STREAM_FLAG_AUTOCONNECT.rawValue | PW_STREAM_FLAG_MAP_BUFFERS.rawValue
                        | PW_STREAM_FLAG_DONT_RECONNECT.rawValue), parameters, count)
        }
        guard result >= 0 else {
            throw .lost("the desktop's PipeWire rejected \(address): \(String(cString: strerror(-result))).")
        }
    }

    deinit {
        pw_stream_destroy(stream)
        screen_forget_core(coreHook)
        pw_core_disconnect(core)
        screen_leave(loop)
        pw_context_destroy(context)
        pw_loop_destroy(loop)
        coreHook.deallocate()
        streamHook.deallocate()
    }

    /// The copied frame; empty before the first one.
    var pixels: ScreenPixels {
        ScreenPixels(
            start: memory.start.assumingMemoryBound(to: UInt8.self), stride: size.width * 4, size: size)
    }

    /// Whether a frame has been copied.
    var hasContent: Bool { size.width > 0 }

    /// Processes incoming events, waiting for them up to a limit.
    ///
    /// - Parameter limit: Maximum time to wait, in whole milliseconds.
    /// - Throws: `SourceError.lost` if PipeWire is gone. If only the stream has ended, this method doesn't
    ///   throw but sets `endReason`, because the user may have ended the stream.
    func receive(within limit: Nanoseconds) throws(SourceError) {
        let result = screen_iterate(loop, Int32(clamping: limit.count / 1_000_000))
        if result < 0, result != -EINTR { problem = problem ?? String(cString: strerror(-result)) }
        // If the connection is lost, the stream may be notified before the connection.
        let deadline = clock.now + Self.lossReportTimeout
        while endReason != nil, problem == nil, clock.now < deadline { _ = screen_iterate(loop, 20) }
        if let problem {
            throw .lost("the connection to the desktop's PipeWire for \(address) was lost: \(problem).")
        }
        if let paused, clock.now - paused > Self.longestPause {
            endReason = endReason ?? "no frames for \(Int(rounding: Self.longestPause.inSeconds)) s"
        }
    }

    /// Copies the newest frame unless it has been copied before.
    ///
    /// - Parameter region: The part of the frame to copy; `nil` for the whole frame.
    /// - Returns: Composition time as reported by the desktop, which isn't validated; `nil` without a new frame.
    /// - Throws: `SourceError` if the frame's format isn't supported.
    func dequeueFrame(_ region: PixelRectangle?) throws(SourceError) -> ClockTime? {
        guard let buffer = pending else { return nil }
        pending = nil
        defer { pw_stream_queue_buffer(stream, buffer) }
        return try copy(buffer, region)
    }

    // MARK: Frames

    /// Copies the frame in a buffer.
    ///
    /// - Returns: Composition time as reported by the desktop; `nil` if the buffer contains no frame.
    private func copy(
        _ buffer: UnsafeMutablePointer<pw_buffer>, _ region: PixelRectangle?
    ) throws(SourceError) -> ClockTime? {
        guard let format, let content = buffer.pointee.buffer, content.pointee.n_datas > 0,
            let data = content.pointee.datas, let start = data.pointee.data, let chunk = data.pointee.chunk
        else { return nil }
        let whole = FrameSize(width: Int(format.size.width), height: Int(format.size.height))
        guard whole.isPlausible else {
            throw .refused("\(address) has a size of \(whole), but the maximum is 16384 pixels per side.")
        }
        let part = try part(of: whole, content, region)
        let (stride, offset) = (Int(chunk.pointee.stride), Int(chunk.pointee.offset))
        guard stride >= whole.width * 4,
            offset + stride * (whole.height - 1) + whole.width * 4 <= Int(data.pointee.maxsize)
        else { throw .refused("the desktop sent an incomplete frame of \(address).") }
        if part.width * part.height * 4 > memory.count {
            memory = SharedBytes(count: part.width * part.height * 4)
        }
        size = part.size
        let source = start.assumingMemoryBound(to: UInt8.self) + offset + part.y * stride + part.x * 4
        let target = memory.start.assumingMemoryBound(to: UInt8.self)
        let isTurned = [SPA_VIDEO_FORMAT_RGBx, SPA_VIDEO_FORMAT_RGBA].contains(format.format)
        let (width, height) = (Int32(part.width), Int32(part.height))
        if isTurned {
            ABGRToARGB(source, Int32(stride), target, width * 4, width, height)
        } else {
            ARGBCopy(source, Int32(stride), target, width * 4, width, height)
        }
        return ClockTime(nanoseconds: Self.header(of: content)?.pts ?? 0)
    }

    /// Returns the part of a frame that is recorded: the requested region within the window area that the desktop
    /// reports.
    private func part(
        of whole: FrameSize, _ content: UnsafeMutablePointer<spa_buffer>, _ region: PixelRectangle?
    ) throws(SourceError) -> PixelRectangle {
        var part = PixelRectangle(x: 0, y: 0, width: whole.width, height: whole.height)
        if let crop = spa_buffer_find_meta_data(
            content, SPA_META_VideoCrop.rawValue, MemoryLayout<spa_meta_region>.size)?
            .assumingMemoryBound(to: spa_meta_region.self).pointee.region, crop.size.width > 0,
            crop.size.height > 0
        {
            part = PixelRectangle(
                x: Int(crop.position.x), y: Int(crop.position.y), width: Int(crop.size.width),
                height: Int(crop.size.height))
            guard part.x >= 0, part.y >= 0, part.x + part.width <= whole.width,
                part.y + part.height <= whole.height
            else { throw .refused("the desktop sent an invalid crop region for \(address).") }
        }
        if let region {
            guard region.x + region.width <= part.width, region.y + region.height <= part.height else {
                throw .lost("the region of \(address) extends beyond the shared area (\(part.size)).")
            }
            part = PixelRectangle(
                x: part.x + region.x, y: part.y + region.y, width: region.width, height: region.height)
        }
        guard min(part.width, part.height) >= ScreenFit.leastSide else {
            throw .lost(
                "\(address) is now \(part.size), but only 16 to 16384 pixels per side can be recorded.")
        }
        return part
    }

    /// Keeps the newest frame, and returns the buffers of older, unprocessed frames to PipeWire.
    private func dequeueNewestBuffer() {
        while let buffer = pw_stream_dequeue_buffer(stream) {
            guard Self.isFrame(buffer) else {
                pw_stream_queue_buffer(stream, buffer)
                continue
            }
            if let older = pending { pw_stream_queue_buffer(stream, older) }
            pending = buffer
        }
    }

    /// Whether a buffer contains a complete frame.
    private static func isFrame(_ buffer: UnsafeMutablePointer<pw_buffer>) -> Bool {
        guard let content = buffer.pointee.buffer, content.pointee.n_datas > 0,
            let chunk = content.pointee.datas?.pointee.chunk
        else { return false }
        let flags = UInt32(bitPattern: chunk.pointee.flags) & UInt32(SPA_CHUNK_FLAG_CORRUPTED)
        let header = header(of: content)?.flags ?? 0
        return flags == 0 && header & UInt32(SPA_META_HEADER_FLAG_CORRUPTED) == 0 && chunk.pointee.size > 0
    }

    private static func header(of content: UnsafeMutablePointer<spa_buffer>) -> spa_meta_header? {
        spa_buffer_find_meta_data(content, SPA_META_Header.rawValue, MemoryLayout<spa_meta_header>.size)?
            .assumingMemoryBound(to: spa_meta_header.self).pointee
    }

    // MARK: PipeWire

    /// Initializes PipeWire once, before any other call.
    private static let prepare: Void = pw_init(nil, nil)

    private static func noMemory(_ address: SourceAddress) -> SourceError {
        .lost("\(address): out of memory.")
    }

    /// Builds stream parameters and passes them to a closure.
    private static func withParameters(
        _ builders: [(UnsafeMutableRawPointer?, UInt32) -> UnsafePointer<spa_pod>?],
        _ body: (UnsafeMutablePointer<UnsafePointer<spa_pod>?>?, UInt32) -> Int32
    ) -> Int32 {
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: builders.count * longestParameter, alignment: 8)
        defer { memory.deallocate() }
        var parameters = builders.enumerated().map { index, build in
            build(memory.baseAddress.map { $0 + index * longestParameter }, UInt32(longestParameter))
        }
        return parameters.withUnsafeMutableBufferPointer { body($0.baseAddress, UInt32($0.count)) }
    }

    private func negotiate(_ parameter: UnsafePointer<spa_pod>) {
        var format = spa_video_info_raw()
        guard spa_format_video_raw_parse(parameter, &format) >= 0 else { return }
        self.format = format
        _ = Self.withParameters([
            screen_buffers,
            { screen_meta($0, $1, SPA_META_Header.rawValue, UInt32(MemoryLayout<spa_meta_header>.size)) },
            { screen_meta($0, $1, SPA_META_VideoCrop.rawValue, UInt32(MemoryLayout<spa_meta_region>.size)) },
        ]) { pw_stream_update_params(stream, $0, $1) }
    }

    private static func stream(from context: UnsafeMutableRawPointer?) -> ScreenStream? {
        context.map { Unmanaged<ScreenStream>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Only `screen_iterate` calls these callbacks, so they run on the owner's thread.
    nonisolated(unsafe) private static let streamEvents: UnsafePointer<pw_stream_events> = {
        let events = UnsafeMutablePointer<pw_stream_events>.allocate(capacity: 1)
        events.initialize(to: pw_stream_events())
        events.pointee.version = UInt32(PW_VERSION_STREAM_EVENTS)
        events.pointee.state_changed = { context, _, state, words in
            guard let own = ScreenStream.stream(from: context) else { return }
            own.paused = state == PW_STREAM_STATE_PAUSED && own.hasContent ? own.clock.now : nil
            guard state == PW_STREAM_STATE_ERROR || (state == PW_STREAM_STATE_UNCONNECTED && own.hasContent)
            else { return }
            own.endReason =
                own.endReason ?? words.map { String(cString: $0).printable(limit: 200) } ?? "unknown error"
        }
        events.pointee.param_changed = { context, kind, parameter in
            if kind == SPA_PARAM_Format.rawValue, let parameter {
                ScreenStream.stream(from: context)?.negotiate(parameter)
            }
        }
        events.pointee.remove_buffer = { context, buffer in
            guard let own = ScreenStream.stream(from: context), own.pending == buffer else { return }
            own.pending = nil
        }
        events.pointee.process = { context in ScreenStream.stream(from: context)?.dequeueNewestBuffer() }
        return UnsafePointer(events)
    }()

    nonisolated(unsafe) private static let coreEvents: UnsafePointer<pw_core_events> = {
        let events = UnsafeMutablePointer<pw_core_events>.allocate(capacity: 1)
        events.initialize(to: pw_core_events())
        events.pointee.version = UInt32(PW_VERSION_CORE_EVENTS)
        events.pointee.error = { context, number, _, result, words in
            guard number == PW_ID_CORE, let own = ScreenStream.stream(from: context) else { return }
            guard result == -EPIPE else {
                own.endReason =
                    own.endReason ?? words.map { String(cString: $0).printable(limit: 200) }
                    ?? "unknown error"
                return
            }
            own.problem =
                own.problem ?? (words.map { String(cString: $0).printable(limit: 200) } ?? "connection lost")
        }
        return UnsafePointer(events)
    }()
}

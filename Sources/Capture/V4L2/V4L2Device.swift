internal import CMulticamLinux
import Glibc
package import MulticamMedia
internal import MulticamSystem

/// An open V4L2 node. This type wraps the ioctls of the node and throws Swift errors. It doesn't start a
/// thread and doesn't stream frames.
///
/// The node is closed at the end of the value's lifetime. While another program is streaming, formats and
/// controls can be read, and controls can be set.
package struct V4L2Device: ~Copyable, Sendable {
    /// Path used to open the node.
    package let path: String
    let descriptor: OwnedDescriptor
    /// Type of the node's buffers, a `v4l2_buf_type`.
    let bufferType: UInt32

    /// Opens a node.
    ///
    /// - Parameter path: A node such as `/dev/video0`, or a link to one.
    /// - Throws: `DeviceError` if the node isn't found, or if permission is denied. The error about the
    ///   permission names the group that has access.
    package init(path: String) throws(DeviceError) {
        try self.init(path: path, bufferType: V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue)
    }

    init(path: String, bufferType: UInt32) throws(DeviceError) {
        self.path = path
        self.bufferType = bufferType
        do {
            descriptor = try OwnedDescriptor(opening: path, flags: O_RDWR | O_NONBLOCK)
        } catch {
            throw error.explained(node: path)
        }
    }

    /// The driver's description of the node.
    struct Capability {
        /// Card name, such as "HD Pro Webcam C920".
        let name: String
        /// Bus address, such as "usb-0000:00:14.0-2".
        let bus: String
        let driver: String
        /// Whether the node captures single-planar frames with memory-mapped buffers. Metadata and output nodes don't
        /// capture frames.
        let isCamera: Bool
        /// Whether the node delivers metadata for another node's frames.
        let isMetadata: Bool
        /// Whether the node is a memory-to-memory device, which accepts frames and returns processed frames.
        let isCodec: Bool
    }

    func capability() throws(DeviceError) -> Capability {
        var raw = v4l2_capability()
        try call(linux_VIDIOC_QUERYCAP, "VIDIOC_QUERYCAP", &raw)
        // `capabilities` describes the whole device, `device_caps` only this node (since Linux 3.3).
        let own = raw.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0 ? raw.device_caps : raw.capabilities
        let needed = UInt32(V4L2_CAP_VIDEO_CAPTURE) | UInt32(V4L2_CAP_STREAMING)
        let output = UInt32(V4L2_CAP_VIDEO_OUTPUT) | UInt32(V4L2_CAP_VIDEO_M2M)
        return Capability(
            name: CText.text(of: raw.card).printable(), bus: CText.text(of: raw.bus_info).printable(),
            driver: CText.text(of: raw.driver).printable(),
            isCamera: own & needed == needed && own & output == 0,
            isMetadata: own & UInt32(V4L2_CAP_META_CAPTURE) != 0 && own & UInt32(V4L2_CAP_STREAMING) != 0,
            isCodec: own & (UInt32(V4L2_CAP_VIDEO_M2M) | UInt32(V4L2_CAP_VIDEO_M2M_MPLANE)) != 0)
    }

    /// Whether another handle is streaming or about to stream. Requests zero buffers, which has no side
    /// effects while this handle has no buffers.
    func isInUse() -> Bool {
        do {
            try requestBuffers(0)
            return false
        } catch {
            if case .busy = error.reason { return true }
            return false
        }
    }

    /// Calls ioctl(2).
    ///
    /// - Parameters:
    ///   - request: The request code from `CLinux`.
    ///   - name: The C name of the request, for messages.
    ///   - argument: A value of the C type that the request expects; the driver may modify it.
    /// - Throws: `DeviceError` with the reason from `errno`.
    func call<Argument>(_ request: UInt, _ name: String, _ argument: inout Argument) throws(DeviceError) {
        let (result, number) = withUnsafeMutablePointer(to: &argument) {
            (linux_ioctl(descriptor.number, request, $0), errno)
        }
        guard result == 0 else { throw DeviceError(device: path, operation: name, errno: number) }
    }

    /// Returns whether the driver accepts a request. This function is used for enumerations, which end with
    /// EINVAL, and for optional requests.
    func tryCall<Argument>(_ request: UInt, _ argument: inout Argument) -> Bool {
        withUnsafeMutablePointer(to: &argument) { linux_ioctl(descriptor.number, request, $0) == 0 }
    }
}

/// Input signal of a capture stick, which can change or be lost. Webcams have no input signal.
extension V4L2Device {
    /// Subscribes to source-change events, and applies the detected DV timings if the input supports them (HDMI).
    ///
    /// If a driver supports neither, the requests fail without effect. In this case, a missing signal is
    /// detected when the source is opened.
    func subscribeToSourceChanges() {
        var subscription = v4l2_event_subscription()
        subscription.type = UInt32(V4L2_EVENT_SOURCE_CHANGE)
        guard tryCall(linux_VIDIOC_SUBSCRIBE_EVENT, &subscription) else { return }
        linux_follow_timings(descriptor.number)
    }

    /// Returns whether the selected input supports DV timings or a television standard. The frames of such an input
    /// come from another device.
    func hasSignalInput() -> Bool {
        guard let input = input() else { return false }
        return input.capabilities & (UInt32(V4L2_IN_CAP_DV_TIMINGS) | UInt32(V4L2_IN_CAP_STD)) != 0
            || input.std != 0
    }

    /// Returns the selected input; `nil` for drivers without inputs.
    private func input() -> v4l2_input? {
        var index: Int32 = 0
        guard tryCall(linux_VIDIOC_G_INPUT, &index) else { return nil }
        var input = v4l2_input()
        input.index = UInt32(bitPattern: index)
        return tryCall(linux_VIDIOC_ENUMINPUT, &input) ? input : nil
    }

    /// Checks that the input has a signal. Webcams don't report a signal status and always pass.
    ///
    /// - Throws: `DeviceError` with `noSignal` if the driver reports no signal.
    func requireSignal() throws(DeviceError) {
        guard let input = input() else { return }
        let nothing =
            UInt32(V4L2_IN_ST_NO_POWER) | UInt32(V4L2_IN_ST_NO_SIGNAL) | UInt32(V4L2_IN_ST_NO_H_LOCK)
            | UInt32(V4L2_IN_ST_NO_SYNC)
        guard input.status & nothing == 0 else {
            throw DeviceError(device: path, operation: "checking the input", reason: .noSignal)
        }
    }

    /// Dequeues the driver's events, which `poll` reports as POLLPRI.
    ///
    /// - Returns: Whether the source has changed, so that the frame size may change or frames may stop.
    func dequeueSourceChange() -> Bool {
        var hasChanged = false
        var event = v4l2_event()
        // The limit is slightly above the number of events that a driver can queue per handle.
        for _ in 0..<64 {
            guard tryCall(linux_VIDIOC_DQEVENT, &event) else { break }
            hasChanged = hasChanged || event.type == UInt32(V4L2_EVENT_SOURCE_CHANGE)
        }
        return hasChanged
    }
}

extension V4L2Device {
    /// Returns all readable pixel formats, sizes and rates that the driver offers, in driver order.
    package func formats() -> [OfferedFormat] {
        pixelCodes().flatMap { code -> [OfferedFormat] in
            guard let pixel = code.pixel else { return [] }
            return sizes(of: code).map { size in
                OfferedFormat(
                    pixel: pixel, nativeName: pixel == .converted ? code.text.printable() : nil, size: size,
                    rates: rates(of: code, size))
            }
        }
    }

    /// Returns the format codes that the driver offers. The list is limited to 256 codes, because a faulty driver could
    /// enumerate endlessly.
    func pixelCodes() -> [FourCC] { codes(of: V4L2_BUF_TYPE_VIDEO_CAPTURE) }

    /// Returns the format codes that one of the node's queues offers, at most 256.
    func codes(of queue: v4l2_buf_type) -> [FourCC] {
        var codes: [FourCC] = []
        var entry = v4l2_fmtdesc()
        for index in 0..<UInt32(256) {
            entry.index = index
            entry.type = queue.rawValue
            guard tryCall(linux_VIDIOC_ENUM_FMT, &entry) else { break }
            let code = FourCC(entry.pixelformat)
            if !codes.contains(code) { codes.append(code) }
        }
        return codes
    }

    private func sizes(of code: FourCC) -> [FrameSize] {
        var sizes: [FrameSize] = []
        for index in 0..<UInt32(1024) {
            var entry = v4l2_frmsizeenum()
            entry.index = index
            entry.pixel_format = code.code
            guard tryCall(linux_VIDIOC_ENUM_FRAMESIZES, &entry) else { break }
            guard entry.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue else {
                let range = entry.stepwise
                return FormatSteps.sizes(
                    width: .init(range.min_width, range.max_width, step: range.step_width),
                    height: .init(range.min_height, range.max_height, step: range.step_height))
            }
            let size = FrameSize(width: Int(entry.discrete.width), height: Int(entry.discrete.height))
            guard (1...16384).contains(size.width), (1...16384).contains(size.height) else { continue }
            if !sizes.contains(size) { sizes.append(size) }
        }
        return sizes
    }

    private func rates(of code: FourCC, _ size: FrameSize) -> OfferedFormat.Rates {
        var listed: [FrameRate] = []
        for index in 0..<UInt32(1024) {
            var entry = v4l2_frmivalenum()
            entry.index = index
            entry.pixel_format = code.code
            entry.width = UInt32(size.width)
            entry.height = UInt32(size.height)
            guard tryCall(linux_VIDIOC_ENUM_FRAMEINTERVALS, &entry) else { break }
            guard entry.type == V4L2_FRMIVAL_TYPE_DISCRETE.rawValue else {
                if let range = FormatSteps.rates(shortest: entry.stepwise.min, longest: entry.stepwise.max) {
                    return range
                }
                break
            }
            let rate = FormatSteps.rate(ofInterval: entry.discrete.numerator, entry.discrete.denominator)
            if let rate, !listed.contains(rate) { listed.append(rate) }
        }
        // Drivers of old webcams don't list intervals. For these webcams, the current rate is used, or else 30 frames
        // per second, the usual webcam rate.
        return .listed(listed.isEmpty ? [currentRate() ?? FrameRate(30)] : listed)
    }

    /// Returns the current rate; `nil` if the driver doesn't support rates.
    func currentRate() -> FrameRate? {
        var parameters = v4l2_streamparm()
        parameters.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        guard tryCall(linux_VIDIOC_G_PARM, &parameters) else { return nil }
        let interval = parameters.parm.capture.timeperframe
        return FormatSteps.rate(ofInterval: interval.numerator, interval.denominator)
    }
}

extension V4L2Device {
    /// Format granted by the driver.
    struct GrantedFormat {
        let code: FourCC
        let size: FrameSize
        /// Bytes per row of the first plane; 0 for compressed formats.
        let stride: Int
        /// Maximum size of a frame in bytes.
        let byteCount: Int
        let color: ColorDescription
        /// The driver's format structure, for libv4lconvert.
        let raw: v4l2_format
    }

    /// Requests a format. Drivers grant the closest supported format, so the caller must compare the result with the
    /// request.
    func setFormat(_ code: FourCC, _ size: FrameSize) throws(DeviceError) -> GrantedFormat {
        var format = v4l2_format()
        format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        format.fmt.pix.width = UInt32(size.width)
        format.fmt.pix.height = UInt32(size.height)
        format.fmt.pix.pixelformat = code.code
        format.fmt.pix.field = V4L2_FIELD_ANY.rawValue
        do {
            try call(linux_VIDIOC_S_FMT, "VIDIOC_S_FMT", &format)
        } catch {
            // EIO: the camera stalled the request, although it lists this format.
            guard error.reason == .disconnected, isAlive else { throw error }
            throw DeviceError(
                device: path, operation: "VIDIOC_S_FMT",
                reason: .other(
                    "the camera rejected \(code.text.printable()) \(size), although it reports this format as supported. Choose another format, or reconnect the camera."
                ))
        }
        let pix = format.fmt.pix
        return GrantedFormat(
            code: FourCC(pix.pixelformat), size: FrameSize(width: Int(pix.width), height: Int(pix.height)),
            stride: Int(pix.bytesperline), byteCount: Int(pix.sizeimage),
            color: V4L2Colors.description(
                colorspace: pix.colorspace, encoding: pix.ycbcr_enc, quantization: pix.quantization),
            raw: format)
    }

    /// Requests a rate.
    ///
    /// - Returns: The granted rate; `nil` if the driver doesn't support rates.
    func setRate(_ rate: FrameRate) throws(DeviceError) -> FrameRate? {
        var parameters = v4l2_streamparm()
        parameters.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        parameters.parm.capture.timeperframe = v4l2_fract(
            numerator: UInt32(clamping: rate.seconds), denominator: UInt32(clamping: rate.frames))
        do {
            try call(linux_VIDIOC_S_PARM, "VIDIOC_S_PARM", &parameters)
        } catch {
            if error.reason == .system(errno: ENOTTY) || error.reason == .system(errno: EINVAL) { return nil }
            throw error
        }
        let interval = parameters.parm.capture.timeperframe
        return FormatSteps.rate(ofInterval: interval.numerator, interval.denominator)
    }

    /// Requests buffers from the driver. A count of 0 frees all buffers.
    ///
    /// - Returns: The number of buffers that the driver allocated.
    @discardableResult
    func requestBuffers(_ count: Int) throws(DeviceError) -> Int {
        var request = v4l2_requestbuffers()
        request.count = UInt32(count)
        request.type = bufferType
        request.memory = V4L2_MEMORY_MMAP.rawValue
        try call(linux_VIDIOC_REQBUFS, "VIDIOC_REQBUFS", &request)
        return Int(request.count)
    }

    /// Maps a buffer into memory.
    func map(buffer index: Int) throws(DeviceError) -> UnsafeMutableRawBufferPointer {
        var buffer = buffer(index)
        try call(linux_VIDIOC_QUERYBUF, "VIDIOC_QUERYBUF", &buffer)
        let count = Int(buffer.length)
        let start = mmap(
            nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.number, Int(buffer.m.offset))
        guard let start, start != MAP_FAILED else {
            throw DeviceError(device: path, operation: "mmap", errno: errno)
        }
        return UnsafeMutableRawBufferPointer(start: start, count: count)
    }

    /// Queues a buffer.
    func queue(buffer index: Int) throws(DeviceError) {
        var buffer = buffer(index)
        try call(linux_VIDIOC_QBUF, "VIDIOC_QBUF", &buffer)
    }

    /// A buffer that the driver has filled.
    struct FilledBuffer {
        let index: Int
        let byteCount: Int
        let sequence: UInt32
        let stamp: DriverStamp
        /// Whether the driver flagged the buffer as incomplete or damaged.
        let isFlagged: Bool

        /// Returns the buffer with its byte count limited to its length.
        ///
        /// - Parameters:
        ///   - lengths: Lengths of all buffers in bytes.
        ///   - lent: Indices of the buffers that the driver doesn't own.
        /// - Returns: `nil` if the driver can't have filled this buffer.
        func checked(lengths: [Int], lent: Set<Int>) -> FilledBuffer? {
            guard lengths.indices.contains(index), !lent.contains(index) else { return nil }
            return FilledBuffer(
                index: index, byteCount: min(byteCount, lengths[index]), sequence: sequence, stamp: stamp,
                isFlagged: isFlagged)
        }
    }

    /// Dequeues a filled buffer.
    ///
    /// - Returns: `nil` if no buffer is filled yet.
    func dequeue() throws(DeviceError) -> FilledBuffer? {
        var buffer = buffer(0)
        do {
            try call(linux_VIDIOC_DQBUF, "VIDIOC_DQBUF", &buffer)
        } catch {
            if error.reason == .system(errno: EAGAIN) { return nil }
            throw error
        }
        let clock = buffer.flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK)
        let source = buffer.flags & UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_MASK)
        let time = ClockTime(
            nanoseconds: (.seconds(Int64(buffer.timestamp.tv_sec))
                + .microseconds(Int64(buffer.timestamp.tv_usec)) as Nanoseconds).count)
        return FilledBuffer(
            index: Int(buffer.index), byteCount: Int(buffer.bytesused), sequence: buffer.sequence,
            stamp: DriverStamp(
                time: clock == UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC) ? time : nil,
                isStartOfExposure: source == UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_SOE)),
            isFlagged: buffer.flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0)
    }

    func startStreaming() throws(DeviceError) {
        var type = bufferType
        try call(linux_VIDIOC_STREAMON, "VIDIOC_STREAMON", &type)
    }

    /// Stops the stream and takes all buffers back from the driver.
    func stopStreaming() throws(DeviceError) {
        var type = bufferType
        try call(linux_VIDIOC_STREAMOFF, "VIDIOC_STREAMOFF", &type)
    }

    private func buffer(_ index: Int) -> v4l2_buffer {
        var buffer = v4l2_buffer()
        buffer.index = UInt32(index)
        buffer.type = bufferType
        buffer.memory = V4L2_MEMORY_MMAP.rawValue
        return buffer
    }
}

/// A driver's timestamp and its meaning.
struct DriverStamp: Equatable, Sendable {
    /// Time on `CLOCK_MONOTONIC`; `nil` if the driver uses another clock or sets no timestamps.
    let time: ClockTime?
    /// Whether the time is the start of exposure. Otherwise, the time is the arrival time of the last byte.
    let isStartOfExposure: Bool
}

/// Reads text from the fixed-size arrays of C structs, which Swift imports as tuples.
enum CText {
    /// Returns the text up to the first zero byte or the end of the array.
    static func text<Tuple>(of array: Tuple) -> String {
        withUnsafeBytes(of: array) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

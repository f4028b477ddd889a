internal import CLinux
internal import FileSystem
import Glibc
import Media

extension V4L2Device {
    /// The format that the driver will deliver.
    struct GrantedFormat {
        let code: FourCC
        let size: FrameSize
        /// Bytes from one row of the first plane to the next; 0 for compressed formats.
        let stride: Int
        /// The most bytes that a frame takes.
        let byteCount: Int
        let color: ColorDescription
        /// The driver's own structure, for libv4lconvert.
        let raw: v4l2_format
    }

    /// Asks for a format. Drivers grant the nearest that they can, so the caller must compare.
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
            // EIO: the camera stalled the request for a format that it lists itself.
            guard error.reason == .disconnected, isAlive else { throw error }
            throw DeviceError(
                device: path, operation: "VIDIOC_S_FMT",
                reason: .other(
                    "the camera refuses \(code.text.printable()) \(size), which it lists itself. "
                        + "Choose another format, or plug the camera in again."))
        }
        let pix = format.fmt.pix
        return GrantedFormat(
            code: FourCC(pix.pixelformat), size: FrameSize(width: Int(pix.width), height: Int(pix.height)),
            stride: Int(pix.bytesperline), byteCount: Int(pix.sizeimage),
            color: V4L2Colors.description(
                colorspace: pix.colorspace, encoding: pix.ycbcr_enc, quantization: pix.quantization),
            raw: format)
    }

    /// Asks for a rate.
    ///
    /// - Returns: The granted rate; `nil` where the driver knows no rates.
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

    /// Asks the driver for buffers; 0 frees them.
    ///
    /// - Returns: The number of buffers that the driver made.
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

    /// Gives a buffer to the driver.
    func queue(buffer index: Int) throws(DeviceError) {
        var buffer = buffer(index)
        try call(linux_VIDIOC_QBUF, "VIDIOC_QBUF", &buffer)
    }

    /// A buffer that the driver has filled.
    struct Filled {
        let index: Int
        let byteCount: Int
        let sequence: UInt32
        let stamp: DriverStamp
        /// Whether the driver flagged the buffer as incomplete or damaged.
        let isFlagged: Bool

        /// The buffer with at most as many bytes as it has room for.
        ///
        /// - Parameters:
        ///   - lengths: Lengths of all buffers in bytes.
        ///   - lent: Numbers of the buffers that the driver does not have.
        /// - Returns: `nil` when the driver cannot have filled such a buffer.
        func checked(lengths: [Int], lent: Set<Int>) -> Filled? {
            guard lengths.indices.contains(index), !lent.contains(index) else { return nil }
            return Filled(
                index: index, byteCount: min(byteCount, lengths[index]), sequence: sequence, stamp: stamp,
                isFlagged: isFlagged)
        }
    }

    /// Takes a filled buffer from the driver.
    ///
    /// - Returns: `nil` when no buffer is filled yet.
    func dequeue() throws(DeviceError) -> Filled? {
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
        return Filled(
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

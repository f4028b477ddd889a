internal import CLinux
public import Media

extension V4L2Device {
    /// Returns every pixel format, size and rate that the driver offers and that can be read, as the driver orders
    /// them.
    public func formats() -> [OfferedFormat] {
        pixelCodes().flatMap { code -> [OfferedFormat] in
            guard let pixel = code.pixel else { return [] }
            return sizes(of: code).map { size in
                OfferedFormat(
                    pixel: pixel, nativeName: pixel == .converted ? code.text.printable() : nil, size: size,
                    rates: rates(of: code, size))
            }
        }
    }

    /// The codes that the driver offers, at most 256: an endless enumeration is cut.
    func pixelCodes() -> [FourCC] { codes(of: V4L2_BUF_TYPE_VIDEO_CAPTURE) }

    /// The codes that one of the node's queues offers, at most 256.
    func codes(of queue: v4l2_buf_type) -> [FourCC] {
        var codes: [FourCC] = []
        var entry = v4l2_fmtdesc()
        for index in 0..<UInt32(256) {
            entry.index = index
            entry.type = queue.rawValue
            guard answers(linux_VIDIOC_ENUM_FMT, &entry) else { break }
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
            guard answers(linux_VIDIOC_ENUM_FRAMESIZES, &entry) else { break }
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
            guard answers(linux_VIDIOC_ENUM_FRAMEINTERVALS, &entry) else { break }
            guard entry.type == V4L2_FRMIVAL_TYPE_DISCRETE.rawValue else {
                if let range = FormatSteps.rates(shortest: entry.stepwise.min, longest: entry.stepwise.max) {
                    return range
                }
                break
            }
            let rate = FormatSteps.rate(ofInterval: entry.discrete.numerator, entry.discrete.denominator)
            if let rate, !listed.contains(rate) { listed.append(rate) }
        }
        // Drivers of old webcams list no intervals. Then the present rate counts, else 30, the usual rate of webcams.
        return .listed(listed.isEmpty ? [currentRate() ?? FrameRate(30)] : listed)
    }

    /// The rate that is set; `nil` where the driver knows no rates.
    func currentRate() -> FrameRate? {
        var parameters = v4l2_streamparm()
        parameters.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        guard answers(linux_VIDIOC_G_PARM, &parameters) else { return nil }
        let interval = parameters.parm.capture.timeperframe
        return FormatSteps.rate(ofInterval: interval.numerator, interval.denominator)
    }
}

internal import FileSystem
import Media

/// One opening of a camera's node, in its format, with buffers and controls. A camera that was away gets a new one.
struct CameraGeneration {
    let buffers: CaptureBuffers
    let granted: V4L2Device.GrantedFormat
    let layout: FrameLayout
    /// The format that was asked for, and exactly what the driver granted.
    let format: VideoFormat
    /// Outcomes of setting the controls that the camera is to have.
    let outcomes: [ControlOutcome]
    /// The controls that the camera took, with the values that it made of them.
    var controls: [ControlRequest] {
        outcomes.compactMap { outcome in
            guard outcome.fault == nil else { return nil }
            let request = outcome.request
            return ControlRequest(
                name: request.name, value: outcome.value ?? request.value, origin: request.origin)
        }
    }
    /// Reads the clock of the packets' headers, where that was asked for and is available.
    private(set) var headers: HeaderClocks?
    /// Whether the headers' clock was asked for and is not available, at least not yet.
    private(set) var lacksHeaders = false

    /// Opens a node in exactly one format; nothing streams yet.
    ///
    /// - Parameters:
    ///   - device: The camera whose `node` is opened.
    ///   - format: A format that the camera offers.
    ///   - controls: The controls to set; automatic ones are set before the others.
    ///   - isLenient: Whether the camera is opened even when it does not take a control: frames with another focus are
    ///     better than none for a recording that runs.
    /// - Throws: `DeviceError`: busy with the program's name, no permission, a format that the camera does not deliver
    ///   exactly, a control that it does not take.
    init(
        opening device: CaptureDevice, _ format: VideoFormat, _ controls: [ControlRequest],
        isLenient: Bool = false
    ) throws(DeviceError) {
        do throws(DeviceError) {
            let node = try V4L2Device(path: device.node)
            node.followSource()
            try node.requireSignal()
            let granted = try node.grant(format)
            let outcomes = try node.set(ControlGovernor.ordered(controls))
            if !isLenient, let refused = outcomes.first(where: { $0.fault != nil && !$0.request.isOptional }),
                let fault = refused.fault
            {
                throw node.refusal(refused.request.name, fault)
            }
            layout = FrameLayout(
                pixel: format.pixel, size: granted.size, stride: granted.stride, color: granted.color)
            // Raw frames are lent for as long as they are shown; compressed ones are copied, and their buffers return at once.
            buffers = try CaptureBuffers(of: node, count: format.pixel.isCompressed ? 4 : 8)
            self.granted = granted
            self.format = format
            self.outcomes = outcomes
        } catch {
            throw error.explained(node: device.node, asking: format, offers: device.formats)
        }
    }

    /// Switches the stream on. Where the clock of the packets' headers is wanted and not available, frames come without
    /// it.
    ///
    /// - Returns: Outcomes of the controls that the camera had forgotten by that and that were set again.
    mutating func start(
        on device: CaptureDevice, readingHeaders readsHeaders: Bool
    ) throws(DeviceError) -> [ControlOutcome] {
        if readsHeaders { openHeaders() }
        do {
            try buffers.startStreaming()
            // Some cameras forget their controls when the stream starts.
            return try buffers.device.keep(controls)
        } catch {
            headers?.stop()
            buffers.stopStreaming()
            throw error.explained(node: device.node, asking: format, offers: device.formats)
        }
    }

    /// Opens the metadata node, before the frames stream, so that the first of them has its header's clock.
    private mutating func openHeaders() {
        do throws(DeviceError) {
            headers = try HeaderClocks(startingFor: buffers.device.path)
        } catch {
            // The stream tries again, and reports a failure.
            lacksHeaders = true
        }
    }

    /// Makes a converter for formats that only libv4lconvert reads; `nil` for all others.
    func makeConverter() throws(DeviceError) -> LegacyConverter? {
        guard layout.isConverted else { return nil }
        return try LegacyConverter(
            device: buffers.device.path, descriptor: buffers.device.descriptor.number, source: granted.raw)
    }
}

extension V4L2Device {
    /// Sets exactly the format that is asked for.
    ///
    /// - Throws: `formatNotSupported` with the offered formats when the driver grants another.
    func grant(_ format: VideoFormat) throws(DeviceError) -> GrantedFormat {
        var substitute: FrameSize?
        // Several codes can mean the same: MJPG and JPEG, or all that are converted.
        for code in pixelCodes() where code.pixel == format.pixel {
            let granted = try setFormat(code, format.size)
            guard granted.code == code, granted.size == format.size else {
                substitute = granted.size
                continue
            }
            guard let rate = try setRate(format.rate) else { return granted }
            // Drivers round intervals to their units; a rate that is a hundredth off is another one.
            if abs(rate.perSecond / format.rate.perSecond - 1) < 0.01 { return granted }
        }
        let offered = formats()
        if let substitute, offered.contains(where: { $0.pixel == format.pixel && $0.size == format.size }) {
            throw DeviceError(
                device: path, operation: "VIDIOC_S_FMT",
                reason: .other(
                    "it lists \(format.size) but grants \(substitute). Plug it in again, or choose another size."
                ))
        }
        throw DeviceError(
            device: path, operation: "VIDIOC_S_FMT",
            reason: .formatNotSupported(requested: format.description, offered: offered.map(\.description)))
    }

    /// Sets those controls again that do not have their value any more.
    ///
    /// - Returns: The outcomes of the controls that were set.
    func keep(_ wanted: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
        guard !wanted.isEmpty else { return [] }
        let present = controls()
        return try set(
            ControlGovernor.ordered(wanted.filter { present.named($0.name)?.value != $0.value }))
    }
}

import MulticamMedia
internal import MulticamSystem

/// An opened camera node with its format, buffers and controls. When a camera returns after an outage, its
/// node is opened again as a new `OpenedCamera`.
struct OpenedCamera {
    let buffers: CaptureBuffers
    let granted: V4L2Device.GrantedFormat
    let layout: FrameLayout
    /// Requested format, which the driver granted exactly.
    let format: VideoFormat
    /// Outcomes of setting the requested controls.
    let outcomes: [ControlOutcome]
    /// Controls that the camera accepted, with the values that it applied.
    var controls: [ControlRequest] {
        outcomes.compactMap { outcome in
            guard outcome.fault == nil else { return nil }
            let request = outcome.request
            return ControlRequest(
                name: request.name, value: outcome.value ?? request.value, origin: request.origin)
        }
    }
    /// Reads the UVC header clock, if it was requested and is available.
    private(set) var headers: HeaderClocks?
    /// Whether the UVC header clock was requested but isn't available (yet).
    private(set) var lacksHeaders = false

    /// Opens a node in exactly one format. Doesn't start the stream.
    ///
    /// - Parameters:
    ///   - device: The camera; its `node` is opened.
    ///   - format: A format that the camera offers.
    ///   - controls: The controls to set. Automatic controls are set before other controls.
    ///   - isLenient: Whether the camera is opened even if it rejects a control. For a running recording, frames with
    ///     the wrong focus are better than no frames.
    /// - Throws: `DeviceError` if the camera is busy (with the name of the program), permission is denied, the camera
    ///   doesn't deliver the exact format, or it rejects a control.
    init(
        opening device: CaptureDevice, _ format: VideoFormat, _ controls: [ControlRequest],
        isLenient: Bool = false
    ) throws(DeviceError) {
        do throws(DeviceError) {
            let node = try V4L2Device(path: device.node)
            node.subscribeToSourceChanges()
            try node.requireSignal()
            let granted = try node.setExactFormat(format)
            let outcomes = try node.set(ControlGovernor.ordered(controls))
            if !isLenient, let refused = outcomes.first(where: { $0.fault != nil && !$0.request.isOptional }),
                let fault = refused.fault
            {
                throw node.controlError(refused.request.name, fault)
            }
            layout = FrameLayout(
                pixel: format.pixel, size: granted.size, stride: granted.stride, color: granted.color)
            // Raw frames keep their buffers until they have been displayed. Compressed frames are copied, and
            // their buffers are returned immediately.
            buffers = try CaptureBuffers(of: node, count: format.pixel.isCompressed ? 4 : 8)
            self.granted = granted
            self.format = format
            self.outcomes = outcomes
        } catch {
            throw error.explained(node: device.node, requested: format, offers: device.formats)
        }
    }

    /// Starts the stream. If the UVC header clock was requested but isn't available, frames are delivered
    /// without it.
    ///
    /// - Returns: Outcomes for the controls that the camera reset at stream start and that were set again.
    mutating func start(
        on device: CaptureDevice, readingHeaders readsHeaders: Bool
    ) throws(DeviceError) -> [ControlOutcome] {
        if readsHeaders { openHeaders() }
        do {
            try buffers.startStreaming()
            // Some cameras reset their controls when the stream starts.
            return try buffers.device.restore(controls)
        } catch {
            headers?.stop()
            buffers.stopStreaming()
            throw error.explained(node: device.node, requested: format, offers: device.formats)
        }
    }

    /// Opens the metadata node before frames arrive, so that the first frame has a header clock.
    private mutating func openHeaders() {
        do throws(DeviceError) {
            headers = try HeaderClocks(startingFor: buffers.device.path)
        } catch {
            // The stream opens the metadata node again later, and reports if this attempt fails too.
            lacksHeaders = true
        }
    }

    /// Creates a converter for formats that only libv4lconvert can read; `nil` for all other formats.
    func makeConverter() throws(DeviceError) -> LegacyConverter? {
        guard layout.isConverted else { return nil }
        return try LegacyConverter(
            device: buffers.device.path, descriptor: buffers.device.descriptor.number, source: granted.raw)
    }
}

extension V4L2Device {
    /// Sets exactly the requested format.
    ///
    /// - Throws: `formatNotSupported` with the offered formats if the driver grants a different one.
    func setExactFormat(_ format: VideoFormat) throws(DeviceError) -> GrantedFormat {
        var substitute: FrameSize?
        // Several codes can represent the same pixel format, such as MJPG and JPEG, or all converted formats.
        for code in pixelCodes() where code.pixel == format.pixel {
            let granted = try setFormat(code, format.size)
            guard granted.code == code, granted.size == format.size else {
                substitute = granted.size
                continue
            }
            guard let rate = try setRate(format.rate) else { return granted }
            // Drivers round intervals to their own units. A rate that differs by 1 % or more counts as a different
            // rate.
            if abs(rate.perSecond / format.rate.perSecond - 1) < 0.01 { return granted }
        }
        let offered = formats()
        if let substitute, offered.contains(where: { $0.pixel == format.pixel && $0.size == format.size }) {
            throw DeviceError(
                device: path, operation: "VIDIOC_S_FMT",
                reason: .other(
                    "the camera was set to \(format.size), but delivered \(substitute). Reconnect the camera, or choose another size."
                ))
        }
        throw DeviceError(
            device: path, operation: "VIDIOC_S_FMT",
            reason: .formatNotSupported(requested: format.description, offered: offered.map(\.description)))
    }

    /// Sets controls again if their values have changed.
    ///
    /// - Returns: The outcomes of the controls that were set.
    func restore(_ wanted: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
        guard !wanted.isEmpty else { return [] }
        let present = controls()
        return try set(
            ControlGovernor.ordered(wanted.filter { present.named($0.name)?.value != $0.value }))
    }
}
